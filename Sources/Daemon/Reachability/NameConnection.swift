import CLinux
import Glibc
import NetworkPaths
import Platform
import Resolver

/// One question to whoever answers behind a Unix socket: a `waymark-resolver` for each connection, which systemd starts
/// from a unit with Accept=yes, with a network that the daemon may not have.
@DaemonActor
final class NameConnection: NameInquiry {
    private let descriptor: OwnedDescriptor
    private let handler: @DaemonActor (NameInquiryEvent) -> Void
    private var partial = PartialAnswer()
    private var source: IOSource?

    /// Connects and asks; EAGAIN where too many wait to be accepted, EPIPE or ECONNRESET where it is hung up on at once, as
    /// systemd does beyond MaxConnections=. The handler is called later.
    init(
        socket path: String, name: HostName, handler: @escaping @DaemonActor (NameInquiryEvent) -> Void
    ) throws(SystemError) {
        self.handler = handler
        descriptor = try UnixSocket.connectAtOnce(path: path)
        let line = Array("\(name)\n".utf8)
        // Less than any socket's buffer holds.
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
            // unix(7): it was closed with the name unread.
            let isUnread = code == ECONNRESET && partial.bytes.isEmpty
            handler(isUnread ? .refused : .ended("hung up without an answer"))
        }
    }

    // Before the descriptor is closed, wherever the last reference is dropped.
    isolated deinit {
        source?.cancel()
    }
}
