/// Decides when a change is told: a loss at once, a way back too while there is calm, anything else when it has held, and
/// the longer the more often it has come and gone (the idea of RFC 2439, route flap damping).
///
/// A flap is a loss soon after a way was there again, a change between equals, or a gain that did not hold. The first after
/// calm sets the pause to `settle`, each further one doubles it up to `maximum`, each `calm` without one halves it, and
/// below `settle` there is calm. A loss is soon when less than `calm` has passed. With the usual settings, an interface that
/// loses its carrier for a moment every second:
///
/// | loss | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 and later |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | the gain after it is told when it has held (s) | 0 | 0.25 | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 |
///
/// From the fourth on no gain holds, so that nothing more is told. When the interface has held for 30 s the gain is told;
/// seven times 30 s later a loss would begin anew (15, 7.5, 3.75, 1.875, 0.94, 0.47, then calm). A tunnel, or one dropped
/// connection, is the first column: who comes back after a calm time goes on at once.
///
/// A change between two states in which something can be sent is told at once while there is calm: to roam to another
/// network is no failure. Within `settle` of a way's return it settles, and is no flap: the other version of the protocol
/// comes a moment later. Between two in which nothing can be sent it settles, as on the way up there are several. All times
/// are nanoseconds of CLOCK_MONOTONIC.
public struct FlapDamper<State: Settling>: Sendable {
    /// How long things have to hold.
    public struct Settings: Equatable, Sendable {
        /// The pause after the first flap, and of what is no way; zero tells everything at once.
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

    /// A state that has not been told.
    private struct Pending: Sendable {
        var state: State
        var deadline: UInt64
    }

    /// How long things have to hold.
    public private(set) var settings: Settings
    /// What was told last.
    public private(set) var reported: State
    /// How often something was told since the first.
    public private(set) var generation: Int64 = 0
    private var pending: Pending?
    /// Whether something else has to be known before what is pending may be told.
    private var isHeldBack = false
    /// What a change has to hold for; zero while there is calm.
    private var pause: UInt64 = 0
    private var lastFlap: UInt64 = 0
    /// When it was told last that something can be sent again.
    private var lastReturn: UInt64?

    /// A damper that has told this first.
    public init(_ settings: Settings, first: State) {
        self.settings = settings
        reported = first
    }

    /// Uses other times from now on, which hold for what waits already: nothing has to hold for longer than they say.
    public mutating func use(_ settings: Settings, at now: UInt64) {
        subside(at: now)
        self.settings = settings
        pause = settings.settle == 0 ? 0 : min(pause, settings.maximum)
        guard var waiting = pending else { return }
        waiting.deadline = min(waiting.deadline, deadline(of: waiting.state, from: now))
        pending = waiting
    }

    /// When `timerFired` wants to be called; nil for never.
    public var deadline: UInt64? { isHeldBack ? nil : pending?.deadline }

    /// Whether something is found that was not told yet.
    public var hasPending: Bool { pending != nil }

    /// This is how it is now. Returns what is to be told. A gain that is not certain yet is held back until something is
    /// offered that is; its time runs meanwhile.
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

    /// It is as it is now, and was lost for a moment in between. Returns what is to be told: the loss, as otherwise nobody
    /// who only compares learns that connections are dead. The gain after it is held back like any other that is not certain.
    public mutating func interrupted(
        as past: State, now state: State, isCertain: Bool = true, at now: UInt64
    ) -> [State] {
        subside(at: now)
        guard past != reported else { return offer(state, isCertain: isCertain, at: now) }
        lose(at: now)
        return notify(past, at: now) + offer(state, isCertain: isCertain, at: now)
    }

    /// What has not been told yet was lost for a moment: it has to hold anew.
    public mutating func pendingInterrupted(at now: UInt64) {
        guard var waiting = pending else { return }
        subside(at: now)
        flap(at: now)
        waiting.deadline = deadline(of: waiting.state, from: now)
        pending = waiting
    }

    /// The deadline may have come. Returns what is to be told.
    public mutating func timerFired(at now: UInt64) -> [State] {
        guard let pending, !isHeldBack, now >= pending.deadline else { return [] }
        subside(at: now)
        // What completes a way that has just come back is no flap.
        if pending.state.rank == reported.rank, !reported.isUp || pause > 0 { flap(at: now) }
        return notify(pending.state, at: now)
    }

    private mutating func wait(for state: State, at now: UInt64) {
        if var waiting = pending {
            // What was gained is there all the while, whatever else about it changes; unless a part of it is lost again.
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

    /// Until when a state has to hold that is there from now on. A way that is back while there is calm has not to hold.
    private func deadline(of state: State, from now: UInt64) -> UInt64 {
        let isReturn = state.isUp && !reported.isUp
        let (sum, overflows) = now.addingReportingOverflow(isReturn ? pause : max(pause, settings.settle))
        return overflows ? UInt64.max : sum
    }

    private mutating func notify(_ state: State, at now: UInt64) -> [State] {
        // What only stood for an answer was no way that had gone.
        if state.isUp, !reported.isUp, !reported.isPreliminary { lastReturn = now }
        pending = nil
        reported = state
        generation += 1
        return [state]
    }

    /// Whether a way is back only just, and may get more: the other version of the protocol, or a better router.
    private func isComing(at now: UInt64) -> Bool {
        lastReturn.map { now >= $0 && now - $0 < settings.settle } ?? false
    }

    /// Something is lost that was told: a flap, unless it has been there for long.
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
