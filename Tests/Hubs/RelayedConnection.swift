import Glibc
import Platform
import TestSupport

/// What relays have in common: a thread for the listening socket, one for each client, and passing bytes on.
enum RelayedConnection {
    /// Calls a closure for each client of a listening socket, in a thread of the client, until the socket is shut down. The
    /// client's socket is closed when the closure has returned.
    static func accept(from listener: borrowing OwnedDescriptor, _ serve: @escaping @Sendable (Int32) -> Void) throws {
        let number = listener.number
        try DetachedThread.start(name: "relay") {
            while true {
                let client = Glibc.accept(number, nil, nil)
                if client < 0, [EINTR, EAGAIN, ECONNABORTED].contains(errno) {
                    // A socket that does not block is asked again when there is a client.
                    var arrival = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                    _ = poll(&arrival, 1, -1)
                    continue
                }
                // Programs that are started later do not inherit it, so that its end is seen.
                guard client >= 0, fcntl(client, F_SETFD, FD_CLOEXEC) == 0 else { return }
                attempt {
                    try DetachedThread.start(name: "relayed") {
                        defer { close(client) }
                        serve(client)
                    }
                }
            }
        }
    }

    /// Sends all bytes. Returns false if the connection has ended.
    static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
