/// Whether gpsd is needed: pure. gpsd powers a receiver down while it has no client, so the daemon connects only while
/// positions are needed, and a little longer, so that several short-lived programs in a row do not switch the receiver
/// off and on.
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
struct ReceiverDemand: Equatable {
    /// What to do.
    enum Effect: Equatable {
        /// Connect to gpsd.
        case want
        /// Close the connection.
        case unwant
        /// Call `timerFired` at this time, in nanoseconds.
        case armTimer(at: UInt64)
        /// Cancel the timer.
        case disarmTimer
    }

    private enum State: Equatable {
        case unneeded
        case needed(by: Int)
        case releasing(at: UInt64)
    }

    /// How long the connection stays open after the last need, in nanoseconds.
    var release: UInt64
    private var state = State.unneeded

    init(release: UInt64) {
        self.release = release
    }

    /// The number of present needs.
    var count: Int {
        if case .needed(let count) = state { count } else { 0 }
    }

    /// Whether gpsd is to be connected: positions are needed, or were needed recently.
    var isWanted: Bool { state != .unneeded }

    /// Adds a need for positions.
    mutating func add() -> [Effect] {
        switch state {
        case .unneeded:
            state = .needed(by: 1)
            return [.want]
        case .needed(let count):
            state = .needed(by: count + 1)
            return []
        case .releasing:
            state = .needed(by: 1)
            return [.disarmTimer]
        }
    }

    /// Removes a need for positions. After the last one the connection stays open for a while, unless it is known for how
    /// long nothing is needed.
    mutating func remove(at now: UInt64, atOnce: Bool = false) -> [Effect] {
        guard case .needed(let count) = state else { return [] }
        guard count == 1 else {
            state = .needed(by: count - 1)
            return []
        }
        guard release > 0, !atOnce else {
            state = .unneeded
            return [.unwant]
        }
        state = .releasing(at: now + release)
        return [.armTimer(at: now + release)]
    }

    /// Handles the timer.
    mutating func timerFired(at now: UInt64) -> [Effect] {
        guard case .releasing(let due) = state else { return [] }
        guard now >= due else { return [.armTimer(at: due)] }
        state = .unneeded
        return [.unwant]
    }
}
