import CLinux
import Glibc
import Platform

/// A client whose connection is refused. It receives the reason and has a second to read it; data that it sends
/// meanwhile is discarded.
///
/// If the socket were closed at once, a client that is just sending its call would get EPIPE instead of the reason.
@DaemonActor
final class RefusedConnection {
    /// When it is closed at the latest.
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

    /// Stops watching it.
    func cancel() {
        source?.cancel()
        source = nil
    }

    private func end() {
        cancel()
        onEnd(self)
    }

    /// Sends the reason for a refusal. Bytes that the socket does not accept at once are lost.
    static func notify(_ reply: EncodedReply, to socket: Int32) {
        _ = reply.bytes.withUnsafeBytes {
            send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    // The source ends before the descriptor is closed.
    isolated deinit {
        source?.cancel()
    }
}

extension RefusedConnection: DeadlineHolder {
    func deadlinePassed(at now: UInt64) { end() }
}
