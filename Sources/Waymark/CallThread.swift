import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// One call on a connection and a thread of its own: the basis of all non-blocking calls of the library.
///
/// The call has no time-out, because a person may think about an answer for minutes. The attempt to connect has one.
final class CallThread: Sendable {
    /// Whether a call is repeated that ended because the daemon was unavailable.
    enum Lasting {
        case never, onceBegun, always
    }

    private let stopped = WakeDescriptor()

    /// Makes the call. `onReply` receives each reply and returns whether to continue. `onEnd` is called once after the
    /// last one, with the error that ended the call; nil if `stop` or `onReply` ended it. If a call ends only because
    /// the daemon is unavailable, it is repeated after 0.1 s to 5 s: a `lasting` call always, one that is lasting once
    /// begun only after its first reply.
    func start<Method: VarlinkMethod>(
        name: String, _ client: WaymarkClient, _ method: Method, more: Bool = true, lasting: Lasting = .never,
        onReply: @escaping @Sendable (Method.Reply) throws(WaymarkError) -> Bool,
        onEnd: @escaping @Sendable (WaymarkError?) -> Void
    ) {
        let request = CallRequest(method, more: more)
        do throws(SystemError) {
            try DetachedThread.start(name: name) { [self] in
                do throws(WaymarkError) {
                    try run(client, request, lasting: lasting) { (reply) throws(WaymarkError) in
                        try onReply(client.read(reply, to: method))
                    }
                    onEnd(nil)
                } catch {
                    onEnd(error)
                }
            }
        } catch {
            onEnd(WaymarkError(.system(error), socketPath: client.socketPath))
        }
    }

    /// Ends the call and its connection; callable from any thread, also before `start`.
    func stop() { stopped.signal() }

    private func run(
        _ client: WaymarkClient, _ request: CallRequest, lasting: Lasting,
        _ onReply: (JSON) throws(WaymarkError) -> Bool
    ) throws(WaymarkError) {
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
        var hasBegun = false
        while true {
            do throws(WaymarkError) {
                return try runOnce(client, request) { (reply) throws(WaymarkError) in
                    pause.reset()
                    hasBegun = true
                    return try onReply(reply)
                }
            } catch {
                // The error of a call that was stopped is only that its connection was closed.
                if try isStopped(within: .zero, client) { return }
                guard lasting == .always || lasting == .onceBegun && hasBegun, error.isAbsence else { throw error }
            }
            if try isStopped(within: pause.nextAtRandom(), client) { return }
        }
    }

    private func isStopped(within pause: Duration, _ client: WaymarkClient) throws(WaymarkError) -> Bool {
        do throws(SystemError) { return try PollDeadline(after: pause).poll(stopped.number, for: POLLIN) } catch {
            throw WaymarkError(.system(error), socketPath: client.socketPath)
        }
    }

    private func runOnce(
        _ client: WaymarkClient, _ request: CallRequest, _ onReply: (JSON) throws(WaymarkError) -> Bool
    ) throws(WaymarkError) {
        let stream = try client.stream(request, until: stopped.number)
        while try onReply(next(of: stream, client).parameters) {}
    }

    private func next(of stream: ReplyStream, _ client: WaymarkClient) throws(WaymarkError) -> Reply {
        let reply: Reply?
        do throws(VarlinkError) { reply = try stream.next() } catch { throw client.explained(error) }
        guard let reply else { throw .disconnected }
        return reply
    }
}

extension WaymarkClient {
    /// Decodes the parameters of a reply.
    func read<Method: VarlinkMethod>(_ reply: JSON, to _: Method) throws(WaymarkError) -> Method.Reply {
        do throws(VarlinkError) { return try Method.reply(reply) } catch { throw explained(error) }
    }

    /// The only reply to a call that may take long. Cancelling the task ends the call and its connection.
    ///
    /// - Throws: A `WaymarkError`, or `CancellationError` if the task was cancelled.
    func reply<Method: VarlinkMethod>(to method: Method, more: Bool = true) async throws -> Method.Reply {
        try Task.checkCancellation()
        let thread = CallThread()
        let result = Latest<Method.Reply>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Method.Reply, any Error>) in
                thread.start(name: "waymark-call", self, method, more: more) { reply in
                    result.put(reply)
                    return false
                } onEnd: { error in
                    if let reply = result.remove() {
                        waiting.resume(returning: reply)
                    } else {
                        waiting.resume(throwing: error ?? CancellationError())
                    }
                }
            }
        } onCancel: {
            thread.stop()
        }
    }

    /// The elements in the replies of a stream. Only the newest is buffered for a slow reader; `merging` receives the
    /// one that it replaces. A stream that is lasting is opened again after the daemon was unavailable.
    func replies<Method: VarlinkMethod, Element: Sendable>(
        of method: Method, lasting: CallThread.Lasting = .never, buffering count: Int = 1,
        _ element: @escaping @Sendable (Method.Reply) -> Element,
        merging merge: @escaping @Sendable (inout Element, _ unread: Element) -> Void = { _, _ in }
    ) -> AsyncThrowingStream<Element, any Error> {
        let thread = CallThread()
        let missed = Latest<Element>()
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(count)) { output in
            output.onTermination = { _ in thread.stop() }
            thread.start(name: "waymark-updates", self, method, lasting: lasting) { reply in
                var element = element(reply)
                if let unread = missed.remove() { merge(&element, unread) }
                switch output.yield(element) {
                // The new element has replaced one that was not read.
                case .dropped(let unread): missed.put(unread)
                case .terminated: return false
                default: break
                }
                return true
            } onEnd: { error in
                output.finish(throwing: error)
            }
        }
    }
}
