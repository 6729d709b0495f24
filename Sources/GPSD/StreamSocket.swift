import CLinux
import Glibc
import Location
import Platform

/// A non-blocking stream socket to one of gpsd's addresses.
struct StreamSocket: ~Copyable {
    private let descriptor: OwnedDescriptor
    /// What it leads to, for errors.
    let subject: String
    /// Whether the connection is still being made: the socket becomes writable when that is decided.
    let isPending: Bool

    var number: Int32 { descriptor.number }

    /// Begins to connect, connect(2).
    init(to address: IPAddress, port: UInt16) throws(SystemError) {
        let subject = address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        let descriptor = try Self.make(address.family == .ipv6 ? AF_INET6 : AF_INET, subject)
        // A gpsd on a machine that vanished is noticed without a word from it.
        var on: Int32 = 1
        setsockopt(descriptor.number, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
        isPending = try Self.begin(subject) {
            address.withSocketAddress(port: port) { connect(descriptor.number, $0, $1) }
        }
        self.subject = subject
        self.descriptor = descriptor
    }

    /// Connects to a Unix socket, unix(7).
    init(toPath path: String) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= UnixSocket.maximumPathLength, !bytes.contains(0) else {
            throw SystemError("connect to", code: ENAMETOOLONG, subject: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = try Self.make(AF_UNIX, path)
        isPending = try Self.begin(path) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        subject = path
        self.descriptor = descriptor
    }

    /// Throws what became of a pending connection, SO_ERROR of socket(7).
    func finishConnecting() throws(SystemError) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try retrying("connect to", subject: subject) {
            getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length)
        }
        if code != 0 { throw SystemError("connect to", code: code, subject: subject) }
    }

    /// Reads what is there: the count, 0 at the end, nil where nothing is there yet.
    func read(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        let count = buffer.withUnsafeMutableBytes { bytes in
            var count = -1
            repeat {
                count = recv(descriptor.number, bytes.baseAddress, bytes.count, 0)
            } while count < 0 && errno == EINTR
            return count
        }
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        throw SystemError("read from", subject: subject)
    }

    /// Writes what there is room for, and returns how much.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            var count = -1
            repeat {
                count = send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            } while count < 0 && errno == EINTR
            return count
        }
        if count >= 0 { return count }
        if errno == EAGAIN { return 0 }
        throw SystemError("write to", subject: subject)
    }

    private static func make(_ family: Int32, _ subject: String) throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("socket", subject: subject) {
            socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
    }

    /// Whether the connection is pending. An interrupted connect goes on by itself.
    private static func begin(_ subject: String, _ connect: () -> Int32) throws(SystemError) -> Bool {
        if connect() == 0 { return false }
        guard errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect to", subject: subject) }
        return true
    }
}
