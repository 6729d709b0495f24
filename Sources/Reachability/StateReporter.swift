import NetworkPaths

/// The state last reported to the clients that watch one thing (the path or a host), with the routes that this state
/// uses.
struct StateReporter<State: Settling>: Sendable {
    private var damper: FlapDamper<State>
    /// Routes used by the reported state.
    private var uses: Set<RouteUse> = []
    /// Routes used by the current state that no earlier reported state used, or whose interruption was already
    /// reported. An interruption of one of these cannot have affected anything a client already knows about.
    private var newUses: Set<RouteUse>
    /// Routes of `uses` that were interrupted since the last report, with the reason.
    private var interruptions: [RouteUse: UnreachableReason] = [:]
    /// Routes used by the latest evaluated state, whether or not that state has been reported.
    private var pendingUses: Set<RouteUse> = []
    private var isPendingInterrupted = false
    /// When a report was last returned to the caller, in nanoseconds of CLOCK_MONOTONIC.
    private var reportedAt: UInt64

    /// A state to report, with its generation number.
    struct NumberedState {
        var state: State
        var generation: Int64
    }

    /// Starts with the first reported state and the routes that it uses.
    init(_ settings: FlapDamper<State>.Settings, first: State, uses: Set<RouteUse> = [], at now: UInt64) {
        damper = FlapDamper(settings, first: first)
        self.uses = uses
        newUses = uses
        reportedAt = now
    }

    /// Records interruptions that the kernel has announced. Reports returned since the instant `unreportedSince` have
    /// not reached any client yet: no client relies on the routes that are new in them, and those routes can only have
    /// been interrupted before they were found.
    mutating func apply(_ events: NetworkEvents, unreportedSince: UInt64? = nil) {
        if damper.hasPending, pendingUses.contains(where: { $0.interruption(by: events) != nil }) {
            isPendingInterrupted = true
        }
        guard damper.reported.isUp else { return }
        let isUnreported = unreportedSince.map { reportedAt >= $0 } ?? false
        for use in uses where interruptions[use] != .noCarrier && !(isUnreported && newUses.contains(use)) {
            if let reason = use.interruption(by: events) { interruptions[use] = reason }
        }
    }

    /// The state reported last, and the number of reports since the first.
    var reported: State { damper.reported }
    var generation: Int64 { damper.generation }

    /// Records the latest evaluation and returns the state changes to report now. An improvement that is not yet
    /// certain is delayed by the flap damper.
    mutating func offer(
        _ state: State, isCertain: Bool = true, uses current: Set<RouteUse>, at now: UInt64
    ) -> [NumberedState] {
        let before = damper.generation
        return numbered(decide(state, isCertain, uses: current, at: now), after: before, at: now)
    }

    private mutating func decide(
        _ state: State, _ isCertain: Bool, uses current: Set<RouteUse>, at now: UInt64
    ) -> [State] {
        // An interruption counts only if the current state still uses the route. Otherwise the new state itself shows
        // the change.
        var lost: [IPAddress.Family: UnreachableReason] = [:]
        for (use, reason) in interruptions
        where current.contains(where: { $0.family == use.family && $0.interface == use.interface }) {
            lost[use.family] = lost[use.family] == .noCarrier ? .noCarrier : reason
        }
        if isPendingInterrupted { damper.pendingInterrupted(at: now) }
        isPendingInterrupted = false
        let wasUp = damper.reported.isUp
        let reported: [State]
        if damper.reported.isUp, !lost.isEmpty, let past = state.without(lost) {
            reported = damper.interrupted(as: past, now: state, isCertain: isCertain, at: now)
        } else {
            reported = damper.offer(state, isCertain: isCertain, at: now)
        }
        pendingUses = current
        if damper.reported == state { rely(on: current, isNew: !reported.isEmpty, afterPath: wasUp) }
        if !reported.isEmpty { interruptions = [:] }
        return reported
    }

    /// Returns the state changes to report now, if the deadline has passed.
    mutating func timerFired(at now: UInt64) -> [NumberedState] {
        let (before, wasUp) = (damper.generation, damper.reported.isUp)
        let reported = damper.timerFired(at: now)
        if !reported.isEmpty {
            rely(on: pendingUses, isNew: true, afterPath: wasUp)
            interruptions = [:]
        }
        return numbered(reported, after: before, at: now)
    }

    /// When `timerFired` has to be called; nil for never.
    var deadline: UInt64? { damper.deadline }

    /// Applies other settle times from now on.
    mutating func use(_ settings: FlapDamper<State>.Settings, at now: UInt64) { damper.use(settings, at: now) }

    /// Records the routes that the reported state uses.
    private mutating func rely(on current: Set<RouteUse>, isNew: Bool, afterPath wasUp: Bool) {
        if isNew { newUses = wasUp ? current.filter { !uses.contains($0) || interruptions[$0] != nil } : current }
        uses = current
    }

    private mutating func numbered(_ states: [State], after generation: Int64, at now: UInt64) -> [NumberedState] {
        if !states.isEmpty { reportedAt = now }
        return states.enumerated().map { NumberedState(state: $1, generation: generation + Int64($0) + 1) }
    }
}
