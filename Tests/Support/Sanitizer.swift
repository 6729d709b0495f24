import Glibc

/// The sanitizer with which `Scripts/check-sanitize` has built the tests and the programs that they start.
public enum Sanitizer {
    /// Whether there is one. It has a shadow of the memory, with terabytes of addresses, needs memory for what is freed, and
    /// ends a program that copies its own mapped file or shares its memory with another process.
    public static let isActive = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
}
