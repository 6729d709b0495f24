import CLinux
import Glibc
import NetworkPaths
import Platform

/// A non-blocking stream socket to one of gpsd's addresses.
struct StreamSocket: ~Copyable {
    private let descriptor: OwnedDescriptor
    /// The address, for errors.
    let subject: String
    /// Whether the connection is still being made: the socket becomes writable when that has ended.
    let isPending: Bool

    var number: Int32 { descriptor.number }

    /// Starts to connect, connect(2).
    init(to address: IPAddress, port: UInt16) throws(SystemError) {
        let subject = address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        let descriptor = try Self.make(address.family == .ipv6 ? AF_INET6 : AF_INET, subject)
        Self.noticeLostPeers(descriptor.number)
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

    /// The connection of an earlier process; nil, and closed, if it does not lead to this endpoint.
    init?(adopting descriptor: consuming OwnedDescriptor, to endpoint: Endpoint) {
        guard Self.isConnected(descriptor.number, to: endpoint) else { return nil }
        self.descriptor = descriptor
        subject = "\(endpoint)"
        isPending = false
    }

    /// Whether a socket is connected to this endpoint, according to the kernel.
    private static func isConnected(_ number: Int32, to endpoint: Endpoint) -> Bool {
        guard let peer = peerAddress(of: number) else { return false }
        switch endpoint {
        case .unix(let path):
            let family = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) }
            return peer == family + Array(path.utf8) + [0]
        case .tcp(let addresses, let port):
            return addresses.contains { address in
                address.withSocketAddress(port: port) {
                    peer.elementsEqual(UnsafeRawBufferPointer(start: $0, count: Int($1)))
                }
            }
        }
    }

    /// The socket address of the peer, getpeername(2); nil if it is no longer connected.
    private static func peerAddress(of number: Int32) -> [UInt8]? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &length) }
        }
        guard status == 0 else { return nil }
        return withUnsafeBytes(of: &address) { Array($0.prefix(Int(length))) }
    }

    /// Throws the error of a pending connection, SO_ERROR of socket(7), if there is one.
    func finishConnecting() throws(SystemError) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try retrying("connect to", subject: subject) {
            getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length)
        }
        if code != 0 { throw SystemError("connect to", code: code, subject: subject) }
    }

    /// Reads available data, recv(2): the count, 0 at the end, nil if there is none yet.
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

    /// Writes as many bytes as the kernel accepts, and returns their number.
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

    /// Makes the kernel end a connection to a machine that has disappeared, tcp(7): after 15 s without a segment it
    /// sends a probe every 5 s, and ends the connection after 3 unanswered probes, after 30 s in all. Sent data that is
    /// not acknowledged for 30 s ends it as well. With the system's defaults it would take more than two hours.
    private static func noticeLostPeers(_ number: Int32) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            // If the kernel refuses an option, its default applies; `Session` queries a silent gpsd in any case.
            setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        let tcp = Int32(IPPROTO_TCP)
        set(tcp, TCP_KEEPIDLE, 15)
        set(tcp, TCP_KEEPINTVL, 5)
        set(tcp, TCP_KEEPCNT, 3)
        set(tcp, TCP_USER_TIMEOUT, 30_000)
    }

    /// Releases the ownership of the descriptor.
    consuming func release() -> OwnedDescriptor { descriptor }

    private static func make(_ family: Int32, _ subject: String) throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("socket", subject: subject) {
            socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
    }

    /// Whether the connection is pending. The kernel continues an interrupted connect.
    private static func begin(_ subject: String, _ connect: () -> Int32) throws(SystemError) -> Bool {
        if connect() == 0 { return false }
        guard errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect to", subject: subject) }
        return true
    }
}
