import Interfaces
import Location
import Testing

@testable import Agent

/// Alerts of apps as notifications.
@Suite struct DesktopAlertTests {
    private var dialogue = DesktopDialogue(LanguagePreference([]))

    private static func alert(
        _ number: Int64 = 1, _ subscription: String = "new", title: String? = nil, body: String? = "New note: %@",
        with arguments: [String] = ["Milk"], count: Int64 = 1
    ) -> AlertNotice {
        AlertNotice(
            number: number, app: "org.example.notes", name: TranslatedText("Notes", translations: ["de": "Notizen"]),
            subscription: subscription, title: title.map { .init(TranslatedText($0)) },
            body: body.map { .init(TranslatedText($0, translations: ["de": "%@ ist neu"]), arguments) }, count: count)
    }

    private func shows(
        _ effects: [DesktopDialogue.Effect]
    ) -> [(tag: Int, notification: DesktopNotification, replacing: UInt32?)] {
        effects.compactMap { effect in
            guard case .show(let tag, let notification, let replacing) = effect else { return nil }
            return (tag, notification, replacing)
        }
    }

    @Test mutating func `an alert is a notification of its app, acknowledged when it is shown`() throws {
        let effects = dialogue.received([Self.alert(7, title: "From <b>Bob</b>", count: 3)])
        let shown = try #require(shows(effects).first)
        #expect(effects.count == 1 && shown.replacing == nil)
        #expect(shown.notification.summary == "Notes: From <b>Bob</b>")
        #expect(shown.notification.lines == ["New note: Milk", "and 2 more"])
        #expect(shown.notification.app?.id == "org.example.notes" && shown.notification.app?.name == "Notes")
        #expect(!shown.notification.isQuestion)
        #expect(dialogue.isShowingAlerts, "no number yet: others wait")
        let after = dialogue.shown(shown.tag, as: 4, now: 0)
        #expect(after == [.acknowledge(7, 3)])
        #expect(!dialogue.isShowingAlerts)
    }

    @Test func `texts are in the person's language`() {
        let german = Self.alert(count: 2).notification(2, for: LanguagePreference(["de_AT.UTF-8"]))
        #expect(german.summary == "Notizen" && german.lines == ["Milk ist neu", "und 1 weitere"])
        let general = Self.alert(body: nil).notification(1, for: LanguagePreference(["fr"]))
        #expect(general.lines == ["Il y a du nouveau."])
    }

    @Test(arguments: [
        ("%@ and %@", "a and b"), ("%2$@ by %1$@", "b by a"), ("100 %% %@", "100 % a"), ("%@ %@ %@", "a b"),
        ("%3$@!", "!"), ("%0$@", "%0$@"), ("%d %", "%d %"), ("%1$d", "%1$d"), ("%%@", "%@"), ("plain", "plain"),
        ("%123456789$@", "%123456789$@"),
    ])
    func `values are filled in as in the strings of Apple's systems`(pattern: String, text: String) {
        let filled = AlertNotice.Text(TranslatedText(pattern), ["a", "b"]).filled(for: LanguagePreference([]))
        #expect(filled.trimmed == text)
    }

    @Test func `a value is not a pattern, and neither moves the cursor nor is markup`() {
        let alert = Self.alert(with: ["%@ %1$@ \u{1b}[2J\u{202e}<a href='x'>&\"</a>\n\nend"])
        let notification = alert.notification(1, for: LanguagePreference([]))
        let line = notification.lines[0]
        #expect(line.hasPrefix("New note: %@ %1$@ "))
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202e}" }, "\(line)")
        let body = notification.body(isMarkup: true)
        #expect(body.contains("&lt;a href=&apos;x&apos;&gt;&amp;&quot;&lt;/a&gt;") && !body.contains("<"))
        let long = Self.alert(with: [String(repeating: "m", count: 9_000)]).notification(1, for: LanguagePreference([]))
        #expect(long.lines[0].count <= AlertNotice.bodyWidth)
        let title = Self.alert(title: String(repeating: "t", count: 9_000)).notification(1, for: LanguagePreference([]))
        #expect(title.summary.count <= AlertNotice.titleWidth + "Notes: ".count)
    }

    @Test mutating func `further changes of a subscription replace its notification with their number`() throws {
        var shown = try #require(shows(dialogue.received([Self.alert(1, count: 2)])).first)
        _ = dialogue.shown(shown.tag, as: 4, now: 0)
        shown = try #require(shows(dialogue.received([Self.alert(2, with: ["Bread"])])).first)
        #expect(shown.replacing == 4 && shown.notification.lines == ["New note: Bread", "and 2 more"])
        let after = dialogue.shown(shown.tag, as: 4, now: 0)
        #expect(after == [.acknowledge(2, 1)], "the earlier ones were acknowledged")
        // The person has seen them.
        _ = dialogue.closed(4, reason: 2)
        shown = try #require(shows(dialogue.received([Self.alert(3)])).first)
        #expect(shown.replacing == nil && shown.notification.lines == ["New note: Milk"])
        let other = try #require(shows(dialogue.received([Self.alert(4, "other")])).first)
        #expect(other.replacing == nil)
    }

    @Test mutating func `at most 16 alerts remain`() throws {
        for number in 0..<UInt32(DesktopAlerts.most + 2) {
            let effects = dialogue.received([Self.alert(Int64(number), "s\(number)")])
            let shown = try #require(shows(effects).first)
            _ = dialogue.shown(shown.tag, as: 100 + number, now: 0)
            let closed = number < DesktopAlerts.most ? [] : [DesktopDialogue.Effect.close(84 + number)]
            #expect(Array(effects.dropFirst()) == closed)
        }
        let many = (0..<100).map { Self.alert(Int64($0), "t\($0)") }
        let count = shows(dialogue.received(many)).count
        #expect(count == DesktopAlerts.most)
    }

    @Test mutating func `what could not be shown is not acknowledged, and prompts are not affected`() throws {
        let shown = try #require(shows(dialogue.received([Self.alert()])).first)
        let effects = dialogue.notShown(shown.tag, because: "full")
        #expect(effects == [.remark("A notification could not be shown: full")])
        #expect(!dialogue.isShowingAlerts)
        let prompt = try #require(shows(dialogue.received(.prompt(trailMap()))).first)
        let alert = try #require(shows(dialogue.received([Self.alert()])).first)
        let after = dialogue.shown(alert.tag, as: 9, now: 0)
        #expect(after == [.acknowledge(1, 1)])
        #expect(dialogue.shown(prompt.tag, as: 10, now: 0).isEmpty)
        // The daemon is lost: its prompts are closed, and alerts remain.
        #expect(dialogue.disconnected() == [.close(10)])
        let again = try #require(shows(dialogue.received([Self.alert(2)])).first)
        #expect(again.replacing == 9)
        // The service is lost, with all notifications.
        dialogue.reset()
        let last = try #require(shows(dialogue.received([Self.alert(3)])).first)
        #expect(last.replacing == nil && last.notification.lines == ["New note: Milk"])
    }
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
