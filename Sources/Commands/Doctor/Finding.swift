import CommandLineKit
import JSONText
import Varlink

/// One thing that the doctor looked at.
struct Finding: Equatable {
    /// How it stands.
    enum Severity: String {
        /// As it should be.
        case good
        /// Worth knowing, and no reason for there being no position.
        case note
        /// Keeps positions away.
        case problem
    }

    /// How it stands.
    var severity: Severity
    /// What was looked at, in a word.
    var subject: String
    /// What was found, in a sentence.
    var text: String
    /// What to do; nil where nothing is to be done.
    var advice: String?

    /// The lines for a person.
    func lines(for terminal: Terminal) -> [String] {
        let sign =
            switch severity {
            case .good: terminal.styled("✓", .green)
            case .note: terminal.styled("!", .yellow)
            case .problem: terminal.styled("✗", .red)
            }
        let width = (terminal.isTerminal ? terminal.width : 100) - 4
        let text = "\(subject): \(text)".escapingControls.wrapped(to: width)
        let advice = self.advice.map { "→ \($0)".escapingControls.wrapped(to: width - 2) } ?? []
        let rest = text.dropFirst().map { "  \($0)" } + advice.map { "  " + terminal.styled($0, .bold) }
        return ["\(sign) \(text[0])"] + rest
    }

    /// The object for programs.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("severity", severity.rawValue)
            writer.member("subject", subject)
            writer.member("text", text)
            writer.member("advice", advice)
        }
        return writer.bytes
    }
}
