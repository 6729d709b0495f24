import Authorization
import Containers
import Interfaces
import Platform
import Reachability
import Varlink
import Waking

/// `io.waymark.Waking`: apps learn why they run and request what they are woken for; people decide whether they are.
@DaemonActor
final class WakingService {
    let registry: WakeRegistry
    let authorizer: Authorizer
    private let clients: Clients
    private let agents: AgentService
    private let regions: RegionRegistry
    private let syncPrograms: SyncPrograms
    /// The open calls of `Monitor`.
    var streams: [ObjectIdentifier: WakeStream] = [:]
    /// Calls that wait for the stored records.
    private let waiting = WaitingCalls()

    init(
        registry: WakeRegistry, authorizer: Authorizer, clients: Clients, agents: AgentService, regions: RegionRegistry,
        syncPrograms: SyncPrograms
    ) {
        self.registry = registry
        self.authorizer = authorizer
        self.clients = clients
        self.agents = agents
        self.regions = regions
        self.syncPrograms = syncPrograms
        registry.service = self
    }

    /// Answers a call of an app.
    typealias Body<Method: VarlinkMethod> =
        @DaemonActor (MethodCall<Method>, ClientSession, AppID) throws(WakingInterface.Failure) -> Void

    /// Handles a call when the stored records and regions are known.
    func whenLoaded<Method: VarlinkMethod>(_ call: MethodCall<Method>, _ body: @escaping Body<Method>)
    where Method.Failure == WakingInterface.Failure {
        let perform = { @DaemonActor [weak self] in
            guard let self, !call.call.isOver || call.call.request.oneway, call.connection.isOpen else { return }
            do throws(WakingInterface.Failure) {
                let session = clients.session(of: call.connection)
                try body(call, session, try app(session))
            } catch {
                call.fail(error)
            }
        }
        wait(call, perform)
    }

    /// Runs a body of a call when the stored records and regions are known.
    private func wait<Method: VarlinkMethod>(_ call: MethodCall<Method>, _ perform: @escaping @DaemonActor () -> Void)
    where Method.Failure == WakingInterface.Failure {
        if isReady { return perform() }
        waiting.add(call.call, of: clients.share(of: call.connection.peer), perform) {
            call.fail(
                .notStored(
                    message: "Too many calls of this user wait until the stored events were read. Repeat it later."))
        }
    }

    private var isReady: Bool { registry.isLoaded && regions.state != .opening }

    /// The stored records or regions have become known.
    func loaded() {
        guard isReady else { return }
        for perform in waiting.removeAll() { perform() }
    }

    private func app(_ session: ClientSession) throws(WakingInterface.Failure) -> AppID {
        if let app = session.process?.app.id { return app }
        let why = session.complaint.map { " (\($0))" } ?? ""
        throw .notAllowed(
            message: "Only apps are woken, and no manifest fits this program\(why). See `waymark manifest --help`.")
    }
}

extension WakingService: WakingInterface.Handler {
    func getLaunchReason(_ call: MethodCall<WakingInterface.GetLaunchReason>) {
        // A one-way call has no reply, so nothing waits for the disk.
        guard !call.call.request.oneway else { return }
        whenLoaded(call) { [weak self] (call, session, app) throws(WakingInterface.Failure) in
            // A process that was just thawed may call before the daemon is notified of that.
            if let group = session.process?.controlGroup { self?.clients.freezes.check(group) }
            // An event is durable before an app hears of it, so that its number is not given to another one.
            self?.registry.whenStored(app) { [weak self, weak session, call = call.later] in
                guard let self, let session else { return }
                call.answer { () throws(WakingInterface.Failure) in
                    guard try self.app(session) == app else {
                        throw .notAllowed(message: "This program is no longer the app \(app.name).")
                    }
                    let launch = registry.machines[app]?.record.launch
                    return .init(
                        launch: launch?.cause == nil ? .ownStart : .woken,
                        cause: launch?.cause.map(WakingInterface.Cause.init), reasons: reasons(of: app),
                        isAfterForcedQuit: launch?.isAfterForcedQuit == true ? true : nil)
                }
            }
        }
    }

