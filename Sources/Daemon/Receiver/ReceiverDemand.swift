/// Whether gpsd is needed: pure. gpsd powers a receiver down when nobody watches it, so the daemon watches only while
/// something needs positions, and a little longer, so that one program after another does not switch it off and on.
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
struct ReceiverDemand: Equatable {
    /// What to do.
    enum Effect: Equatable {
        /// Connect to gpsd.
        case want
        /// Close the connection.
        case unwant
        /// Call `timerFired` at this time.
        case armTimer(at: UInt64)
        /// Do not call it.
        case disarmTimer
    }

    private enum State: Equatable {
        case unneeded
        case needed(by: Int)
        case releasing(at: UInt64)
    }

    /// How long the connection is kept after the last need, nanoseconds.
    var release: UInt64
    private var state = State.unneeded

    init(release: UInt64) {
        self.release = release
    }

    /// How many need positions now.
    var count: Int {
        if case .needed(let count) = state { count } else { 0 }
    }

    /// Whether gpsd is to be connected: somebody needs positions, or did a moment ago.
    var isWanted: Bool { state != .unneeded }

    /// Somebody needs positions.
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

    /// Somebody needs them no longer.
    mutating func remove(at now: UInt64) -> [Effect] {
        guard case .needed(let count) = state else { return [] }
        guard count == 1 else {
            state = .needed(by: count - 1)
            return []
        }
        guard release > 0 else {
            state = .unneeded
            return [.unwant]
        }
        state = .releasing(at: now + release)
        return [.armTimer(at: now + release)]
    }

    /// The timer has run out.
    mutating func timerFired(at now: UInt64) -> [Effect] {
        guard case .releasing(let due) = state else { return [] }
        guard now >= due else { return [.armTimer(at: due)] }
        state = .unneeded
        return [.unwant]
    }
}
