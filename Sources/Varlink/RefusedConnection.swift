import CLinux
import Glibc
import Platform

/// A client that may not connect. It receives the reason and has a second to read it, whatever it sends meanwhile.
///
/// Closed at once, a client that is just writing its call would see a broken pipe instead of the reason.
@DaemonActor
final class RefusedConnection {
    /// When it is closed even if the client is still there.
    let deadline: UInt64?
    private let socket: OwnedDescriptor
    private var source: IOSource?
    private let onEnd: @DaemonActor (RefusedConnection) -> Void

    init(
        _ socket: consuming OwnedDescriptor, until deadline: UInt64,
        onEnd: @escaping @DaemonActor (RefusedConnection) -> Void
    ) throws(SystemError) {
        self.deadline = deadline
        self.onEnd = onEnd
        let number = socket.number
        self.socket = consume socket
        shutdown(number, Int32(SHUT_WR))
        source = try IOSource(number, .readable) { [weak self] events in
            guard let self else { return }
            var discarded: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            let count = withUnsafeMutableBytes(of: &discarded) { recv(number, $0.baseAddress, $0.count, 0) }
            if count == 0 || events.contains(.hangUp) { end() }
        }
    }

    /// Watches it no longer.
    func cancel() {
        source?.cancel()
        source = nil
    }

    private func end() {
        cancel()
        onEnd(self)
    }

    /// Says why a connection is refused. What the socket does not take is lost.
    static func notify(_ reply: EncodedReply, to socket: Int32) {
        _ = reply.bytes.withUnsafeBytes {
            send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }
}

extension RefusedConnection: DeadlineHolder {
    func deadlinePassed(at now: UInt64) { end() }
}
