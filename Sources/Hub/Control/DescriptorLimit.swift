import Glibc

/// The most descriptors that this process may open.
enum DescriptorLimit {
    /// RLIMIT_NOFILE of getrlimit(2).
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}
