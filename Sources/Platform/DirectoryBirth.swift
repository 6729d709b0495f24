import CLinux
import Glibc

/// The creation time of a directory, statx(2).
public enum DirectoryBirth {
    /// The creation time of a user's directory in microseconds since 1970. The kernel sets it and no program can change
    /// it.
    ///
    /// Nil if the time says nothing about the user: for a symbolic link or another file type, for a directory of
    /// another user, for a mount point (a file system has a creation time of its own), and if the file system does not
    /// store it or cannot be queried. Blocks while a disk does not respond.
    public static func microseconds(of path: String, owner: uid_t) -> Int64? {
        let birth = waymark_directory_birth(path, owner)
        return birth > 0 ? birth : nil
    }
}
