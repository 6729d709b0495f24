import Glibc
import JSONText
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// An alert from one machine to the desktop of another one: a real hub, two real waymark-sync, the agent, and a message bus with a
/// notification service. The app does not run, and no daemon does.
@Suite(
    .waits, .timeLimit(.minutes(10)),
    .enabled(
        if: OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "manifests of a test's own need mounts of its own"))
final class AlertTests {
    private static let manifest = """
        [App]
        Name=Notes
        Name[de]=Notizen
        UserUnit=org.example.notes.service
        Containers=\(SyncMachine.container)
        [Alerts]
        NewNote=New note: %@
        NewNote[de]=Neue Notiz: %@
        """

    private let apps: TemporaryDirectory
    private let hub: HubProcess
    private let laptop: SyncMachine
    private let phone: SyncMachine
    private let bus: PrivateBus
    private let desk: NotificationDesk
    private var agent: ChildProcess?

    init() throws {
        apps = try TemporaryDirectory()
        try apps.write("apps/notes.app", Self.manifest)
        hub = try HubProcess(more: [])
        // Programs need nothing else of this folder.
        let script = """
            mount -t tmpfs tmpfs /usr/share && mkdir -p /usr/share/waymark/apps &&
            mount --bind "$0" /usr/share/waymark/apps && exec "$@"
            """
        laptop = try SyncMachine(
            hub, as: "laptop",
            entrance: [
                "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, apps.file("apps"),
            ])
        phone = try SyncMachine(hub, as: "phone")
        for machine in [phone, laptop] { try machine.use() }
        bus = try PrivateBus()
        desk = try NotificationDesk(bus, capabilities: ["body", "body-markup", "actions"])
    }

    deinit { agent?.signal(SIGKILL) }

    private func startAgent() throws {
        agent = try ChildProcess(
            ChildProcess.Launch(
                Products.program("waymark"), ["agent", "--desktop"],
                environment: [
                    "WAYMARK_SOCKET": apps.file("no-daemon"), "WAYMARK_SYNC_SOCKET": laptop.socket,
                    "LC_ALL": "de_DE.UTF-8", "DBUS_SESSION_BUS_ADDRESS": bus.address,
                ], error: .inherited, isGuarded: true))
    }

    /// What the app does on the phone.
    private func subscribe(_ info: QuerySubscription.NotificationInfo?) async throws {
        var subscription = QuerySubscription(
            recordType: "Note", subscriptionID: "new-notes", options: .firesOnRecordCreation)
        subscription.notificationInfo = info
        let database = Container(identifier: SyncMachine.container, socketPath: phone.socket).privateDatabase
        try await database.save(subscription)
        let stored = try await database.subscription(for: "new-notes")
        #expect(stored.notificationInfo == info)
    }

    private func save(_ name: String, _ title: String) throws {
        let record: JSON = [
            "name": .string(name), "type": "Note",
            "fields": ["title": ["string": .string(title)], "text": ["string": "of nobody's business"]],
        ]
        try phone.call(
            SyncInterface.ModifyRecords(
                container: SyncMachine.container, zone: "notes",
                request: ["save": [["policy": "allKeys", "record": record]]]))
        try phone.call(SyncInterface.Synchronize())
    }

    private func alerts() throws -> [SyncInterface.Alert] { try laptop.call(SyncInterface.GetAlerts()).alerts }

    private var isMarked: Bool { access(SyncInterface.alertMark(of: laptop.socket), F_OK) == 0 }

    private static let newNote = QuerySubscription.NotificationInfo(
        alertBody: "There is a note.", alertLocalizationKey: "NewNote", alertLocalizationArgs: ["title"])

