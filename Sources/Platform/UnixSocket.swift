import CLinux
import Glibc

/// Sockets of the Unix family, unix(7): listening, connecting, accepting and sending.
public enum UnixSocket {
    /// The longest path that a socket address can contain, in bytes.
    public static let maximumPathLength = 107

    /// Binds and listens, non-blocking and close-on-exec.
    ///
    /// A socket file without a listener is replaced. A socket file with a listener is an error (EADDRINUSE), and so is
    /// any other kind of file at the path.
    public static func listen(path: String, mode: mode_t, backlog: Int32 = 4096) throws(SystemError) -> OwnedDescriptor
    {
        let socket = try make(SOCK_NONBLOCK.rawValue)
        try removeStale(path)
        try withAddress(path) { (address, length) throws(SystemError) in
            try retrying("bind", subject: path) { Glibc.bind(socket.number, address, length) }
        }
        // No client can connect before listen, so the mode that the umask produced is never effective.
        try retrying("chmod", subject: path) { chmod(path, mode) }
        try retrying("listen", subject: path) { Glibc.listen(socket.number, backlog) }
        return socket
    }

    /// Connects; blocks until the listener has room, or fails with EAGAIN after the timeout. The descriptor blocks.
    public static func connect(path: String, timeout: Duration? = nil) throws(SystemError) -> OwnedDescriptor {
        let socket = try make(0)
        if let timeout {
            // This time-out also applies to connect, socket(7). A time-out of zero would mean none.
            let microseconds = max(1, timeout.microseconds)
            var limit = timeval(
                tv_sec: Int(clamping: microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
            try retrying("limit the time of a connection", subject: path) {
                setsockopt(
                    socket.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
        }
        try withAddress(path) { (address, length) throws(SystemError) in
            try retrying("connect to", subject: path) { Glibc.connect(socket.number, address, length) }
        }
        return socket
    }

    /// Connects; while the listener's queue is full, it tries again, until the timeout has passed, or a descriptor of the
    /// caller's is readable. The socket does not block.
    ///
    /// - Throws: `ECANCELED` if the descriptor is readable while there is no room; `EAGAIN` after the timeout, as connect(2) with a timeout.
    public static func connect(path: String, timeout: Duration?, until stop: Int32) throws(SystemError)
        -> OwnedDescriptor
    {
        let deadline = PollDeadline(after: timeout)
        var pause = DoublingPause(first: .milliseconds(1), longest: .milliseconds(50))
        while true {
            do throws(SystemError) { return try connectAtOnce(path: path) } catch {
                guard error.code == EAGAIN, !deadline.hasPassed else { throw error }
            }
            let rest = deadline.remainingMilliseconds
            let wait = rest < 0 ? pause.next() : min(pause.next(), .milliseconds(Int(rest)))
            if try PollDeadline(after: wait).poll(stop, for: POLLIN) {
                throw SystemError("connect to", code: ECANCELED, subject: path)
            }
        }
    }

    /// The kind of communication over a socket.
    public enum Kind: Sendable {
        /// A stream of bytes.
        case stream
        /// Messages whose boundaries are preserved, SOCK_SEQPACKET.
        case messages
        /// Messages without a connection, SOCK_DGRAM.
        case datagrams
    }

    /// Connects without blocking; EAGAIN if the listener's queue is full. The descriptor does not block.
    public static func connectAtOnce(path: String, _ kind: Kind = .stream) throws(SystemError) -> OwnedDescriptor {
        let socket = try make(SOCK_NONBLOCK.rawValue, kind)
        try withAddress(path) { (address, length) throws(SystemError) in
            try retrying("connect to", subject: path) { Glibc.connect(socket.number, address, length) }
        }
        return socket
    }

    /// Accepts the next pending connection, non-blocking and close-on-exec; nil if there is none. accept4(2).
    public static func accept(_ listener: Int32) throws(SystemError) -> OwnedDescriptor? {
        let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        while true {
            let number = waymark_accept(listener, Int32(flags))
            if number >= 0 { return OwnedDescriptor(adopting: number) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw SystemError("accept")
            }
        }
    }

    /// Sends bytes without blocking and returns how many the kernel accepted, send(2). If the peer has closed the
    /// connection, all bytes count as accepted: the end of the connection is reported separately, and data that the
    /// peer sent before may still have to be read.
    public static func sendAtOnce(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Int {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM: return 0
            default: return bytes.count
            }
        }
    }

    private static func make(_ flags: UInt32, _ kind: Kind = .stream) throws(SystemError) -> OwnedDescriptor {
        let type =
            switch kind {
            case .stream: SOCK_STREAM
            case .messages: SOCK_SEQPACKET
            case .datagrams: SOCK_DGRAM
            }
        return try OwnedDescriptor("socket") {
            socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue | flags), 0)
        }
    }

    /// Removes a socket file that has no listener any more.
    private static func removeStale(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError("bind", code: EEXIST, subject: path)
        }
        do {
            _ = try connect(path: path)
        } catch {
            guard error.code == ECONNREFUSED else { throw error }
            try retrying("unlink", subject: path) { unlink(path) }
            return
        }
        throw SystemError("bind", code: EADDRINUSE, subject: path)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
    ) throws(SystemError) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= maximumPathLength, !bytes.contains(0) else {
            throw SystemError("use as a socket's path", code: bytes.isEmpty ? EINVAL : ENAMETOOLONG, subject: path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        if bytes[0] == UInt8(ascii: "@") {
            // An abstract name extends to the end of the address.
            address.sun_path.0 = 0
            length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        }
        var failure: SystemError?
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                do throws(SystemError) { try body(pointer, length) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}
