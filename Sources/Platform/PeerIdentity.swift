import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel says, taken when the connection is accepted.
public final class PeerIdentity: Sendable {
    /// The process that connected. Numbers are used again: `isAlive` tells whether this is still that process.
    public let processID: pid_t
    /// Its effective user when it connected.
    public let userID: uid_t
    /// Its effective group when it connected.
    public let groupID: gid_t
    /// Its supplementary groups when it connected, SO_PEERGROUPS of socket(7).
    public let supplementaryGroups: [gid_t]
    /// Whether the process was bound to the connection by the kernel (SO_PEERPIDFD, Linux 6.5), or looked up by its
    /// number a moment later, which a process that ends and another that takes its number can win.
    public let isRacy: Bool
    private let pidfd: OwnedDescriptor?

    /// Asks the kernel about the peer of a connected socket.
    public init(socket: Int32) throws(SystemError) {
        var credentials = waymark_peer_credentials()
        try retrying("ask for the peer's credentials") { waymark_peer_credentials(socket, &credentials) }
        processID = credentials.pid
        userID = credentials.uid
        groupID = credentials.gid
        supplementaryGroups = try Self.groups(socket)
        let bound = waymark_peer_pidfd(socket)
        if bound >= 0 {
            pidfd = OwnedDescriptor(adopting: bound)
            isRacy = false
        } else {
            let opened = credentials.pid > 0 ? waymark_pidfd_open(credentials.pid) : -1
            pidfd = opened >= 0 ? OwnedDescriptor(adopting: opened) : nil
            isRacy = true
        }
    }

    /// Whether the process still runs: a pidfd becomes readable when it ends, pidfd_open(2).
    public var isAlive: Bool {
        switch pidfd {
        case .some(let descriptor):
            var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) == 0
        case .none:
            return false
        }
    }

    /// Whether the peer had this group, as its own or as a supplementary one.
    public func belongs(to group: gid_t) -> Bool {
        groupID == group || supplementaryGroups.contains(group)
    }

    private static func groups(_ socket: Int32) throws(SystemError) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 64)
        while true {
            var length = socklen_t(groups.count * MemoryLayout<gid_t>.stride)
            if getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<gid_t>.stride))
            }
            // ERANGE says in `length` how much room the list needs.
            guard errno == ERANGE, Int(length) > groups.count * MemoryLayout<gid_t>.stride else {
                throw SystemError("ask for the peer's groups")
            }
            groups = [gid_t](repeating: 0, count: Int(length) / MemoryLayout<gid_t>.stride)
        }
    }

    /// The number of a group by its name, getgrnam_r(3); nil where there is none.
    public static func groupID(named name: String) throws(SystemError) -> gid_t? {
        var buffer = [CChar](repeating: 0, count: 4096)
        while true {
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0: return found == nil ? nil : entry.gr_gid
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case ENOENT, ESRCH: return nil
            default: throw SystemError("look up the group", code: status, subject: name)
            }
        }
    }
}
