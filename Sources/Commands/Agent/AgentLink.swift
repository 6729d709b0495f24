import Agent
import Durations
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Varlink
import Waymark

/// An agent's registration with the daemon, made anew where the daemon comes back, and the answers on their way to it.
final class AgentLink {
    /// What came.
    enum Event {
        /// The daemon says something: what it is, and the parameters' bytes.
        case message(AgentMessage, [UInt8])
        /// The daemon is gone.
        case lost
    }

    private let socketPath: String
    private let clock: any TimeSource
    private var replies: ReplyStream?
    private var retry = Retry()

    /// Seconds that the daemon may take to answer: it stores the answer first.
    private static let answerTime = Duration.seconds(10)

    /// A link to the daemon behind a socket, not connected yet.
    init(socketPath: String, clock: any TimeSource) {
        self.socketPath = socketPath
        self.clock = clock
    }

    /// Whether there is a registration, or one on its way.
    var isConnected: Bool { replies?.client.descriptor != nil }

    /// The connection to wait for; nil where there is none.
    var descriptor: Int32? { replies?.client.descriptor }

    /// Whether something is there to be received without waiting for the descriptor.
    func hasMessage() throws(CommandFailure) -> Bool {
        guard let replies, isConnected else { return false }
        do throws(VarlinkError) { return try replies.client.waitReadable(timeout: .zero) == .reply } catch .closed {
            return true
        } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// Waits until something is there on the connection or on these descriptors, until this moment of the monotonic clock, or
    /// until `connect` is due; returns what can be read.
    func wait(besides others: [Int32], until instant: UInt64? = nil) throws(CommandFailure) -> [Int32] {
        if let descriptor, try hasMessage() { return [descriptor] }
        let now = clock.monotonicNanoseconds
        let timeout = [instant, deadline].compactMap(\.self).min().map { Duration.nanoseconds($0 > now ? $0 - now : 0) }
        do throws(SystemError) {
            return try PollDeadline(after: timeout)
                .wait(for: (others + [descriptor].compactMap(\.self)).map { ($0, POLLIN) })
        } catch {
            throw CommandFailure(error)
        }
    }

    /// When `connect` is to be called, in nanoseconds of the monotonic clock; nil where there is a connection.
    var deadline: UInt64? { isConnected ? nil : retry.instant }

    /// Registers, where that is due. Where nobody listens it is tried again later, or thrown where `isFirst`.
    func connect(isFirst: Bool = false) throws(CommandFailure) {
        guard !isConnected, retry.instant <= clock.monotonicNanoseconds else { return }
        do throws(VarlinkError) {
            let client = try WaymarkClient(socketPath: socketPath).connect(within: Self.answerTime)
            replies = try client.stream(AgentInterface.Register.name, timeout: Self.answerTime)
        } catch {
            if isFirst { throw CommandFailure(error, socketPath: socketPath) }
            retry.failed(at: clock.monotonicNanoseconds)
        }
    }

    /// Ends the registration: what nobody has answered stays listed with the daemon.
    func close() {
        replies?.cancel()
        replies = nil
    }

    /// What came on the connection, which is readable.
    /// - Throws: Where the daemon says that this may not be an agent.
    func receive() throws(CommandFailure) -> Event? {
        do throws(VarlinkError) {
            guard let reply = try replies?.next() else { return lost() }
            // A message of a newer daemon that this version does not understand is none of its business.
            guard let read = AgentInterface.Register.Reply(understanding: reply.parameters) else { return nil }
            let message = AgentMessage(read)
            if message == .registered { retry = Retry() }
            return .message(message, reply.rawParameter() ?? [])
        } catch .closed {
            return lost()
        } catch {
            close()
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// Answers a question, and waits until the answer holds.
    func answer(_ id: Int64, _ choice: PromptChoice, precise: Bool?) throws(CommandFailure) -> AnswerOutcome {
        try decide(AgentInterface.Answer(prompt: id, choice: choice, precise: precise))
    }

    /// Puts a question away without an answer.
    func dismiss(_ id: Int64) throws(CommandFailure) -> AnswerOutcome {
        try decide(AgentInterface.Dismiss(prompt: id))
    }

    /// Makes a call of the agent's interface on a connection of its own: the registration's serves its stream.
    func call(_ request: CallRequest) throws(VarlinkError) {
        let client = try WaymarkClient(socketPath: socketPath).connect(within: Self.answerTime)
        _ = try client.reply(to: request, timeout: Self.answerTime)
    }

    private func decide(_ method: some VarlinkMethod) throws(CommandFailure) -> AnswerOutcome {
        do throws(VarlinkError) {
            try call(CallRequest(method))
            return .taken
        } catch .reply(let name, _) where name == ErrorName.agentUnknownPrompt.rawValue {
            return .closed
        } catch .reply(let name, _) where name == ErrorName.agentNotStored.rawValue {
            return .notStored
        } catch {
            return .failed(WaymarkClient(socketPath: socketPath).explained(error).description)
        }
    }

    private func lost() -> Event {
        close()
        retry.failed(at: clock.monotonicNanoseconds)
        return .lost
    }
}

/// When to try again what did not succeed: after 200 ms, and twice as long each time, up to 30 s.
struct Retry {
    /// Nanoseconds of the monotonic clock; 0 for at once.
    private(set) var instant: UInt64 = 0
    private var pause = DoublingPause(first: .milliseconds(200), longest: .seconds(30))

    /// It has failed now.
    mutating func failed(at now: UInt64) {
        instant = now.after(pause.next())
    }
}