    /// The pending events of an app that it may know, in the order of the manifest's words.
    private func reasons(of app: AppID) -> [WakingInterface.Reason] {
        let now = authorizer.instant
        var reasons: [WakingInterface.Reason] = []
        if authorizer.policy.decideRegions(for: app, at: now).isPermitted {
            reasons += regions.pendingMonitors(of: app).map {
                WakingInterface.Reason(cause: .regions, monitor: $0.key.name, first: $0.acknowledged + 1)
            }
        }
        let events = registry.machines[app]?.record.queue.events ?? []
        for cause in WakeCause.allCases where mayKnow(cause, app) {
            if cause == .push {
                reasons += registry.pendingPushes(of: app).map { container, event in
                    WakingInterface.Reason(
                        cause: .push, container: container.name, subscriptions: event.firedSubscriptions,
                        first: event.sequence)
                }
                continue
            }
            guard let first = events.first(where: { $0.subscription.cause == cause }) else { continue }
            reasons.append(WakingInterface.Reason(cause: .init(cause), first: first.sequence))
        }
        return reasons
    }

    /// Whether an app may know of an event now: that the machine has moved or stays somewhere discloses a place.
    func mayKnow(_ cause: WakeCause, _ app: AppID) -> Bool {
        let access = authorizer.policy.decide(for: app, at: authorizer.instant).access
        return switch cause {
        case .path, .target, .push: true
        case .significantChange, .visits: access == .full
        case .regions: false
        }
    }

    func subscribe(_ call: MethodCall<WakingInterface.Subscribe>) throws(WakingInterface.Failure) {
        whenLoaded(call) { [weak self] (call, session, app) throws(WakingInterface.Failure) in
            guard let self else { return }
            let request = call.parameters
            let subscription = try WakeSubscription(request.cause, request.host, request.port)
            guard registry.declaration(of: app)?.causes.contains(subscription.cause) == true else {
                throw .notDeclared(
                    cause: request.cause.rawValue,
                    message:
                        "The manifest of this app does not name \(subscription.cause.rawValue) in [Wake] For=, so it is"
                        + " not woken for it. See `waymark manifest --help`.")
            }
            switch registry.subscribe(
                subscription, app,
                completion: { [weak self, call = call.later] in
                    call.answer(self?.registry)
                })
            {
            case .done: break
            case .tooMany:
                throw .tooManySubscriptions(
                    message: "An app may request \(WakeRecord.mostTargets) hosts, and the apps of a user"
                        + " \(WakeRegistry.mostTargetsOfUser). Withdraw one first.")
            }
        }
    }

    func unsubscribe(_ call: MethodCall<WakingInterface.Unsubscribe>) throws(WakingInterface.Failure) {
        whenLoaded(call) { [weak self] (call, _, app) throws(WakingInterface.Failure) in
            guard let self else { return }
            let request = call.parameters
            let subscription = try WakeSubscription(request.cause, request.host, request.port)
            registry.unsubscribe(subscription, app) { [weak self, call = call.later] in call.answer(self?.registry) }
        }
    }

    func list(_ call: MethodCall<WakingInterface.List>) {
        whenLoaded(call) { [weak self] (call, _, app) throws(WakingInterface.Failure) in
            guard let self else { return }
            let subscriptions = registry.machines[app]?.record.subscriptions.keys.sorted { $0.order < $1.order } ?? []
            call.reply(.init(subscriptions: subscriptions.map(WakingInterface.Subscription.init)))
        }
    }

    func acknowledge(_ call: MethodCall<WakingInterface.Acknowledge>) throws(WakingInterface.Failure) {
        whenLoaded(call) { [weak self] (call, _, app) throws(WakingInterface.Failure) in
            guard let self else { return }
            let number = call.parameters.upTo
            if number == 0 { return call.reply(.init(acknowledged: 0)) }
            let isEvent = registry.acknowledge(upTo: number, app) { [weak self, call = call.later] acknowledged in
                if let problem = self?.registry.problem {
                    call.fail(.notStored(message: "The acknowledgement is not stored: \(problem). Repeat it later."))
                } else {
                    call.reply(.init(acknowledged: acknowledged))
                }
            }
            guard isEvent else {
                throw .noSuchEvent(
                    sequence: number,
                    message:
                        "The last event of this app has the number \(registry.machines[app]?.record.queue.last ?? 0).")
            }
        }
    }

