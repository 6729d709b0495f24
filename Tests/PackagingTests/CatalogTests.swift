import Events
import Glibc
import InterfaceGenerator
import Interfaces
import Journal
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct CatalogTests {
    private static let repair = "run `make interfaces`"

    private func table() throws -> EventTable { try EventTable(GeneratedText("Sources/Events/event-kinds.txt").text) }

    @Test func `what is generated from the table of events is current`() throws {
        let table = try table()
        let swift = try GeneratedText("Sources/Events/Generated/EventKind.swift")
        #expect(try swift.text == table.swift(), "\(Self.repair)")
        let catalog = try GeneratedText("systemd/waymark.catalog")
        #expect(catalog.text == table.catalog, "\(Self.repair)")
        let page = try GeneratedText("Documentation/storage.md")
        #expect(page.text == table.pageWithKinds(page.text), "\(Self.repair)")
        let text = WaymarkInterface.journal.text
        #expect(text == table.interfaceWithKinds(text), "\(Self.repair)")
    }

    @Test func `the journal's page and interface list every kind of event`() throws {
        let page = try GeneratedText("Documentation/storage.md").text
        for kind in EventKind.allCases {
            #expect(page.contains("\n| `\(kind.rawValue)` | "))
            #expect(WaymarkInterface.journal.text.contains(kind.rawValue))
        }
    }

    @Test func `a kind's color and priority come from the table, and a kind without an ID stays out of the log`() {
        #expect(EventKind.receiverLost.color == .yellow && EventKind.appInUse.color == nil)
        #expect(EventKind.uploadFailed.isLoss && !EventKind.uploadPaused.isLoss)
        #expect(
            EventKind.allCases.filter { $0.messageID == nil } == [
                .fixAcquired, .fixLost, .appWoken, .wakeDelayed, .wakeFailed, .wakingPaused, .appForcedToQuit,
                .wakingAllowed, .identifierDisclosed, .identifiersReset,
            ])
    }

    @Test func `an explanation names only fields that the event has`() throws {
        for entry in try table().entries {
            guard let text = entry.explanation?.text else { continue }
            let fields = Self.quoted(entry.details[...]).map(Event.fieldName)
            let known = Set(fields + ["WAYMARK_APP", "WAYMARK_UID"])
            let used = Set(text.split(separator: "@").map(String.init).filter { $0.hasPrefix("WAYMARK_") })
            #expect(used.subtracting(known).isEmpty, "\(entry.kind)")
            #expect(text.hasSuffix(".\n") && text.count > 40, "\(entry.kind)")
        }
    }

    private static let sound = """
        Kind: doorOpened
        Meaning: A door was opened.
        Words: door opened
        Message-ID: 0123456789abcdef0123456789abcdef
        Subject: A door is open

        Close it.

        """

    @Test(arguments: [
        ("Meaning: A door was opened.\n", "", "doorOpened has no Meaning"),
        ("Words:", "Word:", "doorOpened: Word: door opened"),
        ("0123456789abcdef0123456789abcdef", "0123", "doorOpened: Message-ID: 0123"),
        ("Message-ID: 0123456789abcdef0123456789abcdef\n", "", "doorOpened has an explanation, but no Message-ID"),
        ("\nClose it.\n", "", "doorOpened has no explanation"),
        ("Message-ID", "Color: blue\nMessage-ID", "doorOpened: Color: blue"),
        (
            "Close it.\n", "Close it.\n\nKind: doorOpened\nMeaning: Again.\nWords: again\n",
            "Kind: doorOpened is repeated"
        ),
    ])
    func `a mistake in the table is found`(was: String, now: String, mistake: String) throws {
        #expect(try EventTable(Self.sound).entries.map(\.kind) == ["doorOpened"])
        let error = #expect(throws: GeneratorError.self) {
            try EventTable(Self.sound.replacing(was, with: now, maxReplacements: 1))
        }
        #expect(error?.description == mistake)
    }

    @Test(.enabled(if: ExecutableSearch.find("journalctl") != nil, "journalctl is not installed"))
    func `systemd reads the catalog`() throws {
        let journalctl = try #require(ExecutableSearch.find("journalctl"))
        let root = try TemporaryDirectory()
        for folder in ["usr", "usr/lib", "usr/lib/systemd", "usr/lib/systemd/catalog"] {
            #expect(mkdir("\(root.path)/\(folder)", 0o755) == 0)
        }
        let text = try BoundedFile.bytes(of: Products.file("systemd/waymark.catalog"), limit: 1 << 20)
        _ = try root.write("usr/lib/systemd/catalog/waymark.catalog", bytes: text)
        let update = try CompletedProcess.run(journalctl, ["--root=\(root.path)", "--update-catalog"])
        #expect(update.status == .exited(0) && update.error.isEmpty, "\(update.error)")
        let listed = try CompletedProcess.run(journalctl, ["--root=\(root.path)", "--list-catalog"])
        #expect(listed.output.split(separator: "\n").count == EventKind.allCases.compactMap(\.messageID).count)
        let started = try #require(EventKind.serviceStarted.messageID)
        #expect(listed.output.contains("\(started) Waymark: Waymark has started\n"))
    }

    @Test func `a line for the system's journal has its details as fields`() throws {
        let event = Event(
            .receiverConnected, app: "map", uid: 1_000,
            details: ["receiver": "/dev/ttyS0", "afterSeconds": .integer(3)])
        #expect(event.logMessage == "receiver connected: app=map uid=1000 receiver=/dev/ttyS0 afterSeconds=3")
        let id = try #require(EventKind.receiverConnected.messageID)
        #expect(
            event.logFields == [
                Log.Field("MESSAGE_ID", id), Log.Field("WAYMARK_EVENT", "receiverConnected"),
                Log.Field("WAYMARK_APP", "map"), Log.Field("WAYMARK_UID", "1000"),
                Log.Field("WAYMARK_RECEIVER", "/dev/ttyS0"), Log.Field("WAYMARK_AFTER_SECONDS", "3"),
            ])
    }

    /// The texts between backticks.
    private static func quoted(_ row: Substring) -> [String] {
        row.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
