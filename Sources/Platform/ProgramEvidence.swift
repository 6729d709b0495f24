import Glibc

/// Which program a process runs, as far as it may be known.
public enum ProgramEvidence: Equatable, Sendable {
    /// The file of this path on this system.
    case file(String)
    /// Not known, and why: the rest of a sentence that begins with "its program".
    case unknown(String)

    /// The program of the process of this number, from /proc/PID/exe, proc(5).
    ///
    /// The path there is the process's own view: in a mount namespace of its own anybody can lay any file over any path.
    /// So the file that it runs has to be the very one that this system has at that path.
    public static func of(processID: pid_t) -> ProgramEvidence {
        let link = "/proc/\(processID)/exe"
        guard let path = LinkTarget.read(link) else {
            return .unknown("may not be read: \(SystemError.text(errno))")
        }
        var (running, present) = (stat(), stat())
        guard stat(link, &running) == 0 else { return .unknown("may not be read: \(SystemError.text(errno))") }
        let deleted = " (deleted)"
        guard stat(path, &present) == 0 else {
            return .unknown(
                path.hasSuffix(deleted)
                    ? "was replaced or removed since it was started: start it again"
                    : "is not on this system at its path")
        }
        guard running.st_dev == present.st_dev, running.st_ino == present.st_ino else {
            return .unknown("is another file than the one that this system has at its path")
        }
        return .file(path)
    }
}
