/// Swift source that is written line by line, each line indented by the depth of the block that it is in.
struct SwiftText {
    private(set) var text = ""
    private var depth = 0
    private static let longestLine = 120

    mutating func indented(_ body: (inout SwiftText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    mutating func line(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        text += "\n"
    }

    mutating func block(
        _ head: String, _ body: (inout SwiftText) throws(GeneratorError) -> Void
    ) throws(GeneratorError) {
        line(head + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// A literal of these elements: on one line for at most one element, else one element per line.
    mutating func list(_ head: String, _ elements: [String], otherwise empty: String = "[]") {
        guard elements.count > 1 else { return line("\(head) " + (elements.first.map { "[\($0)]" } ?? empty)) }
        line("\(head) [")
        for element in elements { line("    \(element),") }
        line("]")
    }

    /// A call whose arguments are on one line if they fit, else on as few lines of their own as they need.
    mutating func call(_ head: String, _ arguments: [String]) {
        let short = "\(head)(\(arguments.joined(separator: ", ")))"
        if depth * 4 + short.count <= Self.longestLine { return line(short) }
        line(head + "(")
        var filled = ""
        for (index, argument) in arguments.enumerated() {
            let piece = argument + (index == arguments.count - 1 ? ")" : ",")
            if !filled.isEmpty, (depth + 1) * 4 + filled.count + 1 + piece.count > Self.longestLine {
                line("    " + filled)
                filled = ""
            }
            filled += (filled.isEmpty ? "" : " ") + piece
        }
        line("    " + filled)
    }

    /// A declaration whose parameters are on one line if they fit, else on one line each.
    mutating func block(
        _ head: String, _ parameters: [String], _ body: (inout SwiftText) throws(GeneratorError) -> Void
    ) throws(GeneratorError) {
        let short = "\(head)(\(parameters.joined(separator: ", ")))"
        if depth * 4 + short.count + 2 <= Self.longestLine { return try block(short, body) }
        line(head + "(")
        depth += 1
        for (index, parameter) in parameters.enumerated() {
            line(parameter + (index == parameters.count - 1 ? "" : ","))
        }
        depth -= 1
        try block(")", body)
    }

    /// A docstring from a comment's lines: the paragraphs wrapped again, with a capital letter and a full stop.
    mutating func documentation(_ lines: [String], otherwise fallback: String) {
        var paragraphs = lines.split(separator: "", omittingEmptySubsequences: true).map { $0.joined(separator: " ") }
        if paragraphs.isEmpty { paragraphs = [fallback] }
        paragraphs[0] = Self.capitalized(paragraphs[0])
        if let last = paragraphs[paragraphs.count - 1].last, !".:".contains(last) {
            paragraphs[paragraphs.count - 1] += "."
        }
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { line("///") }
            let room = Self.longestLine - depth * 4 - 4
            for written in Self.wrapped(paragraph, within: room) { line("/// " + written) }
        }
    }

    /// The text with a capital letter at its beginning, unless its first word has other characters than letters, as a unit (`m/s`) or a
    /// list of words of the protocol has.
    private static func capitalized(_ text: String) -> String {
        guard let word = text.split(separator: " ").first, word.count > 1, word.allSatisfy({ $0.isLetter || $0 == "'" })
        else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The text in lines of at most so many characters.
    static func wrapped(_ text: String, within room: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in text.split(separator: " ") {
            if !current.isEmpty, current.count + 1 + word.count > room {
                lines.append(current)
                current = String(word)
            } else {
                current += (current.isEmpty ? "" : " ") + word
            }
        }
        lines.append(current)
        return lines
    }
}
