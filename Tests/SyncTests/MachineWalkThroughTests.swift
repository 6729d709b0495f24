import Glibc
import Hub
import JSONText
import Platform
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// What a person and apps do, with a real hub and real programs.
@Suite(.waits, .timeLimit(.minutes(15))) struct MachineWalkThroughTests {
    @Test func `a record that was made on one machine appears on the other, offline and back`() throws {
        let hub = try HubProcess(more: [])
        let (laptop, phone) = (try SyncProcess(), try SyncProcess())
        try laptop.join(hub, as: "laptop")
        try phone.join(hub, as: "phone")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "milk"])
        // A push, without anything else.
        try laptop.save("n2", "bread")
        try phone.waitForNotes(["n1": "milk", "n2": "bread"])
        try phone.delete("n1")
        try laptop.waitForNotes(["n2": "bread"])

        try hub.stop()
        try laptop.save("n3", "made while the hub is away")
        #expect(try laptop.notes() == ["n2": "bread", "n3": "made while the hub is away"])
        // All of it from one reply, because the next attempt may begin before another one.
        var status = try laptop.status()
        let waits = try eventually {
            status = try laptop.status()
            return status.activity == "waiting"
        }
        #expect(waits)
        #expect(status.containers.first?.pending == 1 && status.problem != nil && status.nextAttempt != nil)
        try laptop.crash()
        #expect(try laptop.notes() == ["n2": "bread", "n3": "made while the hub is away"])
        try hub.start()
        try phone.waitForNotes(["n2": "bread", "n3": "made while the hub is away"])
        let isSent = try eventually { try laptop.status().containers.first?.pending == 0 }
        #expect(isSent)
        try laptop.stop()
        try phone.stop()
    }

    @Test func `the command does not begin with a container that nobody has used, unless it is to`() throws {
        let hub = try HubProcess(more: [])
        let laptop = try SyncProcess()
        func run(_ arguments: String...) throws -> CompletedProcess {
            try CompletedProcess.run(
                Products.program("waymark"), ["sync"] + arguments + ["--sync-socket", laptop.socket],
                environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
        }
        let none = try run("zones", SyncProcess.container)
        #expect(none.status == .exited(1) && none.error.contains("waymark join"), "\(none.error)")
        try laptop.join(hub, as: "laptop")
        let container = SyncProcess.container
        for words in [["zones", container], ["records", container, "notes"], ["delete-zone", container, "notes"]] {
            let refused = try CompletedProcess.run(
                Products.program("waymark"), ["sync"] + words + ["--sync-socket", laptop.socket])
            #expect(refused.status == .exited(1), "\(refused.output)")
            #expect(refused.error.contains("no copy of \(container) in production"), "\(refused.error)")
        }
        #expect(try laptop.status().containers.isEmpty)
        #expect(try run("zones", "--add", SyncProcess.container).status == .exited(0))
        #expect(try laptop.status().containers.map(\.name) == [SyncProcess.container])
        #expect(try run("zones", SyncProcess.container).status == .exited(0))
        let other = try run("zones", "--environment", "development", SyncProcess.container)
        #expect(other.status == .exited(1) && other.error.contains("in development"), "\(other.error)")
    }

    @Test func `a conflict is set aside until the app resolves it`() throws {
        let hub = try HubProcess(more: [])
        let (laptop, phone) = (try SyncProcess(), try SyncProcess())
        try laptop.join(hub, as: "laptop")
        try phone.join(hub, as: "phone")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        try laptop.synchronize()
        try phone.synchronize()
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "milk"])
        try hub.stop()
        try laptop.save("n1", "milk and bread")
        try phone.save("n1", "milk and butter")
        try hub.start()
        let isRefused = try eventually {
            try !laptop.refused().isEmpty || !phone.refused().isEmpty
        }
        #expect(isRefused)
        let (winner, loser) = try laptop.refused().isEmpty ? (laptop, phone) : (phone, laptop)
        let mine = loser === laptop ? "milk and bread" : "milk and butter"
        let theirs = loser === laptop ? "milk and butter" : "milk and bread"
        let change = try #require(try loser.refused().first)
        #expect(change.zone == "notes" && change.name == "n1" && change.owner == nil)
        #expect(change.change["save"]?[0]?["record"]?["fields"]?["text"]?["string"]?.stringValue == mine)
        #expect(change.outcome["error"]?.stringValue == "serverRecordChanged")
        #expect(change.outcome["server"]?["fields"]?["text"]?["string"]?.stringValue == theirs)
        #expect(change.outcome["ancestor"]?["fields"]?["text"]?["string"]?.stringValue == "milk")
        try loser.waitForNotes(["n1": theirs])
        try loser.save("n1", "milk, bread and butter")
        try winner.waitForNotes(["n1": "milk, bread and butter"])
        #expect(try loser.refused().isEmpty)
    }

    @Test func `a deleted zone disappears everywhere, and a removed machine stops`() throws {
        let hub = try HubProcess(more: [])
        let (laptop, phone) = (try SyncProcess(), try SyncProcess())
        try laptop.join(hub, as: "laptop")
        try phone.join(hub, as: "phone")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        _ = try phone.call(SyncInterface.ListZones(container: SyncProcess.container))
        try phone.waitForNotes(["n1": "milk"])
        let changes = try phone.call(SyncInterface.GetChanges(container: SyncProcess.container, since: 0))
        #expect(changes.changes.map(\.name) == [nil, "n1"] && !changes.reset && !changes.moreComing)
        _ = try laptop.call(SyncInterface.ModifyZones(container: SyncProcess.container, delete: ["notes"]))
        let isRemovedThere = try eventually {
            try phone.call(SyncInterface.ListZones(container: SyncProcess.container)).zones.isEmpty
        }
        #expect(isRemovedThere)
        let next = try phone.call(
            SyncInterface.GetChanges(container: SyncProcess.container, since: changes.revision))
        #expect(next.changes.map(\.deleted) == ["deleted"])

        _ = try hub.call(HubInterface.Remove(account: "alice", device: "phone"))
        let isRemoved = try eventually { try phone.status().state == .removed }
        #expect(isRemoved)
        #expect(try phone.status().problem != nil)
        _ = try phone.call(SyncInterface.Leave(unsent: 0))
        #expect(try phone.status().state == .noAccount)
        #expect(throws: VarlinkError.self) { try phone.notes() }
        // It can join again.
        try phone.join(hub, as: "phone")
    }

    @Test func `a zone is shared with another account, and withdrawn`() throws {
        let hub = try HubProcess(more: [])
        let (laptop, tablet) = (try SyncProcess(), try SyncProcess())
        try laptop.join(hub, as: "laptop")
        try tablet.join(hub, as: "tablet", of: "bob")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        try laptop.synchronize()
        let container = SyncProcess.container
        _ = try laptop.call(
            SyncInterface.ModifySharing(container: container, zone: "notes", invite: "bob", permission: "write"))
        func participants() throws -> [SyncInterface.Participant] {
            try laptop.call(SyncInterface.ListParticipants(container: container, zone: "notes")).participants
        }
        #expect(try participants() == [.init(account: "bob", permission: "write", accepted: false)])
        let invited = try tablet.call(SyncInterface.ListSharedZones(container: container)).zones
        #expect(invited.map(\.owner) == ["alice"] && invited.first?.accepted == false)
        _ = try tablet.call(
            SyncInterface.AcceptZone(container: container, owner: "alice", zone: "notes", accept: true))
        #expect(try participants() == [.init(account: "bob", permission: "write", accepted: true)])
        try tablet.waitForNotes(["n1": "milk"], owner: "alice")
        let request: JSON = [
            "save": [["record": ["name": "n2", "type": "Note", "fields": ["text": ["string": "from bob"]]]]]
        ]
        _ = try tablet.call(
            SyncInterface.ModifyRecords(container: container, owner: "alice", zone: "notes", request: request))
        try laptop.waitForNotes(["n1": "milk", "n2": "from bob"])
        _ = try laptop.call(SyncInterface.ModifySharing(container: container, zone: "notes", withdraw: "bob"))
        #expect(try participants().isEmpty)
        let isWithdrawn = try eventually {
            try tablet.call(SyncInterface.ListZones(container: container)).zones.isEmpty
        }
        #expect(isWithdrawn)
    }

    @Test func `leaving says how many changes would be lost`() throws {
        let hub = try HubProcess(more: [])
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        try laptop.makeZone()
        try laptop.synchronize()
        try hub.stop()
        try laptop.save("n1", "milk")
        #expect {
            _ = try laptop.call(SyncInterface.Leave(unsent: 0))
        } throws: { error in
            guard case VarlinkError.reply(let name, let details) = error else { return false }
            return name == "io.waymark.Sync.UnsentChanges" && details["count"]?.integerValue == 1
        }
        #expect(try laptop.notes() == ["n1": "milk"])
        _ = try laptop.call(SyncInterface.Leave(unsent: 1))
        #expect(try laptop.status().state == .noAccount)
        // Nothing of the account is left in the file.
        try laptop.stop()
        for file in ["sync.sqlite", "sync.sqlite-wal"] {
            let bytes = attempt { try BoundedFile.bytes(of: laptop.folder.file("copy/\(file)"), limit: 1 << 24) } ?? []
            #expect(!String(decoding: bytes, as: UTF8.self).contains("milk"))
        }
    }

    @Test func `another hub at the same address is not trusted`() throws {
        let hub = try HubProcess(more: [])
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        try laptop.makeZone()
        try laptop.synchronize()
        try hub.stop()
        #expect(unlink(hub.folder.file("hub/certificate.pem")) == 0)
        try laptop.save("n1", "milk")
        try hub.start()
        let isRefused = try eventually { try laptop.status().problem?.contains("another key") == true }
        #expect(isRefused)
        #expect(try laptop.status().containers.first?.pending == 1)
    }

    @Test func `kills under load lose nothing that was acknowledged, and send nothing twice`() throws {
        let hub = try HubProcess(more: [])
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        try laptop.makeZone()
        var random = SeededGenerator()
        var expected: [String: String] = [:]
        for number in 0..<60 {
            let name = "n\(Int.random(in: 0..<20, using: &random))"
            try laptop.save(name, "text \(number)")
            expected[name] = "text \(number)"
            // What it sends meanwhile is interrupted at any point.
            if number % 6 == 5 {
                _ = poll(nil, 0, Int32.random(in: 0..<30, using: &random))
                try laptop.crash()
            }
            if number % 20 == 10 { try hub.crash() }
        }
        try laptop.synchronize()
        #expect(try laptop.notes() == expected)
        #expect(try laptop.refused().isEmpty)
        let observer = try SyncProcess()
        try observer.join(hub, as: "observer")
        _ = try observer.call(SyncInterface.ListZones(container: SyncProcess.container))
        try observer.waitForNotes(expected)
    }
}
