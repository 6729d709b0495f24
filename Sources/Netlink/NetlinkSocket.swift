import CNetlink
import Glibc
import Platform

/// An rtnetlink(7) socket, which is closed with its owner. It belongs to the network namespace that it was opened in,
/// even if its process enters another one.
public struct NetlinkSocket: ~Copyable {
    private let handle: OpaquePointer

    /// Opens a socket in the network namespace of the calling thread, nl_connect(3).
    public init() throws(NetlinkError) {
        try self.init("open a netlink socket") { nl_connect($0, NETLINK_ROUTE) }
    }

    /// Adopts an open socket, such as the one of systemd's `ListenNetlink=route`, nl_socket_set_fd(3).
    public init(adopting descriptor: consuming OwnedDescriptor) throws(NetlinkError) {
        let number = descriptor.release()
        try self.init("adopt a netlink socket") { handle in
            let status = nl_socket_set_fd(handle, NETLINK_ROUTE, number)
            if status < 0 { _ = Glibc.close(number) }
            return status
        }
        // The previous owner may have left the descriptor open for child processes.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    private init(_ operation: String, _ connect: (OpaquePointer) -> Int32) throws(NetlinkError) {
        guard let handle = nl_socket_alloc() else { throw NetlinkError(operation, code: Int32(NLE_NOMEM)) }
        var status = connect(handle)
        if status >= 0 { status = nl_socket_set_nonblocking(handle) }
        guard status >= 0 else {
            nl_socket_free(handle)
            throw NetlinkError(operation, code: status)
        }
        self.handle = handle
    }

    deinit {
        nl_socket_free(handle)
    }

    /// Closes the socket now.
    public consuming func close() {}

    /// Whether a descriptor is an rtnetlink socket.
    public static func isRouteSocket(_ descriptor: Int32) -> Bool {
        option(SO_DOMAIN, of: descriptor) == AF_NETLINK
            && option(SO_PROTOCOL, of: descriptor) == NETLINK_ROUTE
    }

    /// The descriptor.
    public var number: Int32 { nl_socket_get_fd(handle) }

    /// The address to which the kernel sends replies, netlink(7).
    var port: UInt32 { nl_socket_get_local_port(handle) }

    /// The network namespace of the socket; nil if the kernel does not report it.
    public var network: NetworkIdentity? {
        do throws(SystemError) { return try NetworkIdentity(of: number) } catch { return nil }
    }

    /// The size of the kernel's receive buffer before it drops messages, SO_RCVBUF. It is twice the requested size,
    /// because the kernel includes its own overhead.
    public var receiveBufferBytes: Int { Int(Self.option(SO_RCVBUF, of: number) ?? 0) }

    /// Requests a receive buffer of this size: beyond the system's limit if this process has the privilege,
    /// SO_RCVBUFFORCE, otherwise up to the limit, SO_RCVBUF. A larger buffer is left unchanged.
    public func setReceiveBuffer(atLeast bytes: Int32) {
        guard receiveBufferBytes < Int(bytes) * 2 else { return }
        if !set(SOL_SOCKET, SO_RCVBUFFORCE, bytes) { set(SOL_SOCKET, SO_RCVBUF, bytes) }
    }

    /// Joins a multicast group of announcements, RTNLGRP_*.
    func join(_ group: rtnetlink_groups) throws(NetlinkError) {
        let status = nl_socket_add_membership(handle, Int32(group.rawValue))
        try NetlinkError.check("listen to the kernel's announcements", status)
    }

    /// Leaves all multicast groups.
    func leaveAll() {
        for group in 1..<Int32(__RTNLGRP_MAX.rawValue) { nl_socket_drop_membership(handle, group) }
    }

    /// Sets an integer option. Returns whether the kernel accepted it.
    @discardableResult
    func set(_ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    private static func option(_ name: Int32, of socket: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
