import Glibc
import MQTT
import Platform
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15)), .enabled(if: Broker.isPossible, "mosquitto and its clients are needed"))
struct MQTTClientTests {
    typealias Version = UploadConfiguration.MQTT.Version

    init() { LoopThread.start() }

    @Test(arguments: Version.allCases)
    @DaemonActor func `messages arrive in order, and each is confirmed once`(version: Version) async throws {
        let broker = try await Broker()
        let subscriber = try await broker.subscriber("owntracks/#", count: 500)
        let publisher = try Publisher(broker.port) { $0.version = version }
        let reported1 = try await publisher.connected()
        #expect(reported1 == .connected(isResumed: false))
        publisher.publish(1...500)
        #expect(try await soon { publisher.confirmed.count == 500 })
        #expect(publisher.confirmed == Array(1...500))
        let messages = try await subscriber.messages()
        #expect(messages == (1...500).map { "owntracks/u/d message \($0)" })
    }

    @Test(arguments: Version.allCases)
    @DaemonActor func `more messages than the broker accepts at once are all confirmed`(version: Version) async throws {
        let broker = try await Broker(["allow_anonymous true", "max_inflight_messages 7"])
        let publisher = try Publisher(broker.port) { $0.version = version }
        let reported2 = try await publisher.connected()
        #expect(reported2 == .connected(isResumed: false))
        publisher.publish(1...1_000)
        #expect(try await soon { publisher.confirmed == Array(1...1_000) })
    }

    @Test(arguments: Version.allCases)
    @DaemonActor func `unconfirmed messages are sent again automatically after the broker was killed`(
        version: Version
    ) async throws {
        let broker = try await Broker()
        let publisher = try Publisher(broker.port) { $0.version = version }
        let reported3 = try await publisher.connected()
        #expect(reported3 == .connected(isResumed: false))
        // The broker saves a new session after it has reported the connection, and before it confirms this message.
        publisher.publish(51...51)
        #expect(try await soon { publisher.confirmed == [51] })
        publisher.forget()
        broker.signal(SIGSTOP)
        publisher.publish(1...50)
        try broker.kill()
        #expect(try await soon { publisher.connection == .lost(.connectionLost) })
        #expect(publisher.confirmed.isEmpty)
        try await broker.start()
        let subscriber = try await broker.subscriber("owntracks/#", count: 50)
        let reported4 = try await publisher.connected()
        #expect(reported4 == .connected(isResumed: true))
        #expect(try await soon { publisher.confirmed == Array(1...50) })
        let messages = try await subscriber.messages()
        #expect(Set(messages) == Set((1...50).map { "owntracks/u/d message \($0)" }))
    }

    @Test(arguments: Version.allCases)
    @DaemonActor func `commands are received on their topic only, not too long ones, and not retained ones twice`(
        version: Version
    ) async throws {
        let broker = try await Broker()
        try broker.publish("owntracks/u/d/cmd", "retained", isRetained: true)
        let publisher = try Publisher(broker.port) {
            $0.version = version
            $0.commandTopic = "owntracks/u/d/cmd"
        }
        let reported = try await publisher.connected()
        #expect(reported == .connected(isResumed: false))
        // The broker confirms in order: it has handled the subscription before this message.
        publisher.publish(1...1)
        #expect(try await soon { publisher.confirmed == [1] })
        try broker.publish("owntracks/u/other/cmd", "another's")
        try broker.publish("owntracks/u/d", "no command")
        try broker.publish("owntracks/u/d/cmd", "one")
        try broker.publish("owntracks/u/d/cmd", String(repeating: "x", count: 5_000))
        try broker.publish("owntracks/u/d/cmd", "two")
        #expect(try await soon { publisher.received.last == "two" })
        // With MQTT 5 the retained message is not requested; with 3.1.1 it arrives, and is marked as retained.
        #expect(publisher.received == (version == .five ? [] : [nil]) + ["one", nil, "two"])
    }

