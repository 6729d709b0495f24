import Glibc
import Platform
import TestSupport
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(15))) struct ServerLimitTests {
    private func reply(_ number: Int, dropped: Int = 0) -> EncodedReply {
        EncodedReply(continues: true) { writer in
            writer.member("number", number)
            writer.member("dropped", dropped)
        }
    }

    @Test func `a slow reader gets the newest, the count of the rest, and every control reply in order`() async throws {
        let fixture = try await ServerFixture.start { $0.sendBufferBytes = 4_608 }
        let client = try Client(path: fixture.path, timeout: patience)
        let stream = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        let offers = 2_000
        await DaemonActor.run {
            for number in 1...offers {
                fixture.held[0].offer { reply(number, dropped: $0) }
                if number % 10 == 0 { fixture.held[0].reply(reply(-number)) }
            }
            #expect(fixture.server.deadlines.isArmed)
        }
        var received = 0
        var dropped = 0
        var newest = 0
        var control = 0
        while newest < offers || control < offers {
            let parameters = try #require(try stream.next(timeout: patience)).parameters
            let number = Int(try #require(parameters["number"]?.integerValue))
            if number < 0 {
                #expect(number == -(control + 10))
                control = -number
            } else {
                #expect(number > newest)
                newest = number
                received += 1
                dropped += Int(try #require(parameters["dropped"]?.integerValue))
            }
        }
        #expect(received + dropped == offers)
        #expect(received < offers / 2)
        #expect(await fixture.server.statistics.droppedOffers == dropped)
        try await fixture.eventually("no timer") { !fixture.server.deadlines.isArmed }
        #expect(await fixture.server.deadlines.count == 0)
        await fixture.stop()
    }

    @Test func `an offer that is taken back never leaves`() async throws {
        let fixture = try await ServerFixture.start { $0.sendBufferBytes = 4_608 }
        let client = try Client(path: fixture.path, timeout: patience)
        let stream = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        let secret = 1_000_000
        await DaemonActor.run {
            for number in 1...200 { fixture.held[0].reply(reply(number)) }
            fixture.held[0].offer { reply(secret - 1, dropped: $0) }
            fixture.held[0].offer { reply(secret, dropped: $0) }
            #expect(fixture.held[0].discardOffered() == 2)
            #expect(fixture.held[0].discardOffered() == 0)
            #expect(!fixture.held[0].connection.isDrained)
            fixture.held[0].connection.whenDrained { fixture.drained += 1 }
        }
        for number in 1...200 {
            #expect(try stream.next(timeout: patience)?.parameters["number"]?.integerValue == Int64(number))
        }
        // Only now comes the last reply, which would have taken an offer with it.
        try await fixture.eventually("drained") { fixture.drained == 1 }
        await DaemonActor.run { fixture.held[0].reply(EncodedReply(["number": 0])) }
        #expect(try stream.next(timeout: patience)?.parameters == ["number": 0])
        #expect(await fixture.server.statistics.discardedOffers == 1)
        await fixture.stop()
    }

    @Test func `a reader that takes nothing for too long is disconnected`() async throws {
        let fixture = try await ServerFixture.start {
            $0.sendBufferBytes = 4_608
            $0.lagging = .milliseconds(50)
        }
        let client = try Client(path: fixture.path, timeout: patience)
        _ = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        await DaemonActor.run { for number in 1...1_000 { fixture.held[0].offer { reply(number, dropped: $0) } } }
        try await fixture.eventually("reported") { fixture.ended == 1 }
        #expect(await fixture.server.statistics.closed[.lagging] == 1)
        #expect(await !fixture.server.deadlines.isArmed)
        await fixture.stop()
    }

    @Test func `control replies beyond the bound disconnect`() async throws {
        let fixture = try await ServerFixture.start { $0.maximumQueuedBytes = 64 << 10 }
        let client = try Client(path: fixture.path, timeout: patience)
        _ = try client.stream("org.example.test.Hold")
        try await fixture.eventually("held") { fixture.held.count == 1 }
        await DaemonActor.run {
            for number in 1...100_000 where !fixture.held[0].isOver { fixture.held[0].reply(reply(number)) }
        }
        try await fixture.eventually("reported") { fixture.ended == 1 }
        #expect(await fixture.server.statistics.closed[.tooManyReplies] == 1)
        await fixture.stop()
    }

    @Test func `a message left unfinished ends its connection, an idle connection stays`() async throws {
        let fixture = try await ServerFixture.start { $0.unfinishedMessage = .milliseconds(50) }
        let idle = try Client(path: fixture.path, timeout: patience)
        _ = try idle.call("org.example.test.Echo", ["text": ""], timeout: patience)
        let client = try Client(path: fixture.path, timeout: patience)
        try client.sendRaw(Array("{\"method\":".utf8))
        #expect(try client.readToEnd().isEmpty)
        #expect(await fixture.server.statistics.closed[.unfinishedMessage] == 1)
        _ = try idle.call("org.example.test.Echo", ["text": ""], timeout: patience)
        #expect(await !fixture.server.deadlines.isArmed)
        await fixture.stop()
    }

    @Test func `calls behind a stream are read up to a bound and answered when it ends`() async throws {
        let fixture = try await ServerFixture.start { $0.maximumPipelinedBytes = 1_000 }
        let client = try Client(path: fixture.path, timeout: patience)
        try client.sendRaw(CallRequest(method: "org.example.test.Hold", more: true).encoded)
        try await fixture.eventually("held") { fixture.held.count == 1 }
        let text = String(repeating: "x", count: 30_000)
        let echo = CallRequest(method: "org.example.test.Echo", parameters: ["text": .string(text)]).encoded
        let number = try #require(client.descriptor)
        var sent = 0
        // The server is done reading once the socket has had no room for a while.
        while try !PollDeadline(after: .milliseconds(100)).wait(for: [(number, POLLOUT)]).isEmpty {
            let count = echo[(sent % echo.count)...].withUnsafeBytes {
                send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            sent += max(0, count)
            try #require(sent < 10 << 20, "the server reads without a bound")
        }
        await DaemonActor.run { fixture.held[0].reply { $0.member("number", 1) } }
        shutdown(number, Int32(SHUT_WR))
        let replies = try client.readToEnd().split(separator: 0)
        #expect(replies.count == 1 + sent / echo.count)
        await fixture.stop()
    }

    @Test func `a user's connections beyond the limit are refused with a reason and others continue`() async throws {
        let fixture = try await ServerFixture.start {
            $0.maximumConnectionsPerUser = 2
            $0.unlimitedUser = nil
        }
        let first = try Client(path: fixture.path, timeout: patience)
        let second = try Client(path: fixture.path, timeout: patience)
        _ = try first.serviceInfo(timeout: patience)
        _ = try second.serviceInfo(timeout: patience)
        let third = try Client(path: fixture.path, timeout: patience)
        do {
            _ = try third.serviceInfo(timeout: patience)
            Issue.record("a third connection was served")
        } catch .reply(let name, let parameters) {
            #expect(name == ServerFixture.tooMany)
            #expect(parameters["message"]?.stringValue?.isEmpty == false)
        }
        #expect(await fixture.server.statistics.refusedForUser == 1)
        second.close()
        try await fixture.eventually("closed") { fixture.server.statistics.openConnections == 1 }
        let fourth = try Client(path: fixture.path, timeout: patience)
        _ = try fourth.serviceInfo(timeout: patience)
        await fixture.stop()
    }

    @Test func `connections beyond all are refused, more of them than can be sent the reason`() async throws {
        let fixture = try await ServerFixture.start {
            $0.maximumConnections = 1
            $0.maximumRefused = 2
        }
        let first = try Client(path: fixture.path, timeout: patience)
        _ = try first.serviceInfo(timeout: patience)
        for _ in 0..<5 {
            let client = try Client(path: fixture.path, timeout: patience)
            let reported = try client.readToEnd()
            #expect(String(decoding: reported, as: UTF8.self).contains(ServerFixture.tooMany))
        }
        #expect(await fixture.server.statistics.refusedInAll == 5)
        _ = try first.serviceInfo(timeout: patience)
        await fixture.stop()
    }

    @Test func `without descriptors a connection is refused with a reason and accepting continues`() async throws {
        let fixture = try await ServerFixture.start()
        let failures = Counter(2)
        await DaemonActor.run {
            fixture.server.acceptConnection = { listener throws(SystemError) in
                if failures.increment() { throw SystemError("accept", code: EMFILE) }
                return try UnixSocket.accept(listener)
            }
        }
        // The first failure is met with the spare descriptor, the second even without: accepting pauses.
        let reported = try Client(path: fixture.path, timeout: patience)
        _ = try reported.serviceInfo(timeout: patience)
        #expect(await fixture.server.statistics.acceptPauses == 1)
        await DaemonActor.run { failures.left = 1 }
        let refused = try Client(path: fixture.path, timeout: patience)
        #expect(try String(decoding: refused.readToEnd(), as: UTF8.self).contains(ServerFixture.tooMany))
        #expect(await fixture.server.statistics.refusedForDescriptors == 1)
        let next = try Client(path: fixture.path, timeout: patience)
        _ = try next.serviceInfo(timeout: patience)
        await fixture.stop()
    }

    @DaemonActor private final class Counter {
        var left: Int

        nonisolated init(_ left: Int) { self.left = left }

        nonisolated func increment() -> Bool {
            DaemonActor.assumeIsolated {
                left -= 1
                return left >= 0
            }
        }
    }
}
