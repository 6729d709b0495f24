import CLinux
import Glibc

/// When a directory was made. statx(2)
public enum DirectoryBirth {
    /// When a user's directory was made, in microseconds since 1970: a time that the kernel sets and nobody else can.
    ///
    /// Nil where the time says nothing about the user: for a symbolic link or anything else that is no directory, for a directory
    /// of another user, for one on which a file system is mounted, as that has an age of its own, and where the file system
    /// does not know or cannot be asked. Waits for a disk that does not answer.
    public static func microseconds(of path: String, owner: uid_t) -> Int64? {
        let birth = waymark_directory_birth(path, owner)
        return birth > 0 ? birth : nil
    }
}
