import CTest
import Glibc
import Platform

/// Connections of another user, as seen by the kernel: for tests of access rights. They need root.
public enum OtherUser {
    /// The user that owns nothing, Debian's `nobody`.
    public static let nobody: uid_t = 65_534
    /// Whether this process may change to another user's identity.
    public static var isPossible: Bool { geteuid() == 0 && Capability.setUser.isHeld && Capability.setGroups.isHeld }

    /// Connects to a Unix socket as another user, a member of these groups. The user has to be able to get there.
    public static func connect(
        to path: String, as user: uid_t = nobody, groups: [gid_t] = []
    ) throws(SystemError) -> OwnedDescriptor {
        let own = try become(user, groups)
        defer { become(rootWith: own) }
        return try UnixSocket.connect(path: path, timeout: .seconds(60))
    }

    /// Does something as another user, a member of these groups, without any capability of root's.
    public static func act<Result: ~Copyable>(
        as user: uid_t = nobody, groups: [gid_t] = [], _ body: () throws -> Result
    ) throws -> Result {
        let own = try become(user, groups)
        defer { become(rootWith: own) }
        return try body()
    }

    /// Changes only the calling thread, and only for the duration of the closure; sockets remember their creator.
    /// Returns the groups that the thread had.
    private static func become(_ user: uid_t, _ groups: [gid_t]) throws(SystemError) -> [gid_t] {
        var own = [gid_t](repeating: 0, count: 1_024)
        let count = try retrying("list the groups") { getgroups(Int32(own.count), &own) }
        try retrying("become another user") { waymark_test_become(user, gid_t(user), groups, groups.count) }
        return Array(own.prefix(Int(count)))
    }

    private static func become(rootWith groups: [gid_t]) {
        // A thread that remains another user would break the next job on it.
        let status = waymark_test_return(groups, groups.count)
        precondition(status == 0, "this thread is not root's again: \(SystemError.text(errno))")
    }
}
