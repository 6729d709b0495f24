import Glibc
import MQTT
import Platform
import Synchronization
import TestSupport
import Testing
import Upload

@Suite(.timeLimit(.minutes(15))) struct ConnectionTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `an unavailable broker is reported as such`() async throws {
        let nobody = try LoopbackPort()
        let port = nobody.number
        for isEncrypted in [false, true] {
            let publisher = try Publisher(port, isEncrypted: isEncrypted)
            let reported1 = try await publisher.connected()
            #expect(reported1 == .lost(.connect))
            let reported2 = try await publisher.connected()
            #expect(reported2 == .lost(.connect))
        }
        let reported3 = try await Publisher(port, host: "nobody.invalid").connected()
        #expect(reported3 == .lost(.nameLookup))
        // The name has an IPv6 address as well, on which nothing listens either.
        let reported4 = try await Publisher(port, host: "localhost").connected()
        #expect(reported4 == .lost(.connect))
    }

    @Test(arguments: [false, true])
    @DaemonActor func `a connection that is closed at once is lost`(isEncrypted: Bool) async throws {
        let listener = try RawListener { _ in }
        defer { listener.stop() }
        let publisher = try Publisher(listener.port, isEncrypted: isEncrypted)
        let event = try await publisher.connected()
        // If the connection ends with RST, it may end before it was established.
        #expect(event == .lost(.connectionLost) || event == .lost(.connect) || event == .lost(.tls(.handshake)))
    }

    @Test(arguments: [false, true])
    @DaemonActor func `a client can disconnect from a peer that never responds`(isEncrypted: Bool) async throws {
        let listener = try RawListener { number in
            var byte: UInt8 = 0
            while read(number, &byte, 1) > 0 {}
        }
        defer { listener.stop() }
        let publisher = try Publisher(listener.port, isEncrypted: isEncrypted)
        for _ in 0..<50 {
            publisher.connect()
            await Task.yield()
            publisher.disconnect()
        }
        #expect(publisher.events.isEmpty)
        // Only the listening socket, on either side.
        #expect(try await soon { SocketDescriptors.count(port: listener.port) == 1 })
    }

    @Test @DaemonActor func `a cancelled name lookup reports nothing`() async throws {
        let publisher = try Publisher(1, host: "nobody.invalid")
        for _ in 0..<3 {
            publisher.connect()
            publisher.disconnect()
        }
        let reported5 = try await publisher.connected()
        #expect(reported5 == .lost(.nameLookup))
        #expect(publisher.events.count == 1)
    }

    /// A successful CONNACK, then a PUBLISH of QoS 0 of 200 MiB.
    @Test @DaemonActor func `a broker that floods is disconnected`() async throws {
        let taken = Atomic<Int>(0)
        let listener = try RawListener { number in
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            _ = read(number, &buffer, buffer.count)
            // 0x64000000 bytes follow.
            let beginning: [UInt8] = [0x20, 3, 0, 0, 0, 0x30, 0x80, 0x80, 0x80, 0x64]
            _ = send(number, beginning, beginning.count, Int32(MSG_NOSIGNAL))
            while true {
                let count = send(number, buffer, buffer.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return }
                taken.add(count, ordering: .relaxed)
            }
        }
        defer { listener.stop() }
        let publisher = try Publisher(listener.port)
        publisher.connect()
        #expect(try await soon { publisher.connection == .lost(.connectionLost) })
        // Including the bytes in the socket buffers.
        #expect(taken.load(ordering: .relaxed) < 64 << 20)
    }

    @Test @DaemonActor func `a peer that does not use MQTT is a lost connection`() async throws {
        let listener = try RawListener { number in
            let answer = Array(
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n\(String(repeating: "x", count: 100))".utf8)
            _ = send(number, answer, answer.count, Int32(MSG_NOSIGNAL))
            var byte: UInt8 = 0
            while read(number, &byte, 1) > 0 {}
        }
        defer { listener.stop() }
        let reported6 = try await Publisher(listener.port).connected()
        #expect(reported6 == .lost(.connectionLost))
        let reported7 = try await Publisher(listener.port, isEncrypted: true).connected()
        #expect(reported7 == .lost(.tls(.handshake)))
    }
}
