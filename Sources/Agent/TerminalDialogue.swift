import CommandLineKit
import Durations
import Interfaces
import Location

/// The conversation on a terminal, line by line: pure.
///
/// A question is shown, and only after a moment it may be answered: what was typed before that was meant for something
/// else, and is thrown away.
public struct TerminalDialogue {
    /// What is to be done.
    public enum Effect: Equatable, Sendable {
        /// Print these lines.
        case say([String])
        /// Throw away what has been typed so far.
        case discardInput
        /// Put the cursor behind a mark, for an answer.
        case ask
        /// Answer the question of this number, and tell `decided` what became of it.
        case answer(Int64, PromptChoice, precise: Bool?)
        /// Put the question of this number away.
        case dismiss(Int64)
    }

    private enum Phase {
        case idle
        /// Shown, and not to be answered before this moment.
        case settling(PromptPresentation, until: UInt64)
        case asking(PromptPresentation, precise: Bool)
        /// Answered: it is on its way.
        case deciding(PromptPresentation, PromptChoice)
    }

    /// What the lines are for: its width may change at any time.
    public var terminal: Terminal
    private let preference: LanguagePreference
    private let settlingTime: Duration
    private var queue = PromptQueue()
    private var holders = Holders()
    private var phase = Phase.idle

    /// A conversation in these languages. A question is shown for `settlingTime` before it can be answered, so that what a
    /// person types at that time for another program is no answer.
    public init(
        _ preference: LanguagePreference, on terminal: Terminal, settlingTime: Duration = .milliseconds(700)
    ) {
        self.preference = preference
        self.settlingTime = settlingTime
        self.terminal = terminal
    }

    /// When `timePassed` is to be called, in nanoseconds of the monotonic clock; nil for never.
    public var deadline: UInt64? {
        guard case .settling(_, let instant) = phase else { return nil }
        return instant
    }

    /// The daemon says something.
    public mutating func received(_ message: AgentMessage, now: UInt64) -> [Effect] {
        switch message {
        case .registered: return [.say([terminal.styled(language.text(.listening), .dim)])]
        case .prompt(let question): return queue.add(question) ? show(now: now) : []
        case .withdrawn(let id): return withdraw(id, now: now)
        case .holds(let holds): return indicate(holds)
        }
    }

    /// The daemon is gone, and with it what it asked; it asks again when it is back.
    public mutating func disconnected() -> [Effect] {
        defer {
            queue = PromptQueue()
            phase = .idle
        }
        return queue.current == nil ? [] : [.say([language.text(.withdrawn)])]
    }

    /// The moment that `deadline` named.
    public mutating func timePassed(now: UInt64) -> [Effect] {
        guard case .settling(let prompt, let instant) = phase, now >= instant else { return [] }
        phase = .asking(prompt, precise: prompt.proposesFullAccuracy)
        return [.discardInput, .say([request(prompt)]), .ask]
    }

    /// A line was typed.
    public mutating func typed(_ line: String) -> [Effect] {
        guard case .asking(let prompt, let precise) = phase else { return [] }
        let word = line.filter { !$0.isWhitespace }.lowercased()
        switch word {
        case "": return [.say(lines(of: prompt, precise: precise) + [request(prompt)]), .ask]
        case "p" where prompt.asksAccuracy:
            phase = .asking(prompt, precise: !precise)
            return [.say(["  " + accuracy(!precise)]), .ask]
        case "d":
            phase = .deciding(prompt, .deny)
            return [.dismiss(prompt.id)]
        default:
            guard let number = Int(word), prompt.answers.indices.contains(number - 1) else {
                return [.say([language.text(.notAnAnswer), request(prompt)]), .ask]
            }
            let choice = prompt.answers[number - 1].choice
            phase = .deciding(prompt, choice)
            return [.answer(prompt.id, choice, precise: prompt.asksAccuracy && choice != .deny ? precise : nil)]
        }
    }

    /// What became of an answer, or of putting away where `isDismissal`.
    public mutating func decided(_ outcome: AnswerOutcome, isDismissal: Bool = false, now: UInt64) -> [Effect] {
        guard case .deciding(let prompt, let choice) = phase else { return [] }
        let label = prompt.answers.first { $0.choice == choice }?.label ?? ""
        let words: String
        switch outcome {
        case .taken: words = isDismissal ? language.text(.dismissed) : language.text(.answered, label)
        case .closed: words = language.text(.withdrawn)
        case .failed(let message): words = message.escapingControls
        case .notStored:
            return [.say([terminal.styled(language.text(.notStored), .yellow)])] + show(now: now)
        }
        _ = queue.next()
        return [.say([words])] + show(now: now)
    }

    /// The words to end with.
    public var farewell: [String] {
        queue.count + queue.leftOut > 0 ? [language.text(.leftOpen, "\(queue.count + queue.leftOut)")] : []
    }

    private var language: Language { preference.language }

    /// Shows the question at the head of the queue, where there is one.
    private mutating func show(now: UInt64) -> [Effect] {
        guard let question = queue.current else {
            phase = .idle
            return []
        }
        let prompt = PromptPresentation(question, for: preference)
        phase = .settling(prompt, until: now.after(settlingTime))
        return [.say(lines(of: prompt, precise: prompt.proposesFullAccuracy))]
    }

    private mutating func withdraw(_ id: Int64, now: UInt64) -> [Effect] {
        // An answer on its way has the last word on its question.
        if case .deciding(let prompt, _) = phase, prompt.id == id { return [] }
        guard queue.withdraw(id) else { return [] }
        _ = queue.next()
        return [.discardInput, .say([terminal.styled(language.text(.withdrawn), .dim)])] + show(now: now)
    }

    private mutating func indicate(_ holds: [AgentMessage.Hold]) -> [Effect] {
        let hadSome = !holders.apps.isEmpty
        let new = holders.update(holds)
        var lines = new.map { terminal.styled("● ", .cyan) + PromptPresentation.indicator($0, for: preference) }
        if hadSome, holders.apps.isEmpty { lines = [terminal.styled(language.text(.holdingEnded), .dim)] }
        guard !lines.isEmpty else { return [] }
        guard case .asking = phase else { return [.say(lines)] }
        return [.say(lines), .ask]
    }

    private func lines(of prompt: PromptPresentation, precise: Bool) -> [String] {
        let width = max(20, terminal.width - 2)
        func indented(_ text: String, _ style: Terminal.Style? = nil) -> [String] {
            text.wrapped(to: width - 2).map { "  " + terminal.styled($0, style) }
        }
        var lines = [""] + prompt.title.wrapped(to: width).map { terminal.styled($0, .bold) }
        if let reason = prompt.reason { lines += indented(reason) }
        lines += indented(prompt.identity, .dim) + [""]
        for (index, answer) in prompt.answers.enumerated() { lines.append("  \(index + 1)  \(answer.label)") }
        lines.append("  d  \(language.text(.later))")
        if prompt.asksAccuracy { lines += ["", "  " + accuracy(precise)] }
        if !queue.waiting.isEmpty { lines += indented(language.text(.waitingBehind, "\(queue.waiting.count)"), .dim) }
        return lines + [""]
    }

    private func accuracy(_ precise: Bool) -> String {
        let state = language.text(precise ? .preciseOn : .preciseOff)
        return terminal.styled(state, .cyan) + terminal.styled(" (\(language.text(.switchHint)))", .dim)
    }

    private func request(_ prompt: PromptPresentation) -> String {
        language.text(.yourAnswer, "\(prompt.answers.count)")
    }
}
