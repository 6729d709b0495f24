import Glibc
import Platform
import TestSupport

/// A connection that need not follow the protocol: sends any bytes, and reads only when the test calls it.
public final class RawConnection {
    /// How much of a message was sent, and why not more.
    public enum Sent: Equatable {
        case everything
        /// The daemon reads no more for now.
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

    /// Uses a connected socket whose descriptor somebody else owns: one that another process opened, for example.
    public convenience init(copying number: Int32) throws(SystemError) {
        try self.init(adopting: OwnedDescriptor("copy a descriptor") { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }

    /// Takes ownership of a connected socket.
    public init(adopting socket: consuming OwnedDescriptor) throws(SystemError) {
        let number = socket.number
        try retrying("set a descriptor's flags") { fcntl(number, F_SETFL, O_NONBLOCK) }
        self.socket = socket
    }

    /// Sends bytes, waiting up to `seconds` each time that the socket is full.
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

    /// Whether the daemon replies to a call on it.
    public var isAnswered: Bool {
        get throws {
            guard try send(message: #"{"method":"org.varlink.service.GetInfo"}"#) == .everything else { return false }
            return try read(messages: 1)?.contains("waymarkd") == true
        }
    }

    /// Reads until the daemon closes, or a number of messages; nil where that does not happen within `seconds`.
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
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
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
