import Authorization
import Configuration
import Platform

/// The section `[Wake]` of a manifest, read line by line.
struct WakeSection {
    static let keys = ["Unit", "For"]
    private static let allowedUnit =
        "the name of one service, such as map.service: letters, digits, : _ . and -, without @ and patterns"
    private static let allowedCauses =
        WakeCause.allCases.map(\.rawValue).joined(separator: " ")

    private var unit: String?
    private var causes: Set<WakeCause> = []
    private var isWrong = false

    /// A problem of a line; an error makes the manifest invalid.
    struct Objection: Error {
        let severity: FileProblem.Severity
        let message: String
    }

    /// Applies a line `KEY=TEXT`.
    mutating func apply(_ key: String, _ text: String) throws(Objection) {
        switch key {
        case "Unit":
            guard Self.isPlainService(text) else {
                throw error(
                    "\(ConfigurationProblem.quoted(text)) is not the name of a service. Allowed: \(Self.allowedUnit)")
            }
            unit = text
        case "For": try applyCauses(text)
        default:
            let hint = Spelling.nearest(to: key, among: Self.keys).map { "Did you mean \($0)?" }
            throw Objection(severity: .warning, message: "unknown key. \(hint ?? "[Wake] has Unit and For")")
        }
    }

    private mutating func applyCauses(_ text: String) throws(Objection) {
        let words = text.split(separator: " ").map(String.init)
        guard !words.isEmpty else { throw error("names no event. Allowed: \(Self.allowedCauses)") }
        for word in words {
            guard let cause = WakeCause(rawValue: word) else {
                let hint = Spelling.nearest(to: word, among: WakeCause.allCases.map(\.rawValue))
                    .map { "Did you mean \($0)?" }
                throw error(
                    "\(ConfigurationProblem.quoted(word)) is no event that wakes an app."
                        + " \(hint ?? "Allowed: \(Self.allowedCauses)")")
            }
            guard causes.insert(cause).inserted else {
                throw error("names \(cause.rawValue) for the second time. Remove one")
            }
        }
    }

    private mutating func error(_ message: String) -> Objection {
        isWrong = true
        return Objection(severity: .error, message: message)
    }

    /// The declaration; nil if a key is missing, with the key and what is wrong, or if a line had an error before.
    func finish() throws(MissingKey) -> WakeDeclaration? {
        guard !isWrong else { return nil }
        guard let unit else {
            throw MissingKey(key: "Unit", message: "is missing in [Wake]: the service that starts the app")
        }
        guard !causes.isEmpty else {
            throw MissingKey(
                key: "For", message: "is missing in [Wake]: what the app is woken for. Allowed: \(Self.allowedCauses)")
        }
        return WakeDeclaration(unit: unit, causes: causes)
    }

    /// A key without which the section has no meaning.
    struct MissingKey: Error {
        let key, message: String
    }

    /// Whether it is the name of one service: no path, pattern, template, instance or escape, and nothing that a service
    /// manager could take for another kind of unit or an option. systemd.unit(5).
    static func isPlainService(_ text: String) -> Bool {
        let ending = ".service"
        guard text.hasSuffix(ending), text.utf8.count <= 255, let first = text.utf8.first,
            AppName.isLetterOrDigit(first)
        else { return false }
        let stem = text.utf8.dropLast(ending.utf8.count)
        return !stem.isEmpty && stem.allSatisfy { AppName.isLetterOrDigit($0) || ":_.-".utf8.contains($0) }
    }
}
