import Glibc
import JSONText
import Platform
import TestSupport
import Testing

@testable import Varlink

/// A server on a socket of its own, whose service keeps the calls it is given.
@DaemonActor
final class ServerFixture {
    nonisolated let path: String
    private let directory: TemporaryDirectory
    let server: Server
    private let service: Service
    /// Calls that wait to be answered by the test.
    var held: [Call] = []
    /// What is done at once with a call that waits.
    var onHold: (Call) -> Void = { _ in }
    /// What `Note` was called with.
    var notes: [String] = []
    /// How often a connection reported that it was drained.
    var drained = 0
    /// Calls whose client has disconnected.
    var ended = 0

    nonisolated static let interfaceText = """
        interface org.example.test
        method Echo(text: string, wish: ?int) -> (text: string)
        method Note(text: string) -> ()
        method Hold(text: ?string) -> (number: int)
        method Count(to: int) -> (number: int)
        method Fail() -> ()
        error Broken (part: string)
        """

    nonisolated static let tooMany = "org.example.test.TooManyConnections"

    /// Starts one. Not on the loop, which may not run yet.
    @concurrent nonisolated static func start(
        protocolNumber: Int? = nil, _ change: @Sendable (inout ServerLimits) -> Void = { _ in }
    ) async throws -> ServerFixture {
        LoopThread.start()
        var limits = ServerLimits()
        change(&limits)
        return try await ServerFixture(limits, protocolNumber)
    }

    private init(_ limits: ServerLimits, _ protocolNumber: Int?) throws {
        directory = try TemporaryDirectory()
        path = directory.file("socket")
        service = try Service(
            info: ServiceInfo(
                vendor: "Example", product: "Test", version: "1", url: "https://example.org",
                protocolNumber: protocolNumber, features: ["light"]))
        server = try Server(service, limits: limits, tooManyConnections: Self.tooMany)
        try server.listen(on: UnixSocket.listen(path: path, mode: 0o600), name: "main")
        try service.register(Self.interfaceText, requiringMore: ["Count"]) { [weak self] in self?.handle($0) }
    }

    isolated deinit { server.stop() }

    private func handle(_ call: Call) {
        let text = call.parameters["text"]?.stringValue
        switch call.methodName {
        case "Echo":
            call.reply { $0.member("text", text) }
        case "Note":
            notes.append(text ?? "")
            call.reply { _ in }
        case "Count":
            let end = call.parameters["to"]?.integerValue ?? 0
            for number in 1...end { call.reply(continues: number < end) { $0.member("number", number) } }
        case "Fail":
            call.fail("org.example.test.Broken", message: "It is broken.", parameters: [JSON.Member("part", "lid")])
        default:
            held.append(call)
            call.onEnd = { [weak self] in self?.ended += 1 }
            onHold(call)
        }
    }

    func stop() {
        server.stop()
    }

    /// Offers these features from now on.
    func offer(_ features: [String]) {
        service.features = Features(offered: features)
    }

    private struct Features: FeatureSource {
        let offered: [String]
    }

    /// Selects how calls of `Hold` are repeated after a restart, in this text of the interface.
    func repeatHold(_ repetition: CallRepetition, in text: String = ServerFixture.interfaceText) throws {
        try service.register(text, requiringMore: ["Count"], repetitions: ["Hold": repetition]) {
            [weak self] in self?.handle($0)
        }
    }

    /// Waits until something has become true on the loop.
    func eventually(_ what: Comment, _ condition: @DaemonActor () -> Bool) async throws {
        let isTrue = try await TestSupport.eventually { () async -> Bool in condition() }
        try #require(isTrue, what)
    }
}

let patience = Duration.seconds(60)

extension Client {
    /// Sends bytes as they are.
    func sendRaw(_ bytes: [UInt8]) throws {
        let number = try #require(descriptor)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN {
                _ = try PollDeadline(after: patience).wait(for: [(number, POLLOUT)])
                continue
            }
            try #require(count > 0, "send: \(errno)")
            rest = rest.dropFirst(count)
        }
    }

    /// Reads what comes until the server closes.
    func readToEnd() throws -> [UInt8] {
        let number = try #require(descriptor)
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            try #require(
                try PollDeadline(after: patience).wait(for: [(number, POLLIN)]).isEmpty == false, "no end in time")
            let count = recv(number, &buffer, buffer.count, 0)
            if count <= 0 { return all }
            all += buffer[..<count]
        }
    }
}
