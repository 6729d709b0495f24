import Authorization
import Configuration
import Events
import Interfaces
import Journal
import Platform
import Storage
import Waking

/// Which sleeping apps are woken, and when: owns a `WakeMachine` for each app whose manifest has [Wake], sends it what
/// happens, stores its record and performs its effects.
///
/// An order to start a service is given when the record that contains it is stored, and only if the app is still authorized
/// then. Services are started by other processes, see `WakerService`.
@DaemonActor
final class WakeRegistry {
    let authorizer: Authorizer
    let clients: Clients
    let regions: RegionRegistry
    let network: NetworkWatch
    let readiness: Readiness
    let recorder: ClientRecorder
    let changes: Changes
    let clock: any TimeSource
    private let journal: EventJournal
    /// Receives the orders.
    weak var waker: WakerService?
    /// Observes visits and significant changes.
    weak var positions: WakePositions?
    /// Sends the events to the apps.
    weak var service: WakingService?

    /// Whether the stored records are known.
    private(set) var isLoaded = false
    private(set) var machines: [AppID: WakeMachine] = [:]
    private(set) var rules = WakeRules()
    /// The apps with a process that is not frozen, as their machines know it.
    private var awake: Set<AppID> = []
    /// When an app's machine expects `timePassed`, in nanoseconds of CLOCK_MONOTONIC.
    private var deadlines: [AppID: UInt64] = [:]
    private var timer: TimerSource?
    /// The apps whose record is being stored, and what follows when it is.
    private var storing: [AppID: [@DaemonActor () -> Void]] = [:]
    /// The apps whose record has changed since, and what follows then.
    private var unsaved: [AppID: [@DaemonActor () -> Void]] = [:]
    /// The apps whose record could not be stored.
    private var unstored: Set<AppID> = []
    /// Why records cannot be stored; nil if they can.
    private(set) var problem: String?

