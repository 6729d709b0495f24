import Interfaces
import Location

/// A desktop notification, as the Desktop Notifications Specification defines it.
public struct DesktopNotification: Equatable, Sendable {
    /// A button.
    public struct Button: Equatable, Sendable {
        /// The button's key in the notification service.
        public let key: String
        /// The button's label.
        public let label: String
    }

    /// An app that is the source of a notification.
    public struct App: Equatable, Sendable {
        /// The id of the app, which is that of its desktop file as a rule.
        public let id: String
        /// The app's name.
        public let name: String
    }

    /// The headline, which is never markup.
    public let summary: String
    /// The lines of the body, as plain text.
    public let lines: [String]
    /// The buttons, the preferred one first.
    public let buttons: [Button]
    /// The app whose alert it is; nil for a prompt or an indicator.
    public var app: App?
    /// Whether it is a prompt, which remains until it is answered, or an indicator.
    public var isQuestion: Bool { !buttons.isEmpty }

    /// The body for a service that expects markup, or for one that shows plain text.
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

/// The step of a prompt's notification. Some desktops show at most three buttons, so the person first chooses the
/// accuracy of the positions, then for how long.
enum DesktopStep: Equatable {
    /// All answers in one step.
    case answers
    /// Precise, approximate, or not at all.
    case accuracy
    /// The duration, with this accuracy.
    case duration(precise: Bool)

    /// The first step of a prompt.
    init(first prompt: PromptPresentation) {
        self = prompt.asksAccuracy ? .accuracy : .answers
    }

    /// The meaning of a button.
    enum Decision: Equatable {
        case answer(PromptChoice, precise: Bool?)
        case step(DesktopStep)
    }

    private static let precise = "precise"
    private static let approximate = "approximate"

    /// The notification for a prompt; `note` is the first line of the body. If the service shows no buttons, `command` is
    /// the one that shows the prompt in a terminal.
    ///
    /// Services cut the title and show the first lines of the body, so these say what is asked for.
    func notification(
        _ prompt: PromptPresentation, waiting: Int, note: String? = nil, command: String? = nil
    ) -> DesktopNotification {
        var first = [note]
        if case .duration(let precise) = self { first.append(prompt.language.text(precise ? .preciseOn : .preciseOff)) }
        let instruction = command.map { prompt.language.text(.answerElsewhere, $0) }
        var lines = (first + [prompt.scope, instruction, prompt.reason, prompt.identity]).compactMap(\.self)
        if waiting > 0 { lines.append(prompt.language.text(.waitingBehind, "\(waiting)")) }
        return DesktopNotification(summary: prompt.shortTitle, lines: lines, buttons: buttons(prompt))
    }

    /// The meaning of the button of this key; nil for an unknown key.
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
