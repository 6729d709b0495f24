import Glibc
import Platform

/// A copy of a program or a script that every user may run and only its owner may change.
public enum ExecutableCopy {
    /// Makes one. A process of its own writes the file: a process that another test starts meanwhile would have this process's
    /// descriptor for a short time, and a file that is open for writing cannot be executed.
    public static func make(of original: String, at path: String) throws {
        let copy = try CompletedProcess.run("/bin/cp", [original, path])
        guard copy.status.isSuccess else { throw SystemError("copy", code: EIO, subject: "\(path): \(copy.error)") }
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
    }
}
