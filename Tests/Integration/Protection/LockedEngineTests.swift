import Glibc
import Platform
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// The engine of the library, with a copy of records that is sealed and closed: a real hub, daemon and waymark-sync.
@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct LockedEngineTests {
    private static let passphrase = "a bicycle without a bell"
    private static let note = Record.ID(recordName: "n2", zoneID: NotesApp.zone)

    private func container(_ socket: String) -> Waymark.Container {
        Container(identifier: SyncMachine.container, socketPath: socket)
    }

    private func isLocked(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch let error as RecordError { return error.code == .protectedDataUnavailable } catch
        {
            return false
        }
        return false
    }

    @Test func `an engine waits while the copy is closed, loses no change, and goes on when it is unlocked`()
        async throws
    {
        let apps = try TestApps()
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        let hub = try HubProcess(more: [])
        let tablet = try SyncMachine(hub, as: "tablet", daemon: daemon.socketPath, user: OtherUser.nobody)
        let phone = try SyncMachine(hub, as: "phone")
        for machine in [tablet, phone] { try machine.use() }
        try daemon.protection(["set-passphrase"], input: [Self.passphrase])
        try tablet.waitFor(.sealed)
        let relay = try CountingRelay(at: apps.directory.file("relay.sock"), to: tablet.socket)
        let (here, there) = (
            NotesApp(container(relay.path).privateDatabase), NotesApp(container(phone.socket).privateDatabase)
        )
        for app in [here, there] { try await app.start() }
        try await here.write("n1", "milk")
        try await here.wait { $0.reports.contains("saved n1") }
        try await there.wait { $0.texts == ["n1": "milk"] }

        // The machine is started again, and so is the app.
        try tablet.stop()
        await here.end()
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
        try daemon.restart()
        try tablet.start()
        try tablet.waitFor(.closed)
        let (begun, before) = (SystemClock().monotonicNanoseconds, relay.calls)
        let engine = try await here.start()
        try await here.write("n2", "written while it was locked")
        // By itself: the pauses between the first six attempts are 1.5 s at least, however slow the machine is.
        #expect(eventually(within: 60) { relay.calls - before >= 8 })
        #expect(SystemClock().monotonicNanoseconds - begun > 1_000_000_000)
        // By the app.
        #expect(await isLocked { try await engine.fetchChanges() })
        #expect(await isLocked { try await engine.sendChanges() })
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(Self.note)])
        let (reports, failures, texts) = await (here.reports, here.failures, here.texts)
        #expect(reports.isEmpty && failures.isEmpty && texts["n1"] == "milk")
        #expect(try await container(relay.path).accountStatus() == .couldNotDetermine)
        try await there.write("n1", "milk and bread")
        try await there.running().sendChanges()
        #expect(try tablet.status().copyForm == .closed)

        try daemon.protection(["unlock"], input: [Self.passphrase])
        let both = ["n1": "milk and bread", "n2": "written while it was locked"]
        for app in [here, there] { try await app.wait { $0.texts == both } }
        try await here.wait { $0.reports.contains("saved n2") }
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && engine.state.unacknowledgedRecordZoneChanges.isEmpty)
        let later = await here.reports
        #expect(later.allSatisfy { ["fetched n1", "saved n2"].contains($0) }, "\(later)")
    }
}
