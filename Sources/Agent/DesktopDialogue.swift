import Interfaces
import Location

/// The pure state machine of the dialogue in desktop notifications.
///
/// Every step is a notification of its own. Notification services differ in whether a button closes the notification.
/// Therefore it is always closed here, and later events of a closed notification are ignored.
public struct DesktopDialogue {
    /// An action for the caller.
    public enum Effect: Equatable, Sendable {
        /// Show a notification, then call `shown` with the number that the service assigns to it.
        case show(tag: Int, DesktopNotification, replacing: UInt32?)
        /// Close the notification of this number.
        case close(UInt32)
        /// Send the answer to the prompt of this number, then call `decided` with the result.
        case answer(Int64, PromptChoice, precise: Bool?)
        /// Dismiss the prompt of this number.
        case dismiss(Int64)
        /// Note that so many changes of the alert of this number were shown.
        case acknowledge(Int64, Int64)
        /// Write a remark to the log or the terminal.
        case remark(String)
    }

    /// A notification; it has no number until the service has shown it.
    struct Card {
        let tag: Int
        var number: UInt32?
        var shownAt: UInt64 = 0
    }

    private enum Phase {
        case idle
        case asking(PromptPresentation, DesktopStep, Card)
        /// The answer has been sent and its result is pending.
        case deciding(PromptPresentation)
    }

    /// A button pressed within this time after its notification appeared was meant for something else.
    public static let settlingNanoseconds: UInt64 = 700_000_000
    /// The command that shows the pending prompts in a terminal.
    static let terminalCommand = "waymark agent"
    /// How often a prompt is shown again after its notification expired, because it has to remain until it is answered.
    static let mostShownAgain = 3

    /// Whether the service shows buttons. If it shows none, nobody can answer on the desktop: the notification names the
    /// command that asks in a terminal, and closing the notification is no dismissal.
    public var showsButtons = true

    private let preference: LanguagePreference
    private var queue = PromptQueue()
    private var phase = Phase.idle
    private var shownAgain = 0
    private var indicator = DesktopIndicator()
    private var alerts = DesktopAlerts()
    private var lastTag = 0

    /// A dialogue in these languages.
    public init(_ preference: LanguagePreference) {
        self.preference = preference
    }

    /// Handles a message of the daemon.
    public mutating func received(_ message: AgentMessage) -> [Effect] {
        switch message {
        case .registered: return []
        case .prompt(let question):
            guard queue.add(question) else { return [] }
            // A prompt that was answered already is shown again only if the answer fails.
            if case .deciding = phase { return [] }
            return closeCurrent() + showFirst()
        case .withdrawn(let id):
            if case .deciding(let prompt) = phase, prompt.id == id { return [] }
            guard queue.withdraw(id) else { return [] }
            return closeCurrent() + showNext()
        case .holds(let holds):
            let lines = indicator.update(holds).map {
                PromptPresentation.indicator($0, for: preference, as: .holdingLine)
            }
            return indicator.effects(preference.language.text(.holdingTitle), lines, tag: &lastTag)
        }
    }

    /// Whether alerts are being shown: `received` is called with further ones when the service has assigned their numbers.
    public var isShowingAlerts: Bool { alerts.isBusy }

    /// Handles alerts of apps.
    public mutating func received(_ notices: [AlertNotice]) -> [Effect] {
        alerts.effects(notices, for: preference, tag: &lastTag)
    }

    /// Handles the number that the service assigned to a notification.
    public mutating func shown(_ tag: Int, as number: UInt32, now: UInt64) -> [Effect] {
        if case .asking(let prompt, let step, var card) = phase, card.tag == tag {
            card.number = number
            card.shownAt = now
            phase = .asking(prompt, step, card)
            return []
        }
        if let effects = indicator.shown(tag, as: number, lastTag: &lastTag) { return effects }
        if let effects = alerts.shown(tag, as: number) { return effects }
        // The prompt was withdrawn before the service had shown it.
        return [.close(number)]
    }

    /// The service could not show a notification. The prompt remains pending in the daemon.
    public mutating func notShown(_ tag: Int, because message: String) -> [Effect] {
        let remark = Effect.remark("A notification could not be shown: \(message)")
        if case .asking(_, _, let card) = phase, card.tag == tag { return [remark] + showNext() }
        if !alerts.notShown(tag) { indicator.notShown(tag) }
        return [remark]
    }

    /// Handles the press of a button.
    public mutating func pressed(_ number: UInt32, _ key: String, now: UInt64) -> [Effect] {
        guard case .asking(let prompt, let step, let card) = phase, card.number == number else { return [] }
        if now < card.shownAt + Self.settlingNanoseconds { return [.close(number)] + show(prompt, step) }
        switch step.decision(key, prompt) {
        case nil: return []
        case .step(let next): return [.close(number)] + show(prompt, next)
        case .answer(let choice, let precise):
            phase = .deciding(prompt)
            return [.close(number), .answer(prompt.id, choice, precise: precise)]
        }
    }

    /// A notification was closed, for a reason of the specification: 1 expired, 2 dismissed by the person, 3 by a call.
    public mutating func closed(_ number: UInt32, reason: UInt32) -> [Effect] {
        guard case .asking(let prompt, let step, let card) = phase, card.number == number else {
            indicator.closed(number)
            alerts.closed(number)
            return []
        }
        switch reason {
        case 1 where shownAgain < Self.mostShownAgain:
            shownAgain += 1
            return show(prompt, step)
        case 2 where showsButtons:
            phase = .deciding(prompt)
            return [.dismiss(prompt.id)]
        default:
            // Nothing was decided: the prompt remains pending.
            return showNext()
        }
    }

    /// Handles the result of an answer or of a dismissal.
    public mutating func decided(_ outcome: AnswerOutcome) -> [Effect] {
        guard case .deciding(let prompt) = phase else { return [] }
        switch outcome {
        case .taken, .closed: return showNext()
        case .failed(let message): return [.remark(message)] + showNext()
        case .notStored:
            return show(prompt, DesktopStep(first: prompt), note: preference.language.text(.notStored))
        }
    }

    /// Handles the loss of the daemon, which sends its prompts again after a reconnect, or the end of the program.
    public mutating func disconnected() -> [Effect] {
        defer { resetPrompts() }
        return closeCurrent() + indicator.close()
    }

    /// Handles the loss of the notification service and of its notifications.
    public mutating func reset() {
        resetPrompts()
        alerts = DesktopAlerts()
    }

    private mutating func resetPrompts() {
        queue = PromptQueue()
        phase = .idle
        indicator = DesktopIndicator()
    }

    private mutating func closeCurrent() -> [Effect] {
        defer { phase = .idle }
        guard case .asking(_, _, let card) = phase, let number = card.number else { return [] }
        return [.close(number)]
    }

    private mutating func showNext() -> [Effect] {
        _ = queue.next()
        return showFirst()
    }

    private mutating func showFirst() -> [Effect] {
        shownAgain = 0
        guard let question = queue.current else {
            phase = .idle
            return []
        }
        let prompt = PromptPresentation(question, for: preference)
        return show(prompt, DesktopStep(first: prompt))
    }

    private mutating func show(_ prompt: PromptPresentation, _ step: DesktopStep, note: String? = nil) -> [Effect] {
        lastTag += 1
        phase = .asking(prompt, step, Card(tag: lastTag))
        let notification = step.notification(
            prompt, waiting: queue.waiting.count, note: note, command: showsButtons ? nil : Self.terminalCommand)
        return [.show(tag: lastTag, notification, replacing: nil)]
    }
}
