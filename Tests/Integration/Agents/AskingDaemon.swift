import Glibc
import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Varlink

/// A daemon that only shows prompts: the interface `io.waymark.Agent` on a socket of its own, controlled by the test.
@DaemonActor
final class AskingDaemon {
    nonisolated let socketPath: String
    private let directory: TemporaryDirectory
    private var server: Server
    private let service: Service
    private var registration: Call?
    /// A connection's last callback may run after the server has stopped, and needs it: no server is released.
    private static var servers: [Server] = []

    /// The calls but Register, as `Answer {"prompt":1,…}`.
    private(set) var calls: [String] = []
    /// How many agents have registered, one after another.
    private(set) var registrations = 0
    /// The error that the next call of Answer gets instead of a reply.
    var nextError: String?
    /// The error that Register gets.
    var refusal: String?
    /// The messages to an agent that registers.
    var listed: [Question] = []

    /// Starts one, of the present protocol or with another text. Not on the loop, which may not run yet.
    @concurrent nonisolated static func start(
        _ text: String = WaymarkInterface.agent.text
    ) async throws -> AskingDaemon {
        LoopThread.start()
        return try await AskingDaemon(text)
    }

    private init(_ text: String) throws {
        directory = try TemporaryDirectory()
        socketPath = directory.file("socket")
        service = try Service(
            info: ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org"))
        server = try Self.server(service, socketPath)
        try service.register(text, requiringMore: ["Register"]) { [weak self] in self?.handle($0)
        }
    }

    private static func server(_ service: Service, _ path: String) throws -> Server {
        let server = try Server(service, tooManyConnections: "org.example.TooMany")
        servers.append(server)
        // The previous server has closed its socket; a child process that was forked just then may hold it open a
        // little longer.
        _ = unlink(path)
        try server.listen(on: UnixSocket.listen(path: path, mode: 0o600), name: "main")
        return server
    }

    private func handle(_ call: Call) {
        guard call.methodName == "Register" else {
            calls.append("\(call.methodName) \(call.parameters)")
            if let nextError {
                self.nextError = nil
                return call.fail(nextError, message: "Not now.")
            }
            return call.reply { _ in }
        }
        if let refusal { return call.fail(refusal, message: "You are no agent.") }
        registration = call
        registrations += 1
        call.onEnd = { [weak self] in self?.registration = nil }
        notify(.registered)
        listed.forEach { notify(.prompt($0)) }
    }

    /// Whether an agent is registered now.
    var hasAgent: Bool { registration != nil }

    /// Sends the agent a message.
    func notify(_ message: AgentMessage) {
        registration?.reply(EncodedReply(message.reply, continues: true))
    }

    /// Stops, and starts again without connections.
    func restart() throws {
        server.stop()
        registration = nil
        // A child of another test between fork and exec can hold the old socket open, which then seems to be in use.
        _ = unlink(socketPath)
        server = try Self.server(service, socketPath)
    }

    func stop() {
        server.stop()
    }

    /// Waits until something has become true here.
    func eventually(_ what: Comment, _ condition: @DaemonActor (AskingDaemon) -> Bool) async throws {
        let isTrue = try await TestSupport.eventually { () async -> Bool in condition(self) }
        try #require(isTrue, what)
    }

    /// Waits for an agent.
    func awaitAgent(_ number: Int = 1) async throws {
        try await eventually("an agent registers") { $0.registrations >= number && $0.hasAgent }
    }

    /// Waits for this number of calls, and returns all calls.
    func awaitCalls(_ count: Int) async throws -> [String] {
        try await eventually("\(count) calls") { $0.calls.count >= count }
        return calls
    }
}

/// A prompt of an app with a German name and reason.
func trailMap(_ id: Int64 = 1, kind: PromptKind = .whenInUse, name: String = "Trail Map") -> Question {
    let choices: [PromptChoice] =
        switch kind {
        case .whenInUse, .always: [.allowOnce, .allowWhileUsing, .deny]
        case .changeToAlways, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .temporaryFullAccuracy: [.allow, .deny]
        case .tracking: [.deny, .allow]
        }
    return Question(
        id: id, app: "org.example.trailmap", kind: kind,
        name: TranslatedText(name, translations: ["de": "Wanderkarte"]),
        purpose: TranslatedText("Shows <b>where</b> & when.", translations: ["de": "Zeigt, wo Sie sind."]),
        assurance: "user", choices: choices, proposesFullAccuracy: true)
}
