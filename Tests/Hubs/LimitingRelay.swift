import Glibc
import Platform
import Synchronization
import TestSupport

/// A port of loopback that passes on what it receives to a server, only so many bytes of requests and of responses: a transfer stops in its
/// middle, and goes on or is broken when the test says so.
package final class LimitingRelay: Sendable {
    /// How many bytes may still pass.
    private struct Room {
        var requests = Int.max
        var responses = Int.max
        /// The number of times that connections were broken.
        var breaks = 0
        var passed = (requests: 0, responses: 0)
    }

    private final class Rooms: Sendable {
        let room = Mutex(Room())
    }

    package let port: UInt16
    private let rooms = Rooms()
    private let listener: OwnedDescriptor

    /// Passes on to a port of loopback.
    package init(to target: UInt16) throws {
        listener = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener.number
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(number, address, size) == 0 && listen(number, 64) == 0 ? getsockname(number, address, &size) : -1
            }
        }
        guard status == 0 else { throw SystemError("listen", subject: "loopback") }
        port = UInt16(bigEndian: address.sin_port)
        let rooms = rooms
        try RelayedConnection.accept(from: listener) { client in
            do {
                // While nobody listens there, the connection ends at once.
                if let server = try LoopbackPort.connection(to: target) { Self.pass(client, server, rooms) }
            } catch {}
        }
    }

    /// `accept` of the thread fails.
    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }

    /// Lets so many further bytes of requests and of responses pass.
    package func permit(requests: Int = .max, responses: Int = .max) {
        rooms.room.withLock { ($0.requests, $0.responses) = (requests, responses) }
    }

    /// Breaks all connections.
    package func cut() { rooms.room.withLock { $0.breaks += 1 } }

    /// Whether nothing more of requests, or of responses, passes.
    package var isExhausted: Bool { rooms.room.withLock { $0.requests == 0 || $0.responses == 0 } }
    /// The bytes that have passed.
    package var passed: (requests: Int, responses: Int) { rooms.room.withLock { $0.passed } }

    /// A sum of bytes, at most `.max`: the test may have permitted any number meanwhile.
    private static func sum(_ permitted: Int, _ unused: Int) -> Int {
        let (sum, isOverflow) = permitted.addingReportingOverflow(unused)
        return isOverflow ? .max : sum
    }

    private static func pass(_ client: Int32, _ server: borrowing OwnedDescriptor, _ rooms: Rooms) {
        let breaks = rooms.room.withLock { $0.breaks }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let room = rooms.room.withLock { $0 }
            guard room.breaks == breaks else { return }
            var ends = [
                pollfd(fd: client, events: room.requests > 0 ? Int16(POLLIN) : 0, revents: 0),
                pollfd(fd: server.number, events: room.responses > 0 ? Int16(POLLIN) : 0, revents: 0),
            ]
            // The room may have become another one meanwhile.
            guard poll(&ends, 2, 5) >= 0 || errno == EINTR else { return }
            for index in 0...1 where ends[index].revents != 0 {
                let most = rooms.room.withLock { room in
                    let most = min(buffer.count, index == 0 ? room.requests : room.responses)
                    if index == 0 { room.requests -= most } else { room.responses -= most }
                    return most
                }
                let size = most == 0 ? 0 : recv(ends[index].fd, &buffer, most, 0)
                rooms.room.withLock { room in
                    if index == 0 {
                        room.requests = Self.sum(room.requests, most - max(0, size))
                        room.passed.requests += max(0, size)
                    } else {
                        room.responses = Self.sum(room.responses, most - max(0, size))
                        room.passed.responses += max(0, size)
                    }
                }
                if most == 0, ends[index].revents & Int16(POLLHUP | POLLERR) == 0 { continue }
                guard size > 0 else { return }
                guard RelayedConnection.send(buffer[..<size], to: ends[1 - index].fd) else { return }
            }
        }
    }
}
