import CommandLineKit
import Durations
import Interfaces
import Location

/// The pure state machine of the dialogue on a terminal, line by line.
///
/// A prompt is shown, and can be answered only after a short time: earlier input was typed for something else, and is
/// discarded.
public struct TerminalDialogue {
    /// An action for the caller.
    public enum Effect: Equatable, Sendable {
        /// Print these lines.
        case say([String])
        /// Discard the input typed so far.
        case discardInput
        /// Print the input mark for an answer.
        case ask
        /// Send the answer to the prompt of this number, then call `decided` with the result.
        case answer(Int64, PromptChoice, precise: Bool?)
        /// Dismiss the prompt of this number.
        case dismiss(Int64)
    }

    private enum Phase {
        case idle
        /// Shown, and not to be answered before this instant.
        case settling(PromptPresentation, until: UInt64)
        case asking(PromptPresentation, precise: Bool)
        /// The answer, or a dismissal where the choice is nil, has been sent and its result is pending.
        case deciding(PromptPresentation, PromptChoice?)
    }

    /// The terminal that the lines are for; its width may change at any time.
    public var terminal: Terminal
    private let preference: LanguagePreference
    private let settlingTime: Duration
    private var queue = PromptQueue()
    private var holders = Holders()
    private var phase = Phase.idle

    /// A dialogue in these languages. A prompt is shown for `settlingTime` before it can be answered, so that input
    /// that a person types at that time for another program is no answer.
    public init(
        _ preference: LanguagePreference, on terminal: Terminal, settlingTime: Duration = .milliseconds(700)
    ) {
        self.preference = preference
        self.settlingTime = settlingTime
        self.terminal = terminal
    }

    /// The instant at which `timePassed` has to be called, in nanoseconds of the monotonic clock; nil for none.
    public var deadline: UInt64? {
        guard case .settling(_, let instant) = phase else { return nil }
        return instant
    }

    /// Handles a message of the daemon.
    public mutating func received(_ message: AgentMessage, now: UInt64) -> [Effect] {
        switch message {
        case .registered: return [.say(language.text(.listening).wrapped(to: width).map { terminal.styled($0, .dim) })]
        case .prompt(let question): return queue.add(question) ? showAgain(now: now) : []
        case .withdrawn(let id): return withdraw(id, now: now)
        case .holds(let holds): return indicate(holds)
        }
    }

    /// Handles the loss of the daemon and of its prompts, which it sends again after a reconnect.
    public mutating func disconnected() -> [Effect] {
        defer {
            queue = PromptQueue()
            phase = .idle
        }
        return queue.current == nil ? [] : [.say([language.text(.withdrawn)])]
    }

    /// Handles the instant of `deadline`.
    public mutating func timePassed(now: UInt64) -> [Effect] {
        guard case .settling(let prompt, let instant) = phase, now >= instant else { return [] }
        phase = .asking(prompt, precise: prompt.proposesFullAccuracy)
        return [.discardInput, .say([request(prompt)]), .ask]
    }

    /// Handles a typed line.
    public mutating func typed(_ line: String) -> [Effect] {
        guard case .asking(let prompt, let precise) = phase else { return [] }
        let word = line.filter { !$0.isWhitespace }.lowercased()
        switch word {
        case "": return [.say(lines(of: prompt, precise: precise) + [request(prompt)]), .ask]
        case "p" where prompt.asksAccuracy:
            phase = .asking(prompt, precise: !precise)
            return [.say(["  " + accuracy(!precise)]), .ask]
        case "d":
            phase = .deciding(prompt, nil)
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

    /// Handles the result of an answer, or of a dismissal.
    public mutating func decided(_ outcome: AnswerOutcome, now: UInt64) -> [Effect] {
        guard case .deciding(let prompt, let choice) = phase else { return [] }
        let words: String
        switch outcome {
        case .taken:
            let label = choice.flatMap { choice in prompt.answers.first { $0.choice == choice }?.label }
            words = label.map { language.text(.answered, $0) } ?? language.text(.dismissed)
        case .closed: words = language.text(.withdrawn)
        case .failed(let message): words = message.escapingControls
        case .notStored:
            let lines = language.text(.notStored).wrapped(to: width)
            return [.say(lines.map { terminal.styled($0, .yellow) })] + show(now: now)
        }
        _ = queue.next()
        return [.say(words.wrapped(to: width))] + show(now: now)
    }

    /// The last lines to print.
    public var farewell: [String] {
        var lines: [String] = []
        var open = queue.count + queue.leftOut
        if case .deciding(_, .some) = phase {
            lines += language.text(.answerInterrupted).wrapped(to: width)
            open -= 1
        }
        return open > 0 ? lines + language.text(.leftOpen, "\(open)").wrapped(to: width) : lines
    }

    private var language: Language { preference.language }

    /// Shows the first prompt of the queue, if any.
    private mutating func show(now: UInt64) -> [Effect] {
        guard let question = queue.current else {
            phase = .idle
            return []
        }
        let prompt = PromptPresentation(question, for: preference)
        phase = .settling(prompt, until: now.after(settlingTime))
        return [.say(lines(of: prompt, precise: prompt.proposesFullAccuracy))]
    }

    /// Shows the first prompt, which is new or has changed. What was typed for its earlier state is discarded. A prompt
    /// that was answered already is shown again only if the answer fails.
    private mutating func showAgain(now: UInt64) -> [Effect] {
        switch phase {
        case .deciding: []
        case .idle, .settling: show(now: now)
        case .asking: [.discardInput] + show(now: now)
        }
    }

    private mutating func withdraw(_ id: Int64, now: UInt64) -> [Effect] {
        // The result of an answer that was already sent ends its prompt.
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

    /// The columns that lines may use.
    private var width: Int { max(20, terminal.width - 2) }

    private func lines(of prompt: PromptPresentation, precise: Bool) -> [String] {
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
