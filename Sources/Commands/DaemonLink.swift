import CommandLineKit
import Durations
import Glibc
import Platform
import Varlink
import Waymark

/// The daemon, as the commands talk to it: replies keep their bytes, and a stream can be interrupted.
struct DaemonLink {
    /// Where it listens.
    let socketPath: String

    /// Seconds that an answer may take which waits for nothing.
    static let answerTime = 10.0

    /// Makes a call and waits for the reply, so much longer as the call itself may wait.
    func call<Method: VarlinkMethod>(
        _ method: Method, waiting seconds: Double = 0
    ) throws(CommandFailure) -> MethodReply<Method> {
        do throws(VarlinkError) { return try attempt(method, waiting: seconds) } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// The same where the caller has something to say about an error.
    func attempt<Method: VarlinkMethod>(
        _ method: Method, waiting seconds: Double = 0
    ) throws(VarlinkError) -> MethodReply<Method> {
        try MethodReply(reply(to: CallRequest(method), waiting: seconds))
    }

    /// The same for a reply that is read by the caller: a list of a newer daemon may have elements that this version does not
    /// understand.
    func reply(to request: CallRequest, waiting seconds: Double = 0) throws(VarlinkError) -> Reply {
        try connect(within: .seconds(Self.answerTime)).reply(to: request, timeout: .seconds(seconds + Self.answerTime))
    }

    /// A connection of its own, for somebody who makes calls on it as this release knows them.
    func connect(within timeout: Duration) throws(VarlinkError) -> Client {
        try WaymarkClient(socketPath: socketPath).connect(within: timeout)
    }

    /// Opens a stream of replies. Where nobody listens yet it tries again, for so long, until it is interrupted.
    func stream(
        _ method: some VarlinkMethod, patience: Duration = .zero, until interruption: Interruption
    ) throws(CommandFailure) -> DaemonStream {
        let clock = SystemClock()
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(2))
        let end = clock.monotonicNanoseconds.after(patience)
        while true {
            do throws(VarlinkError) {
                return try attemptStream(method, until: interruption)
            } catch {
                // One that is about to end takes a connection and answers nothing any more.
                guard error.isNobodyThere || error == .closed, clock.monotonicNanoseconds < end else {
                    throw CommandFailure(error, socketPath: socketPath)
                }
            }
            try interruption.pause(pause.nextAtRandom())
        }
    }

    /// Opens a stream of replies, once, where the caller has something to say about an error. The daemon may take so
    /// long to take the connection.
    func attemptStream(
        _ method: some VarlinkMethod, within timeout: Duration = .seconds(answerTime), until interruption: Interruption
    ) throws(VarlinkError) -> DaemonStream {
        let client = try connect(within: timeout)
        let replies = try client.stream(type(of: method).name, method.parameters, timeout: timeout)
        return DaemonStream(replies: replies, socketPath: socketPath, interruption: interruption)
    }
}

extension VarlinkError {
    /// Whether there is no socket, or nobody behind it.
    var isNobodyThere: Bool {
        guard case .cannotConnect(let error) = self else { return false }
        return error.code == ENOENT || error.code == ECONNREFUSED
    }
}

/// Replies of the daemon as they come, until somebody interrupts.
final class DaemonStream {
    private let replies: ReplyStream
    private let socketPath: String
    private let interruption: Interruption
    /// Standard output where it is a pipe: its reader's end is noticed even while nothing comes.
    private let pipe: Int32?

    fileprivate init(replies: ReplyStream, socketPath: String, interruption: Interruption) {
        self.replies = replies
        self.socketPath = socketPath
        self.interruption = interruption
        var status = stat()
        let isPipe = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        pipe = isPipe ? STDOUT_FILENO : nil
    }

    /// The connection; nil once it has ended.
    var descriptor: Int32? { replies.client.descriptor }

    /// What came.
    enum Event {
        case reply(Reply)
        /// Nothing, for as long as was to be waited.
        case nothing
        /// The daemon has ended the stream or the connection.
        case ended
    }

    /// Waits for the next reply, so long or for ever.
    func next(timeout: Duration? = nil) throws(CommandFailure) -> Event {
        let wakening = try wait(timeout)
        // A stream that never pauses must not keep Ctrl-C waiting.
        if let code = interruption.taken() { throw .ended(code) }
        switch wakening {
        case .descriptor(let number) where number == pipe: throw .unread
        case .descriptor, .timedOut: return .nothing
        case .reply: return try receive()
        case nil: return .ended
        }
    }

    private func wait(_ timeout: Duration?) throws(CommandFailure) -> Client.Wakening? {
        let watched = [interruption.descriptor] + (pipe.map { [$0] } ?? [])
        do throws(VarlinkError) {
            return try replies.client.waitReadable(alsoWatching: watched, timeout: timeout)
        } catch .closed {
            return nil
        } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    private func receive() throws(CommandFailure) -> Event {
        do throws(VarlinkError) {
            return try replies.next().map(Event.reply) ?? .ended
        } catch .closed {
            return .ended
        } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }
}
