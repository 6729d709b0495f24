import Varlink

/// The annotations in a comment of an interface's text: its lines that begin with `@`.
///
///     @swift Name      the value has this existing Swift type
///     @open Name       the text is one of the words that the comment lists, `- word: its meaning`, or one that a later
///                      release adds; Name becomes a type of the interface
///     @range 1...1000  the value lies between these, both included
///     @received        the type is only read; its encoding is written by hand
///     @more            the method is called with `more`
///     @callers WHO     the methods of the interface are for anyone, identified or operators; or one method is for operators
///                      or users: operators, and programs with the rights of their user
///     @restart HOW     a call in progress is repeated after a restart, as `CallRepetition` says: unlessSame,
///                      unlessReported or withoutFirstReply; other calls are not, because they may have been done
///     @durable         the method writes to the disk before its reply, and counts against its user's budget
///     @refusal         the error means that the caller is not allowed
struct Annotations {
    /// The comment without those lines, and without listed words, for a docstring.
    let documentation: [String]
    /// The words that the comment lists, and what they mean.
    let words: [(name: String, meaning: String)]
    private let values: [String: String]

    init(_ comment: String) throws(GeneratorError) {
        var documentation: [String] = []
        var values: [String: String] = [:]
        for line in comment.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("@") else {
                documentation.append(String(line))
                continue
            }
            let words = line.dropFirst().split(separator: " ", maxSplits: 1)
            let name = words.first.map(String.init) ?? ""
            guard Self.known.contains(name) else { throw GeneratorError("there is no annotation @\(name)") }
            values[name] = words.count > 1 ? String(words[1]) : ""
        }
        self.values = values
        guard values["open"] != nil else {
            (self.documentation, words) = (documentation, [])
            return
        }
        documentation = documentation.reduce(into: []) { lines, line in
            // A line that is indented continues the meaning of a word.
            if line.hasPrefix("  "), let last = lines.last, last.hasPrefix("- ") {
                lines[lines.count - 1] = last + line.dropFirst()
            } else {
                lines.append(line)
            }
        }
        words = documentation.filter { $0.hasPrefix("- ") }.map { line in
            let parts = line.dropFirst(2).split(separator: ": ", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        self.documentation = documentation.filter { !$0.hasPrefix("- ") }
        if words.isEmpty { throw GeneratorError("@open without a word") }
    }

    private static let known: Set<String> = [
        "swift", "open", "range", "received", "more", "callers", "restart", "durable", "refusal",
    ]

    /// The Swift type that represents the value.
    var swiftType: String? { values["swift"] }
    /// The type of an open set of words that the comment defines.
    var openType: String? { values["open"] }
    /// The range of its values.
    var range: String? { values["range"] }
    /// Whether the type is only read.
    var isReceived: Bool { values["received"] != nil }
    /// Whether a method needs `more`.
    var needsMore: Bool { values["more"] != nil }
    /// The callers allowed for a method, or for the methods of an interface.
    var callers: String? { values["callers"] }
    /// How a call in progress is repeated after a restart; nil where it is not.
    var restart: String? { values["restart"] }
    /// Whether a method writes to the disk before its reply.
    var isDurable: Bool { values["durable"] != nil }
    /// Whether an error means that the caller is not allowed.
    var isRefusal: Bool { values["refusal"] != nil }
}

/// The reason why no Swift can be generated from an interface's text.
public struct GeneratorError: Error, CustomStringConvertible {
    /// The fault and its place.
    public let description: String

    init(_ description: String) { self.description = description }
}
