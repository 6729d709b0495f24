import JSONText
import Platform

/// A call of one method, with its parameters as the interface defines them.
///
/// It keeps the call alive: who waits for something before replying keeps it weakly, by `weak var call = call.call`.
@DaemonActor
public struct MethodCall<Method: VarlinkMethod> {
    /// The call.
    nonisolated public let call: Call
    /// The parameters.
    nonisolated public let parameters: Method

    /// Reads the parameters of a call.
    /// - Throws: Which one does not hold what the interface says.
    public init(_ call: Call) throws(InvalidParameter) {
        self.call = call
        parameters = try Method(varlink: call.parameters)
    }

    /// Who calls.
    public var connection: ServerConnection { call.connection }

    /// Ends the call with an error of its interface.
    public func fail(_ failure: Method.Failure) { call.fail(failure) }

    /// A reference for who replies later: it does not keep the call alive.
    public var later: LateCall<Method> { LateCall(self) }
}

extension MethodCall where Method.Reply: VarlinkMembers {
    /// Replies.
    public func reply(_ reply: Method.Reply) { call.reply(EncodedReply(reply)) }
}

/// A call that is answered later, where it is still waited for then.
@DaemonActor
public struct LateCall<Method: VarlinkMethod> {
    /// The call; nil once it is over and nobody else keeps it.
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
