import Interfaces
import Location
import Testing

@testable import Agent

@Suite struct DesktopDialogueTests {
    private var dialogue = DesktopDialogue(LanguagePreference([]))
    private let settled = DesktopDialogue.settlingNanoseconds

    private struct Shown: Equatable {
        var tag: Int
        var notification: DesktopNotification
        var replacing: UInt32?
    }

    private func shown(_ effects: [DesktopDialogue.Effect]) -> Shown? {
        effects.lazy.compactMap { effect -> Shown? in
            guard case .show(let tag, let notification, let replacing) = effect else { return nil }
            return Shown(tag: tag, notification: notification, replacing: replacing)
        }.first
    }

    private func only(_ effects: [DesktopDialogue.Effect]) throws -> Shown {
        try #require(shown(effects))
    }

    /// Shows a prompt as a notification of this number.
    private mutating func ask(_ question: Question = trailMap(), as number: UInt32 = 1) throws -> DesktopNotification {
        let shown = try only(dialogue.received(.prompt(question)))
        _ = dialogue.shown(shown.tag, as: number, now: 0)
        return shown.notification
    }

    @Test mutating func `accuracy is the first step and duration the second, with three buttons each`() throws {
        let first = try ask()
        #expect(first.summary == "Trail Map: location?")
        #expect(
            first.lines.prefix(2)
                == ["Your location, while you use the app.", "The app says: Shows where you are."])
        #expect(first.buttons.map(\.key) == ["precise", "approximate", "deny"])
        let effects = dialogue.pressed(1, "approximate", now: settled)
        #expect(effects.first == .close(1))
        let second = try only(effects)
        #expect(second.replacing == nil)
        #expect(
            second.notification.lines.prefix(2)
                == ["Precise location: off", "Your location, while you use the app."])
        #expect(second.notification.buttons.map(\.key) == ["allowOnce", "allowWhileUsing", "deny"])
        _ = dialogue.shown(second.tag, as: 2, now: settled)
        let answer = dialogue.pressed(2, "allowOnce", now: 2 * settled)
        #expect(answer == [.close(2), .answer(1, .allowOnce, precise: false)])
        let after = dialogue.decided(.taken)
        #expect(after.isEmpty)
    }

    @Test mutating func `a prompt from before a restart is shown again when the identity of its app is proved`() throws
    {
        let first = try ask(trailMap(assurance: nil))
        #expect(first.lines.contains { $0.contains("cannot be checked now") })
        let effects = dialogue.received(.prompt(trailMap()))
        #expect(effects.first == .close(1))
        let again = try only(effects)
        #expect(!again.notification.lines.contains { $0.contains("cannot be checked now") })
        _ = dialogue.shown(again.tag, as: 2, now: 0)
        let unproved = dialogue.received(.prompt(trailMap(assurance: nil)))
        #expect(unproved.isEmpty, "the proof from before another restart is still valid")
        _ = dialogue.pressed(2, "deny", now: settled)
        let late = dialogue.received(.prompt(trailMap(assurance: "unit")))
        #expect(late.isEmpty, "it is answered already")
    }

    @Test mutating func `the proposed accuracy is the first button, and a denial needs one step`() throws {
        let first = try ask(trailMap(precise: false))
        #expect(first.buttons.map(\.key) == ["approximate", "precise", "deny"])
        let answer = dialogue.pressed(1, "deny", now: settled)
        #expect(answer == [.close(1), .answer(1, .deny, precise: nil)])
    }

    @Test(arguments: PromptKind.allCases)
    mutating func `no step has more than three buttons`(kind: PromptKind) {
        let prompt = PromptPresentation(trailMap(kind: kind), for: LanguagePreference([]))
        for step in [DesktopStep(first: prompt), .answers, .duration(precise: true)] {
            let notification = step.notification(prompt, waiting: 0)
            #expect((2...3).contains(notification.buttons.count))
            for button in notification.buttons { #expect(step.decision(button.key, prompt) != nil) }
            #expect(step.decision("default", prompt) == nil)
        }
        #expect(DesktopStep.answers.decision("precise", prompt) == nil, "a key of another step")
    }

    @Test(arguments: Language.allCases, PromptKind.allCases)
    func `a title has 30 characters, and the first line says what is asked for`(
        _ language: Language, _ kind: PromptKind
    ) throws {
        for name in ["Map", "Trail Map of the Northern Mountains and Valleys", "등산 지도와 산악 날씨를 함께 보여 주는 매우 긴 이름의 앱"] {
            var question = trailMap(kind: kind)
            question.name = TranslatedText(name)
            let prompt = PromptPresentation(question, for: LanguagePreference([language.rawValue]))
            let notification = DesktopStep(first: prompt).notification(prompt, waiting: 0)
            #expect(notification.summary.count <= 30, "\(notification.summary)")
            #expect(notification.summary.hasPrefix(String(name.prefix(3))))
            #expect(notification.lines.first == prompt.scope)
        }
        let title = language.text(.holdingTitle)
        #expect(title.count <= 30)
    }

    @Test(arguments: Language.allCases, PromptKind.allCases)
    func `the buttons of a step differ in their first twelve letters, because services cut longer ones`(
        _ language: Language, _ kind: PromptKind
    ) {
        let prompt = PromptPresentation(trailMap(kind: kind), for: LanguagePreference([language.rawValue]))
        for step in [DesktopStep(first: prompt), .answers, .duration(precise: true)] {
            let labels = step.notification(prompt, waiting: 0).buttons.map(\.label)
            #expect(Set(labels.map { $0.prefix(12) }).count == labels.count, "\(labels)")
        }
    }

    @Test func `what is asked for differs by kind in every language`() {
        for language in Language.allCases {
            let scopes = Set(
                [Phrase.scopeInUse, .scopeAlways, .scopeBackground, .scopeFullAccuracy].map(language.pattern))
            #expect(scopes.count == 4)
        }
    }

    @Test mutating func `where no buttons are shown, the command is named and closing decides nothing`() throws {
        dialogue.showsButtons = false
        let first = try ask(trailMap(kind: .changeToAlways))
        #expect(
            first.lines.prefix(2)
                == [
                    "Also when you are not using the app: your location.",
                    "To answer, run `waymark agent` in a terminal.",
                ])
        let closed = dialogue.closed(1, reason: 2)
        #expect(closed.isEmpty)
    }

    @Test mutating func `a button pressed within the settling time is ignored`() throws {
        _ = try ask()
        let again = dialogue.pressed(1, "deny", now: settled - 1)
        #expect(again.first == .close(1))
        #expect(shown(again)?.notification.buttons.map(\.key) == ["precise", "approximate", "deny"])
    }

    @Test mutating func `events of other notifications and unknown buttons decide nothing`() throws {
        _ = try ask()
        let effects = dialogue.pressed(9, "deny", now: settled) + dialogue.pressed(1, "allowOnce", now: settled)
        #expect(effects.isEmpty)
        let closed = dialogue.closed(9, reason: 2)
        #expect(closed.isEmpty)
    }

    @Test mutating func `a notification closed by the person decides nothing, and the next prompt is shown`() throws {
        _ = try ask()
        _ = dialogue.received(.prompt(trailMap(2, kind: .changeToAlways)))
        let effects = dialogue.closed(1, reason: 2)
        #expect(effects == [.dismiss(1)])
        let next = try only(dialogue.decided(.taken))
        #expect(next.notification.buttons.map(\.key) == ["keepWhileUsing", "changeToAlways"])
    }

    @Test mutating func `an expired notification is shown again a limited number of times`() throws {
        _ = try ask()
        for number in 1...UInt32(DesktopDialogue.mostShownAgain) {
            let again = try only(dialogue.closed(number, reason: 1))
            _ = dialogue.shown(again.tag, as: number + 1, now: 0)
        }
        let last = dialogue.closed(UInt32(DesktopDialogue.mostShownAgain) + 1, reason: 1)
        #expect(last.isEmpty)
    }

    @Test mutating func `a withdrawn prompt's notification is closed, even before the service has shown it`() throws {
        _ = try ask()
        let effects = dialogue.received(.withdrawn(1))
        #expect(effects == [.close(1)])
        let pending = try only(dialogue.received(.prompt(trailMap(2))))
        let withdrawn = dialogue.received(.withdrawn(2))
        #expect(withdrawn.isEmpty)
        let late = dialogue.shown(pending.tag, as: 7, now: 0)
        #expect(late == [.close(7)])
    }

    @Test mutating func `a prompt is shown again with the reason when its answer cannot be stored`() throws {
        _ = try ask(trailMap(kind: .temporaryFullAccuracy))
        _ = dialogue.pressed(1, "allow", now: settled)
        let again = try only(dialogue.decided(.notStored))
        #expect(again.notification.lines.first?.contains("could not be saved") == true)
    }

    @Test mutating func `a prompt that cannot be shown is followed by the next`() throws {
        let first = try only(dialogue.received(.prompt(trailMap(1))))
        _ = dialogue.received(.prompt(trailMap(2)))
        let effects = dialogue.notShown(first.tag, because: "no")
        #expect(effects.first == .remark("A notification could not be shown: no"))
        #expect(shown(effects) != nil)
    }

    @Test mutating func `the indicator is one notification, which is replaced when the apps change`() throws {
        func hold(_ name: String) -> AgentMessage.Hold { AgentMessage.Hold(app: name, name: TranslatedText(name)) }
        let first = try only(dialogue.received(.holds([hold("A")])))
        #expect(first.notification.summary == "Location in use")
        #expect(first.notification.lines == ["In the background: A"])
        #expect(!first.notification.isQuestion)
        // Another app before the first notification has its number.
        let waiting = dialogue.received(.holds([hold("A"), hold("B")]))
        #expect(waiting.isEmpty)
        let both = try only(dialogue.shown(first.tag, as: 3, now: 0))
        #expect(both.replacing == 3 && both.notification.lines == ["In the background: A", "In the background: B"])
        _ = dialogue.shown(both.tag, as: 3, now: 0)
        let same = dialogue.received(.holds([hold("A"), hold("B")]))
        #expect(same.isEmpty)
        let closed = dialogue.received(.holds([]))
        #expect(closed == [.close(3)])
    }

    @Test mutating func `a closed indicator is shown again only for other apps`() throws {
        let hold = AgentMessage.Hold(app: "A", name: TranslatedText("A"))
        let first = try only(dialogue.received(.holds([hold])))
        _ = dialogue.shown(first.tag, as: 3, now: 0)
        _ = dialogue.closed(3, reason: 2)
        let same = dialogue.received(.holds([hold]))
        #expect(same.isEmpty)
        let other = shown(dialogue.received(.holds([AgentMessage.Hold(app: "B", name: TranslatedText("B"))])))
        #expect(other != nil && other?.replacing == nil)
    }

    @Test mutating func `the end closes all notifications`() throws {
        _ = try ask()
        let hold = try only(dialogue.received(.holds([AgentMessage.Hold(app: "A", name: TranslatedText("A"))])))
        _ = dialogue.shown(hold.tag, as: 2, now: 0)
        let effects = dialogue.disconnected()
        #expect(effects == [.close(1), .close(2)])
    }

    @Test func `an app's text is escaped in markup`() {
        let notification = DesktopNotification(summary: "<b>", lines: ["<a href=\"x\">&'", "b"], buttons: [])
        #expect(notification.body(isMarkup: true) == "&lt;a href=&quot;x&quot;&gt;&amp;&apos;\nb")
        #expect(notification.body(isMarkup: false) == "<a href=\"x\">&'\nb")
    }
}
