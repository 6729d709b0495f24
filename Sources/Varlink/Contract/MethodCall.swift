import JSONText
import Platform

/// A call of a method with its parameters in the interface's types.
///
/// It retains the call. A handler that waits before it replies should hold it weakly: `later`.
@DaemonActor
public struct MethodCall<Method: VarlinkMethod> {
    /// The call.
    nonisolated public let call: Call
    /// The parameters.
    nonisolated public let parameters: Method

    /// Decodes the parameters of a call.
    /// - Throws: The parameter that does not match the interface.
    public init(_ call: Call) throws(InvalidParameter) {
        self.call = call
        parameters = try Method(varlink: call.parameters)
    }

    /// The connection of the caller.
    public var connection: ServerConnection { call.connection }

    /// Ends the call with an error of its interface.
    public func fail(_ failure: Method.Failure) { call.fail(failure) }

    /// A weak reference for a later reply.
    public var later: LateCall<Method> { LateCall(self) }
}

extension MethodCall where Method.Reply: VarlinkMembers {
    /// Replies.
    public func reply(_ reply: Method.Reply) { call.reply(EncodedReply(reply)) }
}

/// A call that is answered later, if it still exists then.
@DaemonActor
public struct LateCall<Method: VarlinkMethod> {
    /// The call; nil once it is over and has no other owner.
    public private(set) weak var call: Call?
    /// The parameters.
    public let parameters: Method

    fileprivate init(_ call: MethodCall<Method>) {
        self.call = call.call
        parameters = call.parameters
    }

    /// Ends the call with an error of its interface.
    public func fail(_ failure: Method.Failure) { call?.fail(failure) }
}

extension LateCall where Method.Reply: VarlinkMembers {
    /// Replies.
    public func reply(_ reply: Method.Reply) { call?.reply(EncodedReply(reply)) }

    /// Replies with what the body returns, or ends the call with the error that it throws.
    public func answer(_ reply: () throws(Method.Failure) -> Method.Reply) {
        do throws(Method.Failure) { self.reply(try reply()) } catch { fail(error) }
    }
}

extension EncodedReply {
    /// A reply of a method.
    public init(_ reply: some VarlinkMembers, continues: Bool = false) {
        self.init(continues: continues) { reply.writeMembers(to: &$0) }
    }

    /// An error of an interface.
    public init(_ failure: some VarlinkFailure) {
        self.init(error: failure.name, writingParameters: { $0.object { failure.writeMembers(to: &$0) } })
    }
}
