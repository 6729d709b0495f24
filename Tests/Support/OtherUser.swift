import CTest
import Glibc
import Platform

/// Connections that the kernel says come from somebody else: for tests of who may have what. Only root can make them.
public enum OtherUser {
    /// The user that owns nothing, Debian's `nobody`.
    public static let nobody: uid_t = 65_534
    /// Whether this process may take on another user's identity.
    public static var isPossible: Bool { geteuid() == 0 && Capability.setUser.isHeld && Capability.setGroups.isHeld }

    /// Connects to a Unix socket as another user, a member of these groups. The user has to be able to get there.
    ///
    /// Only the calling thread changes, and only while it connects; the kernel keeps for the peer who connected.
    public static func connect(
        to path: String, as user: uid_t = nobody, groups: [gid_t] = []
    ) throws(SystemError) -> OwnedDescriptor {
        var own = [gid_t](repeating: 0, count: 1_024)
        let count = try retrying("list the groups") { getgroups(Int32(own.count), &own) }
        try retrying("become another user") { waymark_test_become(user, gid_t(user), groups, groups.count) }
        defer {
            // A thread that stays somebody else would spoil whatever runs on it next.
            let status = waymark_test_return(own, Int(count))
            precondition(status == 0, "this thread is not root's again: \(SystemError.text(errno))")
        }
        return try UnixSocket.connect(path: path, timeout: .seconds(10))
    }
}
