import NetworkPaths

/// One thing that clients watch: what they were told, and what that relied on.
struct StateReporter<State: Settling>: Sendable {
    private var damper: FlapDamper<State>
    /// What the state that was told relies on.
    private var uses: Set<RouteUse> = []
    /// What of that no state relied on that was told before, or was told to have been away.
    private var newUses: Set<RouteUse>
    /// What of that was away since.
    private var interruptions: [RouteUse: UnreachableReason] = [:]
    /// What the state relies on that was found last, told or not.
    private var pendingUses: Set<RouteUse> = []
    private var isPendingInterrupted = false
    /// When something was last given to be told.
    private var reportedAt: UInt64

    /// Something to be told, and its number.
    struct NumberedState {
        var state: State
        var generation: Int64
    }

    /// What was told first.
    init(_ settings: FlapDamper<State>.Settings, first: State, uses: Set<RouteUse> = [], at now: UInt64) {
        damper = FlapDamper(settings, first: first)
        self.uses = uses
        newUses = uses
        reportedAt = now
    }

    /// The kernel has announced something: before anybody was told what was given to be told since that moment, where
    /// there is one. On what is new in that nobody relied yet, and it can have been away only before it was found.
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

    /// What was told last, and how often something was told since the first.
    var reported: State { damper.reported }
    var generation: Int64 { damper.generation }

    /// This is how it is now. Returns what is to be told. A gain that is not certain yet is held back.
    mutating func offer(
        _ state: State, isCertain: Bool = true, uses current: Set<RouteUse>, at now: UInt64
    ) -> [NumberedState] {
        let before = damper.generation
        return numbered(decide(state, isCertain, uses: current, at: now), after: before, at: now)
    }

    private mutating func decide(
        _ state: State, _ isCertain: Bool, uses current: Set<RouteUse>, at now: UInt64
    ) -> [State] {
        // What is not in use any more shows that things have changed.
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

    /// The deadline may have come. Returns what is to be told.
    mutating func timerFired(at now: UInt64) -> [NumberedState] {
        let (before, wasUp) = (damper.generation, damper.reported.isUp)
        let reported = damper.timerFired(at: now)
        if !reported.isEmpty {
            rely(on: pendingUses, isNew: true, afterPath: wasUp)
            interruptions = [:]
        }
        return numbered(reported, after: before, at: now)
    }

    /// When `timerFired` wants to be called; nil for never.
    var deadline: UInt64? { damper.deadline }

    /// Uses other times to hold from now on.
    mutating func use(_ settings: FlapDamper<State>.Settings, at now: UInt64) { damper.use(settings, at: now) }

    /// The state that was told last relies on this.
    private mutating func rely(on current: Set<RouteUse>, isNew: Bool, afterPath wasUp: Bool) {
        if isNew { newUses = wasUp ? current.filter { !uses.contains($0) || interruptions[$0] != nil } : current }
        uses = current
    }

    private mutating func numbered(_ states: [State], after generation: Int64, at now: UInt64) -> [NumberedState] {
        if !states.isEmpty { reportedAt = now }
        return states.enumerated().map { NumberedState(state: $1, generation: generation + Int64($0) + 1) }
    }
}
