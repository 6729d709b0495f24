import Glibc
import Platform
import TestSupport
import Testing

@testable import HTTPServing

/// Connections that were answered while their clients are still sending.
@Suite struct LingeringConnectionsTests {
    /// Two ends of a connection, of which the first one is added and closed by its owner.
    private struct Pair: ~Copyable {
        let client: OwnedDescriptor

        @DaemonActor
        init(addedTo lingering: LingeringConnections) throws {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            try retrying("make a connection") { socketpair(AF_UNIX, type, 0, &ends) }
            client = OwnedDescriptor(adopting: ends[1])
            let server = OwnedDescriptor(adopting: ends[0])
            lingering.add(server.number)
            server.close()
        }

        /// Sends as much as there is room for; errno where that fails for another reason.
        func send() -> Int32 {
            let bytes = [UInt8](repeating: 1, count: 65_536)
            while true {
                if Glibc.send(client.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { return errno }
            }
        }
    }

    init() { LoopThread.start() }

    @Test @DaemonActor func `what a client sends is received until it closes the connection`() async throws {
        // The test may take longer than such a client has as a rule, because other tests use the loop.
        let lingering = try LingeringConnections(for: .seconds(3_600), clock: SystemClock())
        let pair = try Pair(addedTo: lingering)
        for _ in 0..<8 {
            #expect(pair.send() == EAGAIN)
            let descriptor = pair.client.number
            #expect(
                try await eventually { () async throws -> Bool in
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    return poll(&entry, 1, 0) == 1
                })
        }
        #expect(lingering.count == 1)
        shutdown(pair.client.number, Int32(SHUT_WR))
        #expect(try await eventually { () async throws -> Bool in lingering.count == 0 })
    }

    @Test @DaemonActor func `a client that does not stop is disconnected after a time`() async throws {
        let lingering = try LingeringConnections(for: .milliseconds(20), clock: SystemClock())
        let pair = try Pair(addedTo: lingering)
        #expect(try await eventually { () async throws -> Bool in lingering.count == 0 })
        // A process that another test starts meanwhile has the other end too, until it executes its program.
        #expect(try await eventually { () async throws -> Bool in pair.send() == EPIPE })
    }

    @Test @DaemonActor func `their number is limited`() throws {
        let lingering = try LingeringConnections(clock: SystemClock())
        for _ in 0..<70 { _ = try Pair(addedTo: lingering) }
        #expect(lingering.count == 64)
        lingering.stop()
        #expect(lingering.count == 0)
    }
}
