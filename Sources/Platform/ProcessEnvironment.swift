import Glibc

/// The environment of this process.
public enum ProcessEnvironment {
    /// The value of a variable; nil if it is missing or empty. getenv(3).
    public static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
