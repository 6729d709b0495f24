import Hub
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// The life of an app on several devices of two accounts, with a real hub and real programs: its schema is deployed, it is
/// started for the first time, changes and loses records, and the person deletes its data.
@Suite(.waits, .timeLimit(.minutes(15))) struct AppLifeTests {
    private let machines: SyncMachines
    /// The app on two devices of alice, and on two of bob.
    private let apps: [NotesApp]
    /// Devices of the accounts without the app, which see what the hub has.
    private let consoles: [HubDevice]

    init() throws {
        var machines = try SyncMachines("laptop", "phone")
        try machines.add("tablet", of: "bob")
        try machines.add("desk", of: "bob")
        self.machines = machines
        apps = (0..<4).map { [machines] in NotesApp(machines.database($0)) }
        consoles = [try machines.hub.join("console", "alice"), try machines.hub.join("console", "bob")]
    }

    @Test func `an app lives from its first deployment and first start until the person deletes its data`() async throws
    {
        try deploysSchema()
        try await startsForTheFirstTime()
        try await pushesTheDifference()
        try await worksOffline()
        try await separatesAccounts()
        try await refusesWhatWasNotDeployed()
        try await deletesData()
    }

    /// The author saves records in development, and deploys the types that this has made.
    private func deploysSchema() throws {
        let author = try machines.hub.join("workbench", "carol")
        let draft = #"{"type":"Note","fields":{"text":{"string":"draft"}}}"#
        let testing = "/v1/development/\(SyncProcess.container)/zones/carol/_defaultZone"
        try author.json("PUT", "\(testing)/records/n1", draft, status: 201)
        #expect(try schema("diff").contains("the type Note is added"))
        #expect(try schema("deploy").contains("Production has changed"))
        #expect(try schema("diff").contains("Production has the schema"))
        // Schemas are deployed, and records never.
        let open = "\(HubDevice.container)/zones/carol/_defaultZone"
        #expect(try author.send("GET", "\(open)/records/n1").status == 404)
    }

    private func schema(_ command: String) throws -> String {
        let run = try CompletedProcess.run(
            Products.program("waymark-hub"),
            ["schema", command, SyncProcess.container, "--folder", machines.hub.folder.file("hub")])
        return run.output + run.error
    }

    /// Each app makes its zone at its first start; there is one zone of an account, and one subscription, also after everything
    /// was started again.
    private func startsForTheFirstTime() async throws {
        for app in apps {
            try await app.start()
            try await app.makeZone()
            try await app.running().sendChanges()
            #expect(await app.reports.contains("saved zone notes"))
        }
        try expectOneZone()
        for (app, machine) in zip(apps, machines.machines) {
            await app.end()
            try machine.crash()
            try await app.start()
            try machine.synchronize()
        }
        try expectOneZone()
        for app in apps { #expect(await !app.reports.contains { $0.hasPrefix("signed") }) }
    }

    private func expectOneZone() throws {
        for console in consoles {
            let zones = try console.json("GET", "\(HubDevice.container)/private/changes")["changed"]?.arrayValue ?? []
            #expect(zones.compactMap { $0["name"]?.stringValue } == ["notes"])
            let subscriptions = try console.json("GET", "\(HubDevice.container)/private/subscriptions")
            #expect(subscriptions["subscriptions"]?.arrayValue?.count == 1)
        }
    }

    /// What one device changes wakes the other one, without a word about what it is, and that one fetches what has changed.
    private func pushesTheDifference() async throws {
        try consoles[0].json("PUT", "\(HubDevice.container)/device", status: 204)
        for app in apps { await app.forgetReports() }
        try await change("n1", "milk", from: 0, to: 1)
        #expect(await apps[1].reports == ["fetched n1"])
        let pushes = try consoles[0].json("GET", "/v1/pushes")["pushes"]?.arrayValue ?? []
        #expect(pushes.count == 1 && pushes[0]["zone"]?["name"]?.stringValue == "notes")
        #expect(!pushes.description.contains("milk") && !pushes.description.contains("n1"))
        await apps[1].forgetReports()
        try await change("n2", "bread", from: 0, to: 1)
        try await change("n2", "white bread", from: 0, to: 1)
        #expect(await apps[1].reports == ["fetched n2", "fetched n2"])
        try await change("n1", "milk, two of them", from: 1, to: 0)
        // A device gets nothing because of its own change.
        #expect(await !apps[1].reports.contains("fetched n1"))
    }

    private func change(_ name: String, _ text: String, from: Int, to: Int) async throws {
        try await apps[from].write(name, text)
        try await apps[from].running().sendChanges()
        try await apps[to].wait { $0.texts[name] == text }
    }

    /// Without the hub an app reads and changes its records, also after a restart; everything is sent when the hub is back.
    private func worksOffline() async throws {
        try machines.hub.stop()
        try await apps[0].write("n3", "made offline")
        try await apps[0].waitUntilUnacknowledged()
        await apps[0].end()
        try machines.machines[0].crash()
        try await apps[0].start()
        #expect(try machines.machines[0].notes()["n3"] == "made offline")
        #expect(try machines.machines[1].notes()["n2"] == "white bread")
        try await apps[1].remove("n2")
        try await apps[1].waitUntilUnacknowledged()
        try machines.hub.start()
        let expected = ["n1": "milk, two of them", "n3": "made offline"]
        for app in apps[0..<2] { try await app.wait { $0.texts == expected } }
        try machines.machines[0].waitForNotes(expected)
        #expect(try consoles[0].changes().changed == expected)
    }

    /// The same app of another account has other records under the same names.
    private func separatesAccounts() async throws {
        try await change("n1", "of bob", from: 2, to: 3)
        for app in apps[2...] { #expect(await app.texts == ["n1": "of bob"]) }
        for app in apps[..<2] { #expect(await app.texts["n1"] == "milk, two of them") }
        #expect(try consoles[1].changes().changed == ["n1": "of bob"])
        #expect(try consoles[1].send("GET", "\(consoles[0].notes)/changes").status == 403)
    }

    /// A type that was not deployed is refused and set aside, until it is deployed.
    private func refusesWhatWasNotDeployed() async throws {
        let database = machines.database(0)
        let id = Record.ID(recordName: "t1", zoneID: NotesApp.zone)
        try await database.save(Record(recordType: "Task", recordID: id))
        try machines.machines[0].synchronize()
        let refused = try #require(try await database.refusedChanges()[id])
        #expect(refused.code == .invalidArguments && refused.description.contains("schema"), "\(refused)")
        let author = HubDevice(port: machines.hub.port, account: "alice", token: consoles[0].token)
        let testing = "/v1/development/\(SyncProcess.container)/zones/alice/_defaultZone"
        try author.json("PUT", "\(testing)/records/t1", #"{"type":"Task","fields":{}}"#, status: 201)
        #expect(try schema("deploy").contains("the type Task is added"))
        try await database.save(Record(recordType: "Task", recordID: id))
        try machines.machines[0].synchronize()
        #expect(try await database.refusedChanges().isEmpty)
        try await apps[1].wait { $0.records[id]?.recordType == "Task" }
    }

    /// The person deletes the app's data: each device forgets it, nothing is sent again, and the other account has what it had.
    /// What the app then makes is new.
    private func deletesData() async throws {
        for app in apps { await app.forgetReports() }
        try machines.hub.stop()
        try await apps[1].write("n4", "not sent when the data was deleted")
        try await apps[1].waitUntilUnacknowledged()
        try machines.machines[1].stopForAWhile {
            try machines.hub.start()
            try consoles[0].json(
                "POST", "\(HubDevice.container)/private/zones", #"{"delete":["notes"],"reason":"purged"}"#)
        }
        for app in apps[..<2] {
            try await app.wait { $0.records.isEmpty && $0.reports.contains("deleted zone notes: purged") }
        }
        try await apps[1].wait { $0.reports.contains("n4 failed: userDeletedZone") }
        for machine in machines.machines { try machine.synchronize() }
        #expect(try consoles[0].send("GET", "\(consoles[0].notes)/changes").status == 410)
        #expect(try consoles[1].changes().changed == ["n1": "of bob"])
        for app in apps[2...] { #expect(await app.texts == ["n1": "of bob"]) }
        try await apps[0].makeZone()
        try await apps[0].write("n1", "new")
        try await apps[0].running().sendChanges()
        try await apps[1].wait { $0.texts == ["n1": "new"] }
        #expect(try consoles[0].changes().changed == ["n1": "new"])
        try expectOneZone()
    }
}
