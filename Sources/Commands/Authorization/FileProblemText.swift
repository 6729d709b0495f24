import CommandLineKit
import JSONText
import Manifests
import Varlink

/// Errors in manifests and files of restrictions, for a person and for programs.
enum FileProblemText {
    /// Prints one line, or one object, for each problem.
    static func print(_ problems: [FileProblem], _ session: Session) throws(CommandFailure) {
        for problem in problems where session.isJSON { try session.print(json: json(problem)) }
        if !session.isJSON { try session.print(problems.flatMap { lines($0, session.terminal) }) }
    }

    /// `trailmap.app:3: error: Exec: …`, with the kind of problem in its colour; on a terminal wrapped at words.
    static func lines(_ problem: FileProblem, _ terminal: Terminal) -> [String] {
        terminal.wrapped(problem.description.escapingControls).map { colored($0, problem, terminal) }
    }

    private static func colored(_ text: String, _ problem: FileProblem, _ terminal: Terminal) -> String {
        let word = problem.severity.rawValue + ":"
        guard terminal.hasColor, let range = text.firstRange(of: ": \(word)") else { return text }
        let style: Terminal.Style = problem.severity == .error ? .red : .yellow
        return text[..<range.lowerBound] + ": " + terminal.styled(word, style) + text[range.upperBound...]
    }

    /// `2 manifests: 1 error, 1 warning.`
    static func summary(_ problems: [FileProblem], of subject: String) -> String {
        let errors = problems.count { $0.severity == .error }
        let warnings = problems.count - errors
        if problems.isEmpty { return "\(subject): no problems." }
        let counts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { Measure.count($0, $1) }
        return "\(subject): \(counts.joined(separator: ", "))."
    }

    private static func json(_ problem: FileProblem) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("severity", problem.severity.rawValue)
            writer.member("file", problem.file)
            writer.member("line", problem.line)
            writer.member("key", problem.key)
            writer.member("message", problem.message)
        }
        return writer.bytes
    }
}
