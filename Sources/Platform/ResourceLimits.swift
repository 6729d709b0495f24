import CLinux
import Glibc

/// The resource limits of the process, getrlimit(2).
public enum ResourceLimits {
    /// Raises the limit of open descriptors to the maximum that the system permits: each client needs two.
    public static func raiseOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
            Log.warning("\(SystemError("raise the limit of open descriptors"))")
        }
    }
}
