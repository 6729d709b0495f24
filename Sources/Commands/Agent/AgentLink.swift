import Agent
import Durations
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Varlink
import Waymark

/// An agent's registration with the daemon, renewed after the daemon was lost, and the calls that send answers.
final class AgentLink {
    /// An event of the registration.
    enum Event {
        /// A message of the daemon, and the bytes of its parameters.
        case message(AgentMessage, [UInt8])
        /// The connection to the daemon was lost.
        case lost
    }

    private let socketPath: String
    private let clock: any TimeSource
    private let interruption: Interruption
    private var replies: ReplyStream?
    private var retry = Retry()

    /// The time within which the daemon has to reply to an answer: it stores the answer first.
    private static let answerTime = Duration.seconds(10)

    /// A link to the session's daemon, not connected yet. An interruption ends every wait for a daemon that does not reply.
    init(_ session: Session, until interruption: Interruption) {
        socketPath = session.socketPath
        clock = session.clock
        self.interruption = interruption
    }

    /// Whether the registration exists or has been requested.
    var isConnected: Bool { replies?.client.descriptor != nil }

    /// The connection to wait for; nil where there is none.
    var descriptor: Int32? { replies?.client.descriptor }

    /// Whether a message can be received without waiting for the descriptor.
    func hasMessage() throws(CommandFailure) -> Bool {
        guard let replies, isConnected else { return false }
        do throws(VarlinkError) { return try replies.client.waitReadable(timeout: .zero) == .reply } catch .closed {
            return true
        } catch {
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// Waits until the connection or one of these descriptors can be read, until this instant of the monotonic clock,
    /// or until `connect` is due; returns the readable descriptors.
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

    /// The instant at which `connect` is due, in nanoseconds of the monotonic clock; nil while connected.
    var deadline: UInt64? { isConnected ? nil : retry.instant }

    /// Registers, where that is due. Where no daemon listens, it tries again later, or throws where `isFirst`.
    func connect(isFirst: Bool = false) throws(CommandFailure) {
        guard !isConnected, retry.instant <= clock.monotonicNanoseconds else { return }
        do throws(VarlinkError) {
            replies = try connection().stream(AgentInterface.Register.name, timeout: Self.answerTime)
        } catch {
            if let end = end(error) { throw end }
            if isFirst { throw CommandFailure(error, socketPath: socketPath) }
            retry.failed(at: clock.monotonicNanoseconds)
        }
    }

    /// Ends the registration: unanswered prompts remain pending in the daemon.
    func close() {
        replies?.cancel()
        replies = nil
    }

    /// Receives the next event of the connection, which is readable.
    /// - Throws: Where the daemon reports that this program may not be an agent.
    func receive() throws(CommandFailure) -> Event? {
        do throws(VarlinkError) {
            guard let reply = try replies?.next() else { throw .closed }
            // A message of a newer daemon that this version does not understand is ignored.
            guard let read = AgentInterface.Register.Reply(understanding: reply.parameters) else { return nil }
            let message = AgentMessage(read)
            if message == .registered { retry = Retry() }
            return .message(message, reply.rawParameter() ?? [])
        } catch .closed {
            if let end = end(.closed) { throw end }
            return lost()
        } catch {
            close()
            throw CommandFailure(error, socketPath: socketPath)
        }
    }

    /// Sends the answer to a prompt, and waits until it is in force.
    func answer(_ id: Int64, _ choice: PromptChoice, precise: Bool?) throws(CommandFailure) -> AnswerOutcome {
        try decide(AgentInterface.Answer(prompt: id, choice: choice, precise: precise))
    }

    /// Dismisses a prompt without an answer.
    func dismiss(_ id: Int64) throws(CommandFailure) -> AnswerOutcome {
        try decide(AgentInterface.Dismiss(prompt: id))
    }

    /// Makes a call of the agent's interface on a separate connection, because the registration's is used by its
    /// stream.
    func call(_ request: CallRequest) throws(VarlinkError) {
        _ = try connection().reply(to: request, timeout: Self.answerTime)
    }

    /// The end of the program, where a signal has ended the wait that failed with this error; nil for every other failure.
    func end(_ error: VarlinkError) -> CommandFailure? {
        error == .closed ? interruption.received().map { .ended($0) } : nil
    }

    private func connection() throws(VarlinkError) -> Client {
        try WaymarkClient(socketPath: socketPath).connect(within: Self.answerTime, until: interruption.descriptor)
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
            if let end = end(error) { throw end }
            return .failed(WaymarkClient(socketPath: socketPath).explained(error).description)
        }
    }

    private func lost() -> Event {
        close()
        retry.failed(at: clock.monotonicNanoseconds)
        return .lost
    }
}

/// The time of the next attempt after a failure: after 200 ms, and twice as long each time, up to 30 s.
struct Retry {
    /// The instant in nanoseconds of the monotonic clock; 0 for at once.
    private(set) var instant: UInt64 = 0
    private var pause = DoublingPause(first: .milliseconds(200), longest: .seconds(30))

    /// Records a failed attempt.
    mutating func failed(at now: UInt64) {
        instant = now.after(pause.next())
    }
}
