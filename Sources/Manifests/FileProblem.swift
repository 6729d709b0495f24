import Configuration

/// A problem of a manifest or a file of restrictions.
public struct FileProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The effect of a problem.
    public enum Severity: String, Sendable {
        /// The file is ignored.
        case error
        /// The file applies, but this part of it does not, or it should be improved.
        case warning
    }

    /// The effect.
    public let severity: Severity
    /// The file or folder.
    public let file: String
    /// The line, from 1; nil if the problem concerns the whole file.
    public let line: Int?
    /// The key with its locale, if the problem concerns one.
    public let key: String?
    /// What is wrong, what is permitted, and what was probably intended.
    public let message: String

    /// A problem of this file.
    public init(_ severity: Severity, file: String, line: Int? = nil, key: String? = nil, _ message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }

    /// The problem on one line: `map.app:3: error: Exec: “map” is not an absolute path`.
    public var description: String {
        var place = ConfigurationProblem.printable(file, limit: 4_096)
        if let line { place += ":\(line)" }
        let subject = key.map { ConfigurationProblem.printable($0) + ": " } ?? ""
        return "\(place): \(severity): \(subject)\(message)"
    }
}
