import CNetlink
import Glibc
import Platform

/// A socket to the kernel's routing, rtnetlink(7), which is closed with its owner. It belongs to the network namespace
/// that it was made in, wherever its process is.
public struct NetlinkSocket: ~Copyable {
    private let handle: OpaquePointer

    /// Opens one in the network namespace of the calling thread, nl_connect(3).
    public init() throws(NetlinkError) {
        try self.init("open a netlink socket") { nl_connect($0, NETLINK_ROUTE) }
    }

    /// Takes over one that somebody else opened, as systemd does for `ListenNetlink=route`, nl_socket_set_fd(3).
    public init(adopting descriptor: consuming OwnedDescriptor) throws(NetlinkError) {
        let number = descriptor.release()
        try self.init("take over a netlink socket") { handle in
            let status = nl_socket_set_fd(handle, NETLINK_ROUTE, number)
            if status < 0 { _ = Glibc.close(number) }
            return status
        }
        // Who hands over a socket may have left it open for programs that are started.
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

    /// Closes it now.
    public consuming func close() {}

    /// Whether a descriptor is a netlink socket to the kernel's routing.
    public static func isRouteSocket(_ descriptor: Int32) -> Bool {
        option(SO_DOMAIN, of: descriptor) == AF_NETLINK
            && option(SO_PROTOCOL, of: descriptor) == NETLINK_ROUTE
    }

    /// Its descriptor.
    public var number: Int32 { nl_socket_get_fd(handle) }

    /// The address the kernel answers to, netlink(7).
    var port: UInt32 { nl_socket_get_local_port(handle) }

    /// The network it belongs to; nil where the kernel does not tell.
    public var network: NetworkIdentity? {
        do throws(SystemError) { return try NetworkIdentity(of: number) } catch { return nil }
    }

    /// How many bytes the kernel keeps for it before it drops messages, SO_RCVBUF: twice what was asked for, as the
    /// kernel counts its own needs too.
    public var receiveBufferBytes: Int { Int(Self.option(SO_RCVBUF, of: number) ?? 0) }

    /// Asks for room for so many bytes: beyond the system's limit where this process may, SO_RCVBUFFORCE, and else up to
    /// it, SO_RCVBUF. A larger buffer that somebody has set before stays.
    public func setReceiveBuffer(atLeast bytes: Int32) {
        guard receiveBufferBytes < Int(bytes) * 2 else { return }
        if !set(SOL_SOCKET, SO_RCVBUFFORCE, bytes) { set(SOL_SOCKET, SO_RCVBUF, bytes) }
    }

    /// Takes part in a group of announcements, RTNLGRP_*.
    func join(_ group: rtnetlink_groups) throws(NetlinkError) {
        let status = nl_socket_add_membership(handle, Int32(group.rawValue))
        try NetlinkError.check("listen to the kernel's announcements", status)
    }

    /// Takes part in no announcements any more.
    func leaveAll() {
        for group in 1..<Int32(__RTNLGRP_MAX.rawValue) { nl_socket_drop_membership(handle, group) }
    }

    /// Sets a number; whether that was allowed.
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
