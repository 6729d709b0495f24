import CommandLineKit
import Durations
import Glibc
import Platform
import Varlink
import Waymark

/// The commands' access to the daemon: replies retain their bytes, and a stream can be interrupted.
struct DaemonLink {
    /// The path of its socket.
    let socketPath: String

    /// The time limit in seconds for a reply that waits for nothing.
    static let answerTime = 10.0

    /// Makes a call and waits for the reply; `seconds` is the additional time that the call itself may wait.
    func call<Method: VarlinkMethod>(
        _ method: Method, waiting seconds: Double = 0
    ) throws(CommandFailure) -> MethodReply<Method> {
        do throws(VarlinkError) { return try attempt(method, waiting: seconds) } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// The same, for a caller that handles errors.
    func attempt<Method: VarlinkMethod>(
        _ method: Method, waiting seconds: Double = 0
    ) throws(VarlinkError) -> MethodReply<Method> {
        try MethodReply(reply(to: CallRequest(method), waiting: seconds))
    }

    /// The same, for a caller that reads the reply: a list of a newer daemon may contain elements that this version
    /// does not understand.
    func reply(to request: CallRequest, waiting seconds: Double = 0) throws(VarlinkError) -> Reply {
        try connect(within: .seconds(Self.answerTime)).reply(to: request, timeout: .seconds(seconds + Self.answerTime))
    }

    /// A separate connection, for a caller of this release's methods; `stop` as in `WaymarkClient.connect`.
    func connect(within timeout: Duration, until stop: Int32? = nil) throws(VarlinkError) -> Client {
        try WaymarkClient(socketPath: socketPath).connect(within: timeout, until: stop)
    }

    /// Opens a stream of replies. Where no daemon listens yet it tries again, within this time, until it is
    /// interrupted.
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
                if let code = interruption.received() { throw .ended(code) }
                // A daemon that is stopping accepts a connection and then does not reply.
                guard error.isNobodyThere || error == .closed, clock.monotonicNanoseconds < end else {
                    throw CommandFailure(error, socketPath: socketPath)
                }
            }
            try interruption.pause(pause.nextAtRandom())
        }
    }

    /// Opens a stream of replies once, for a caller that handles errors; `timeout` limits the time for the connection.
    func attemptStream(
        _ method: some VarlinkMethod, within timeout: Duration = .seconds(answerTime), until interruption: Interruption
    ) throws(VarlinkError) -> DaemonStream {
        let client = try connect(within: timeout, until: interruption.descriptor)
        let replies = try client.stream(type(of: method).name, method.parameters, timeout: timeout)
        return DaemonStream(replies: replies, socketPath: socketPath, interruption: interruption)
    }
}

extension VarlinkError {
    /// Whether the socket is missing or has no listener.
    var isNobodyThere: Bool {
        guard case .cannotConnect(let error) = self else { return false }
        return error.code == ENOENT || error.code == ECONNREFUSED
    }
}

/// The daemon's replies, until the command is interrupted.
final class DaemonStream {
    private let replies: ReplyStream
    private let socketPath: String
    private let interruption: Interruption
    /// Standard output, if it is a pipe: the end of its reader is noticed even without a reply.
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

    /// An event of the stream.
    enum Event {
        case reply(Reply)
        /// No event within the time limit.
        case nothing
        /// The daemon has ended the stream or the connection.
        case ended
    }

    /// Waits for the next event, with or without a time limit.
    func next(timeout: Duration? = nil) throws(CommandFailure) -> Event {
        let wakening = try wait(timeout)
        // A stream without pauses must not delay Ctrl-C.
        if let code = interruption.received() { throw .ended(code) }
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
