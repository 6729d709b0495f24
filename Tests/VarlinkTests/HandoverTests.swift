import Glibc
import Platform
import TestSupport
import Testing

@testable import Varlink

/// Connections that one server leaves in order and another one continues.
@Suite(.timeLimit(.minutes(15))) struct HandoverTests {
    init() { LoopThread.start() }

    /// Has a server end, and another one take over its only connection, which rests.
    @DaemonActor
    private func handOver(_ fixture: ServerFixture, to next: ServerFixture) throws -> ServerConnection {
        let connection = try #require(fixture.server.openConnections.first)
        let handed = try #require(connection.handedOver)
        #expect(HandedConnection(decoding: Array(handed.encoded)) == handed)
        let socket = try OwnedDescriptor("dup") { dup(connection.descriptors[0]) }
        fixture.stop()
        #expect(connection.handedOver == nil)
        return try next.server.resume(socket, process: nil, handed)
    }

    /// A client's stream, by the numbers that it receives.
    @DaemonActor
    private final class Numbers {
        var reported: [Int64] = []
        var failure: VarlinkError?
        private let client: LoopClient

        init(_ fixture: ServerFixture) throws {
            client = try LoopClient(path: fixture.path)
            let request = CallRequest(method: "org.example.test.Hold", parameters: ["text": "from 0"], more: true)
            client.call(request) { [weak self] result in
                switch result {
                case .success(let reply): self?.reported.append(reply.parameters["number"]?.integerValue ?? -1)
                case .failure(let error): self?.failure = error
                }
            }
        }
    }

    @DaemonActor
    private func notify(_ call: Call, _ number: Int64) { call.reply(continues: true) { $0.member("number", number) } }

    @Test @DaemonActor func `a stream continues after the last reply, also after one sent while the process ended`()
        async throws
    {
        let (fixture, next) = (try await ServerFixture.start(), try await ServerFixture.start())
        for fixture in [fixture, next] { try fixture.repeatHold(.unlessSame) }
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let call = try #require(fixture.held.first)
        call.continuation = ["text": "from 1"]
        notify(call, 1)
        fixture.server.prepareToLeave()
        call.continuation = ["text": "from 2"]
        notify(call, 2)
        let connection = try handOver(fixture, to: next)
        #expect(connection.isResting && connection.restingCall?.parameters["text"] == "from 2")
        #expect(next.held.isEmpty, "a call was made before it is known whose it is")
        connection.goOn()
        let again = try #require(next.held.first)
        #expect(again.parameters["text"] == "from 2" && again.isResumed)
        notify(again, 3)
        try await next.eventually("reported") { numbers.reported.count >= 3 }
        #expect(numbers.reported == [1, 2, 3] && numbers.failure == nil)
    }

    @Test(arguments: [
        (CallRepetition.unlessSame, [1], [1, 1, 2], [1, 1, 2]), (.unlessSame, [1], [2, 1], [1, 2, 1]),
        (.unlessSame, [1, 2], [1, 2], [1, 2, 1, 2]), (.unlessSame, [], [1, 1], [1, 1]),
        (.unlessReported, [1, 2, 3], [3, 1, 4], [1, 2, 3, 4]), (.withoutFirstReply, [1], [2, 3], [1, 3]),
        (.withoutFirstReply, [], [2, 3], [2, 3]),
    ])
    @DaemonActor func `what was said before is left out as the method wants it`(
        _ repetition: CallRepetition, _ before: [Int64], _ after: [Int64], _ heard: [Int64]
    ) async throws {
        let fixture = try await ServerFixture.start()
        try fixture.repeatHold(repetition)
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let call = try #require(fixture.held.first)
        for number in before { notify(call, number) }
        // Twice in a row: what is known of the call is handed on.
        let (second, third) = (try await ServerFixture.start(), try await ServerFixture.start())
        try second.repeatHold(repetition)
        try third.repeatHold(repetition)
        third.onHold = { [self] call in for number in after { notify(call, number) } }
        let unused = try handOver(fixture, to: second)
        #expect(unused.isResting)
        try handOver(second, to: third).goOn()
        let again = try #require(third.held.first)
        #expect(again.isResumed == !before.isEmpty)
        notify(again, 9)
        try await third.eventually("reported") { numbers.reported.last == 9 }
        #expect(numbers.reported == heard + [9])
    }

    @Test @DaemonActor func `an offered reply that was said before is left out, and another one is not`() async throws {
        let (fixture, next) = (try await ServerFixture.start(), try await ServerFixture.start())
        for fixture in [fixture, next] { try fixture.repeatHold(.unlessSame) }
        func offer(_ call: Call, _ number: Int64) {
            call.offer { _ in EncodedReply(continues: true) { $0.member("number", number) } }
        }
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        offer(try #require(fixture.held.first), 1)
        try handOver(fixture, to: next).goOn()
        let again = try #require(next.held.first)
        offer(again, 1)
        offer(again, 2)
        try await next.eventually("reported") { numbers.reported.last == 2 }
        #expect(numbers.reported == [1, 2])
    }

    @Test @DaemonActor func `neither what was delivered nor what is not repeated is stored`() async throws {
        let fixture = try await ServerFixture.start()
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let connection = try #require(fixture.server.openConnections.first)
        // Not repeated: the parameters may be a passphrase.
        let never = try #require(connection.handedOver?.call)
        #expect(try CallRequest(parsing: never.message).method == "org.example.test.Hold")
        #expect(try CallRequest(parsing: never.message).parameters == .emptyObject && never.replies == [])
        // Repeated: the last reply is only stored where another one may be the same.
        try fixture.repeatHold(.unlessSame)
        let second = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 2 }
        let call = try #require(fixture.held.last)
        notify(call, 4_711)
        func stored() throws -> HandedConnection.PendingCall { try #require(call.connection.handedOver?.call) }
        let reply = EncodedReply(continues: true) { $0.member("number", 4_711) }
        #expect(try stored().replies == [reply.bytes])
        call.continuation = ["text": "from 4711"]
        notify(call, 4_711)
        #expect(try stored().replies == [[]])
        #expect(try CallRequest(parsing: stored().message).parameters == ["text": "from 4711"])
        fixture.stop()
        withExtendedLifetime((numbers, second)) {}
    }

    @Test @DaemonActor func `a call that may have been done already ends the connection`() async throws {
        let (fixture, next) = (try await ServerFixture.start(), try await ServerFixture.start())
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let connection = try handOver(fixture, to: next)
        connection.goOn()
        #expect(!connection.isOpen && next.held.isEmpty)
        try await next.eventually("ended") { numbers.failure != nil }
        #expect(next.server.statistics.closed[.interrupted] == 1)
    }

    @Test func `no reply that was not taken is torn, lost or doubled, and nothing that was not read is`() async throws {
        let fixture = try await ServerFixture.start { $0.sendBufferBytes = 4_096 }
        let next = try await ServerFixture.start()
        let client = try Client(path: fixture.path)
        let texts = (0..<40).map { String(repeating: Character(UnicodeScalar(UInt8(97 + $0 % 26))), count: 3_000 + $0) }
        let calls = texts.map {
            CallRequest(method: "org.example.test.Echo", parameters: ["text": .string($0)]).encoded
        }
        let all = calls.flatMap(\.self)
        // The last call is sent in part.
        try client.sendRaw(Array(all.dropLast(1_000)))
        try await fixture.eventually("stuck") {
            fixture.server.openConnections.first?.isDrained == false
        }
        await fixture.server.prepareToLeave()
        try await handOver(fixture, to: next).goOn()
        try client.sendRaw(Array(all.suffix(1_000)))
        var heard: [String?] = []
        var framer = MessageFramer(limit: 1 << 20)
        let number = try #require(client.descriptor)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while heard.count < texts.count {
            try #require(try PollDeadline(after: patience).wait(for: [(number, POLLIN)]).isEmpty == false)
            let count = recv(number, &buffer, buffer.count, 0)
            try #require(count > 0, "the connection ended")
            try framer.append(buffer[..<count], at: 0)
            while let message = framer.next() {
                heard.append(try Reply(parsing: message).parameters["text"]?.stringValue)
            }
        }
        #expect(heard == texts)
        #expect(framer.bufferedBytes == 0)
    }

    @Test @DaemonActor func `a connection that was never continued is handed on as it was, and is sent nothing`()
        async throws
    {
        let (fixture, next) = (try await ServerFixture.start(), try await ServerFixture.start())
        try next.repeatHold(.unlessSame)
        let numbers = try Numbers(fixture)
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let connection = try #require(fixture.server.openConnections.first)
        connection.note = [1, 2]
        var handed = try #require(connection.handedOver)
        // A reply of which nothing was sent.
        handed.output = EncodedReply(continues: true) { $0.member("number", 7) }.bytes
        let socket = try OwnedDescriptor("dup") { dup(connection.descriptors[0]) }
        fixture.stop()
        let resting = try next.server.resume(socket, process: nil, handed)
        next.server.prepareToLeave()
        #expect(resting.handedOver == handed)
        try await elapsed(.milliseconds(50))
        #expect(numbers.reported.isEmpty)
        resting.goOn()
        try await next.eventually("reported") { numbers.reported == [7] }
    }
}

