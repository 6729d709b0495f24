import Glibc

/// The environment of this process.
public enum ProcessEnvironment {
    /// The value of a variable; nil if it is missing or empty. getenv(3).
    public static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A copy of all variables, with some added or replaced: for a child, because setenv(3) in a program with threads is an
    /// error while any of them reads the environment. environ(7).
    public static func all(with changes: [String: String]) -> [String: String] {
        var variables: [String: String] = [:]
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables.merging(changes) { _, new in new }
    }
}
