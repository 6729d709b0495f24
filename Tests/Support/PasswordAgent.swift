import Glibc
import Platform
import Synchronization

/// A person at an agent of systemd-ask-password(1), who answers what the commands of one daemon ask: the protocol is that of
/// systemd.io/PASSWORD_AGENTS.
public final class PasswordAgent: Sendable {
    private static let folder = "/run/systemd/ask-password"

    /// Whether this machine can ask.
    public static var isPossible: Bool {
        getuid() == 0 && access("/usr/bin/systemd-ask-password", X_OK) == 0 && access(folder, W_OK) == 0
    }

    private struct State {
        var answers: [String?] = []
        var questions: [String] = []
        var answered: Set<String> = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let marker: [UInt8]

    /// Answers questions of programs that have this text, the path of a socket, in their environment.
    public init(of socketPath: String) throws {
        marker = Array(socketPath.utf8)
        try DetachedThread.start(name: "password-agent") { [weak self] in
            while self?.look() == true { _ = poll(nil, 0, 20) }
        }
    }

    /// The answers to the next questions; nil to decline.
    public var answers: [String?] {
        get { state.withLock { $0.answers } }
        set { state.withLock { $0.answers = newValue } }
    }

    /// What was asked.
    public var questions: [String] { state.withLock { $0.questions } }

    /// Answers nothing any more.
    public func stop() { state.withLock { $0.isOver = true } }

    private func look() -> Bool {
        for name in DirectoryListing.names(Self.folder) where name.hasPrefix("ask.") {
            guard !state.withLock({ $0.answered.contains(name) }),
                let text = try? BoundedFile.bytes(of: "\(Self.folder)/\(name)", limit: 4_096)
            else { continue }
            var values: [Substring: Substring] = [:]
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { values[parts[0]] = parts[1] }
            }
            guard let pid = values["PID"], let socket = values["Socket"], let question = values["Message"],
                let environment = try? BoundedFile.bytes(of: "/proc/\(pid)/environ", limit: 1 << 20),
                Bytes.contains(marker, in: environment)
            else { continue }
            let answer = state.withLock { state -> String?? in
                state.answered.insert(name)
                state.questions.append(String(question))
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            }
            if let answer { Self.send(answer.map { "+\($0)" } ?? "-", to: String(socket)) }
        }
        return state.withLock { !$0.isOver }
    }

    private static func send(_ text: String, to path: String) {
        // A program that has ended meanwhile does not wait for an answer.
        guard let socket = try? UnixSocket.connectAtOnce(path: path, .datagrams) else { return }
        _ = UnixSocket.sendAtOnce(Array(text.utf8)[...], to: socket.number)
    }
}
