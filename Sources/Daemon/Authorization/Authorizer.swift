import Authorization
import Journal
import Location
import Manifests
import Platform
import Storage

/// Owns the policy: sends it events, performs the effects that it returns, and reports the resulting changes.
///
/// The policy starts with the decisions that `load` restores from the journal. Until then every event is ignored and no
/// app is authorized.
@DaemonActor
final class Authorizer {
    /// Receives the reply to a request or a command, once the decision is durable.
    typealias Completion = @DaemonActor (Policy.Reply) -> Void

    /// The rules, and all grants and prompts.
    private(set) var policy = Policy(manifests: ManifestCatalogue())
    /// Whether the stored decisions are in effect.
    private(set) var isLoaded = false
    /// Why some or all stored decisions could not be read; these grant nothing.
    private(set) var loss: String?

    private let library: ManifestLibrary
    private let recorder: ClientRecorder
    /// Stores the rights that end when an app leaves use, for the next process; nil if these are not preserved.
    private let continuation: ContinuationStore?
    private let changes: Changes
    private let clock: any TimeSource
    private var minimumAssurance: Assurance
    private var completions: [Policy.RequestID: Completion] = [:]
    /// What follows when the records of an event are stored, or are not.
    private var storings: [Policy.Token: [@DaemonActor (Result<Void, StorageError>) -> Void]] = [:]
    private var lastNumber: UInt64 = 0
    private var effects: [Policy.Effect] = []
    private var isPerforming = false
    private var timer: TimerSource?