    @Test func `a new note on one machine is shown on the desktop of another, in its person's language`() async throws {
        try await subscribe(Self.newNote)
        try startAgent()
        try save("n1", "Milch <b>&</b>\u{202e} Brot")
        let first = try #require(desk.card(), "\(laptop.log)")
        #expect(first.summary == "Notizen" && first.body == "Neue Notiz: Milch &lt;b&gt;&amp;&lt;/b&gt; Brot")
        #expect(first.urgency == 1 && first.timeout == -1 && first.actions.isEmpty && first.program == "Notizen")
        #expect(eventually { attempt { try self.alerts() }?.isEmpty == true && !self.isMarked }, "it was acknowledged")

        // Several changes are one notification, which counts the earlier one as well.
        for number in 2...4 { try save("n\(number)", "\(number)") }
        let last = try #require(
            desk.card { $0.body == "Neue Notiz: 4\nund 3 weitere" }, "\(desk.cards) \(laptop.log)")
        #expect(last.number == first.number && desk.cards.count == 1)
        // Nothing of the records is in the log.
        #expect(laptop.log.contains("an alert of notes is to be shown"))
        for word in ["Milch", "business", "n1"] { #expect(!laptop.log.contains(word), "\(laptop.log)") }
    }

    @Test func `what came without an agent is shown by the next one, and the hub has no texts`() async throws {
        try await subscribe(Self.newNote)
        for number in 1...3 { try save("n\(number)", "\(number)") }
        #expect(eventually { self.isMarked }, "\(laptop.log)")
        #expect(eventually { attempt { try self.alerts().map(\.count) } == [3] })
        let alert = try #require(try alerts().first)
        #expect(alert.app == "notes" && alert.subscription == "new-notes" && alert.body?.arguments == ["3"])
        #expect(alert.body?.text == "New note: %@" && alert.title == nil)
        // A crash loses none.
        try laptop.crash()
        #expect(try alerts().map(\.count) == [3])
        try startAgent()
        _ = try #require(desk.card { $0.body == "Neue Notiz: 3\nund 2 weitere" }, "\(desk.cards) \(laptop.log)")
        #expect(eventually { !self.isMarked })
        for name in DirectoryListing.names(hub.folder.file("hub")) {
            guard
                let bytes = attempt({ try BoundedFile.bytes(of: self.hub.folder.file("hub/\(name)"), limit: 1 << 26) })
            else { continue }
            #expect(!Bytes.contains(Array("Neue Notiz".utf8), in: bytes), "\(name)")
        }
    }

    @Test func `a person turns the alerts of an app off, and an app that was removed has none`() async throws {
        try await subscribe(Self.newNote)
        let waymark = try Products.program("waymark")
        func command(_ arguments: String...) throws -> String {
            let result = try CompletedProcess.run(
                waymark, ["sync", "alerts"] + arguments + ["--sync-socket", laptop.socket],
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
            #expect(result.status == .exited(0), "\(result.error)")
            return result.output
        }
        #expect(try command().contains("notes  on"))
        #expect(try command("notes", "off").contains("Alerts of notes are not shown any more."))
        #expect(try command().contains("notes  off"))
        try save("n1", "1")
        try laptop.call(SyncInterface.Synchronize())
        #expect(try alerts().isEmpty && !isMarked)
        _ = try command("notes", "on")
        #expect(try alerts().isEmpty, "what was not wanted does not come later")
        // A silent push of the same records.
        try await subscribe(nil)
        try laptop.call(SyncInterface.Synchronize())
        try save("n2", "2")
        try laptop.call(SyncInterface.Synchronize())
        #expect(try alerts().isEmpty)

        try await subscribe(Self.newNote)
        try laptop.call(SyncInterface.Synchronize())
        try save("n3", "3")
        try laptop.call(SyncInterface.Synchronize())
        #expect(try alerts().map(\.count) == [1])
        try retrying("remove", subject: "manifest") { unlink(apps.file("apps/notes.app")) }
        #expect(eventually { attempt { try self.alerts() }?.isEmpty == true })
        try apps.write("apps/notes.app", Self.manifest)
        #expect(eventually { attempt { try self.laptop.call(SyncInterface.ListAlertApps()).apps.count } == 1 })
        #expect(try alerts().isEmpty, "and it does not come back with another installation")
    }
}
