import Authorization
import Glibc
import Interfaces
import Platform
import Varlink
import Waking

/// `io.waymark.Waker`: gives orders to the programs that start services, and receives their reports.
///
/// `waymark-waker`, run by root, serves the apps of the machine; an agent of a user, that user's apps. Neither learns of the
/// other's, and no report about an app of another has an effect.
@DaemonActor
final class WakerService {
    private struct Helper {
        let call: Call
        var watched: [String] = []
    }

    private let registry: WakeRegistry
    private let agents: AgentService
    private let authorizer: Authorizer
    private let changes: Changes
    private var helpers: [WakeScope: Helper] = [:]

    init(registry: WakeRegistry, agents: AgentService, authorizer: Authorizer, changes: Changes) {
        self.registry = registry
        self.agents = agents
        self.authorizer = authorizer
        self.changes = changes
        registry.waker = self
    }

    /// Handles a call, which is refused to every other program.
    func handle(_ call: Call) {
        switch scope(of: call.connection) {
        case .failure(let objection): call.fail(WakerInterface.Failure.notWaker(message: objection.message))
        case .success: WakerInterface.perform(call, by: self)
        }
    }

    private struct Objection: Error {
        let message: String
    }

    private func scope(of connection: ServerConnection) -> Result<WakeScope, Objection> {
        let uid = connection.peer.userID
        if uid == 0 || uid == geteuid(), agents.objection(to: connection, programs: WakerProgram.own) == nil {
            return .success(.machine)
        }
        guard let objection = agents.objection(to: connection) else { return .success(.user(uid)) }
        if agents.isUndecided(connection), let scope = registeredScope(of: connection.peer) { return .success(scope) }
        return .failure(Objection(message: "Only waymark-waker and agents start services of apps. \(objection)"))
    }

    /// The scope to which an app belongs.
    private func scope(of app: AppID) -> WakeScope? { WakeScope(of: app, in: authorizer.policy.manifests) }

    /// The scope that a process serves already. While its program cannot be identified, it goes on.
    private func registeredScope(of process: PeerIdentity) -> WakeScope? {
        guard process.isAlive else { return nil }
        return helpers.first {
            let registered = $0.value.call.connection.peer
            return registered.processID == process.processID && registered.userID == process.userID
                && registered.isAlive
        }?.key
    }

    /// An app of this scope and name, if it may be woken.
    private func app(_ name: String, _ scope: WakeScope) -> AppID? {
        let app = scope.app(name)
        return self.scope(of: app) == scope && registry.declaration(of: app) != nil ? app : nil
    }

    // Orders

    /// Whether a program is there that starts the service of an app.
    func serves(_ app: AppID) -> Bool { scope(of: app).map { helpers[$0] != nil } ?? false }

    /// Sends an order.
    func give(_ number: Int64, of app: AppID) {
        send(.init(order: WakerInterface.Order(app: app.name, number: number)), to: scope(of: app))
    }

    /// Withdraws an order that does not stand any more.
    func withdraw(_ number: Int64, of app: AppID) {
        send(.init(withdrawn: WakerInterface.Order(app: app.name, number: number)), to: scope(of: app))
    }

    private func send(_ reply: WakerInterface.Serve.Reply, to scope: WakeScope?) {
        guard let scope, let call = helpers[scope]?.call else { return }
        call.reply(EncodedReply(reply, continues: true))
    }

    // Changes

    /// Manifests, the configuration or the rights of programs have changed, or the inspector responds again.
    func review() {
        for (scope, helper) in helpers {
            if case .success(scope) = self.scope(of: helper.call.connection) {
                sendWatched(scope)
            } else {
                unregister(scope, helper.call)
                helper.call.fail(
                    WakerInterface.Failure.notWaker(message: "This program may no longer start services of apps."))
            }
        }
    }

    private func sendWatched(_ scope: WakeScope) {
        let names = names(scope)
        guard names != helpers[scope]?.watched else { return }
        helpers[scope]?.watched = names
        send(.init(watched: names), to: scope)
    }

    /// The names of the apps of a scope that may be woken.
    private func names(_ scope: WakeScope) -> [String] {
        scope.apps(in: authorizer.policy.manifests).filter { registry.declaration(of: $0) != nil }.map(\.name)
    }

    private func unregister(_ scope: WakeScope, _ call: Call) {
        guard helpers[scope]?.call === call else { return }
        helpers[scope] = nil
        reviewApps(scope, .situationChanged)
    }

    private func reviewApps(_ scope: WakeScope, _ event: WakeMachine.Event) {
        for app in registry.machines.keys where self.scope(of: app) == scope { registry.send(event, to: app) }
        changes.report(.statusDetailChanged)
    }
}

extension WakerService: WakerInterface.Handler {
    /// Registers a program. A later one replaces an earlier one, which may be about to end.
    func serve(_ call: MethodCall<WakerInterface.Serve>) {
        let call = call.call
        guard case .success(let scope) = scope(of: call.connection) else { return }
        if let former = helpers.removeValue(forKey: scope)?.call {
            former.fail(WakerInterface.Failure.notWaker(message: "Another program serves these apps now."))
        }
        helpers[scope] = Helper(call: call)
        call.onEnd = { [weak self, weak call] in
            if let self, let call { unregister(scope, call) }
        }
        send(.init(), to: scope)
        sendWatched(scope)
        reviewApps(scope, .helperCame)
    }

    func reportOrder(_ call: MethodCall<WakerInterface.ReportOrder>) {
        let report = call.parameters
        guard case .success(let scope) = scope(of: call.connection), let app = app(report.app, scope),
            let outcome = WakeMachine.Outcome(rawValue: report.outcome.rawValue)
        else { return call.reply(EmptyReply()) }
        registry.send(.reported(report.number, outcome), to: app)
        confirm(call, app)
    }

    func reportService(_ call: MethodCall<WakerInterface.ReportService>) {
        let report = call.parameters
        guard case .success(let scope) = scope(of: call.connection), let app = app(report.app, scope),
            let event = report.observation.event
        else { return call.reply(EmptyReply()) }
        registry.send(event, to: app)
        confirm(call, app)
    }

    func reportManager(_ call: MethodCall<WakerInterface.ReportManager>) {
        call.reply(EmptyReply())
        guard case .success(let scope) = scope(of: call.connection) else { return }
        reviewApps(scope, .helperCame)
    }

    /// Replies when the record of a report's app is stored, or could not be: then it is stored later, from memory.
    private func confirm<Method: VarlinkMethod>(_ call: MethodCall<Method>, _ app: AppID)
    where Method.Reply == EmptyReply {
        registry.whenStored(app) { [call = call.later] in call.reply(EmptyReply()) }
    }
}

extension WakerInterface.Observation {
    /// The event of the app's machine; nil for a word of a later release.
    fileprivate var event: WakeMachine.Event? {
        switch self {
        case .stopped: .stopped(.stopped)
        case .failed: .unitFailed
        case .ended: .unitEnded
        case .enabled: .unitFile(.enabled)
        case .disabled: .unitFile(.disabled)
        case .masked: .unitFile(.masked)
        default: nil
        }
    }
}

/// The program `waymark-waker`.
enum WakerProgram {
    /// Its paths.
    static let own = ProgramFolder.paths(of: "waymark-waker")
}
