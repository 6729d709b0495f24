import Authorization
import Durations
import Location

/// When one app is woken: pure. Events and the time in, effects out.
///
///     pending event → ordered → starting → awake (woken) → asleep
///                        ↑ given again after a loss        │ without success: again, paused after the third time
///                        └────────────────────────────────┘
///
/// One wake is pending at most, so that events that come meanwhile do not start the app again: it finds all of them.
public struct WakeMachine: Sendable {
    /// The progress of the wake.
    public enum Phase: Equatable, Sendable {
        /// It sleeps, and is not being woken.
        case asleep
        /// An order is stored, or with the program that starts services. `isRepeated` is whether that program may have had it
        /// before.
        case ordered(isRepeated: Bool)
        /// Its service runs, and it has to attach until this instant of CLOCK_MONOTONIC. `ranBefore` is whether the service
        /// ran already when it was to be started, so that it may be about to end.
        case starting(until: UInt64, ranBefore: Bool)
        /// It runs.
        case awake(Run)
    }

    /// A run of the app.
    public struct Run: Equatable, Sendable {
        /// Whether it was woken, and for what.
        public var cause: WakeCause?
        /// Whether it has acknowledged an event.
        var hasProgress = false
        /// Whether its service has failed.
        var hasFailed = false
    }

    /// What is stored.
    public var record: WakeRecord
    /// Where the app is.
    public private(set) var phase: Phase
    /// The failures before the last run, which ended with success: counted again if its service turns out to have failed.
    private var failuresBefore: Int?
    /// Whether the service ran when it was to be started, and ended before the app attached. That may happen once, because a
    /// service ends a little later than its app: if it happens again, the app cannot run.
    private var hasEndedEarly = false
    /// Until when nothing is ordered, in nanoseconds of CLOCK_MONOTONIC, because the program that starts services has said that
    /// it cannot start this one now, unless it says otherwise before.
    private var blockedUntil: UInt64 = 0
    /// Whether the app was neither seen awake nor asleep since the daemon started.
    private var isRestored = true
    /// Whether it was reported that the budget delays a wake.
    private var hasReportedDelay = false
    /// When `timePassed` has to be sent, in nanoseconds of CLOCK_MONOTONIC; nil for never. It belongs to the decision of the last
    /// event: if it were computed at a later time, the budget could permit the wake by then, and nothing would cause it.
    public private(set) var deadline: UInt64?

    /// The state of an app as it was stored.
    public init(_ record: WakeRecord = WakeRecord()) {
        self.record = record
        phase = record.attempt == nil ? .asleep : .ordered(isRepeated: true)
    }

    // Decisions

    /// Handles an event.
    public mutating func handle(
        _ event: Event, in situation: Situation, at now: Instant, _ rules: WakeRules
    ) -> [Effect] {
        let before = record
        record.budget.clamp(at: now.utc, rules)
        var effects: [Effect] = []
        switch event {
        case .situationChanged: break
        case .woke(let process): woke(process, at: now, rules, &effects)
        case .slept: slept(at: now, &effects)
        case .acknowledged:
            if case .awake(var run) = phase {
                run.hasProgress = true
                phase = .awake(run)
            }
        case .reported(let order, let outcome): reported(order, outcome, at: now, rules, &effects)
        case .stopped(let how): forceQuit(how, at: now, &effects)
        case .unitFile(let file): note(file, at: now, &effects)
        case .unitFailed: unitFailed(at: now, &effects)
        case .unitEnded: unitEnded(at: now, &effects)
        case .allowed: allow(&effects)
        case .helperCame:
            blockedUntil = 0
            if case .ordered = phase, let attempt = record.attempt {
                phase = .ordered(isRepeated: true)
                effects.append(.order(attempt.order, attempt.cause))
            }
        case .timePassed:
            if case .starting(let until, _) = phase, now.monotonicNanoseconds >= until {
                fail(.neverAttached, at: now, &effects)
            }
        }
        withdraw(in: situation, rules, &effects)
        wake(in: situation, at: now, rules, &effects)
        deadline = deadline(in: situation, at: now, rules)
        if record != before { effects.insert(.save, at: 0) }
        return effects
    }

    /// Whether an order that is about to be given still stands, by what is known now. Otherwise it is withdrawn.
    public func mayGive(_ order: Int64, in situation: Situation) -> Bool {
        guard case .ordered = phase, let attempt = record.attempt, attempt.order == order else { return false }
        return situation.permits(attempt.cause)
    }

