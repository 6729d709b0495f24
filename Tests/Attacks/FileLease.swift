import Glibc
import Platform

/// A lease of a file, which nobody else has open: whoever opens it waits in open(2) until the lease is released, at most
/// for the seconds of /proc/sys/fs/lease-break-time. F_SETLEASE of fcntl(2).
final class FileLease {
    private let file: OwnedDescriptor
    /// F_SETSIG and F_SETLEASE, which the module of the C library leaves out.
    private static let (setSignal, setLease): (Int32, Int32) = (10, 1_024)

    /// Takes the lease.
    init(_ path: String) throws(SystemError) {
        file = try OwnedDescriptor("open", subject: path) { open(path, O_RDWR | O_CLOEXEC) }
        let number = file.number
        // The kernel reports that somebody waits by a signal, which would be SIGIO and end the process: SIGURG is
        // ignored.
        try retrying("choose a signal", subject: path) { fcntl(number, Self.setSignal, SIGURG) }
        try retrying("lease", subject: path) { fcntl(number, Self.setLease, F_WRLCK) }
    }

    /// Releases it.
    func release() throws(SystemError) {
        let number = file.number
        try retrying("release the lease") { fcntl(number, Self.setLease, F_UNLCK) }
    }
}
