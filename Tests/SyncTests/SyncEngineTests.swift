import Glibc
import Platform
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// The engine of the library, with a real hub and real programs.
@Suite(.waits, .timeLimit(.minutes(15))) struct SyncEngineTests {
    /// Two machines with an app each, of which the first has a note that the other has got.
    private struct Pair {
        let machines: SyncMachines
        let here: NotesApp
        let there: NotesApp

        init() async throws {
            machines = try SyncMachines("laptop", "phone")
            here = NotesApp(machines.database(0))
            there = NotesApp(machines.database(1))
            try await here.start()
            try await there.start()
            try await here.makeZone()
            try await here.write("n1", "milk")
            try await here.running().sendChanges()
            try await there.wait { $0.texts == ["n1": "milk"] }
        }
    }

    @Test func `a record that an engine sends is acknowledged with its tag, and reported on another machine`()
        async throws
    {
        let pair = try await Pair()
        let here = await pair.here.reports
        #expect(here == ["signed in as alice", "saved zone notes", "saved n1"])
        #expect(await pair.there.reports == ["signed in as alice", "new zone notes", "fetched n1"])
        let (mine, theirs) = (await pair.here.records, await pair.there.records)
        #expect(mine == theirs)
        let record = try #require(theirs.values.first)
        #expect(record.recordChangeTag != nil && record.creatorUserName == "alice" && record.creatorDevice == "laptop")
        #expect(record.modificationDate == record.creationDate && !record.isPending)
        // A change and a deletion, back.
        try await pair.there.write("n1", "milk and bread")
        try await pair.there.write("n2", "butter")
        try await pair.there.running().sendChanges()
        try await pair.here.wait { $0.texts == ["n1": "milk and bread", "n2": "butter"] }
        try await pair.here.remove("n1")
        try await pair.here.running().sendChanges()
        #expect(await pair.here.reports.last == "n1 is deleted")
        try await pair.there.wait { $0.texts == ["n2": "butter"] }
        let state = try await pair.there.running().state
        #expect(state.pendingRecordZoneChanges.isEmpty && state.unacknowledgedRecordZoneChanges.isEmpty)
    }

    @Test func `what is written without a network is sent when it is back, also after a restart of everything`()
        async throws
    {
        let pair = try await Pair()
        try pair.machines.hub.stop()
        try await pair.here.write("n2", "made without a network")
        try await pair.here.remove("n1")
        try await pair.here.waitUntilUnacknowledged(2)
        await #expect { try await pair.here.running().fetchChanges() } throws: { error in
            (error as? RecordError)?.code == .networkUnavailable
        }
        #expect(await pair.here.reports.last == "saved n1")
        await pair.here.end()
        try pair.machines.machines[0].crash()
        try await pair.here.start()
        try pair.machines.hub.start()
        // As a network that is back does it: otherwise the machines wait the longer, the longer there was none.
        for machine in pair.machines.machines { _ = try machine.call(SyncInterface.Synchronize()) }
        try await pair.there.wait { $0.texts == ["n2": "made without a network"] }
        try await pair.here.wait { Set($0.reports).isSuperset(of: ["saved n2", "n1 is deleted"]) }
    }

    @Test func `a conflict is reported with the client's record, the ancestor and the hub's record, and resolved`()
        async throws
    {
        let pair = try await Pair()
        try pair.machines.hub.stop()
        for (app, text) in [(pair.here, "milk and bread"), (pair.there, "milk and butter")] {
            try await app.write("n1", text)
            try await app.waitUntilUnacknowledged()
        }
        try pair.machines.hub.start()
        let id = Record.ID(recordName: "n1", zoneID: NotesApp.zone)
        let someoneFailed = try await eventually {
            let (here, there) = (await pair.here.failures[id], await pair.there.failures[id])
            return here != nil || there != nil
        }
        #expect(someoneFailed)
        let isHere = await pair.here.failures[id] != nil
        let (loser, winner) = isHere ? (pair.here, pair.there) : (pair.there, pair.here)
        let error = try #require(await loser.failures[id])
        #expect(error.code == .serverRecordChanged)
        #expect(error.clientRecord?["text"] as? String == (isHere ? "milk and bread" : "milk and butter"))
        #expect(error.serverRecord?["text"] as? String == (isHere ? "milk and butter" : "milk and bread"))
        #expect(error.ancestorRecord?["text"] as? String == "milk")
        // The app has the hub's record, and saves a merged one.
        try await loser.wait { [server = error.serverRecord] in $0.records[id] == server }
        try await loser.write("n1", "milk, bread and butter")
        try await loser.running().sendChanges()
        try await winner.wait { $0.texts == ["n1": "milk, bread and butter"] }
        let database = pair.machines.database(isHere ? 0 : 1)
        #expect(try await database.refusedChanges().isEmpty)
    }

    @Test func `an app that is started again gets only the difference`() async throws {
        let pair = try await Pair()
        // The app stores the engine's state after it has handled a change. If the engine ended in between, the next one
        // would report the change again. The fetch begins after both.
        try await pair.there.running().fetchChanges()
        await pair.there.end()
        try await pair.here.write("n2", "bread")
        try await pair.here.running().sendChanges()
        try await pair.there.start()
        try await pair.there.wait { $0.texts == ["n1": "milk", "n2": "bread"] }
        #expect(await pair.there.reports == ["fetched n2"])
    }

    @Test(arguments: [false, true])
    func `a zone that is deleted elsewhere is reported with the reason, and fails what was not sent`(purged: Bool)
        async throws
    {
        let pair = try await Pair()
        await pair.there.forgetReports()
        if purged {
            try pair.machines.purge()
        } else {
            try await pair.machines.database(0).deleteRecordZone(withID: NotesApp.zone)
            try await pair.machines.container(0).synchronize()
        }
        try await pair.there.wait { $0.records.isEmpty }
        #expect(await pair.there.reports == ["deleted zone notes: \(purged ? "purged" : "deleted")"])
        // A record in it is refused at once.
        try await pair.there.write("n2", "too late")
        try await pair.there.wait { $0.reports.last == "n2 failed: zoneNotFound" }
    }

    @Test func `a change that was not sent when its zone was deleted fails`() async throws {
        let pair = try await Pair()
        try pair.machines.hub.stop()
        try await pair.there.write("n2", "not sent")
        let state = try await pair.there.running().state
        try await pair.there.waitUntilUnacknowledged()
        try pair.machines.machines[1].stopForAWhile {
            try pair.machines.hub.start()
            try pair.machines.purge()
        }
        try await pair.there.wait { $0.reports.contains("n2 failed: userDeletedZone") }
        #expect(await pair.there.records.isEmpty)
        // The engine forgets the change after the app has handled its failure.
        #expect(try await eventually { () async throws -> Bool in state.unacknowledgedRecordZoneChanges.isEmpty })
    }

    @Test func `an account that was left and joined again is another one, and everything is fetched again`()
        async throws
    {
        let pair = try await Pair()
        let machine = pair.machines.machines[1]
        let old = try await pair.machines.database(1).databaseChanges(since: nil).changeToken
        await pair.there.end()
        try await pair.there.start()
        await pair.there.end()
        _ = try machine.call(SyncInterface.Leave(unsent: 0))
        // The name is free again when the hub has been notified.
        try machine.join(pair.machines.hub, as: "phone2")
        // The revisions of the new copy are as great as that of the old one, so that they do not show that it is another copy.
        for number in 0..<20 {
            try await pair.machines.database(1).save(
                Record(recordType: "Note", recordID: Record.ID(recordName: "other\(number)")))
        }
        try await pair.there.start()
        try await pair.there.wait { $0.texts == ["n1": "milk"] && $0.records.count == 21 }
        #expect(await Array(pair.there.reports.prefix(2)) == ["signed out of alice", "signed in as alice"])
        await #expect { try await pair.machines.database(1).databaseChanges(since: old) } throws: { error in
            (error as? RecordError)?.code == .changeTokenExpired
        }
        // While the engine runs.
        try machine.synchronize()
        _ = try machine.call(SyncInterface.Leave(unsent: 0))
        try await pair.there.wait { $0.reports.last == "signed out of alice" && $0.records.isEmpty }
        try machine.join(pair.machines.hub, as: "phone", of: "bob")
        try await pair.there.wait { $0.reports.last == "signed in as bob" }
    }

    @Test func `an engine that is started before an account is joined sends what the app has added`() async throws {
        let machines = try SyncMachines()
        let machine = try SyncProcess()
        let app = NotesApp(machine.notesContainer.privateDatabase)
        let engine = try await app.start()
        try await app.makeZone()
        try await app.write("n1", "milk")
        await #expect { try await engine.sendChanges() } throws: { error in
            (error as? RecordError)?.code == .notAuthenticated
        }
        try machine.join(machines.hub, as: "laptop")
        try await app.wait { $0.reports == ["signed in as alice", "saved zone notes", "saved n1"] }
    }

    @Test func `a zone for reading is shared with another account, which may not write it, and withdrawn`() async throws
    {
        var machines = try SyncMachines("laptop")
        try machines.add("tablet", of: "bob")
        let owner = NotesApp(machines.database(0))
        try await owner.start()
        try await owner.makeZone()
        try await owner.write("n1", "milk")
        try await owner.running().sendChanges()
        try await machines.database(0).share(for: NotesApp.zone).invite("bob")
        let invited = try #require(try await machines.container(1).sharedZones().first)
        let zone = RecordZone.ID(zoneName: "notes", ownerName: "alice")
        #expect(invited.zoneID == zone && invited.permission == .readOnly && !invited.isAccepted)
        let share = machines.database(0).share(for: NotesApp.zone)
        let pending = try #require(try await share.participants().first)
        #expect(pending.userName == "bob" && pending.permission == .readOnly && !pending.isAccepted)
        await #expect(throws: RecordError.self) {
            _ = try await machines.database(0).share(for: RecordZone.ID(zoneName: "missing")).participants()
        }
        let guest = NotesApp(machines.container(1).sharedDatabase)
        try await guest.start()
        try await machines.container(1).accept(invited)
        #expect(try await share.participants().map(\.isAccepted) == [true])
        try await guest.wait { $0.texts == ["n1": "milk"] }
        #expect(await guest.reports == ["signed in as bob", "new zone notes@alice", "fetched n1"])
        #expect(try await machines.container(1).privateDatabase.allRecordZones().isEmpty)
        // It reads only: the hub refuses the change, and the copy has the hub's record again.
        try await guest.write("n1", "changed by bob", in: zone)
        try await guest.running().sendChanges()
        try await guest.wait { $0.reports.contains("n1 failed: permissionFailure") && $0.texts == ["n1": "milk"] }
        // It may write.
        try await machines.database(0).share(for: NotesApp.zone).invite("bob", permission: .readWrite)
        try await guest.write("n2", "made by bob", in: zone)
        try await guest.running().sendChanges()
        try await owner.wait { $0.texts == ["n1": "milk", "n2": "made by bob"] }
        try await machines.database(0).share(for: NotesApp.zone).withdraw(from: "bob")
        try await guest.wait { $0.records.isEmpty }
        #expect(await guest.reports.last == "deleted zone notes@alice: withdrawn")
        #expect(try await share.participants().isEmpty)
    }

    @Test func `an engine goes on when waymark-sync was killed`() async throws {
        let pair = try await Pair()
        for number in 2...4 {
            try pair.machines.machines[0].crash()
            try await pair.here.write("n\(number)", "bread \(number)")
            try pair.machines.machines[1].crash()
            try await pair.there.wait { $0.texts["n\(number)"] == "bread \(number)" }
            try await pair.here.wait { $0.reports.last == "saved n\(number)" }
        }
        #expect(await pair.there.reports.filter { $0.hasPrefix("signed") } == ["signed in as alice"])
    }

    @Test func `changes of other programs on the machine are reported, and its own are not`() async throws {
        let pair = try await Pair()
        await pair.here.forgetReports()
        try pair.machines.machines[0].save("n5", "made by another program")
        try await pair.here.wait { $0.texts["n5"] == "made by another program" }
        try await pair.here.write("n6", "made by the app")
        try await pair.here.running().sendChanges()
        #expect(await pair.here.reports.contains("fetched n6") == false)
        #expect(await pair.here.reports.last == "saved n6")
    }

    @Test func `many records are sent and fetched in batches and pages`() async throws {
        let pair = try await Pair()
        try await pair.here.write(1_000)
        try await pair.here.running().sendChanges()
        try await pair.there.wait { $0.texts.count == 1_001 }
        #expect(await pair.here.largestBatch == 250)
        #expect(await pair.here.texts == pair.there.texts)
    }

    @Test func `an engine works when something has changed, and otherwise waits`() async throws {
        let pair = try await Pair()
        // The app has no such record, so that the engine asks for it whenever it looks for work.
        let engine = try await pair.there.running()
        engine.state.add(
            pendingRecordZoneChanges: [.saveRecord(Record.ID(recordName: "none", zoneID: NotesApp.zone))])
        try await pair.there.wait { $0.requests > 0 }
        let before = await pair.there.requests
        for number in 1...5 {
            try await pair.here.write("n1", "milk \(number)")
            try await pair.here.running().sendChanges()
            try await pair.there.wait { $0.texts == ["n1": "milk \(number)"] }
        }
        let requests = await pair.there.requests - before
        #expect(requests <= 20, "\(requests) times")
    }

    @Test func `operations that wait for waymark-sync are cancelled`() async throws {
        let folder = try TemporaryDirectory()
        // Nobody accepts the connections.
        let socket = try UnixSocket.listen(path: folder.file("sync.sock"), mode: 0o600)
        let container = Container(identifier: SyncProcess.container, socketPath: folder.file("sync.sock"))
        let reading = Task { try await container.privateDatabase.allRecordZones() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        // The call may have connected before it was cancelled.
        while try UnixSocket.accept(socket.number) != nil {}
        let waiting = Task { try await container.privateDatabase.allRecordZones() }
        #expect(try await eventually { () async throws -> Bool in Self.isReadable(socket.number) })
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        while try UnixSocket.accept(socket.number) != nil {}
        let app = NotesApp(container.privateDatabase, isAutomatic: false)
        let engine = try await app.start()
        let fetching = Task { try await engine.fetchChanges() }
        // Its call has connected. The wait leaves the threads of tasks to the call, of which there are as many as processors.
        #expect(try await eventually { () async throws -> Bool in Self.isReadable(socket.number) })
        let sending = Task { try await engine.sendChanges() }
        fetching.cancel()
        await #expect(throws: CancellationError.self) { try await fetching.value }
        await engine.cancelOperations()
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}

extension SyncProcess {
    /// Performs something while the program does not run.
    func stopForAWhile(_ body: () throws -> Void) throws {
        try stop()
        try body()
        try start()
    }
}
