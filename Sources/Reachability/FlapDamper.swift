/// Decides when to report a state change. A loss is reported at once, and so is a recovery during calm. Any other
/// change is reported once it has lasted for a pause, and the pause grows with the number of recent flaps (the idea of
/// RFC 2439, route flap damping).
///
/// A flap is a loss soon after a recovery, a change between states of equal rank, or a gain that did not last. The
/// first flap after calm sets the pause to `settle`, each further flap doubles the pause up to `maximum`, and each
/// period of `calm` without a flap halves it. Below `settle` the pause becomes zero, which is calm. "Soon" means within
/// `calm`. With the default settings, for an interface that briefly loses its carrier every second:
///
/// | loss | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 and later |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | seconds the following gain must last before it is reported | 0 | 0.25 | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 |
///
/// From the fourth loss on no gain lasts long enough, so nothing more is reported. Once the interface has been up for
/// 30 s, the gain is reported. The table starts again at its first column seven periods of 30 s later (pauses of 15,
/// 7.5, 3.75, 1.875, 0.94 and 0.47 s, then calm). A tunnel, or one dropped connection, is the first column: a recovery
/// after a calm period is reported at once.
///
/// During calm, a change between two states in which data can be sent is reported at once: roaming to another network
/// is no failure. Within `settle` after a recovery such a change is delayed by `settle` and is no flap, because the
/// other IP version usually follows shortly. A change between two states in which nothing can be sent is delayed too,
/// because an interface that comes up passes through several of them. All times are nanoseconds of CLOCK_MONOTONIC.
public struct FlapDamper<State: Settling>: Sendable {
    /// How long a state has to last before it is reported.
    public struct Settings: Equatable, Sendable {
        /// The pause after the first flap, and for changes between states in which nothing can be sent; zero reports
        /// everything at once.
        public var settle: UInt64
        /// The longest pause.
        public var maximum: UInt64
        /// How long without a flap halves the pause.
        public var calm: UInt64

        /// Settings in nanoseconds.
        public init(settle: UInt64 = 250_000_000, maximum: UInt64 = 30_000_000_000, calm: UInt64 = 30_000_000_000) {
            self.settle = settle
            self.maximum = max(settle, maximum)
            self.calm = max(calm, 1)
        }
    }

    /// A state that has not been reported.
    private struct Pending: Sendable {
        var state: State
        var deadline: UInt64
    }

    /// How long a state has to last before it is reported.
    public private(set) var settings: Settings
    /// The state reported last.
    public private(set) var reported: State
    /// The number of reports since the first state.
    public private(set) var generation: Int64 = 0
    private var pending: Pending?
    /// Whether the pending state may only be reported after another `offer`, because it is not certain yet.
    private var isHeldBack = false
    /// How long a change has to last; zero during calm.
    private var pause: UInt64 = 0
    private var lastFlap: UInt64 = 0
    /// When a recovery (data can be sent again) was last reported.
    private var lastReturn: UInt64?

    /// A damper whose first state counts as reported.
    public init(_ settings: Settings, first: State) {
        self.settings = settings
        reported = first
    }

    /// Applies other times from now on. A state that is already pending never has to last longer than the new times
    /// require.
    public mutating func use(_ settings: Settings, at now: UInt64) {
        subside(at: now)
        self.settings = settings
        pause = settings.settle == 0 ? 0 : min(pause, settings.maximum)
        guard var waiting = pending else { return }
        waiting.deadline = min(waiting.deadline, deadline(of: waiting.state, from: now))
        pending = waiting
    }

    /// When `timerFired` has to be called; nil for never.
    public var deadline: UInt64? { isHeldBack ? nil : pending?.deadline }

    /// Whether a state was found that has not been reported yet.
    public var hasPending: Bool { pending != nil }

