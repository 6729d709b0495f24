import Glibc
import Platform
import TestSupport

/// A connection without any manners: sends what it likes, and reads only where it is told to.
public final class RawConnection {
    /// How much of what was to be sent went out, and why not more.
    public enum Sent: Equatable {
        case everything
        /// The daemon takes no more for now.
        case full(after: Int)
        /// The daemon has closed.
        case closed(after: Int)
    }

    /// The socket.
    public let socket: OwnedDescriptor

    /// Connects as this process's own user.
    public convenience init(_ path: String) throws(SystemError) {
        try self.init(adopting: UnixSocket.connect(path: path, timeout: .seconds(60)))
    }

    /// Speaks on a connected socket whose descriptor somebody else keeps: one that another process made, say.
    public convenience init(copying number: Int32) throws(SystemError) {
        try self.init(adopting: OwnedDescriptor("copy a descriptor") { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }

    /// Takes over a connected socket.
    public init(adopting socket: consuming OwnedDescriptor) throws(SystemError) {
        let number = socket.number
        try retrying("set a descriptor's flags") { fcntl(number, F_SETFL, O_NONBLOCK) }
        self.socket = socket
    }

    /// Sends bytes, waiting up to so many seconds each time that the socket is full.
    public func send(_ bytes: some Collection<UInt8>, patience: Double = 20) throws(SystemError) -> Sent {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                guard try PollDeadline(seconds: patience).poll(socket.number, for: POLLOUT) else {
                    return .full(after: sent)
                }
            case EPIPE, ECONNRESET: return .closed(after: sent)
            default: throw SystemError("send")
            }
        }
        return .everything
    }

    /// Sends a message with its NUL.
    public func send(message: String) throws(SystemError) -> Sent { try send(Array(message.utf8) + [0]) }

    /// Whether a call on it is answered by the daemon.
    public var isAnswered: Bool {
        get throws {
            guard try send(message: #"{"method":"org.varlink.service.GetInfo"}"#) == .everything else { return false }
            return try read(messages: 1)?.contains("waymarkd") == true
        }
    }

    /// Reads until the daemon closes, or only so many messages; nil where that does not come within so many seconds.
    public func read(messages: Int = .max, seconds: Double = 60) throws(SystemError) -> String? {
        let deadline = PollDeadline(seconds: seconds)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count(where: { $0 == 0 }) < messages {
            guard try deadline.poll(socket.number, for: POLLIN) else { return nil }
            let count = recv(socket.number, &buffer, buffer.count, 0)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 || errno == ECONNRESET {
                return messages == .max ? String(decoding: bytes, as: UTF8.self) : nil
            } else if errno != EAGAIN, errno != EINTR {
                throw SystemError("receive")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything that has arrived and was not read, without waiting; and whether the daemon has closed.
    public func readArrived() throws(SystemError) -> (bytes: [UInt8], isClosed: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 || errno == ECONNRESET {
                return (bytes, true)
            } else if errno == EAGAIN {
                return (bytes, false)
            } else if errno != EINTR {
                throw SystemError("receive")
            }
        }
    }
}