    init(
        minimumAssurance: Assurance, library: ManifestLibrary, recorder: ClientRecorder,
        continuation: ContinuationStore? = nil, changes: Changes, clock: any TimeSource
    ) throws(SystemError) {
        self.minimumAssurance = minimumAssurance
        self.library = library
        self.recorder = recorder
        self.continuation = continuation
        self.changes = changes
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.send(.timePassed) }
    }

    /// Restores the stored decisions, and starts deciding.
    ///
    /// - Parameters:
    ///   - suspended: The users whose stored decisions are not used.
    ///   - continuing: The rights of apps in use, from an earlier process of this boot.
    func load(
        _ loaded: LoadedAuthorization, suspended: Set<UInt32> = [], continuing: [AppID: Continuation] = [:]
    ) {
        if let error = loaded.loss {
            loss = error.description
            Log.error("some grants could not be read and are not in effect: \(error)")
        }
        let state = loaded.state
        let tracking = StoredTracking.read(state.values)
        policy = Policy(
            restoring: state.grants, tracking: tracking.grants, prompts: state.prompts, lastPrompt: state.lastPrompt,
            areServicesOn: state.areServicesOn, manifests: library.catalogue.manifests,
            restrictions: library.restrictions.restrictions, minimumAssurance: minimumAssurance,
            suspendedUsers: suspended)
        isLoaded = true
        perform(policy.start(at: instant, continuing: continuing))
        changes.report(.authorizationLoaded(users: Set((Array(state.grants.keys) + tracking.grants.keys).map(\.uid))))
    }

    /// Applies a new minimum assurance.
    func apply(minimumAssurance: Assurance) {
        self.minimumAssurance = minimumAssurance
        send(.minimumAssuranceChanged(minimumAssurance))
    }

    /// The present time, as the policy's functions expect it.
    var instant: Instant { Instant(clock) }

    /// A number that was never returned before, for processes, agents, holds and requests.
    func newNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // Events

    /// Sends the policy an event and performs its effects. Returns the effects. An effect that results while another
    /// one is performed is performed afterwards, so that the journal has them in order.
    @discardableResult
    func send(_ event: Policy.Event) -> [Policy.Effect] {
        guard isLoaded else { return [] }
        let effects = policy.handle(event, at: instant)
        perform(effects)
        return effects
    }

    /// Sends the policy an event that has a reply.
    func send(_ completion: @escaping Completion, _ event: (Policy.RequestID) -> Policy.Event) {
        let id = newNumber()
        completions[id] = completion
        send(event(id))
    }

    /// Erases the decisions about a user's apps, and calls back when that is durable, or with the reason why it is not. An earlier
    /// command may have reset them already, in a transaction that is not durable yet.
    func erase(
        _ uid: UInt32, by decider: Grant.Decider,
        completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void
    ) {
        guard isLoaded else { return completion(.success(())) }
        var token = policy.awaited(of: uid)
        let effects = policy.handle(.accountErased(uid, by: decider), at: instant)
        for case .persist(let persisted, _) in effects { token = persisted }
        if let token { storings[token, default: []].append(completion) }
        perform(effects)
        if token == nil { completion(.success(())) }
    }

    /// Performs an operator's command; completes when the result is durable.
    func command(_ command: Policy.Command, by uid: UInt32, completion: @escaping Completion) {
        switch command {
        case .reset(let app), .setTracking(let app, nil): changes.report(.promptLimitsReset(app))
        case .resetAll: changes.report(.promptLimitsReset(nil))
        default: break
        }
        send(completion) { .commanded($0, command, by: uid) }
    }

    // Effects

    private func perform(_ new: [Policy.Effect]) {
        effects += new
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !effects.isEmpty {
            let batch = effects
            effects = []
            for effect in batch { perform(effect) }
        }
    }

    private func perform(_ effect: Policy.Effect) {
        switch effect {
        case .reply(let id, let reply): completions.removeValue(forKey: id)?(reply)
        case .show(let prompt, let agent): changes.report(.promptShown(prompt, to: agent))
        case .withdraw(let prompt): changes.report(.promptWithdrawn(prompt))
        case .persist(let token, let records): store(records, token)
        case .note(let record): note(record)
        case .authorizationChanged(let app, let authorizationState):
            changes.report(.authorizationChanged(app, authorizationState))
        case .paused(let app, _): changes.report(.accessChanged(app))
        case .resumed(let app): changes.report(.accessChanged(app))
        case .holdRefused(let hold): changes.report(.holdRefused(hold))
        case .notAttached: break
        case .identifyAgain(let process): changes.report(.identityOutdated(process))
        case .keepContinuing: continuation?.keep(policy.continuing)
        case .arm(let deadline):
            if let deadline { timer?.arm(at: deadline) } else { timer?.disarm() }
        }
    }

    private func store(_ records: [Policy.Record], _ token: Policy.Token) {
        for record in records {
            switch record.change {
            case .prompt(let prompt): changes.report(.promptRaised(prompt))
            case .promptEnded(let id): changes.report(.promptEnded(id))
            case .services(isOn: false): changes.report(.servicesTurnedOff)
            default: break
            }
        }
        // The journal stores to which account a decision belongs before the decision.
        for uid in Set(records.compactMap { $0.change == nil ? nil : $0.app?.uid }) {
            changes.report(.userSeen(uid, stores: true))
        }
        recorder.events.store(records) { [weak self] result in
            switch result {
            case .success: self?.send(.persisted(token))
            case .failure(let error):
                Log.error("what was decided could not be stored: \(error)")
                self?.send(.notPersisted(token))
            }
            for completion in self?.storings.removeValue(forKey: token) ?? [] { completion(result) }
        }
        for record in records {
            guard case .grant(let grant)? = record.change, let app = record.app else { continue }
            continuation?.decided(app, grant)
            changes.report(.grantChanged(app))
        }
    }

    private func note(_ record: Policy.Record) {
        let event = Event(record)
        guard let app = record.app else { return recorder.events.record(event) }
        recorder.record(event)
        switch record.kind {
        case .appInUse, .appLeftUse: changes.report(.useChanged(app, isInUse: policy.isInUse(app)))
        default: break
        }
    }
}

extension Instant {
    /// The present time of a clock.
    init(_ clock: any TimeSource) {
        self.init(
            monotonicNanoseconds: clock.monotonicNanoseconds, utc: UTCTime(microseconds: clock.utcMicroseconds))
    }
}
