import Glibc

/// The sanitizer with which `Scripts/check-sanitize` has built the tests and the programs that they start.
public enum Sanitizer {
    /// Whether it is that for threads: it does not support clone(2) of a process that shares the memory of this one.
    public static let watchesThreads = getenv("TSAN_OPTIONS") != nil

    /// Whether there is one. It has a shadow of the memory, of terabytes of addresses, and needs memory for what is freed.
    public static let isActive = watchesThreads || getenv("ASAN_OPTIONS") != nil
}
