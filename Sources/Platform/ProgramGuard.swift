import CLinux
import Glibc

/// Whether a user could replace a program: by writing to its file, or by putting another file at its path.
public enum ProgramGuard {
    /// How the user could: the rest of a sentence that begins with the program's name. Nil if the user could not.
    ///
    /// `belongs` returns whether the user is in a group. The path comes from `ProgramEvidence` and has no symbolic
    /// links.
    public static func objection(to path: String, user: uid_t, belongs: (gid_t) -> Bool) -> String? {
        var ancestor = path
        while true {
            var status = stat()
            guard lstat(ancestor, &status) == 0 else {
                return "cannot be examined: \(ancestor): \(SystemError.text(errno))"
            }
            if isChangeable(status, at: ancestor, user: user, belongs: belongs) {
                return ancestor == path
                    ? "may be written by the user who runs it"
                    : "may be replaced by the user who runs it, who may write to \(ancestor)"
            }
            guard ancestor != "/", let slash = ancestor.lastIndex(of: "/") else { return nil }
            ancestor = slash == ancestor.startIndex ? "/" : String(ancestor[..<slash])
        }
    }

    /// For a program that is installed setgid: why a process of it that lacked the program's group when it connected is
    /// not trusted, as the rest of a sentence that begins with the program's name. Nil if there is no objection.
    ///
    /// A process without the group was started with `no_new_privs` (prctl(2)) or from a file system that is mounted
    /// `nosuid`, so that the loader did not ignore `LD_PRELOAD`; or it connected before it became this program by
    /// execve(2).
    public static func groupObjection(to path: String, belongs: (gid_t) -> Bool) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "cannot be examined: \(SystemError.text(errno))" }
        // Without the group's execute bit, the setgid bit has another meaning, inode(7).
        guard status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, !belongs(status.st_gid) else { return nil }
        return "runs without the group that its file gives it (started with no_new_privs, or from a nosuid mount)"
    }

    private static func isChangeable(
        _ status: stat, at path: String, user: uid_t, belongs: (gid_t) -> Bool
    ) -> Bool {
        if status.st_uid == user { return true }
        // In a sticky folder such as /tmp every user may add entries, but only the owner of an entry may remove it,
        // unlink(2), and the next component of the path does not belong to this user.
        if status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_ISVTX != 0 { return false }
        if status.st_mode & S_IWOTH != 0 { return true }
        // With an access control list, the group's bits are the maximum that any user named in it has, acl(5).
        return status.st_mode & S_IWGRP != 0
            && (belongs(status.st_gid) || waymark_has_access_list(path) != 0)
    }
}
