import JSONText
import Platform

/// One call of a client, to be answered at once or later: once, or many times where the client wants more.
@DaemonActor
public class Call {
    /// Makes an offered reply when the client can take it, given how many earlier ones the client did not get.
    ///
    /// It is called once for each time sending is tried, so it must have no effects.
    public typealias Offer = @DaemonActor (_ dropped: Int) -> EncodedReply

    /// What the client asked for.
    nonisolated public let request: CallRequest
    /// Whose call it is.
    public let connection: ServerConnection
    /// Called once, soon after the client went away before the last reply. Never called after the last reply.
    public var onEnd: (@DaemonActor () -> Void)?
    /// Whether the last reply is given or the client is gone; replies from then on are ignored.
    public private(set) var isOver = false

    /// The parameters with which it is to be made again should the process end after the next reply: what that reply says
    /// is then not said again. Nil for those it was made with.
    public var continuation: JSON?

    /// Whether it was in progress before the process started and had a reply, and is made again.
    nonisolated public let isResumed: Bool

    /// The latest replies, the newest last: as many as the next process needs to know. One that is long is an empty array.
    private(set) var latestReplies: [[UInt8]]
    private let rememberedReplies: Int

    /// Longer replies are not remembered: what is that long is a page, and followed by another one.
    private static let longestRemembered = 16 << 10

    init(
        _ request: CallRequest, on connection: ServerConnection, isResumed: Bool = false, remembering count: Int,
        _ replies: [[UInt8]] = []
    ) {
        self.isResumed = isResumed
        self.request = request
        self.connection = connection
        (rememberedReplies, latestReplies) = (count, replies)
    }

    /// Notes a reply that leaves, or waits to.
    func remember(_ reply: [UInt8]) {
        guard rememberedReplies > 0 else { return }
        if latestReplies.count >= rememberedReplies { latestReplies.removeFirst() }
        latestReplies.append(reply.count <= Self.longestRemembered ? reply : [])
    }

    /// The method's name within its interface.
    nonisolated public var methodName: String { request.methodName }
    /// The parameters, which are as the interface says.
    nonisolated public var parameters: JSON { request.parameters }
    /// The message by which it is to be made again, without its NUL.
    var repeated: [UInt8] {
        guard let continuation else { return request.encoded.dropLast() }
        return CallRequest(
            method: request.method, parameters: continuation, more: request.more, oneway: request.oneway
        ).encoded.dropLast()
    }
    /// Whether replies that continue reach the client. Where not, the first reply is the last.
    nonisolated public var wantsMore: Bool { request.more }

    /// Replies. It is never dropped; a client that leaves too many bytes of such replies lying is disconnected.
    public func reply(_ reply: EncodedReply) {
        guard !isOver else { return }
        guard reply.continues, wantsMore else { return finish(reply.final) }
        connection.send(reply)
    }

    /// Replies with the members that the body writes.
    public func reply(continues: Bool = false, _ body: (inout JSONWriter) -> Void) {
        reply(EncodedReply(continues: continues, body))
    }

    /// Ends the call with an error by its full name. Its parameters are a message a person can act on, and what else
    /// the interface defines for the error.
    public func fail(_ name: String, message: String, parameters: [JSON.Member] = []) {
        let all = JSON.object([JSON.Member("message", .string(message))] + parameters)
        finish(EncodedReply(error: name, parameters: all))
    }

    /// Ends the call with an error of its interface.
    public func fail(_ failure: some VarlinkFailure) {
        if !isOver, failure.isRefusal { connection.countRefusal() }
        finish(EncodedReply(failure))
    }

    /// Reads the parameters and has them handled, at once or later. An error that is thrown ends the call.
    public func perform<Method: VarlinkMethod>(
        _: Method.Type, _ handle: @DaemonActor (MethodCall<Method>) throws(Method.Failure) -> Void
    ) {
        let call: MethodCall<Method>
        do throws(InvalidParameter) { call = try MethodCall(self) } catch {
            return fail(ServiceError.invalidParameter(error.path))
        }
        do throws(Method.Failure) { try handle(call) } catch { fail(error) }
    }

    /// Ends the call with one of the errors that every service has.
    public func fail(_ error: ServiceError) {
        finish(error.reply)
    }

    /// Offers the newest of many replies: sent at once if the client can take it, else kept until it can or a newer
    /// one is offered. Where the client did not ask for more it is the last reply.
    public func offer(_ offer: @escaping Offer) {
        guard !isOver else { return }
        guard wantsMore else { return finish(offer(0).final) }
        connection.offer(offer)
    }

    /// Takes back a reply that was offered and not yet sent: nothing of it leaves any more. Says how many offers the
    /// client does not get by that, those among them that it had replaced.
    @discardableResult
    public func discardOffered() -> Int {
        guard !isOver else { return 0 }
        return connection.discardOffered()
    }

    /// The handler of a call without reply has returned.
    func finishOneway() {
        isOver = true
        onEnd = nil
    }

    /// The client is gone. The handler learns it in a turn of its own, never within a call that it makes itself.
    func abandon() {
        guard !isOver else { return }
        isOver = true
        guard let onEnd else { return }
        self.onEnd = nil
        // Whoever kept the call may let go of it before that turn, and the body may refer to it.
        DaemonActor.post { [self] in withExtendedLifetime(self) { onEnd() } }
    }

    private func finish(_ reply: EncodedReply) {
        guard !isOver else { return }
        isOver = true
        onEnd = nil
        if !request.oneway { connection.send(reply) }
        connection.finished(self)
    }
}