    @Test(arguments: Version.allCases)
    @DaemonActor func `the start of a program that reads the messages is reported, and an old one is not`(
        version: Version
    ) async throws {
        let broker = try await Broker()
        try broker.publish("homeassistant/status", "online", isRetained: true)
        let publisher = try Publisher(broker.port) {
            $0.version = version
            $0.commandTopic = "owntracks/u/d/cmd"
            $0.birthTopic = "homeassistant/status"
        }
        _ = try await publisher.connected()
        publisher.publish(1...1)
        #expect(try await soon { publisher.confirmed == [1] })
        func starts() -> Int { publisher.events.filter { $0 == .consumerStarted }.count }
        for text in ["offline", "onlin", "online", ""] { try broker.publish("homeassistant/status", text) }
        try broker.publish("owntracks/u/d/cmd", "one")
        #expect(try await soon { publisher.received.last == "one" })
        #expect(starts() == 1 && publisher.received == ["one"])
    }

    @Test @DaemonActor func `a subscription of an earlier process in the same session is withdrawn`() async throws {
        let broker = try await Broker()
        let first = try Publisher(broker.port) { $0.commandTopic = "owntracks/u/d/cmd" }
        _ = try await first.connected()
        first.publish(1...1)
        #expect(try await soon { first.confirmed == [1] })
        first.disconnect()
        let second = try Publisher(broker.port)
        _ = try await second.connected()
        for number in 1...3 { try broker.publish("owntracks/u/d/cmd", "command \(number)") }
        second.publish(2...2)
        #expect(try await soon { second.confirmed == [2] })
        #expect(second.received.isEmpty)
    }

    @Test @DaemonActor func `a broker that floods the topic of commands is left`() async throws {
        let broker = try await Broker()
        let publisher = try Publisher(broker.port) { $0.commandTopic = "owntracks/u/d/cmd" }
        _ = try await publisher.connected()
        publisher.publish(1...1)
        #expect(try await soon { publisher.confirmed == [1] })
        try broker.publish("owntracks/u/d/cmd", String(repeating: "x", count: 200_000))
        #expect(try await soon { publisher.connection == .lost(.connectionLost) })
    }

    @Test @DaemonActor func `unconfirmed messages are sent again automatically after a disconnection`() async throws {
        let broker = try await Broker()
        let publisher = try Publisher(broker.port)
        let reported5 = try await publisher.connected()
        #expect(reported5 == .connected(isResumed: false))
        broker.signal(SIGSTOP)
        publisher.publish(1...5)
        publisher.disconnect()
        broker.signal(SIGCONT)
        let reported6 = try await publisher.connected()
        #expect(reported6 == .connected(isResumed: true))
        #expect(try await soon { publisher.confirmed == Array(1...5) })
    }

    @Test @DaemonActor func `a cancelled message is not delivered by a later connection`() async throws {
        let broker = try await Broker()
        let publisher = try Publisher(broker.port)
        let reported7 = try await publisher.connected()
        #expect(reported7 == .connected(isResumed: false))
        broker.signal(SIGSTOP)
        publisher.publish(1...3)
        for id in 1...3 as ClosedRange<UInt64> { publisher.cancel(id) }
        publisher.disconnect()
        try broker.kill()
        try await broker.start()
        let subscriber = try await broker.subscriber("owntracks/#", count: 1)
        let reported8 = try await publisher.connected()
        #expect(reported8 == .connected(isResumed: false))
        publisher.publish(4...4)
        #expect(try await soon { publisher.confirmed == [4] })
        let messages = try await subscriber.messages()
        #expect(messages == ["owntracks/u/d message 4"])
    }

