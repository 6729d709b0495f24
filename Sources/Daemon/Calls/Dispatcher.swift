import Interfaces
import JSONText
import Platform
import Varlink

/// The one path of a call to its handler: it applies what the interfaces' texts say of their callers.
///
/// A call waits until everything is known by which its caller is identified and authorized, unless its interface is for
/// anyone. What only operators may do reaches no handler from anybody else.
@DaemonActor
struct Dispatcher {
    let service: Service
    let clients: Clients
    let readiness: Readiness

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
        ) { [clients, readiness] call in
            if Interface.callers == .operators || Interface.operatorMethods.contains(call.methodName) {
                Self.admitOperators(Interface.self, call, clients, readiness, perform)
            } else if Interface.callers == .anyone {
                perform(call)
            } else {
                readiness.whenReady(for: call.connection.peer.userID) {
                    if Self.isAwaited(call) { perform(call) }
                }
            }
        }
    }

    /// Whether somebody waits for the call's effect or reply.
    private static func isAwaited(_ call: Call) -> Bool {
        (!call.isOver || call.request.oneway) && call.connection.isOpen
    }

    private static func admitOperators<Interface: VarlinkInterface>(
        _: Interface.Type, _ call: Call, _ clients: Clients, _ readiness: Readiness,
        _ perform: @escaping @DaemonActor (Call) -> Void
    ) {
        guard clients.operators.isOperator(call.connection.peer) else { return refuse(Interface.self, call) }
        readiness.whenReady(for: call.connection.peer.userID, .operators) {
            guard isAwaited(call) else { return }
            guard clients.isOperator(call.connection) else { return refuse(Interface.self, call) }
            perform(call)
        }
    }

    /// Ends a call because its caller is no operator.
    static func refuse<Interface: VarlinkInterface>(_: Interface.Type, _ call: Call) {
        let message =
            "Only operators may do this: root, the daemon's user and members of the operators' group. An app may not,"
            + " whatever user runs it."
        let failure = Interface.Failure(
            name: Interface.name + ".NotOperator", parameters: ["message": .string(message)])
        guard let failure else { return call.fail(ServiceError.permissionDenied) }
        call.fail(failure)
    }
}
