/// An error in the configuration that prevents the daemon from starting, or a reload from being applied.
public struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file or folder, by the path given.
    public let file: String
    /// The line, from 1; nil for an error of the whole file.
    public let line: Int?
    /// The section, if any.
    public let section: String?
    /// The key, if any.
    public let key: String?
    /// The error, the allowed values, and the probable intention.
    public let message: String

    init(file: String, line: Int? = nil, section: String? = nil, key: String? = nil, _ message: String) {
        self.file = file
        self.line = line
        self.section = section
        self.key = key
        self.message = message
    }

    /// One line: `waymark.conf:12: [Receiver] GPDS: unknown setting. Did you mean GPSD?`
    public var description: String {
        var place = Self.printable(file, limit: 4_096)
        if let line { place += ":\(line)" }
        let subject = [section.map { "[\(Self.printable($0))]" }, key.map { Self.printable($0) }].compactMap { $0 }
        return ([place] + (subject.isEmpty ? [] : [subject.joined(separator: " ")]) + [message])
            .joined(separator: ": ")
    }

    /// A text of a file in quotation marks, safe for a terminal.
    public static func quoted(_ text: String) -> String { "“\(printable(text))”" }

    /// A text without control characters of a terminal, cut to the length that suits a message.
    public static func printable(_ text: String, limit: Int = 80) -> String {
        var result = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return result + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
