import CLinux
import Glibc
import NetworkPaths
import Platform
import Resolver

/// One lookup over a Unix socket. For each connection, systemd starts a `waymark-resolver` from a unit with Accept=yes,
/// with network access that the daemon itself may not have.
@DaemonActor
final class NameConnection: NameInquiry {
    private let descriptor: OwnedDescriptor
    private let handler: @DaemonActor (NameInquiryEvent) -> Void
    private var partial = PartialAnswer()
    private var source: IOSource?

    /// Connects and sends the name. Throws EAGAIN if too many connections wait to be accepted, and EPIPE or ECONNRESET
    /// if the connection is closed at once, as systemd does beyond MaxConnections=. The handler is called later.
    init(
        socket path: String, name: HostName, handler: @escaping @DaemonActor (NameInquiryEvent) -> Void
    ) throws(SystemError) {
        self.handler = handler
        descriptor = try UnixSocket.connectAtOnce(path: path)
        let line = Array("\(name)\n".utf8)
        // A name fits in the buffer of any socket, so a single write is complete.
        try retrying("write to", subject: path) { send(descriptor.number, line, line.count, Int32(MSG_NOSIGNAL)) }
        shutdown(descriptor.number, Int32(SHUT_WR))
        source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.read() }
    }

    func stop() -> Bool {
        source?.cancel()
        source = nil
        return true
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: partial.room)
        let count = recv(descriptor.number, &buffer, buffer.count, 0)
        let code = count < 0 ? errno : 0
        if code == EAGAIN || code == EINTR { return }
        if count > 0 {
            if let answer = partial.append(buffer[..<count]) { handler(.answered(answer)) }
        } else if let answer = partial.answer {
            handler(.answered(answer))
        } else {
            _ = stop()
            // unix(7): ECONNRESET means that the socket was closed with the name unread.
            let isUnread = code == ECONNRESET && partial.bytes.isEmpty
            handler(isUnread ? .refused : .ended("closed the connection without a reply"))
        }
    }

    // The source ends before the descriptor is closed, wherever the last reference is dropped.
    isolated deinit {
        source?.cancel()
    }
}