    /// Why an app with pending events is not woken now; nil if it is, or if nothing is pending.
    public func refusal(in situation: Situation, at now: Instant, _ rules: WakeRules) -> Refusal? {
        if case .ordered = phase, !situation.hasHelper { return .noHelper }
        guard phase == .asleep, situation.isPending else { return nil }
        guard situation.cause != nil else { return .notAuthorized }
        switch record.hold {
        case .forcedQuit(let how, _)?: return .forcedQuit(how)
        case .paused(let why, _)?: return .paused(why)
        case nil: break
        }
        guard situation.hasHelper else { return .noHelper }
        guard now.monotonicNanoseconds >= blockedUntil else { return .unavailable }
        return record.budget.left(at: now.utc, rules) == 0 ? .budget : nil
    }

    private func deadline(in situation: Situation, at now: Instant, _ rules: WakeRules) -> UInt64? {
        if case .starting(let until, _) = phase { return until }
        let refusal = refusal(in: situation, at: now, rules)
        if refusal == .unavailable { return blockedUntil }
        guard refusal == .budget, let time = record.budget.availableAt(now.utc, rules) else { return nil }
        return now.monotonicNanoseconds + UInt64(max(0, time.microseconds - now.utc.microseconds)) * 1_000
    }

    private mutating func wake(
        in situation: Situation, at now: Instant, _ rules: WakeRules, _ effects: inout [Effect]
    ) {
        guard let refusal = refusal(in: situation, at: now, rules) else {
            hasReportedDelay = false
            guard phase == .asleep, let cause = situation.cause else { return }
            record.budget.consume(at: now.utc, rules)
            record.lastOrder += 1
            record.attempt = WakeRecord.Attempt(order: record.lastOrder, cause: cause)
            phase = .ordered(isRepeated: false)
            effects.append(.order(record.lastOrder, cause))
            return
        }
        guard refusal == .budget, !hasReportedDelay else { return }
        hasReportedDelay = true
        effects.append(.note(.delayed))
    }

    /// Ends an order that the app may not have any more: it is no longer authorized, or nothing is pending.
    private mutating func withdraw(in situation: Situation, _ rules: WakeRules, _ effects: inout [Effect]) {
        guard case .ordered(let isRepeated) = phase, let attempt = record.attempt,
            !situation.permits(attempt.cause)
        else { return }
        if !isRepeated { record.budget.refund(rules) }
        record.attempt = nil
        phase = .asleep
        effects.append(.withdraw(attempt.order))
    }

    // The app

    private mutating func woke(
        _ process: Continuation.Mark?, at now: Instant, _ rules: WakeRules, _ effects: inout [Effect]
    ) {
        if case .awake = phase { return }
        defer { isRestored = false }
        (failuresBefore, hasEndedEarly) = (nil, false)
        if isRestored, phase.isNotStarted, let process, record.launch?.process == process {
            // The process that ran before the daemon was restarted: it neither started by itself nor was it woken now.
            if phase == .ordered(isRepeated: false) { record.budget.refund(rules) }
            record.attempt = nil
            phase = .awake(Run(cause: record.launch?.cause, hasProgress: true))
            return
        }
        guard let attempt = record.attempt else {
            // A process that was only frozen meanwhile has not quit.
            let isNew = process == nil || record.launch?.process != process
            let isAfterForcedQuit = if case .forcedQuit? = record.hold { isNew } else { false }
            allow(&effects)
            record.launch = WakeRecord.Launch(cause: nil, process: process, isAfterForcedQuit: isAfterForcedQuit)
            phase = .awake(Run())
            return
        }
        if phase.isNotStarted { noteWake(attempt.cause, at: now, &effects) }
        record.attempt = nil
        record.launch = WakeRecord.Launch(cause: attempt.cause, process: process)
        phase = .awake(Run(cause: attempt.cause))
    }

    private mutating func slept(at now: Instant, _ effects: inout [Effect]) {
        guard case .awake(let run) = phase else { return }
        isRestored = false
        phase = .asleep
        guard run.cause != nil else { return }
        guard run.hasProgress, !run.hasFailed else { return fail(.ended, at: now, &effects) }
        failuresBefore = record.failures
        record.failures = 0
    }