    /// Records the latest evaluation and returns the state changes to report now. A gain that is not certain is delayed
    /// until a certain state is offered; its pause runs in the meantime.
    public mutating func offer(_ state: State, isCertain: Bool = true, at now: UInt64) -> [State] {
        subside(at: now)
        isHeldBack = false
        if state == reported {
            if pending != nil { flap(at: now) }
            pending = nil
            return []
        }
        if !isCertain, state.rank > reported.rank {
            wait(for: state, at: now)
            isHeldBack = true
            return []
        }
        if settings.settle == 0 || reported.isPreliminary { return notify(state, at: now) }
        if state.rank < reported.rank {
            lose(at: now)
            return notify(state, at: now)
        }
        if state.rank == reported.rank, reported.isUp, pause == 0, pending == nil, !isComing(at: now) {
            flap(at: now)
            return notify(state, at: now)
        }
        wait(for: state, at: now)
        return timerFired(at: now)
    }

    /// Records that the current state was interrupted briefly. Returns the state changes to report now: the loss is
    /// reported, because a client that only compares states would otherwise not learn that its connections may be dead.
    /// The gain that follows is delayed like any other that is not certain.
    public mutating func interrupted(
        as past: State, now state: State, isCertain: Bool = true, at now: UInt64
    ) -> [State] {
        subside(at: now)
        guard past != reported else { return offer(state, isCertain: isCertain, at: now) }
        lose(at: now)
        return notify(past, at: now) + offer(state, isCertain: isCertain, at: now)
    }

    /// Restarts the pause of the pending state, which was interrupted briefly before it was reported.
    public mutating func pendingInterrupted(at now: UInt64) {
        guard var waiting = pending else { return }
        subside(at: now)
        flap(at: now)
        waiting.deadline = deadline(of: waiting.state, from: now)
        pending = waiting
    }

    /// Returns the state changes to report now, if the deadline has passed.
    public mutating func timerFired(at now: UInt64) -> [State] {
        guard let pending, !isHeldBack, now >= pending.deadline else { return [] }
        subside(at: now)
        // A state that completes a path just after its recovery is no flap.
        if pending.state.rank == reported.rank, !reported.isUp || pause > 0 { flap(at: now) }
        return notify(pending.state, at: now)
    }

    private mutating func wait(for state: State, at now: UInt64) {
        if var waiting = pending {
            // The gain lasts as long as the rank does not decrease, even if other properties change. A decrease
            // restarts the pause.
            if state.rank < waiting.state.rank {
                flap(at: now)
                waiting.deadline = deadline(of: state, from: now)
            } else {
                waiting.deadline = min(waiting.deadline, deadline(of: state, from: now))
            }
            waiting.state = state
            pending = waiting
        } else {
            pending = Pending(state: state, deadline: deadline(of: state, from: now))
        }
    }

    /// When a state that begins now has lasted long enough. During calm, a recovery is reported without a pause.
    private func deadline(of state: State, from now: UInt64) -> UInt64 {
        let isReturn = state.isUp && !reported.isUp
        let (sum, overflows) = now.addingReportingOverflow(isReturn ? pause : max(pause, settings.settle))
        return overflows ? UInt64.max : sum
    }

    private mutating func notify(_ state: State, at now: UInt64) -> [State] {
        // A preliminary state is a placeholder for a missing reply, so leaving it is no recovery from a loss.
        if state.isUp, !reported.isUp, !reported.isPreliminary { lastReturn = now }
        pending = nil
        reported = state
        generation += 1
        return [state]
    }

    /// Whether the recovery is so recent that the path may still improve: by the other IP version, or by a better
    /// router.
    private func isComing(at now: UInt64) -> Bool {
        lastReturn.map { now >= $0 && now - $0 < settings.settle } ?? false
    }

    /// Counts a loss of the reported state as a flap, unless that state has lasted for long.
    private mutating func lose(at now: UInt64) {
        if pause == 0 {
            guard let lastReturn, now >= lastReturn, now - lastReturn < settings.calm else { return }
        }
        flap(at: now)
    }

    private mutating func flap(at now: UInt64) {
        let (doubled, overflows) = pause.multipliedReportingOverflow(by: 2)
        pause = min(settings.maximum, max(settings.settle, overflows ? UInt64.max : doubled))
        lastFlap = now
    }

    private mutating func subside(at now: UInt64) {
        while pause > 0, now >= lastFlap, now - lastFlap >= settings.calm {
            pause /= 2
            if pause < settings.settle { pause = 0 }
            lastFlap += settings.calm
        }
    }
}
