import Glibc
import JSONText
import Platform
import TestSupport
import Testing

@testable import Varlink

/// The client on the loop, against a server, and against a peer that the test plays itself.
@Suite(.timeLimit(.minutes(15))) struct LoopClientTests {
    init() { LoopThread.start() }

    /// The events that a client received.
    @DaemonActor private final class Heard {
        var replies: [Result<Reply, VarlinkError>] = []
        var numbers: [Result<Int64, VarlinkError>] = []
        var end: VarlinkError?

        nonisolated init() {}

        var texts: [String?] {
            replies.map { result in
                if case .success(let reply) = result { reply.parameters["text"]?.stringValue } else { nil }
            }
        }

        var errors: [VarlinkError] {
            replies.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        }
    }

    @DaemonActor private final class Pair {
        let client: LoopClient
        let peer: OwnedDescriptor
        let heard = Heard()

        init(_ limits: LoopClient.Limits = LoopClient.Limits()) throws {
            var numbers: [Int32] = [-1, -1]
            try retrying("make a pair of sockets") {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &numbers)
            }
            peer = OwnedDescriptor(adopting: numbers[1])
            client = try LoopClient(adopting: OwnedDescriptor(adopting: numbers[0]), limits: limits)
            client.onEnd = { [heard] in heard.end = $0 }
        }

        func call(more: Bool = false, timeout: Duration? = nil) {
            client.call(CallRequest(method: "a.b.C", more: more), timeout: timeout) { [heard] in
                heard.replies.append($0)
            }
        }

        func answer(_ text: String) throws {
            let bytes = Array(text.utf8)
            let count = send(peer.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            try #require(count == bytes.count)
        }

        func eventually(_ what: Comment, _ condition: @DaemonActor () -> Bool) async throws {
            let isTrue = try await TestSupport.eventually { () async -> Bool in condition() }
            try #require(isTrue, what)
        }
    }

    @Test func `calls that are made at once are answered in their order`() async throws {
        let fixture = try await ServerFixture.start()
        try await calls(fixture)
    }

    @DaemonActor private func calls(_ fixture: ServerFixture) async throws {
        defer { fixture.stop() }
        let client = try LoopClient(path: fixture.path)
        let heard = Heard()
        let texts = (0..<40).map { "text \($0)" }
        for text in texts {
            client.call(CallRequest(method: "org.example.test.Echo", parameters: ["text": .string(text)])) {
                heard.replies.append($0)
            }
        }
        try await fixture.eventually("all answered") { heard.replies.count == 40 }
        #expect(heard.texts == texts)
        client.call(CallRequest(method: "org.example.test.Fail")) { heard.replies.append($0) }
        client.callOneway("org.example.test.Note", ["text": "quiet"])
        client.call(CallRequest(method: "org.example.test.Count", parameters: ["to": 3], more: true)) {
            heard.replies.append($0)
        }
        try await fixture.eventually("error and stream") { heard.replies.count == 44 }
        #expect(
            heard.errors == [
                .reply(name: "org.example.test.Broken", parameters: ["message": "It is broken.", "part": "lid"])
            ])
        #expect(fixture.notes == ["quiet"])
        #expect(client.isOpen && client.callsWaiting == 0)
        client.close()
    }

    @Test func `parameters are read straight from the bytes, and an error's are those of the error`() async throws {
        let fixture = try await ServerFixture.start()
        try await reading(fixture)
    }

    @DaemonActor private func reading(_ fixture: ServerFixture) async throws {
        defer { fixture.stop() }
        let client = try LoopClient(path: fixture.path)
        let heard = Heard()
        func read(_ method: String, _ parameters: JSON, more: Bool = false) {
            client.call(
                EncodedCall("org.example.test.\(method)", more: more) { $0.value(parameters) },
                reading: { (reader) throws(JSONError) in
                    var number: Int64 = -1
                    try reader.members { (reader) throws(JSONError) in
                        if reader.isNamed("number") { number = try reader.integer() } else { try reader.skip() }
                    }
                    return number
                }
            ) { heard.numbers.append($0) }
        }
        read("Count", ["to": 3], more: true)
        read("Fail", .emptyObject)
        read("Nothing", .emptyObject)
        read("Echo", ["text": "x"])
        try await fixture.eventually("all answered") { heard.numbers.count == 6 }
        #expect(heard.numbers[..<3] == [.success(1), .success(2), .success(3)])
        let broken = JSON.object([JSON.Member("message", "It is broken."), JSON.Member("part", "lid")])
        #expect(heard.numbers[3] == .failure(.reply(name: "org.example.test.Broken", parameters: broken)))
        guard case .failure(.reply(name: "org.varlink.service.MethodNotFound", _)) = heard.numbers[4] else {
            Issue.record("\(heard.numbers[4])")
            return
        }
        #expect(heard.numbers[5] == .success(-1))
    }

    @Test(arguments: ClientTests.violations + ["{}\0{}\0"]) @DaemonActor
    func `a service that does not speak Varlink is left, and every call hears of it`(reply: String) async throws {
        var limits = LoopClient.Limits()
        limits.maximumReplyBytes = 1_000
        let pair = try Pair(limits)
        pair.call()
        if reply != "{}\0{}\0" { pair.call() }
        try pair.answer(reply)
        try await pair.eventually("the end") { pair.heard.end != nil }
        guard case .protocolViolation = pair.heard.end else {
            Issue.record("\(String(describing: pair.heard.end))")
            return
        }
        #expect(!pair.client.isOpen)
        #expect(pair.heard.replies.count == (reply == "{}\0{}\0" ? 1 : 2))
    }

    @Test @DaemonActor func `a service that ends delivers its last messages first`() async throws {
        let pair = try Pair()
        pair.call()
        pair.call()
        try pair.answer(#"{"error":"a.b.Busy","parameters":{"message":"later"}}"# + "\0")
        shutdown(pair.peer.number, Int32(SHUT_RDWR))
        try await pair.eventually("the end") { pair.heard.end != nil }
        #expect(pair.heard.errors == [.reply(name: "a.b.Busy", parameters: ["message": "later"]), .closed])
        #expect(pair.heard.end == .closed)
    }

    @Test @DaemonActor func `a call without reply in time ends the connection, a stream that has begun does not`()
        async throws
    {
        let pair = try Pair()
        // The loop is that of all tests: a reply may lie there for a while before it is read.
        pair.call(more: true, timeout: .seconds(2))
        try pair.answer(#"{"continues":true}"# + "\0")
        try await pair.eventually("the first reply") { pair.heard.replies.count == 1 }
        #expect(pair.heard.errors.isEmpty)
        try await elapsed(.milliseconds(2_200))
        #expect(pair.client.isOpen)
        pair.call(timeout: .milliseconds(50))
        try await pair.eventually("the end") { pair.heard.end != nil }
        #expect(pair.heard.end == .timedOut)
        #expect(pair.heard.errors == [.timedOut, .timedOut])
    }

    @Test @DaemonActor func `a reply that was there in time counts, however late the loop comes to it`() async throws {
        let pair = try Pair()
        pair.call(timeout: .milliseconds(20))
        pair.call(more: true, timeout: .milliseconds(20))
        try pair.answer("{}\0" + #"{"continues":true}"# + "\0")
        // The loop is held meanwhile.
        usleep(120_000)
        try await pair.eventually("the replies") { pair.heard.replies.count == 2 }
        #expect(pair.heard.errors.isEmpty && pair.client.isOpen)
    }

    @Test @DaemonActor func `calls to a service that does not read are bounded in number and in bytes`() async throws {
        var limits = LoopClient.Limits()
        limits.maximumCalls = 2
        let few = try Pair(limits)
        for _ in 0..<3 { few.call() }
        try await few.eventually("the third is refused") { few.heard.errors.count == 1 }
        #expect(few.heard.errors == [.system(SystemError("call", code: ENOBUFS))])
        #expect(few.client.isOpen && few.client.callsWaiting == 2)

        limits.maximumCalls = 1_000
        limits.maximumQueuedBytes = 100_000
        let long = try Pair(limits)
        let text = JSON.string(String(repeating: "x", count: 90_000))
        for _ in 0..<20 where long.client.isOpen {
            long.client.call(CallRequest(method: "a.b.C", parameters: ["text": text])) { long.heard.replies.append($0) }
        }
        #expect(!long.client.isOpen)
        #expect(long.heard.end == .system(SystemError("send", code: ENOBUFS)))
    }

    @Test @DaemonActor func `what a service takes late arrives whole`() async throws {
        let pair = try Pair()
        let text = String(repeating: "y", count: 700_000)
        pair.client.call(CallRequest(method: "a.b.C", parameters: ["text": .string(text)])) {
            pair.heard.replies.append($0)
        }
        pair.call()
        var framer = MessageFramer(limit: 1 << 20)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var messages: [[UInt8]] = []
        try await pair.eventually("both calls arrive") {
            // All that is there: the client has its next turn after this one.
            while case let count = recv(pair.peer.number, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
                do { try framer.append(buffer[..<count], at: 0) } catch { return true }
            }
            while let message = framer.next() { messages.append(message) }
            return messages.count == 2
        }
        #expect(try CallRequest(parsing: messages[0]).parameters["text"]?.stringValue == text)
    }

    @Test @DaemonActor func `no handler is called after the connection was closed, and later calls fail`()
        async throws
    {
        let pair = try Pair()
        pair.call()
        pair.client.close()
        try await elapsed(.milliseconds(20))
        #expect(pair.heard.replies.isEmpty && pair.heard.end == nil)
        pair.call()
        try await pair.eventually("refused") { !pair.heard.replies.isEmpty }
        #expect(pair.heard.errors == [.closed])
    }

    @Test func `connecting to a missing socket on the loop fails`() async throws {
        let path = try TemporaryDirectory().file("socket")
        await #expect(throws: VarlinkError.cannotConnect(SystemError("connect to", code: ENOENT, subject: path))) {
            _ = try await LoopClient(path: path)
        }
    }
}
