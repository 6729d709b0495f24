import Interfaces
import JSONText
import Platform
import Varlink

/// The single path of a call to its handler. It applies the rules on callers that the interfaces' texts state.
///
/// A call waits until its caller is identified and the caller's authorization is known, unless its interface is open to
/// anyone. Calls reserved for operators reach no handler from any other caller.
/// operators may do reaches no handler from anybody else.
@DaemonActor
struct Dispatcher {
    let service: Service
    let authorizer: Authorizer

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
        ) { [authorizer] call in
            if Interface.callers == .operators || Interface.operatorMethods.contains(call.methodName) {
                Self.admitOperators(Interface.self, call, authorizer, perform)
            } else if Interface.callers == .anyone {
                perform(call)
            } else {
                authorizer.whenReady(for: call.connection.peer.userID) {
                    if Self.isAwaited(call) { perform(call) }
                }
            }
        }
    }

    /// Whether a client waits for the call's effect or reply.
    private static func isAwaited(_ call: Call) -> Bool {
        (!call.isOver || call.request.oneway) && call.connection.isOpen
    }

    private static func admitOperators<Interface: VarlinkInterface>(
        _: Interface.Type, _ call: Call, _ authorizer: Authorizer, _ perform: @escaping @DaemonActor (Call) -> Void
    ) {
        guard authorizer.operators.isOperator(call.connection.peer) else { return refuse(Interface.self, call) }
        authorizer.whenReady(for: call.connection.peer.userID, .operators) {
            guard isAwaited(call) else { return }
            guard authorizer.isOperator(call.connection) else { return refuse(Interface.self, call) }
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
