import Configuration

/// Something wrong with a manifest or a file of restrictions.
public struct FileProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable {
        /// The file does not count.
        case error
        /// The file counts, but this part of it does not, or a person will not be served well by it.
        case warning
    }

    /// How bad it is.
    public let severity: Severity
    /// The file or folder.
    public let file: String
    /// The line, from 1; nil where it is about the file as a whole.
    public let line: Int?
    /// The key it is about, with its locale, where there is one.
    public let key: String?
    /// What is wrong, what is allowed, and what was probably meant.
    public let message: String

    /// A problem of this file.
    public init(_ severity: Severity, file: String, line: Int? = nil, key: String? = nil, _ message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }

    /// One line: `map.app:3: error: Exec: “map” is not an absolute path`.
    public var description: String {
        var place = ConfigurationProblem.printable(file, limit: 4_096)
        if let line { place += ":\(line)" }
        let subject = key.map { ConfigurationProblem.printable($0) + ": " } ?? ""
        return "\(place): \(severity): \(subject)\(message)"
    }
}
