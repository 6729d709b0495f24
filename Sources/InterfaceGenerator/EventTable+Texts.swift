// The four texts that are made from the table of events: Swift source, the catalog of the system's journal, the table of a
// page of the documentation, and the comment of an interface.

extension EventTable {
    /// The Swift source of `EventKind`.
    public func swift() throws(GeneratorError) -> String {
        var swift = SwiftText()
        swift.line("// Made from event-kinds.txt by `make interfaces`: change that file, not this one.")
        swift.line()
        let documentation = [
            "The kind of an event. The raw value is stored in the database and is never renamed.", "",
            "A newer release may have written other kinds, which are read as their raw text.",
        ]
        swift.documentation(documentation, otherwise: "")
        try swift.block("public enum EventKind: String, CaseIterable, Sendable") { (swift) in
            for entry in entries {
                swift.documentation([entry.meaning], otherwise: "")
                swift.line("case \(InterfaceGenerator.identifier(entry.kind))")
            }
        }
        swift.line()
        try swift.block("extension EventKind") { (swift) throws(GeneratorError) in
            try writeMembers(&swift)
        }
        return swift.text
    }

    private func writeMembers(_ swift: inout SwiftText) throws(GeneratorError) {
        try writeProperty(
            "words: String", "What has happened, in a few words for a person.", otherwise: nil, &swift
        ) { "\"\($0.words)\"" }
        swift.line()
        try writeProperty(
            "color: EventColor?", "The color of the words in a terminal; nil for the usual one.", otherwise: "nil",
            &swift
        ) { entry in entry.color.map { ".\($0)" } }
        swift.line()
        try writeProperty(
            "isLoss: Bool", "Whether the event is a loss or a failure.", otherwise: "false", &swift
        ) { $0.isLoss ? "true" : nil }
        swift.line()
        try writeProperty(
            "messageID: String?",
            """
            The MESSAGE_ID of systemd.journal-fields(7) by which the system's journal and its catalog identify an event \
            of this kind; nil for a kind that is not written there.
            """, otherwise: "nil", &swift
        ) { entry in entry.explanation.map { "\"\($0.messageID)\"" } }
    }

    /// A property with a value for each kind. Kinds for which `value` is nil have the fallback.
    private func writeProperty(
        _ declaration: String, _ documentation: String, otherwise fallback: String?, _ swift: inout SwiftText,
        _ value: (Entry) -> String?
    ) throws(GeneratorError) {
        swift.documentation([documentation], otherwise: "")
        try swift.block("public var \(declaration)") { (swift) in
            swift.line("switch self {")
            for entry in entries {
                guard let value = value(entry) else { continue }
                swift.line("case .\(entry.kind): \(value)")
            }
            if let fallback, entries.contains(where: { value($0) == nil }) { swift.line("default: \(fallback)") }
            swift.line("}")
        }
    }

    /// The catalog of the system's journal.
    public var catalog: String {
        let head = """
            # What `journalctl -x` says of the events of waymarkd. Made from Sources/Events/event-kinds.txt by
            # `make interfaces`: change that file, not this one.

            """
        return entries.reduce(into: head) { text, entry in
            guard let explanation = entry.explanation else { return }
            text += """

                -- \(explanation.messageID)
                Subject: \(explanation.subject)
                Defined-By: Waymark
                Documentation: man:waymarkd(8)

                \(explanation.text)
                """
        }
    }

    /// A page of the documentation with the table of the kinds between its markers; nil without these.
    public func pageWithKinds(_ page: String) -> String? {
        let rows = entries.map { "| `\($0.kind)` | \($0.meaning) | \($0.details) |\n" }
        return Self.replacing(
            in: page, from: "<!-- begin events -->\n", to: "<!-- end events -->\n",
            with: "| kind | meaning | details |\n| --- | --- | --- |\n" + rows.joined())
    }

    /// The text of an interface with the kinds listed in the comment of its member `kind`; nil without that comment.
    public func interfaceWithKinds(_ text: String) -> String? {
        let lines = entries.map { "  # - \($0.kind)\n" }
        return Self.replacing(
            in: text, from: "  # The kind of the event. New words may come.\n", to: "  # @open EventKind\n",
            with: lines.joined())
    }

    private static func replacing(
        in text: String, from begin: String, to end: String, with part: String
    ) -> String? {
        guard let start = text.firstRange(of: begin)?.upperBound,
            let stop = text[start...].firstRange(of: end)?.lowerBound
        else { return nil }
        return text[..<start] + part + text[stop...]
    }
}