    @Test @DaemonActor func `a broker that stops reading does not block the loop`() async throws {
        let broker = try await Broker()
        let publisher = try Publisher(broker.port)
        let reported9 = try await publisher.connected()
        #expect(reported9 == .connected(isResumed: false))
        broker.signal(SIGSTOP)
        // More than the socket buffers of both sides hold.
        for _ in 0..<20 { publisher.publish(1...3_000) }
        publisher.disconnect()
        publisher.connect()
        publisher.disconnect()
        broker.signal(SIGCONT)
        // The broker finds the earlier connections in its queue, and the last one it handles of a client replaces the
        // others.
        var events: [MQTTEvent?] = []
        for _ in 0..<3 where events.last != .connected(isResumed: false) && events.last != .connected(isResumed: true) {
            events.append(try await publisher.connected())
        }
        guard case .connected = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test(arguments: [(Version.five, 0x87), (.threeOneOne, 5)] as [(Version, UInt8)])
    @DaemonActor func `a wrong password is refused with the broker's code`(version: Version, code: UInt8) async throws {
        let broker = try await Broker(["allow_anonymous false"], users: [("jürgen", "gehe:im")])
        let right = try Publisher(broker.port) {
            $0.version = version
            $0.credential = .basic(try Secret("jürgen:gehe:im\n"))
        }
        let reported10 = try await right.connected()
        #expect(reported10 == .connected(isResumed: false))
        right.disconnect()
        for pair in ["jürgen:falsch", "jürgen:", "niemand:gehe:im"] {
            let wrong = try Publisher(broker.port) {
                $0.version = version
                $0.credential = .basic(try Secret(pair))
            }
            let reported11 = try await wrong.connected()
            #expect(reported11 == .refused(code))
        }
        let nobody = try Publisher(broker.port) { $0.version = version }
        let reported12 = try await nobody.connected()
        #expect(reported12 == .refused(code))
    }

    @Test(arguments: ["", "nocolon", "a:b\u{0}c"])
    @DaemonActor func `a pair that cannot be sent is refused at once`(pair: String) throws {
        #expect(throws: MQTTSetupError.unusableCredential) {
            try Publisher(1) { $0.credential = .basic(try Secret(pair)) }
        }
    }

    @Test @DaemonActor func `a token, which MQTT does not have, is refused at once`() throws {
        #expect(throws: MQTTSetupError.unusableCredential) {
            try Publisher(1) { $0.credential = .bearer(try Secret("abc123")) }
        }
    }

    @Test @DaemonActor func `a message that the broker's rules forbid is reported as such in version 5`() async throws {
        let directory = try TemporaryDirectory()
        let rules = try directory.write("rules", "topic write owntracks/u/d\n")
        let broker = try await Broker(["allow_anonymous true", "acl_file \(rules)"])
        let publisher = try Publisher(broker.port)
        _ = try await publisher.connected()
        publisher.publish(1...1)
        #expect(try await soon { publisher.confirmed == [1] })
        publisher.publish(2...2, to: "owntracks/u/other")
        #expect(try await soon { publisher.reason(of: 2) == 0x87 })
    }

    @Test @DaemonActor func `the will is published when the connection ends without a DISCONNECT`() async throws {
        let broker = try await Broker()
        let relay = try Relay(to: broker.port)
        defer { relay.stop() }
        let subscriber = try await broker.subscriber("owntracks/#", count: 1)
        let publisher = try Publisher(relay.port)
        let reported = try await publisher.connected()
        #expect(reported == .connected(isResumed: false))
        relay.cut()
        #expect(try await soon { publisher.connection == .lost(.connectionLost) })
        let messages = try await subscriber.messages()
        #expect(messages == ["owntracks/u/d gone"])
    }

    @Test @DaemonActor func `the will is not published after an orderly disconnection`() async throws {
        let broker = try await Broker()
        let subscriber = try await broker.subscriber("owntracks/#", count: 1)
        let publisher = try Publisher(broker.port)
        _ = try await publisher.connected()
        publisher.disconnect()
        _ = try await publisher.connected()
        publisher.publish(1...1)
        let messages = try await subscriber.messages()
        #expect(messages == ["owntracks/u/d message 1"])
    }

    @Test @DaemonActor func `a broker that no longer responds is detected by the keep-alive`() async throws {
        let broker = try await Broker()
        // Half of it is how long the loop, which all tests share, may be blocked before the broker closes the
        // connection.
        let publisher = try Publisher(broker.port) { $0.keepAlive = .seconds(12) }
        let reported15 = try await publisher.connected()
        #expect(reported15 == .connected(isResumed: false))
        // The client sends a ping, and the broker replies.
        try await elapsed(.seconds(13))
        #expect(publisher.connection == .connected(isResumed: false))
        broker.signal(SIGSTOP)
        #expect(try await soon { publisher.connection == .lost(.connectionLost) })
        broker.signal(SIGCONT)
        let reported16 = try await publisher.connected()
        #expect(reported16 == .connected(isResumed: true))
    }
}
