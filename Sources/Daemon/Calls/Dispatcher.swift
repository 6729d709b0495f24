import Interfaces
import JSONText
import Platform
import Varlink

/// Dispatches every call to its handler, and applies the rules for callers in the interfaces' texts.
///
/// A call is delayed until its caller can be identified and authorized, unless every client may call its interface. A
/// call for operators only does not reach its handler if the caller is no operator. A call that writes to the disk counts
/// against the budget of its user, and begins later where that is used up.
@DaemonActor
struct Dispatcher {
    let service: Service
    let clients: Clients
    let readiness: Readiness
    let pace: DurablePace

    /// Adds an interface to the service.
    ///
    /// - Throws: An error if the interface's text is not well-formed.
    func register<Interface: VarlinkInterface>(
        _: Interface.Type, _ perform: @escaping @DaemonActor (Call) -> Void
    ) throws(InterfaceSyntaxError) {
        guard let interface = WaymarkInterface(rawValue: Interface.name) else {
            preconditionFailure("\(Interface.name) is not among the daemon's interfaces")
        }
        try service.register(
            interface.text, requiringMore: Interface.requiringMore, repetitions: Interface.repetitions
        ) { [clients, readiness, pace] call in
            let perform = Interface.durableMethods.contains(call.methodName) ? pace.paced(perform) : perform
            if Interface.callers == .operators || Interface.operatorMethods.contains(call.methodName) {
                Self.admitOperators(Interface.self, call, clients, readiness, perform)
            } else if Interface.userMethods.contains(call.methodName) {
                Self.admitUsers(Interface.self, call, clients, readiness, perform)
            } else if Interface.callers == .anyone {
                perform(call)
            } else {
                readiness.whenReady(call) {
                    if Self.isAwaited(call) { perform(call) }
                }
            }
        }
    }

    /// Whether a client still waits for the call's effect or reply.
    fileprivate static func isAwaited(_ call: Call) -> Bool {
        (!call.isOver || call.request.oneway) && call.connection.isOpen
    }

    /// Admits operators. A command to an upload also needs the stored uploads, which are known before the decisions.
    /// Other calls of operators have to work even if the journal cannot be read, or their services delay them.
    private static func admitOperators<Interface: VarlinkInterface>(
        _: Interface.Type, _ call: Call, _ clients: Clients, _ readiness: Readiness,
        _ perform: @escaping @DaemonActor (Call) -> Void
    ) {
        guard clients.operators.isOperator(call.connection.peer) else { return refuse(Interface.self, call) }
        let need: Readiness.Need = Interface.name == UploadsInterface.name ? .everything : .operators
        readiness.whenReady(call, need) {
            guard isAwaited(call) else { return }
            guard clients.isOperator(call.connection) else { return refuse(Interface.self, call) }
            perform(call)
        }
    }

    /// Admits operators as `admitOperators` does, and programs that act for their user: those that are no app, of a user whose
    /// stored data is not suspended. An app that locks its user's data, or sets the passphrase, would be in charge of it.
    private static func admitUsers<Interface: VarlinkInterface>(
        _: Interface.Type, _ call: Call, _ clients: Clients, _ readiness: Readiness,
        _ perform: @escaping @DaemonActor (Call) -> Void
    ) {
        let uid = call.connection.peer.userID
        let asUser = { @DaemonActor in
            readiness.whenReady(call) {
                guard isAwaited(call) else { return }
                let session = clients.session(of: call.connection)
                if clients.isOperator(call.connection) { return perform(call) }
                if let why = session.suspension ?? clients.suspension(of: uid) {
                    return refuse(Interface.self, call, "This is refused: \(why).")
                }
                guard session.standsForUser, session.process == nil else {
                    return refuse(
                        Interface.self, call,
                        "An app may not do this, whatever user runs it. Call `waymark` in a terminal instead.")
                }
                perform(call)
            }
        }
        guard clients.operators.isOperator(call.connection.peer) else { return asUser() }
        readiness.whenReady(call, .operators) {
            guard isAwaited(call) else { return }
            if clients.isOperator(call.connection) { perform(call) } else { asUser() }
        }
    }

    /// Ends a call because its caller is no operator, or no user.
    static func refuse<Interface: VarlinkInterface>(
        _: Interface.Type, _ call: Call,
        _ message: String =
            "Only operators may do this: root, the daemon's user and members of the operators' group. An app"
            + " may not, whatever user runs it."
    ) {
        let failure = Interface.Failure(
            name: Interface.name + ".NotOperator", parameters: ["message": .string(message)])
        guard let failure else { return call.fail(ServiceError.permissionDenied) }
        call.fail(failure)
    }
}

extension DurablePace {
    /// A handler whose calls are paced, and are dropped where nobody waits for them any more when their time has come.
    fileprivate func paced(_ perform: @escaping @DaemonActor (Call) -> Void) -> @DaemonActor (Call) -> Void {
        { [self] call in
            begin(for: call.connection.peer.userID, hasReply: !call.request.oneway, cost: call.waitingCost) {
                if Dispatcher.isAwaited(call) { perform(call) }
            }
        }
    }
}