    private mutating func unitFailed(at now: Instant, _ effects: inout [Effect]) {
        switch phase {
        case .awake(var run):
            run.hasFailed = true
            phase = .awake(run)
        case .starting: fail(.ended, at: now, &effects)
        case .asleep:
            guard let before = failuresBefore else { return }
            failuresBefore = nil
            record.failures = before
            fail(.ended, at: now, &effects)
        case .ordered: break
        }
    }

    private mutating func unitEnded(at now: Instant, _ effects: inout [Effect]) {
        guard case .starting(_, ranBefore: true) = phase else { return }
        guard !hasEndedEarly else { return fail(.ended, at: now, &effects) }
        hasEndedEarly = true
        (record.attempt, phase) = (nil, .asleep)
    }

    // Reports of the program that starts services

    private mutating func reported(
        _ order: Int64, _ outcome: Outcome, at now: Instant, _ rules: WakeRules, _ effects: inout [Effect]
    ) {
        guard case .ordered(let isRepeated) = phase, let attempt = record.attempt, attempt.order == order else {
            return
        }
        let deadline = now.monotonicNanoseconds.after(rules.attachWithin)
        switch outcome {
        case .started, .thawed:
            noteWake(attempt.cause, at: now, &effects)
            phase = .starting(until: deadline, ranBefore: false)
        case .alreadyRunning:
            // A repeated order may have started it.
            if isRepeated { noteWake(attempt.cause, at: now, &effects) } else { record.budget.refund(rules) }
            phase = .starting(until: deadline, ranBefore: true)
        case .unavailable:
            if !isRepeated { record.budget.refund(rules) }
            blockedUntil = now.monotonicNanoseconds.after(WakeRules.unavailableFor)
            (record.attempt, phase) = (nil, .asleep)
        case .stopped: forceQuit(.stopped, at: now, &effects)
        case .masked: forceQuit(.masked, at: now, &effects)
        case .noService: fail(.noService, at: now, &effects)
        case .notStarted: fail(.notStarted, at: now, &effects)
        }
    }

    private mutating func noteWake(_ cause: WakeCause, at now: Instant, _ effects: inout [Effect]) {
        (record.wokenAt, record.wokenFor) = (now.utc, cause)
        effects.append(.note(.woken(cause)))
    }

    private mutating func fail(_ failure: WakeRecord.Failure, at now: Instant, _ effects: inout [Effect]) {
        (record.attempt, phase) = (nil, .asleep)
        hasEndedEarly = false
        record.failures += 1
        effects.append(.note(.failed(failure)))
        guard record.failures >= WakeRules.failuresBeforePause, record.hold == nil else { return }
        record.hold = .paused(failure, at: now.utc)
        effects.append(.note(.paused(failure)))
    }

    // Persons

    private mutating func forceQuit(
        _ how: WakeRecord.ForcedQuit, at now: Instant, _ effects: inout [Effect]
    ) {
        if phase.isPending, let attempt = record.attempt {
            effects.append(.withdraw(attempt.order))
            (record.attempt, phase) = (nil, .asleep)
        }
        if case .forcedQuit? = record.hold { return }
        record.hold = .forcedQuit(how, at: now.utc)
        effects.append(.note(.forcedQuit(how)))
    }

    private mutating func note(_ file: WakeRecord.UnitFile, at now: Instant, _ effects: inout [Effect]) {
        let before = record.unitFile
        guard file != before else { return }
        record.unitFile = file
        switch file {
        case .enabled: break
        // A service that was never enabled is one that only events start.
        case .disabled: if before == .enabled { forceQuit(.disabled, at: now, &effects) }
        case .masked: forceQuit(.masked, at: now, &effects)
        }
    }

    private mutating func allow(_ effects: inout [Effect]) {
        guard record.hold != nil || record.failures > 0 else { return }
        if record.hold != nil { effects.append(.note(.allowed)) }
        (record.hold, record.failures) = (nil, 0)
    }
}

extension WakeMachine.Phase {
    /// Whether a wake is pending.
    public var isPending: Bool {
        switch self {
        case .ordered, .starting: true
        case .asleep, .awake: false
        }
    }

    /// Whether the app sleeps, as far as is known, and its service was not started.
    fileprivate var isNotStarted: Bool {
        switch self {
        case .asleep, .ordered: true
        case .starting, .awake: false
        }
    }
}
