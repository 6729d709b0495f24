/// The kinds of events: the table Sources/Events/event-kinds.txt, which describes its own form, and what is generated
/// from it.
public struct EventTable {
    /// A kind of event.
    public struct Entry {
        /// The name.
        public let kind: String
        /// What has happened: as a sentence, and in a few words.
        public let meaning, words: String
        /// The names of the details and what they contain, in Markdown; empty where there are none.
        public let details: String
        /// The color of the words in a terminal; nil for the usual one.
        public let color: String?
        /// Whether the event is a loss or a failure.
        public let isLoss: Bool
        /// What the system's journal has; nil for a kind that is not written there.
        public let explanation: Explanation?
    }

    /// The explanation that `journalctl -x` shows.
    public struct Explanation {
        /// The MESSAGE_ID.
        public let messageID: String
        /// The title.
        public let subject: String
        /// What the event means and what to do.
        public let text: String
    }

    /// The kinds, in the order of the table.
    public let entries: [Entry]

    /// Reads a table.
    /// - Throws: Where an entry lacks a line, or has an unknown or invalid one, or repeats a name or an ID.
    public init(_ text: String) throws(GeneratorError) {
        var entries: [Entry] = []
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("Kind: ") }
        var rest = Array(body)
        while !rest.isEmpty {
            let end = rest.dropFirst().firstIndex { $0.hasPrefix("Kind: ") } ?? rest.endIndex
            entries.append(try Self.entry(rest[..<end]))
            rest.removeSubrange(..<end)
        }
        self.entries = entries
        try Self.checkUnique("Kind", entries.map(\.kind))
        try Self.checkUnique("Words", entries.map(\.words))
        try Self.checkUnique("Message-ID", entries.compactMap { $0.explanation?.messageID })
        try Self.checkUnique("Subject", entries.compactMap { $0.explanation?.subject })
    }

    private static func checkUnique(_ name: String, _ values: [String]) throws(GeneratorError) {
        var seen: Set<String> = []
        for value in values where !seen.insert(value).inserted { throw GeneratorError("\(name): \(value) is repeated") }
    }

    private static let names: Set<Substring> = [
        "Kind", "Meaning", "Words", "Details", "Color", "Priority", "Message-ID", "Subject",
    ]

    private static func entry(_ lines: ArraySlice<Substring>) throws(GeneratorError) -> Entry {
        let kind = lines.first?.dropFirst("Kind: ".count) ?? ""
        var values: [Substring: String] = [:]
        for line in lines.prefix(while: { !$0.isEmpty }) {
            guard let colon = line.firstRange(of: ": "), names.contains(line[..<colon.lowerBound]) else {
                throw GeneratorError("\(kind): \(line)")
            }
            values[line[..<colon.lowerBound]] = String(line[colon.upperBound...])
        }
        func required(_ name: Substring) throws(GeneratorError) -> String {
            guard let value = values[name] else { throw GeneratorError("\(kind) has no \(name)") }
            return value
        }
        if let color = values["Color"], !["green", "yellow", "cyan", "red"].contains(color) {
            throw GeneratorError("\(kind): Color: \(color)")
        }
        if let priority = values["Priority"], priority != "warning" {
            throw GeneratorError("\(kind): Priority: \(priority)")
        }
        let text = lines.drop { !$0.isEmpty }.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed()
        var explanation: Explanation?
        if let id = values["Message-ID"] {
            guard id.utf8.count == 32, id.allSatisfy({ "0123456789abcdef".contains($0) }) else {
                throw GeneratorError("\(kind): Message-ID: \(id)")
            }
            if text.isEmpty { throw GeneratorError("\(kind) has no explanation") }
            explanation = Explanation(
                messageID: id, subject: try required("Subject"), text: text.map { $0 + "\n" }.joined())
        } else if !text.isEmpty || values["Subject"] != nil {
            throw GeneratorError("\(kind) has an explanation, but no Message-ID")
        }
        return Entry(
            kind: try required("Kind"), meaning: try required("Meaning"), words: try required("Words"),
            details: values["Details"] ?? "", color: values["Color"], isLoss: values["Priority"] != nil,
            explanation: explanation)
    }
}
