import CLinux
import Glibc
import Platform
import TestSupport

/// A server that receives everything, never responds, and records when the first byte of each connection arrived.
final class SilentServer: Sendable {
    static let port: UInt16 = 8_766
    /// The first bytes.
    let firstBytes = Arrivals()
    private let listener: OwnedDescriptor
    private let ended = WakeDescriptor()

    /// A server that listens at every address of a network.
    init(in network: PrivateNetwork) throws {
        listener = try network.inside {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            let socket = try OwnedDescriptor("make a socket") { Glibc.socket(AF_INET, type, 0) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = Self.port.bigEndian
            try retrying("bind") {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            try retrying("listen") { listen(socket.number, 64) }
            return socket
        }
        try DetachedThread.start(name: "silent-server") { [self] in serve() }
    }

    func stop() { ended.signal() }

    private func serve() {
        var connection: Int32 = -1
        var isNew = false
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            var entries = [ended.number, listener.number, connection].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            let now = SystemClock().monotonicNanoseconds
            if entries[0].revents != 0 { break }
            if entries[2].revents != 0 {
                let count = read(connection, &buffer, buffer.count)
                if count > 0, isNew { firstBytes.add([], at: now) }
                if count > 0 { isNew = false }
                if count <= 0 {
                    close(connection)
                    connection = -1
                }
            }
            if entries[1].revents != 0 {
                // The previous request was cancelled, which cannot reach the server without a path.
                if connection >= 0 { close(connection) }
                connection = accept(listener.number, nil, nil)
                isNew = true
            }
        }
        if connection >= 0 { close(connection) }
    }
}
