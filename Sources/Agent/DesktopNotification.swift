import Interfaces
import Location

/// A desktop notification, as the Desktop Notifications Specification has them.
public struct DesktopNotification: Equatable, Sendable {
    /// A button.
    public struct Button: Equatable, Sendable {
        /// What the notification service calls it by.
        public let key: String
        /// What it says.
        public let label: String
    }

    /// The headline, which is never markup.
    public let summary: String
    /// The lines below, as they are meant to be read.
    public let lines: [String]
    /// The buttons, the first being the nearest.
    public let buttons: [Button]
    /// Whether it is a question, which stays until it is answered, as against an indicator.
    public var isQuestion: Bool { !buttons.isEmpty }

    /// The lines for a service that takes the body for markup, or for one that shows it as it is.
    public func body(isMarkup: Bool) -> String {
        let text = lines.joined(separator: "\n")
        guard isMarkup else { return text }
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

/// What a question's notification asks: some desktops show three buttons and no more, so how exact the positions may be
/// is asked first, and for how long second.
enum DesktopStep: Equatable {
    /// All answers at once.
    case answers
    /// Precisely or approximately, or not at all.
    case accuracy
    /// For how long, with that accuracy.
    case duration(precise: Bool)

    /// The first step of a question.
    init(first prompt: PromptPresentation) {
        self = prompt.asksAccuracy ? .accuracy : .answers
    }

    /// What a button decides.
    enum Decision: Equatable {
        case answer(PromptChoice, precise: Bool?)
        case step(DesktopStep)
    }

    private static let precise = "precise"
    private static let approximate = "approximate"

    /// The notification for a question; `note` stands above everything else in the body.
    func notification(_ prompt: PromptPresentation, waiting: Int, note: String? = nil) -> DesktopNotification {
        var lines = [note, prompt.reason, prompt.identity].compactMap(\.self)
        if case .duration(let precise) = self {
            lines.insert(prompt.language.text(precise ? .preciseOn : .preciseOff), at: 0)
        }
        if waiting > 0 { lines.append(prompt.language.text(.waitingBehind, "\(waiting)")) }
        return DesktopNotification(summary: prompt.title, lines: lines, buttons: buttons(prompt))
    }

    /// What the button of this key decides; nil where there is none.
    func decision(_ key: String, _ prompt: PromptPresentation) -> Decision? {
        guard buttons(prompt).contains(where: { $0.key == key }) else { return nil }
        if key == Self.precise { return .step(.duration(precise: true)) }
        if key == Self.approximate { return .step(.duration(precise: false)) }
        guard let choice = PromptChoice(rawValue: key) else { return nil }
        guard case .duration(let precise) = self, choice != .deny else { return .answer(choice, precise: nil) }
        return .answer(choice, precise: precise)
    }

    private func buttons(_ prompt: PromptPresentation) -> [DesktopNotification.Button] {
        let answers = prompt.answers.map { DesktopNotification.Button(key: $0.choice.rawValue, label: $0.label) }
        guard self == .accuracy else { return answers }
        let precise = DesktopNotification.Button(key: Self.precise, label: prompt.language.text(.allowPrecise))
        let rough = DesktopNotification.Button(key: Self.approximate, label: prompt.language.text(.allowApproximate))
        let grants = prompt.proposesFullAccuracy ? [precise, rough] : [rough, precise]
        return grants + answers.filter { $0.key == PromptChoice.deny.rawValue }
    }
}
