import Interfaces
import Location

/// The conversation in desktop notifications: pure.
///
/// Every step is a notification of its own. Services differ in whether a button closes the notification, so it is always
/// closed here, and what is told of a closed one is not listened to.
public struct DesktopDialogue {
    /// What is to be done.
    public enum Effect: Equatable, Sendable {
        /// Show a notification, and tell `shown` the number that the service gives it.
        case show(tag: Int, DesktopNotification, replacing: UInt32?)
        /// Close the notification of this number.
        case close(UInt32)
        /// Answer the question of this number, and tell `decided` what became of it.
        case answer(Int64, PromptChoice, precise: Bool?)
        /// Put the question of this number away.
        case dismiss(Int64)
        /// Tell the log, or whoever looks.
        case remark(String)
    }

    /// A notification: on its way while it has no number.
    struct Card {
        let tag: Int
        var number: UInt32?
        var shownAt: UInt64 = 0
    }

    private enum Phase {
        case idle
        case asking(PromptPresentation, DesktopStep, Card)
        /// Answered: it is on its way.
        case deciding(PromptPresentation)
    }

    /// A button that is pressed sooner after its notification came was meant for something else.
    public static let settlingNanoseconds: UInt64 = 700_000_000
    /// A question whose notification expires is shown so often again: it is to stay until it is answered.
    static let mostShownAgain = 3

    private let preference: LanguagePreference
    private var queue = PromptQueue()
    private var phase = Phase.idle
    private var shownAgain = 0
    private var indicator = DesktopIndicator()
    private var lastTag = 0

    /// A conversation in these languages.
    public init(_ preference: LanguagePreference) {
        self.preference = preference
    }

    /// The daemon says something.
    public mutating func received(_ message: AgentMessage) -> [Effect] {
        switch message {
        case .registered: return []
        case .prompt(let question): return queue.add(question) ? showFirst() : []
        case .withdrawn(let id):
            if case .deciding(let prompt) = phase, prompt.id == id { return [] }
            guard queue.withdraw(id) else { return [] }
            return closeCurrent() + showNext()
        case .holds(let holds):
            let lines = indicator.update(holds).map { PromptPresentation.indicator($0, for: preference) }
            return indicator.effects(lines, tag: &lastTag)
        }
    }

    /// The service shows a notification under this number.
    public mutating func shown(_ tag: Int, as number: UInt32, now: UInt64) -> [Effect] {
        if case .asking(let prompt, let step, var card) = phase, card.tag == tag {
            card.number = number
            card.shownAt = now
            phase = .asking(prompt, step, card)
            return []
        }
        if let effects = indicator.shown(tag, as: number, lastTag: &lastTag) { return effects }
        // Its question went away while it was on its way.
        return [.close(number)]
    }

    /// The service could not show a notification. The question stays listed with the daemon.
    public mutating func notShown(_ tag: Int, because message: String) -> [Effect] {
        let remark = Effect.remark("A notification could not be shown: \(message)")
        if case .asking(_, _, let card) = phase, card.tag == tag { return [remark] + showNext() }
        indicator.notShown(tag)
        return [remark]
    }

    /// A button was pressed.
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

    /// A notification is gone, for a reason of the specification: 1 expired, 2 dismissed by the person, 3 by a call.
    public mutating func closed(_ number: UInt32, reason: UInt32) -> [Effect] {
        guard case .asking(let prompt, let step, let card) = phase, card.number == number else {
            indicator.closed(number)
            return []
        }
        switch reason {
        case 1 where shownAgain < Self.mostShownAgain:
            shownAgain += 1
            return show(prompt, step)
        case 2:
            phase = .deciding(prompt)
            return [.dismiss(prompt.id)]
        default:
            // Nobody has decided anything: it stays listed.
            return showNext()
        }
    }

    /// What became of an answer or of putting away.
    public mutating func decided(_ outcome: AnswerOutcome) -> [Effect] {
        guard case .deciding(let prompt) = phase else { return [] }
        switch outcome {
        case .taken, .closed: return showNext()
        case .failed(let message): return [.remark(message)] + showNext()
        case .notStored:
            return show(prompt, DesktopStep(first: prompt), note: preference.language.text(.notStored))
        }
    }

    /// The daemon is gone and asks again when it is back; or this is the end.
    public mutating func disconnected() -> [Effect] {
        defer { reset() }
        return closeCurrent() + indicator.close()
    }

    /// The notification service is gone, and its notifications with it.
    public mutating func reset() {
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
        let notification = step.notification(prompt, waiting: queue.waiting.count, note: note)
        return [.show(tag: lastTag, notification, replacing: nil)]
    }
}