    /// Handles a report of waymark-sync.
    func reportPush(_ call: MethodCall<WakingInterface.ReportPush>) throws(WakingInterface.Failure) {
        let scope = try pushScope(of: call.connection)
        // A container that no manifest can name wakes nothing.
        guard let environment = ContainerEnvironment(rawValue: call.parameters.environment.rawValue) else {
            return call.reply(EmptyReply())
        }
        let container = SyncedContainer(call.parameters.container, environment)
        // What no app can have named says nothing to it.
        let fired = (call.parameters.subscriptions ?? []).suffix(FiredSubscription.most).compactMap { fired in
            DatabaseScope(rawValue: fired.database).flatMap { FiredSubscription($0, fired.name) }
        }
        let report = { @DaemonActor [weak self, call = call.later] in
            guard let self else { return }
            registry.push(container, fired: fired, to: scope) { [weak self] in call.answer(self?.registry) }
        }
        wait(call, report)
    }

    private func pushScope(of connection: ServerConnection) throws(WakingInterface.Failure) -> WakeScope {
        switch syncPrograms.scope(of: connection) {
        case .success(let scope): return scope
        case .failure(let objection):
            throw .notAllowed(message: "Only waymark-sync reports pushes. \(objection.message)")
        }
    }

    /// Decides whether an app is woken, for its user's agents and for operators.
    func setAllowed(_ call: MethodCall<WakingInterface.SetAllowed>) throws(WakingInterface.Failure) {
        let request = call.parameters
        let caller = call.connection.peer.userID
        let isOperator = clients.isOperator(call.connection)
        let own = AppID(uid: request.uid ?? caller, name: request.app)
        let system = AppID(uid: 0, name: request.app)
        let isSystems = authorizer.policy.manifests[system]?.binding.isSystems == true
        let app = isSystems ? system : own
        guard isOperator || !isSystems && app.uid == caller && agents.objection(to: call.connection) == nil else {
            throw .notAllowed(
                message:
                    "Whether an app is woken is decided by an agent of its user, or by an operator: root and members"
                    + " of the operators' group. An app may not decide.")
        }
        guard registry.declaration(of: app) != nil else {
            throw .noSuchApp(
                app: request.app,
                message: "\(request.app) of uid \(app.uid) has no manifest with [Wake], so that it is never woken.")
        }
        registry.send(request.allowed ? .allowed : .stopped(.decision), to: app)
        registry.change(app, { _ in }, completion: { [weak self, call = call.later] in call.answer(self?.registry) })
    }
}

extension LateCall where Method.Failure == WakingInterface.Failure, Method.Reply == EmptyReply {
    /// Replies when a change of the records is stored, or fails if it could not be.
    @DaemonActor
    fileprivate func answer(_ registry: WakeRegistry?) {
        if let problem = registry?.problem {
            fail(.notStored(message: "The change is in effect until the daemon ends, and is not stored: \(problem)."))
        } else {
            reply(EmptyReply())
        }
    }
}

extension WakeSubscription {
    fileprivate init(_ cause: WakingInterface.Cause, _ host: String?, _ port: UInt16?) throws(WakingInterface.Failure) {
        func invalid(_ message: String) -> WakingInterface.Failure { .invalidSubscription(message: message) }
        guard cause == .target || host == nil && port == nil else {
            throw invalid("Only target has a host and a port.")
        }
        switch cause {
        case .visits: self = .visits
        case .significantChange: self = .significantChange
        case .path: self = .path
        case .target:
            guard let host, host.utf8.count <= 253, Host(host) != nil else {
                throw invalid("The host is neither a name nor an address.")
            }
            self = .target(WakeTarget(host: host, port: port))
        case .regions: throw invalid("Regions wake an app by its monitors: add one with io.waymark.Regions.Add.")
        case .push:
            throw invalid("Pushes need no request: Containers= of the manifest names the records that wake the app.")
        default: throw invalid("\(cause.rawValue) is no event that wakes an app.")
        }
    }
}

extension WakingInterface.Subscription {
    fileprivate init(_ subscription: WakeSubscription) {
        self.init(cause: .init(subscription.cause))
        if case .target(let target) = subscription { (host, port) = (target.host, target.port) }
    }
}
