import CommandLineKit
import Interfaces
import Testing

@testable import Agent

@Suite struct TerminalDialogueTests {
    private var dialogue = TerminalDialogue(LanguagePreference([]), on: Terminal(isTerminal: true))
    private let settled: UInt64 = 700_000_000

    private func text(_ effects: [TerminalDialogue.Effect]) -> String {
        effects.flatMap { if case .say(let lines) = $0 { lines } else { [] as [String] } }.joined(separator: "\n")
    }

    /// Shows a prompt and lets its settling time pass.
    private mutating func ask(_ question: Question = trailMap()) {
        _ = dialogue.received(.prompt(question), now: 0)
        _ = dialogue.timePassed(now: settled)
    }

    @Test mutating func `a prompt is shown, and can be answered after the settling time`() {
        let shown = text(dialogue.received(.prompt(trailMap()), now: 0))
        #expect(shown.contains("Trail Map would like to use your location"))
        #expect(
            shown.contains(
                "  1  Allow Once\n  2  Allow While Using the App\n  3  Don’t Allow\n  d  Decide Later\n\n  Precise location: on (p changes this)"
            ))
        #expect(dialogue.deadline == settled)
        let early = dialogue.typed("2")
        #expect(early.isEmpty, "typed before it could be answered")
        let tooSoon = dialogue.timePassed(now: settled - 1)
        #expect(tooSoon.isEmpty)
        let asked = dialogue.timePassed(now: settled)
        #expect(asked.first == .discardInput && asked.last == .ask)
        #expect(dialogue.deadline == nil, "nothing wakes an agent that waits for a person")
        let answered = dialogue.typed(" 2 ")
        #expect(answered == [.answer(1, .allowWhileUsing, precise: true)])
        #expect(text(dialogue.decided(.taken, now: settled)) == "Your answer: Allow While Using the App.")
    }

    @Test mutating func `a prompt from before a restart is shown again when the identity of its app is proved`() {
        ask(trailMap(assurance: nil))
        func isDoubted(_ effects: [TerminalDialogue.Effect]) -> Bool { text(effects).contains("cannot be") }
        let unchanged = dialogue.typed("")
        #expect(isDoubted(unchanged))
        let again = dialogue.received(.prompt(trailMap()), now: 2 * settled)
        #expect(again.first == .discardInput && text(again).contains("Trail Map would like to use your location"))
        #expect(!isDoubted(again))
        #expect(dialogue.deadline == 3 * settled, "it has a settling time again")
        // The same prompt, and one that lost its proof over a restart, change nothing.
        let same = dialogue.received(.prompt(trailMap()), now: 3 * settled)
        let unproved = dialogue.received(.prompt(trailMap(assurance: nil)), now: 3 * settled)
        #expect(same.isEmpty && unproved.isEmpty)
        _ = dialogue.timePassed(now: 3 * settled)
        _ = dialogue.typed("2")
        let late = dialogue.received(.prompt(trailMap(assurance: "unit")), now: 4 * settled)
        #expect(late.isEmpty, "it is answered already")
    }

    @Test mutating func `a settling time of more than a second counts with its whole seconds`() {
        dialogue = TerminalDialogue(
            LanguagePreference([]), on: Terminal(isTerminal: true), settlingTime: .milliseconds(2_700))
        _ = dialogue.received(.prompt(trailMap()), now: 5)
        #expect(dialogue.deadline == 2_700_000_005)
    }

    @Test mutating func `precise location is switched off and on again before the answer`() {
        ask()
        #expect(text(dialogue.typed("p")).hasPrefix("  Precise location: off"))
        #expect(text(dialogue.typed("P")).hasPrefix("  Precise location: on"))
        _ = dialogue.typed("p")
        let answered = dialogue.typed("1")
        #expect(answered == [.answer(1, .allowOnce, precise: false)])
    }

    @Test mutating func `a prompt without a choice of accuracy has no switch, and its answer no accuracy`() {
        ask(trailMap(kind: .changeToAlways))
        #expect(text(dialogue.typed("p")).hasPrefix("That is not one of the answers."))
        let answered = dialogue.typed("2")
        #expect(answered == [.answer(1, .changeToAlways, precise: nil)])
    }

    @Test(arguments: ["0", "4", "-1", "yes", "1 2", "\u{1B}[A", "99999999999999999999"])
    mutating func `a line that is not one of the answers decides nothing`(line: String) {
        ask()
        let effects = dialogue.typed(line)
        #expect(text(effects).hasPrefix("That is not one of the answers.") && effects.last == .ask)
    }

    @Test mutating func `a dismissed prompt is followed by the next one`() {
        ask()
        _ = dialogue.received(.prompt(trailMap(2, kind: .temporaryFullAccuracy)), now: settled)
        let absent = dialogue.typed("d")
        #expect(absent == [.dismiss(1)])
        let next = text(dialogue.decided(.taken, now: settled))
        #expect(next.hasPrefix("Nothing was decided."))
        #expect(next.contains("would like to use your precise location"))
        #expect(dialogue.deadline == 2 * settled, "the next prompt has a settling time too")
    }

    @Test
    mutating func `a prompt that was answered elsewhere ends with a reason, and typed letters are discarded`() {
        ask()
        _ = dialogue.received(.prompt(trailMap(2)), now: settled)
        let effects = dialogue.received(.withdrawn(1), now: settled)
        #expect(effects.first == .discardInput)
        #expect(text(effects).hasPrefix("This question has been answered elsewhere"))
        #expect(text(effects).contains("Trail Map would like"))
        let typed = dialogue.typed("1")
        #expect(typed.isEmpty, "an answer to the first prompt must not answer the second")
    }

    @Test mutating func `a queued prompt is withdrawn without a message`() {
        ask()
        _ = dialogue.received(.prompt(trailMap(2)), now: settled)
        let closed = dialogue.received(.withdrawn(2), now: settled)
        let unknown = dialogue.received(.withdrawn(9), now: settled)
        #expect(closed.isEmpty && unknown.isEmpty)
    }

    @Test mutating func `a prompt is shown again when its answer cannot be stored`() {
        ask()
        _ = dialogue.typed("1")
        let again = text(dialogue.decided(.notStored, now: settled))
        #expect(again.contains("could not be saved") && again.contains("Trail Map would like"))
        #expect(dialogue.deadline != nil)
    }

    @Test mutating func `the withdrawal of a prompt that is being answered is reported once`() {
        ask()
        _ = dialogue.typed("1")
        let withdrawn = dialogue.received(.withdrawn(1), now: settled)
        #expect(withdrawn.isEmpty)
        #expect(text(dialogue.decided(.closed, now: settled)).hasPrefix("This question has been answered elsewhere"))
    }

    @Test mutating func `apps that use the location in the background are shown once`() {
        let hold = AgentMessage.Hold(app: "a", name: trailMap().name)
        #expect(
            text(dialogue.received(.holds([hold, hold]), now: 0))
                == "● Trail Map is using your location in the background")
        let same = dialogue.received(.holds([hold]), now: 0)
        #expect(same.isEmpty)
        #expect(text(dialogue.received(.holds([]), now: 0)).hasPrefix("No app is using"))
    }

    @Test mutating func `prompts end with the daemon's connection, and unanswered ones are counted at the end`() {
        #expect(dialogue.farewell.isEmpty)
        ask()
        #expect(dialogue.farewell.first?.contains(": 1.") == true)
        #expect(text(dialogue.disconnected()).contains("no longer asked"))
        #expect(dialogue.farewell.isEmpty)
        let shown = dialogue.received(.prompt(trailMap()), now: 0)
        #expect(!shown.isEmpty, "the same prompt again after the reconnect")
    }

    @Test
    mutating func `at the end an answer without a reply is neither given nor open, and a dismissed prompt is open`() {
        ask()
        _ = dialogue.received(.prompt(trailMap(2)), now: settled)
        _ = dialogue.typed("2")
        let answered = dialogue.farewell.joined(separator: " ")
        #expect(
            answered.contains("not known whether your answer was saved") && answered.contains(": 1."), "\(answered)")
        _ = dialogue.decided(.taken, now: settled)
        _ = dialogue.timePassed(now: 2 * settled)
        let dismissal = dialogue.typed("d")
        #expect(dismissal == [.dismiss(2)])
        let dismissed = dialogue.farewell.joined(separator: " ")
        #expect(!dismissed.contains("saved") && dismissed.contains(": 1."), "\(dismissed)")
    }

    @Test(arguments: ["de", "en", "es", "fr", "ja", "ko"])
    func `the confirmation of an answer fits a narrow terminal in every language`(language: String) {
        let terminal = Terminal(isTerminal: true, width: 40)
        var dialogue = TerminalDialogue(LanguagePreference([language]), on: terminal)
        _ = dialogue.received(.prompt(trailMap()), now: 0)
        _ = dialogue.timePassed(now: settled)
        _ = dialogue.typed("2")
        let lines = text(dialogue.decided(.taken, now: settled)).split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { String($0).displayWidth <= 40 }, "\(lines)")
    }

    @Test mutating func `no line is longer than a narrow terminal`() {
        dialogue.terminal = Terminal(isTerminal: true, width: 40)
        let all = text(dialogue.received(.prompt(trailMap()), now: 0)) + "\n" + text(dialogue.timePassed(now: settled))
        for line in all.split(separator: "\n") {
            #expect(line.count <= 40)
        }
    }
}
