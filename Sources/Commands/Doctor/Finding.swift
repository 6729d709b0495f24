import CommandLineKit
import JSONText
import Varlink

/// One finding of the doctor.
struct Finding: Equatable {
    /// The severity of a finding.
    enum Severity: String {
        /// In order.
        case good
        /// Worth knowing, but no reason for a missing position.
        case note
        /// An obstacle for positions.
        case problem
    }

    /// The severity.
    var severity: Severity
    /// The subject, in a word.
    var subject: String
    /// The finding, in a sentence.
    var text: String
    /// The advice; nil where none is needed.
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
        let advice = self.advice.map { terminal.advice($0.escapingControls) } ?? []
        let rest = text.dropFirst().map { "  \($0)" } + advice
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
