import Glibc
import JSONText
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(15))) struct ServerTests {
    init() { LoopThread.start() }

    @Test func `a service says what it is and what its interfaces are`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        let info = try client.serviceInfo(timeout: patience)
        #expect(info.product == "Test")
        #expect(info.interfaces == ["org.varlink.service", "org.example.test"])
        #expect(info.protocolNumber == nil && info.features == [], "it has no protocol number, and so no features")
        #expect(try client.interfaceText("org.example.test", timeout: patience) == ServerFixture.interfaceText)
        for name in info.interfaces {
            let text = try client.interfaceText(name, timeout: patience)
            #expect(try InterfaceDescription(parsing: text).name == name)
        }
        await fixture.stop()
    }

    @Test func `a call is answered with the bytes the handler wrote`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        #expect(try client.call("org.example.test.Echo", ["text": "é\n"], timeout: patience) == ["text": "é\n"])
        let request = CallRequest(method: "org.example.test.Echo", parameters: ["text": "x", "unknown": [1]])
        let reply = try client.reply(to: request, timeout: patience)
        #expect(reply.rawParameter("text") == Array("\"x\"".utf8))
        #expect(reply.message == Array(#"{"parameters":{"text":"x"}}"#.utf8))
        let (open, peer) = await (fixture.server.statistics.openConnections, fixture.server.deadlines.isArmed)
        #expect(open == 1)
        #expect(!peer, "an idle connection has no timer")
        await fixture.stop()
        #expect(throws: VarlinkError.closed) {
            try client.call("org.example.test.Echo", ["text": ""], timeout: patience)
        }
    }

    static let wrongCalls: [(String, JSON, String, JSON.Member)] = [
        ("org.example.none.X", [:], "InterfaceNotFound", .init("interface", "org.example.none")),
        ("X", [:], "InterfaceNotFound", .init("interface", "")),
        ("org.example.test.None", [:], "MethodNotFound", .init("method", "org.example.test.None")),
        ("org.example.test.Echo", [:], "InvalidParameter", .init("parameter", "text")),
        ("org.example.test.Echo", ["text": 3], "InvalidParameter", .init("parameter", "text")),
        ("org.example.test.Echo", ["text": "", "wish": 1.5], "InvalidParameter", .init("parameter", "wish")),
        (
            "org.varlink.service.GetInterfaceDescription", ["interface": "a.b"], "InterfaceNotFound",
            .init("interface", "a.b")
        ),
    ]

    @Test(arguments: wrongCalls)
    func `a wrong call gets the standard error and the connection continues`(
        method: String, parameters: JSON, error: String, member: JSON.Member
    ) async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        do {
            try client.call(method, parameters, timeout: patience)
            Issue.record("no error")
        } catch .reply(let name, let parameters) {
            #expect(name == "org.varlink.service." + error)
            #expect(parameters[member.key] == member.value)
            #expect(parameters["message"]?.stringValue?.isEmpty == false)
        }
        #expect(try client.call("org.example.test.Echo", ["text": "y"], timeout: patience) == ["text": "y"])
        await fixture.stop()
    }

    @Test func `a handler's own error comes with its parameters`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        let error = #expect(throws: VarlinkError.self) { try client.call("org.example.test.Fail", timeout: patience) }
        #expect(
            error
                == .reply(
                    name: "org.example.test.Broken", parameters: ["message": "It is broken.", "part": "lid"]))
        #expect(error?.description == "It is broken.")
        await fixture.stop()
    }

    @Test func `a stream needs more and ends with a reply that does not continue`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        #expect(
            throws: VarlinkError.reply(
                name: ServiceError.expectedMore.name, parameters: ServiceError.expectedMore.parameters)
        ) {
            try client.call("org.example.test.Count", ["to": 3], timeout: patience)
        }
        let stream = try client.stream("org.example.test.Count", ["to": 3], timeout: patience)
        var numbers: [Int64?] = []
        while let reply = try stream.next(timeout: patience) {
            #expect(reply.continues == (numbers.count < 2))
            numbers.append(reply.parameters["number"]?.integerValue)
        }
        #expect(numbers == [1, 2, 3])
        #expect(try client.call("org.example.test.Echo", ["text": "z"], timeout: patience) == ["text": "z"])
        await fixture.stop()
    }

    @Test func `a call without more gets the first of many replies as its only one`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        try client.sendRaw(CallRequest(method: "org.example.test.Hold").encoded)
        try await fixture.eventually("held") { fixture.held.count == 1 }
        await DaemonActor.run {
            fixture.held[0].reply(continues: true) { $0.member("number", 1) }
            fixture.held[0].reply(continues: true) { $0.member("number", 2) }
        }
        try client.sendRaw(CallRequest(method: "org.example.test.Echo", parameters: ["text": ""]).encoded)
        shutdown(try #require(client.descriptor), Int32(SHUT_WR))
        #expect(
            try client.readToEnd() == Array("{\"parameters\":{\"number\":1}}\0{\"parameters\":{\"text\":\"\"}}\0".utf8))
        await fixture.stop()
    }

    @Test func `a call without reply gets none, not even an error`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        try client.callOneway("org.example.test.Note", ["text": "a"])
        try client.callOneway("org.example.test.Note", ["text": 1])
        try client.callOneway("org.example.none.X")
        try client.callOneway("org.example.test.Hold")
        try client.callOneway("org.example.test.Note", ["text": "b"])
        #expect(try client.call("org.example.test.Echo", ["text": "c"], timeout: patience) == ["text": "c"])
        #expect(await fixture.notes == ["a", "b"])
        await fixture.stop()
    }

    @Test func `calls sent at once are answered one by one in order`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        let hold = CallRequest(method: "org.example.test.Hold").encoded
        let echo = CallRequest(method: "org.example.test.Echo", parameters: ["text": "after"]).encoded
        let bytes = hold + echo + hold + echo
        try client.sendRaw(Array(bytes[..<20]))
        try client.sendRaw(Array(bytes[20...]))
        for number in 1...2 {
            try await fixture.eventually("held") { fixture.held.count == number }
            await DaemonActor.run { fixture.held[number - 1].reply { $0.member("number", number) } }
        }
        shutdown(try #require(client.descriptor), Int32(SHUT_WR))
        let texts = try client.readToEnd().split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            texts == [
                #"{"parameters":{"number":1}}"#, #"{"parameters":{"text":"after"}}"#, #"{"parameters":{"number":2}}"#,
                #"{"parameters":{"text":"after"}}"#,
            ])
        await fixture.stop()
    }

    @Test func `a client that says it sends no more still gets its replies`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        try client.sendRaw(CallRequest(method: "org.example.test.Hold", more: true).encoded)
        shutdown(try #require(client.descriptor), Int32(SHUT_WR))
        try await fixture.eventually("held") { fixture.held.count == 1 }
        await DaemonActor.run {
            fixture.held[0].reply(continues: true) { $0.member("number", 1) }
            fixture.held[0].reply { $0.member("number", 2) }
        }
        #expect(
            try client.readToEnd()
                == Array("{\"parameters\":{\"number\":1},\"continues\":true}\0{\"parameters\":{\"number\":2}}\0".utf8))
        #expect(await fixture.ended == 0)
        try await fixture.eventually("closed") { fixture.server.statistics.openConnections == 0 }
        await fixture.stop()
    }

    @Test func `a handler is notified that its client disconnected, and earlier calls are handled`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        _ = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        client.close()
        try await fixture.eventually("reported") { fixture.ended == 1 }
        await DaemonActor.run {
            #expect(fixture.held[0].isOver)
            fixture.held[0].reply { $0.member("number", 1) }
            fixture.held[0].offer { _ in EncodedReply([:]) }
        }
        let hasty = try Client(path: fixture.path, timeout: patience)
        try hasty.callOneway("org.example.test.Note", ["text": "last"])
        hasty.close()
        try await fixture.eventually("noted") { fixture.notes == ["last"] }
        try await fixture.eventually("closed") { fixture.server.statistics.closed[.clientClosed] == 2 }
        await fixture.stop()
    }

    @Test func `a handler that lets go of a call before it learns of its end can still look at it`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        _ = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        await DaemonActor.run {
            let call = fixture.held.removeLast()
            call.onEnd = { [unowned call, fixture] in fixture.notes.append("\(call.isOver)") }
            call.connection.close(.clientClosed)
        }
        try await fixture.eventually("reported") { fixture.notes == ["true"] }
        await fixture.stop()
    }

    static let badMessages: [([UInt8], CloseReason)] = [
        (Array("{\0".utf8), .malformedMessage), (Array("\0".utf8), .malformedMessage),
        (Array("[]\0".utf8), .malformedMessage), (Array("{}\0".utf8), .malformedMessage),
        (Array("{\"method\":1}\0".utf8), .malformedMessage),
        (Array("{\"method\":\"a.B\",\"parameters\":[]}\0".utf8), .malformedMessage),
        (Array("{\"method\":\"a.B\",\"more\":1}\0".utf8), .malformedMessage),
        (Array("{\"method\":\"a.B\",\"more\":true,\"oneway\":true}\0".utf8), .malformedMessage),
        (Array("GET / HTTP/1.1\r\n\r\n\0".utf8), .malformedMessage),
        (
            Array(
                ("{\"method\":\"a.B\",\"parameters\":{\"x\":" + String(repeating: "[", count: 15)
                    + String(repeating: "]", count: 15) + "}}\0").utf8), .malformedMessage
        ),
        ([UInt8](repeating: 32, count: 2_001), .messageTooLong),
    ]

    @Test(arguments: badMessages)
    func `a message that is no call ends its connection and no other`(bytes: [UInt8], reason: CloseReason) async throws
    {
        let fixture = try await ServerFixture.start { $0.maximumMessageBytes = 2_000 }
        let other = try Client(path: fixture.path, timeout: patience)
        let client = try Client(path: fixture.path, timeout: patience)
        try client.sendRaw(bytes)
        #expect(try client.readToEnd().isEmpty)
        #expect(await fixture.server.statistics.closed[reason] == 1)
        #expect(try other.call("org.example.test.Echo", ["text": "y"], timeout: patience) == ["text": "y"])
        await fixture.stop()
    }

    @Test func `a message of one mebibyte is taken and one byte more is not`() async throws {
        let fixture = try await ServerFixture.start()
        let client = try Client(path: fixture.path, timeout: patience)
        var request = CallRequest(method: "org.example.test.Echo", parameters: ["text": "x"]).encoded.dropLast()
        request += [UInt8](repeating: 32, count: (1 << 20) - request.count)
        try client.sendRaw(request + [0])
        #expect(try client.waitReadable(timeout: patience) == .reply)
        #expect(try client.call("org.example.test.Echo", ["text": "x"], timeout: patience) == ["text": "x"])
        await fixture.stop()
    }

    @Test func `a stranger's random bytes close connections and nothing else`() async throws {
        let fixture = try await ServerFixture.start()
        var random = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let client = try Client(path: fixture.path, timeout: patience)
            let count = Int.random(in: 1...300, using: &random)
            try client.sendRaw(random.bytes(count) + [0])
            #expect(try client.readToEnd().isEmpty)
        }
        try await fixture.eventually("closed") { fixture.server.statistics.openConnections == 0 }
        await fixture.stop()
    }

    @Test @DaemonActor func `a connection that somebody keeps ends with its server`() async throws {
        let directory = try TemporaryDirectory()
        let service = try Service(
            info: ServiceInfo(vendor: "Waymark", product: "A test", version: "1", url: "https://example.org"))
        var retained: Call?
        try service.register("interface org.example.held\nmethod Keep() -> ()\n") { retained = $0 }
        var server: Server? = try Server(service, tooManyConnections: "org.example.held.TooMany")
        try server?.listen(on: UnixSocket.listen(path: directory.file("socket"), mode: 0o600))
        do {
            let client = try UnixSocket.connect(path: directory.file("socket"))
            let call = Array(#"{"method":"org.example.held.Keep"}"#.utf8) + [0]
            #expect(write(client.number, call, call.count) == call.count)
            #expect(try await eventually { () async throws -> Bool in retained != nil })
            server = nil
        }
        // Nobody receives the report of the client's end.
        try await elapsed(.milliseconds(20))
        #expect(server == nil && retained?.isOver == true)
        retained = nil
    }

    @Test @DaemonActor func `the sockets of a released server are not watched, though a child may hold them`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let service = try Service(
            info: ServiceInfo(vendor: "Waymark", product: "A test", version: "1", url: "https://example.org"))
        var limits = ServerLimits()
        limits.maximumConnections = 1
        var server: Server? = try Server(service, limits: limits, tooManyConnections: "org.example.end.TooMany")
        let socket = try UnixSocket.listen(path: path, mode: 0o600)
        let number = socket.number
        // As a child has it that is just being started.
        let held = try OwnedDescriptor("duplicate") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
        try server?.listen(on: socket)
        let served = try UnixSocket.connect(path: path)
        let refused = try UnixSocket.connect(path: path)
        #expect(try await eventually { () async throws -> Bool in server?.statistics.refusedInAll == 1 })
        server = nil
        let late = try UnixSocket.connect(path: path)
        // A source that is removed after its descriptor ends the process here: it is reported and does not exist.
        for _ in 0..<4 { try await elapsed(.milliseconds(5)) }
        #expect(held.number > 2 && served.number > 2 && refused.number > 2)
        #expect(try PollDeadline(after: .zero).wait(for: [(late.number, POLLIN)]).isEmpty, "nobody accepts it")
    }

    @Test @DaemonActor func `a server released on another thread receives nothing from its clients any more`()
        async throws
    {
        /// What two threads have; only one of them uses it at a time.
        final class Held: @unchecked Sendable {
            var server: Server?
            var client: OwnedDescriptor?
        }
        let directory = try TemporaryDirectory()
        let service = try Service(
            info: ServiceInfo(vendor: "Waymark", product: "A test", version: "1", url: "https://example.org"))
        var calls = 0
        try service.register("interface org.example.late\nmethod Late() -> ()\n") { _ in calls += 1 }
        let held = Held()
        held.server = try Server(service, tooManyConnections: "org.example.late.TooMany")
        try held.server?.listen(on: UnixSocket.listen(path: directory.file("socket"), mode: 0o600))
        held.client = try UnixSocket.connect(path: directory.file("socket"))
        #expect(try await eventually { () async throws -> Bool in held.server?.statistics.openConnections == 1 })
        // The loop stands still meanwhile: what the client does waits in front of the end of the server.
        let isDone = Atomic(false)
        let late = try UnixSocket.connect(path: directory.file("socket"))
        try DetachedThread.start(name: "letting-go") {
            let call = Array(#"{"method":"org.example.late.Late"}"#.utf8) + [0]
            #expect(write(held.client?.number ?? -1, call, call.count) == call.count)
            held.client = nil
            held.server = nil
            isDone.store(true, ordering: .releasing)
        }
        for _ in 0..<10_000 where !isDone.load(ordering: .acquiring) { usleep(1_000) }
        try await elapsed(.milliseconds(20))
        #expect(calls == 0)
        #expect(
            try PollDeadline(after: patience).wait(for: [(late.number, POLLIN)]).isEmpty == false,
            "a connection that was not accepted yet is refused")
    }
}

extension DaemonActor {
    /// Runs a body on the loop.
    static func run<Result: Sendable>(_ body: @DaemonActor () throws -> Result) async rethrows -> Result {
        try await body()
    }
}