/// The encoding of a connection's state.
@Suite struct HandedConnectionTests {
    private static var full: HandedConnection {
        var handed = HandedConnection()
        handed.listenerName = "varlink"
        handed.note = [1, 2, 3]
        handed.input = Array(#"{"method":"a.b.C"#.utf8)
        handed.hasInputEnded = true
        handed.output = [7, 0]
        handed.call = HandedConnection.PendingCall(
            message: Array(#"{"method":"a.b.D","more":true}"#.utf8), replies: [[1, 0], [], [3]])
        return handed
    }

    @Test(arguments: [HandedConnection(), full])
    func `what is written is read`(_ handed: HandedConnection) {
        #expect(HandedConnection(decoding: Array(handed.encoded)) == handed)
    }

    @Test func `a part of it is nothing, and so is more`() {
        let bytes = Array(Self.full.encoded)
        for count in bytes.indices { #expect(HandedConnection(decoding: Array(bytes[..<count])) == nil) }
        #expect(HandedConnection(decoding: bytes + [0]) == nil)
    }

    @Test func `damaged bytes are read as something or nothing, and never further than there are any`() {
        var generator = SeededGenerator(seed: 7)
        let sound = Array(Self.full.encoded)
        for _ in 0..<20_000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            guard let handed = HandedConnection(decoding: bytes) else { continue }
            #expect(handed.input.count + handed.note.count + handed.output.count <= bytes.count)
        }
    }
}
