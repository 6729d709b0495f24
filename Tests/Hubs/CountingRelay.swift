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
        let (number, count) = (listener.number, count)
        try DetachedThread.start(name: "relay") {
            var arrival = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            while poll(&arrival, 1, -1) > 0 || errno == EINTR {
                let client = accept(number, nil, nil)
                if client < 0, [EINTR, EAGAIN, ECONNABORTED].contains(errno) { continue }
                // Programs that are started later do not inherit it, so that its end is seen.
                guard client >= 0, fcntl(client, F_SETFD, FD_CLOEXEC) == 0 else { return }
                attempt { try DetachedThread.start(name: "relayed") { Self.pass(client, target, count) } }
            }
        }
    }

    /// `accept` of the thread fails.
    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }

    /// The calls that have arrived.
    package var calls: Int { count.calls.withLock { $0 } }

    private static func pass(_ client: Int32, _ target: String, _ count: Count) {
        defer { close(client) }
        do { try pass(client, to: UnixSocket.connect(path: target), count) } catch {}
    }

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
                var sent = 0
                while sent < size {
                    let part = buffer[sent..<size].withUnsafeBytes {
                        send(ends[1 - index].fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard part > 0 else { return }
                    sent += part
                }
            }
        }
    }
}
