import JSONText
import Platform

/// A client's call, answered at once or later: with one reply, or with many if the client requested more.
@DaemonActor
public class Call {
    /// Makes an offered reply when the client can receive it. `dropped` is the number of earlier offers that the client
    /// did not receive.
    ///
    /// It is called once for each attempt to send, so it must have no side effects.
    public typealias Offer = @DaemonActor (_ dropped: Int) -> EncodedReply

    /// The request, without the parameters that the interface does not have: they are ignored, and their values would need
    /// much memory as long as the call is open.
    nonisolated public let request: CallRequest
    /// The message with these parameters, which the next process may know, without its NUL; nil if there are none, or the
    /// next process does not repeat the call. Its bytes need much less memory than the values.
    private let wholeMessage: [UInt8]?
    /// The connection over which it was made.
    public let connection: ServerConnection
    /// Called once, soon after the client disconnected before the last reply. Never called after the last reply.
    public var onEnd: (@DaemonActor () -> Void)?
    /// Whether the last reply was given or the client has disconnected; further replies are ignored.
    public private(set) var isOver = false

    /// The parameters with which the next process has to repeat the call, so that it continues after the latest reply.
    /// Nil for the original parameters.
    public var continuation: JSON?

    /// Whether it was in progress and had a reply before the process started, and is repeated now.
    nonisolated public let isResumed: Bool

    /// The latest replies, the newest last: as many as the next process needs. One that is not compared is an empty array.
    private(set) var latestReplies: [[UInt8]]
    private let rememberedReplies: Int

    /// Longer replies are not stored: they are pages, which are followed by a different page.
    private static let longestRemembered = 16 << 10

    init(
        _ request: CallRequest, on connection: ServerConnection, isResumed: Bool = false, remembering count: Int,
        _ replies: [[UInt8]] = []
    ) {
        self.isResumed = isResumed
        (self.request, wholeMessage) = connection.server?.retained(of: request) ?? (request, nil)
        self.connection = connection
        (rememberedReplies, latestReplies) = (count, replies)
    }

    /// Stores a reply that is sent or queued. One that the repeated call continues after never comes again, so that its
    /// content is not stored: it may be data that is locked later.
    func remember(_ reply: [UInt8]) {
        guard rememberedReplies > 0 else { return }
        if latestReplies.count >= rememberedReplies { latestReplies.removeFirst() }
        let isCompared = continuation == nil && reply.count <= Self.longestRemembered
        latestReplies.append(isCompared ? reply : [])
    }

    /// The method's name within its interface.
    nonisolated public var methodName: String { request.methodName }
    /// The parameters, already validated against the interface.
    nonisolated public var parameters: JSON { request.parameters }
    /// The message with which the next process repeats the call, without its NUL. A call whose method is not repeated has
    /// no parameters in it, which may be a passphrase.
    func message(_ isRepeated: Bool) -> [UInt8] {
        guard isRepeated else { return handedOver(with: .emptyObject) }
        guard let continuation else { return wholeMessage ?? request.encoded.dropLast() }
        return handedOver(with: withIgnoredParameters(continuation))
    }

    /// The parameters of a continuation with those that this release ignores: without them it would be a different call.
    private func withIgnoredParameters(_ continuation: JSON) -> JSON {
        guard let wholeMessage, case .object(var members) = continuation else { return continuation }
        let whole: CallRequest
        do throws(MalformedMessage) {
            whole = try CallRequest(parsing: wholeMessage, maximumDepth: connection.limits.maximumDepth)
        } catch {
            // It was read from such a message before, so this cannot happen.
            return continuation
        }
        for member in whole.parameters.objectValue ?? [] where !member.value.isNull {
            if let index = members.firstIndex(where: { $0.key == member.key }) {
                // One that continues unchanged has the members that this release ignores.
                if members[index].value == parameters[member.key] { members[index].value = member.value }
            } else if parameters[member.key] == nil {
                members.append(member)
            }
        }
        return .object(members)
    }

    private func handedOver(with parameters: JSON) -> [UInt8] {
        CallRequest(method: request.method, parameters: parameters, more: request.more, oneway: request.oneway)
            .encoded.dropLast()
    }

    /// About how many bytes of memory its request needs.
    public var retainedBytes: Int { request.memoryBytes + (wholeMessage?.count ?? 0) }
    /// Whether the client accepts more than one reply. If not, the first reply is the last.
    nonisolated public var wantsMore: Bool { request.more }

    /// Replies. Such a reply is never dropped; a client that leaves too many bytes of them unread is disconnected.
    public func reply(_ reply: EncodedReply) {
        guard !isOver else { return }
        guard reply.continues, wantsMore else { return finish(reply.final) }
        connection.send(reply)
    }

    /// Replies with the members that the body writes.
    public func reply(continues: Bool = false, _ body: (inout JSONWriter) -> Void) {
        reply(EncodedReply(continues: continues, body))
    }

    /// Ends the call with an error by its full name. The parameters are a message for a person with the next step, and
    /// the other parameters that the interface defines.
    public func fail(_ name: String, message: String, parameters: [JSON.Member] = []) {
        let all = JSON.object([JSON.Member("message", .string(message))] + parameters)
        finish(EncodedReply(error: name, parameters: all))
    }

    /// Ends the call with an error of its interface.
    public func fail(_ failure: some VarlinkFailure) {
        if !isOver, failure.isRefusal { connection.countRefusal() }
        finish(EncodedReply(failure))
    }

    /// Decodes the parameters and calls the handler, which replies at once or later. An error that it throws ends the
    /// call.
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

    /// Offers the newest state. It is sent at once if the client can receive it; otherwise it is queued and replaces an
    /// earlier offer. Without `more` it is the last reply. `missed` is the number of earlier offers that were withdrawn: they count
    /// as dropped until a reply is sent that reports them.
    public func offer(missed: Int = 0, _ offer: @escaping Offer) {
        guard !isOver else { return }
        guard wantsMore else { return finish(offer(missed).final) }
        connection.offer(offer, missed: missed)
    }

    /// Withdraws an offered reply that was not sent yet. Returns the number of offers that the client does not receive,
    /// including those that the withdrawn one had replaced or that were withdrawn before it.
    @discardableResult
    public func discardOffered() -> Int {
        guard !isOver else { return 0 }
        return connection.discardOffered()
    }

    /// Called when the handler of a call without reply has returned.
    func finishOneway() {
        isOver = true
        onEnd = nil
    }

    /// The client has disconnected. The handler is notified in a later iteration of the loop, never within one of its
    /// own calls.
    func abandon() {
        guard !isOver else { return }
        isOver = true
        guard let onEnd else { return }
        self.onEnd = nil
        // Retained, because the owner of the call may release it before that, and the body may refer to it.
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
