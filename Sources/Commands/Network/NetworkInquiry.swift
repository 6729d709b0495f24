import CommandLineKit
import Interfaces
import Platform
import Varlink

/// The daemon's reply about the network, in the forms that a command prints.
struct NetworkAnswer {
    /// Whether the network or the host can be reached.
    let isReached: Bool
    /// The state, in a sentence.
    let sentence: String
    /// The state with all details.
    let lines: [String]
    /// The state in half a line, for a list of changes.
    let change: String
    /// The daemon's object, unchanged.
    let object: [UInt8]
}

/// The options of both `waymark path` and `waymark target`.
enum NetworkOptions {
    static let all = [
        CommonOptions.json,
        Option("watch", short: "w", "continue, and show every change"),
        Option("wait", "end with 0 as soon as it can be reached"),
        Option("timeout", Value("S", .number(0...86_400)), "wait at most so many seconds; needs --wait"),
        CommonOptions.noReconnect,
    ]
}

/// The common part of `waymark path` and `waymark target`: one reply, every change, or a wait until it can be reached.
struct NetworkInquiry<Get: VarlinkMethod, Monitor: VarlinkMethod> {
    /// The method for one reply, and the one for a stream.
    let get: Get
    let monitor: Monitor
    /// The seconds that the daemon itself may wait with one reply.
    let waiting: Double
    /// Converts a reply.
    let read: (Get.Reply, Reply) throws(CommandFailure) -> NetworkAnswer
    /// Converts a reply of a stream.
    let readChange: (Monitor.Reply, Reply) throws(CommandFailure) -> NetworkAnswer

    func run(_ session: Session, command: String) throws(CommandFailure) {
        do throws(CommandFailure) { try inquire(session, command) } catch { throw Self.advised(error) }
    }

    /// Adds the location of the daemon's log, and makes an invalid host a usage error; other messages contain their
    /// advice.
    static func advised(_ failure: CommandFailure) -> CommandFailure {
        guard case .failed(let name, let message, let code) = failure, let error = ErrorName(rawValue: name) else {
            return failure
        }
        return switch error {
        case .reachabilityUnavailable:
            .failed(name: name, message: "\(message) See the daemon's log: sudo journalctl -u waymark.", code)
        case .reachabilityInvalidHost: .failed(name: name, message: message, .usage)
        default: failure
        }
    }

    private func inquire(_ session: Session, _ command: String) throws(CommandFailure) {
        let invocation = session.invocation
        guard !invocation.isGiven("timeout") || invocation.has("wait") else {
            throw .usage("--timeout says how long to wait: it needs --wait.", command: command)
        }
        if invocation.has("watch") || invocation.has("wait") { return try follow(session) }
        let reply = try session.daemon.call(get, waiting: waiting)
        let answer = try read(reply.value, reply.message)
        try show(answer, session)
        if !answer.isReached { throw .ended(.notReachable) }
    }

    private func show(_ answer: NetworkAnswer, _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: answer.object) }
        try session.print(answer.lines)
    }

    private func follow(_ session: Session) throws(CommandFailure) {
        let (watches, waits) = (session.invocation.has("watch"), session.invocation.has("wait"))
        let seconds = session.invocation.number("timeout")
        let stream = try PatientStream(
            session, monitor, for: seconds.map { .seconds($0) },
            comesBack: !session.invocation.has("no-reconnect"), until: try session.interruption())
        var known = "The daemon has not replied."
        while true {
            switch try stream.next() {
            case .reply(let reply):
                let answer = try readChange(reply.value, reply.message)
                known = answer.sentence
                if watches { try showChange(answer, session) }
                guard waits, answer.isReached else { continue }
                if !watches { try show(answer, session) }
                return
            case .lost:
                known = "The connection to the Waymark daemon was lost and could not be restored."
            case .nothing: continue
            case .expired:
                throw .failed("TimedOut", "Gave up after \(Measure.age(seconds ?? 0)). \(known)", .notReachable)
            }
        }
    }

    private func showChange(_ answer: NetworkAnswer, _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: answer.object) }
        let now = ZonedTime(Double(session.clock.utcMicroseconds) / 1e6, in: .local)
        let time = now.map { "\($0.date) \($0.timeOfDay)" } ?? "unknown time"
        let beginning = session.terminal.styled(time, .dim) + "  "
        try session.print(
            session.terminal.wrapped(answer.change, after: beginning, columns: time.displayWidth + 2))
    }
}