    init(
        journal: EventJournal, authorizer: Authorizer, clients: Clients, regions: RegionRegistry, network: NetworkWatch,
        readiness: Readiness, recorder: ClientRecorder, changes: Changes, clock: any TimeSource
    ) throws(SystemError) {
        self.journal = journal
        self.authorizer = authorizer
        self.clients = clients
        self.regions = regions
        self.network = network
        self.readiness = readiness
        self.recorder = recorder
        self.changes = changes
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.timePassed() }
    }

    /// Applies the configuration.
    func apply(_ settings: Settings.Waking) {
        (rules.perHour, rules.burst, rules.attachWithin) = (settings.perHour, settings.burst, settings.attachWithin)
        reviewAll()
    }

    /// Restores what was stored before the start. Calls that wait for the decisions about apps are performed as soon as these
    /// are in effect, and may change the records: so the records have to be known, and their hosts watched, before.
    func restore(_ values: [String: String]) {
        for (name, text) in values {
            guard let app = Self.app(savedName: name) else { continue }
            guard let record = WakeRecord(text: text) else {
                Log.error("what was stored about waking \(app) cannot be read, and is begun again")
                continue
            }
            machines[app] = WakeMachine(record)
        }
        watchStoredTargets()
        isLoaded = true
    }

    /// Begins with what was restored, when the decisions about apps are in effect.
    func begin() {
        for app in machines.keys {
            // The app's manifest has to be known, also without a program that runs.
            readiness.whenReady(for: app.uid) {}
        }
        observeStoredSubscriptions()
        reviewAll()
    }

    /// The users with stored records.
    var users: Set<UInt32> { Set(machines.lazy.filter { !$0.value.record.isEmpty }.map(\.key.uid)) }

    // Reviews

    /// What the manifest of an app says about waking it.
    func declaration(of app: AppID) -> WakeDeclaration? { authorizer.policy.manifests[app]?.wake }

    /// An app runs or sleeps, something is pending, or it may know less or more than before.
    func review(_ app: AppID) {
        guard isLoaded, authorizer.isLoaded, machines[app] != nil || declaration(of: app) != nil else { return }
        eraseEventsOfPlaces(ifWithdrawn: app)
        if machines[app]?.record.observesPlaces == true { positions?.review() }
        let processes = clients.app(app)?.processes.values.filter { !$0.isFrozen } ?? []
        guard processes.isEmpty == awake.contains(app) else { return send(.situationChanged, to: app) }
        if let first = processes.first {
            awake.insert(app)
            let mark = first.peer.startTime.map {
                Continuation.Mark(processID: first.key.processID, startTime: $0)
            }
            send(.woke(mark), to: app)
        } else {
            awake.remove(app)
            send(.slept, to: app)
        }
    }

    /// Reviews all apps that are or could be woken.
    func reviewAll() {
        guard isLoaded, authorizer.isLoaded else { return }
        for app in Set(machines.keys).union(regions.watches.keys.compactMap(\.appID)) { review(app) }
        positions?.review()
    }

    /// What is known about an app now.
    func situation(of app: AppID) -> WakeMachine.Situation {
        guard let wake = declaration(of: app) else { return WakeMachine.Situation() }
        var pending = Set(machines[app]?.record.queue.events.map(\.subscription.cause) ?? [])
        if pending.contains(.push), pendingPushes(of: app).isEmpty { pending.remove(.push) }
        if regions.hasPendingEvents(of: app) { pending.insert(.regions) }
        pending.formIntersection(wake.causes)
        // Most apps have nothing pending, and need no decision.
        let permitted = pending.isEmpty ? [] : permitted(app)
        return WakeMachine.Situation(pending: pending, permitted: permitted, hasHelper: waker?.serves(app) ?? false)
    }

    /// For what an app may be woken: only where it is authorized always, whether or not the event is about a place. For pushes its
    /// manifest authorizes it, because they have nothing to do with where the machine is.
    private func permitted(_ app: AppID) -> Set<WakeCause> {
        let (policy, now) = (authorizer.policy, authorizer.instant)
        guard clients.suspension(of: app.uid) == nil else { return [] }
        var permitted: Set<WakeCause> = [.push]
        guard policy.authorizationState(for: app, at: now).status == .authorizedAlways else { return permitted }
        switch policy.decide(for: app, at: now).access {
        case .refused: return permitted
        case .reduced: permitted.formUnion([.path, .target])
        case .full: permitted.formUnion([.visits, .significantChange, .path, .target])
        }
        if policy.decideRegions(for: app, at: now).isPermitted { permitted.insert(.regions) }
        return permitted
    }

    /// Whether something may be observed for an app, so that it can be woken for it.
    func mayObserve(_ cause: WakeCause, _ app: AppID) -> Bool {
        declaration(of: app)?.causes.contains(cause) == true && permitted(app).contains(cause)
    }

    // Events

    /// Sends the machine of an app what has happened, and performs what follows.
    func send(_ event: WakeMachine.Event, to app: AppID) {
        guard isLoaded else { return }
        var machine = machines[app] ?? WakeMachine()
        let situation = situation(of: app)
        let effects = machine.handle(event, in: situation, at: authorizer.instant, rules)
        machines[app] = machine
        // Before the effects, which may send the machine another event with a later deadline.
        deadlines[app] = machine.deadline
        arm()
        perform(effects, app)
    }

    /// Changes the record of an app, and stores it. The completion follows when it is stored, or cannot be.
    func change(
        _ app: AppID, _ body: (inout WakeRecord) -> Void,
        completion: @escaping @DaemonActor () -> Void = {}
    ) {
        assert(isLoaded, "a record is changed before what is stored is known, and replaces it")
        var machine = machines[app] ?? WakeMachine()
        body(&machine.record)
        machines[app] = machine
        store(app, then: completion)
    }

    private func timePassed() {
        let now = clock.monotonicNanoseconds
        for (app, deadline) in deadlines where deadline <= now { send(.timePassed, to: app) }
        arm()
    }

    private func arm() {
        if let next = deadlines.values.min() { timer?.arm(at: next) } else { timer?.disarm() }
    }

    // Effects

    private func perform(_ effects: [WakeMachine.Effect], _ app: AppID) {
        var orders: [Int64] = []
        for effect in effects {
            switch effect {
            case .save: store(app)
            case .order(let order, _): orders.append(order)
            case .withdraw(let order): waker?.withdraw(order, of: app)
            case .note(let note): record(note, of: app)
            }
        }
        for order in orders {
            whenStored(app) { [weak self] in self?.give(order, to: app) }
        }
        if effects.contains(where: { $0 != .save }) { changes.report(.statusDetailChanged) }
    }

    /// Gives an order, if it still stands: the authorization may have changed while it was stored.
    private func give(_ order: Int64, to app: AppID) {
        guard let machine = machines[app] else { return }
        guard machine.mayGive(order, in: situation(of: app)) else { return send(.situationChanged, to: app) }
        waker?.give(order, of: app)
    }

    private func record(_ note: WakeMachine.Note, of app: AppID) {
        let cause = machines[app]?.record.attempt?.cause ?? situation(of: app).pending.min { $0.rawValue < $1.rawValue }
        let (kind, name, text): (EventKind, String, String?) =
            switch note {
            case .woken(let cause): (.appWoken, "cause", cause.rawValue)
            case .delayed: (.wakeDelayed, "cause", cause?.rawValue)
            case .failed(let failure): (.wakeFailed, "reason", failure.rawValue)
            case .paused(let failure): (.wakingPaused, "reason", failure.rawValue)
            case .forcedQuit(let how): (.appForcedToQuit, "how", how.rawValue)
            case .allowed: (.wakingAllowed, "", nil)
            }
        var details = EventDetails()
        if let text { details.append(name, .text(text)) }
        recorder.record(Event(kind, app: app.name, uid: app.uid, details: details))
    }

    // Storing

    private static let prefix = "wake "

    private static func savedName(_ app: AppID) -> String { "\(prefix)\(app.uid) \(app.name)" }

    private static func app(savedName name: String) -> AppID? {
        let parts = name.split(separator: " ", omittingEmptySubsequences: false)
        guard name.hasPrefix(prefix), parts.count == 3, let uid = UInt32(parts[1]) else { return nil }
        return AppID(uid: uid, name: String(parts[2]))
    }

    /// The users of whom these stored values are.
    static func users(ofStored values: [String: String]) -> Set<UInt32> {
        Set(values.keys.compactMap { app(savedName: $0)?.uid })
    }

    /// Whether everything that the record has now is stored, or cannot be.
    func isStored(_ app: AppID) -> Bool { storing[app] == nil && unsaved[app] == nil }

    /// Performs the body when everything that the record has now is stored, or cannot be; at once if it is.
    func whenStored(_ app: AppID, _ body: @escaping @DaemonActor () -> Void) {
        if unsaved[app] != nil {
            unsaved[app]?.append(body)
        } else if storing[app] != nil {
            storing[app]?.append(body)
        } else {
            body()
        }
    }

    /// The journal has another state: what could not be stored is stored when it can be written again.
    func journalChanged(to journal: DaemonStatus.Journal) {
        guard journal.state == .running else { return }
        for app in unstored { store(app) }
    }

    /// Stores the record of an app. While it is being stored, later changes are collected.
    private func store(_ app: AppID, then body: (@DaemonActor () -> Void)? = nil) {
        let following = body.map { [$0] } ?? []
        guard storing[app] == nil else {
            unsaved[app, default: []] += following
            return
        }
        storing[app] = following
        let record = machines[app]?.record ?? WakeRecord()
        // The journal stores to which account it belongs first.
        if !record.isEmpty { changes.report(.userSeen(app.uid, stores: true)) }
        let text = record.isEmpty ? nil : record.text
        journal.append([], changes: [.value(Self.savedName(app), text)]) { [weak self] result in
            DaemonActor.assumeIsolated { self?.stored(app, result) }
        }
    }

    private func stored(_ app: AppID, _ result: Result<Void, StorageError>) {
        switch result {
        case .success:
            problem = nil
            unstored.remove(app)
        case .failure(let error):
            unstored.insert(app)
            if problem == nil { Log.error("what is known about waking apps could not be stored: \(error)") }
            problem = "\(error)"
        }
        let bodies = storing.removeValue(forKey: app) ?? []
        if let more = unsaved.removeValue(forKey: app) {
            store(app)
            storing[app, default: []] += more
        }
        for body in bodies { body() }
    }

    /// Erases everything of a user: the record of each app is a part of an erasure.
    func erase(uid: UInt32, _ parts: ErasureParts) {
        for app in machines.keys.filter({ $0.uid == uid }) {
            unwatchTargets(of: app)
            machines[app] = WakeMachine()
            deadlines[app] = nil
            let part = parts.begin()
            // The problem is that of this write, if there is one.
            store(app) { [weak self] in
                guard let problem = self?.problem else { return part(.success(())) }
                part(.failure(StorageError("erase records of waking", .overloaded, problem)))
            }
        }
        positions?.review()
    }

    /// Erases events that disclose a place, when the app may not know it any more.
    private func eraseEventsOfPlaces(ifWithdrawn app: AppID) {
        guard let queue = machines[app]?.record.queue, !queue.events.isEmpty,
            authorizer.policy.grant(of: app).isWithdrawn || !authorizer.policy.areServicesOn
        else { return }
        var copy = machines[app]?.record ?? WakeRecord()
        if copy.eraseEventsOfPlaces() { change(app) { _ = $0.eraseEventsOfPlaces() } }
    }
}
