import CLinux
import Glibc

/// Stream sockets of the Unix family, unix(7): listening, connecting, and whose peer is.
public enum UnixSocket {
    /// The longest path a socket's address holds, in bytes.
    public static let maximumPathLength = 107

    /// Binds and listens, non-blocking and close-on-exec.
    ///
    /// A socket file that nobody listens on any more is replaced; one that somebody answers on is an error
    /// (EADDRINUSE), and so is any other kind of file there.
    public static func listen(path: String, mode: mode_t, backlog: Int32 = 4096) throws(SystemError) -> OwnedDescriptor
    {
        let socket = try make(SOCK_NONBLOCK.rawValue)
        try removeStale(path)
        try withAddress(path) { (address, length) throws(SystemError) in
            try retrying("bind", subject: path) { Glibc.bind(socket.number, address, length) }
        }
        // Nobody can connect before listen, so nobody meets the mode that the umask gave.
        try retrying("chmod", subject: path) { chmod(path, mode) }
        try retrying("listen", subject: path) { Glibc.listen(socket.number, backlog) }
        return socket
    }

    /// Connects, waiting until the listener has room, or so long and then with EAGAIN; the descriptor blocks.
    public static func connect(path: String, timeout: Duration? = nil) throws(SystemError) -> OwnedDescriptor {
        let socket = try make(0)
        if let timeout {
            // Bounds connect too, socket(7). A limit of zero would be none.
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

    /// How what is written to a socket is read at its other end.
    public enum Kind: Sendable {
        /// As bytes.
        case stream
        /// As the messages that were written, SOCK_SEQPACKET.
        case messages
        /// As messages without a connection, SOCK_DGRAM.
        case datagrams
    }

    /// Connects without waiting, EAGAIN where too many wait to be accepted; the descriptor does not block.
    public static func connectAtOnce(path: String, _ kind: Kind = .stream) throws(SystemError) -> OwnedDescriptor {
        let socket = try make(SOCK_NONBLOCK.rawValue, kind)
        try withAddress(path) { (address, length) throws(SystemError) in
            try retrying("connect to", subject: path) { Glibc.connect(socket.number, address, length) }
        }
        return socket
    }

    /// Takes the next waiting connection, non-blocking and close-on-exec; nil where none waits. accept4(2).
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

    /// How many of the bytes the kernel takes without waiting, send(2). One whose peer is gone takes all of them: its end is
    /// reported separately, and what the peer sent before may still be there to be read.
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

    /// Removes a socket file whose listener is gone.
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
            // An abstract name ends where the address does.
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
