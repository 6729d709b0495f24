import Glibc
import Platform
import Synchronization
import TestSupport

/// A socket through which a program makes its calls, and which counts them.
package final class CountingRelay: Sendable {
    private final class Count: Sendable {
        let calls = Mutex(0)
    }

    /// The socket for the program.
    package let path: String
    private let count = Count()
    private let listener: OwnedDescriptor

    /// Passes on what arrives at a path to the socket at another one.
    package init(at path: String, to target: String) throws {
        self.path = path
        listener = try UnixSocket.listen(path: path, mode: 0o600)
        let count = count
        try RelayedConnection.accept(from: listener) { client in
            do { try Self.pass(client, to: UnixSocket.connect(path: target), count) } catch {}
        }
    }

    /// `accept` of the thread fails.
    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }

    /// The calls that have arrived.
    package var calls: Int { count.calls.withLock { $0 } }

    /// Until one of the two ends.
    private static func pass(_ client: Int32, to server: borrowing OwnedDescriptor, _ count: Count) {
        var ends = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
        ends.append(pollfd(fd: server.number, events: Int16(POLLIN), revents: 0))
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, -1) > 0 || errno == EINTR {
            for index in 0...1 where ends[index].revents != 0 {
                let size = recv(ends[index].fd, &buffer, buffer.count, 0)
                guard size > 0 else { return }
                // A call ends with NUL, as every message of Varlink.
                if index == 0 { count.calls.withLock { $0 += buffer[..<size].count { $0 == 0 } } }
                guard RelayedConnection.send(buffer[..<size], to: ends[1 - index].fd) else { return }
            }
        }
    }
}
