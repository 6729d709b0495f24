import JSONText
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// Changes that the hub has refused, and how programs discard them.
@Suite(.waits, .timeLimit(.minutes(15))) struct RefusedChangeTests {
    /// A machine with a change that the hub has refused, because it is based on an old version.
    private func refused() throws -> (HubProcess, SyncProcess) {
        let hub = try HubProcess()
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        try laptop.synchronize()
        let tag = try laptop.call(
            SyncInterface.GetRecords(container: SyncProcess.container, zone: "notes", names: ["n1"])
        ).records.first?["changeTag"]
        try laptop.save("n1", "milk and bread")
        try laptop.synchronize()
        let old: JSON = [
            "save": [
                [
                    "record": [
                        "name": "n1", "type": "Note", "fields": ["text": ["string": "old"]],
                        "changeTag": try #require(tag),
                    ]
                ]
            ]
        ]
        _ = try laptop.call(
            SyncInterface.ModifyRecords(container: SyncProcess.container, zone: "notes", request: old))
        try laptop.synchronize()
        #expect(try laptop.refused().map(\.name) == ["n1"])
        #expect(try laptop.notes() == ["n1": "milk and bread"])
        return (hub, laptop)
    }

    @Test func `changes of a request that is refused as a whole are listed in pages`() async throws {
        var machines = try SyncMachines("laptop")
        let tablet = try machines.add("tablet", of: "bob")
        let (alice, bob) = (machines.container(0), machines.container(1))
        let own = RecordZone.ID(zoneName: "notes")
        try await alice.privateDatabase.save(RecordZone(zoneID: own))
        try await alice.synchronize()
        try await alice.privateDatabase.share(for: own).invite("bob")
        try await bob.accept(try #require(try await bob.sharedZones().first))
        try await bob.synchronize()
        // Bob only reads the zone, so that the hub refuses everything.
        let zone = RecordZone.ID(zoneName: "notes", ownerName: "alice")
        let notes = (0..<230).map {
            Record(recordType: "Note", recordID: Record.ID(recordName: "n\($0)", zoneID: zone))
        }
        _ = try await bob.sharedDatabase.modifyRecords(saving: notes, deleting: [])
        try await bob.synchronize()
        var pages: [Int] = []
        var names: [String] = []
        var last: Int64?
        repeat {
            let page = try tablet.call(
                SyncInterface.ListRefusedChanges(container: SyncProcess.container, after: last, limit: 90))
            pages.append(page.refused.count)
            names += page.refused.map(\.name)
            last = page.next
        } while last != nil
        #expect(pages == [90, 90, 50] && Set(names).count == 230)
        let all = try tablet.call(SyncInterface.ListRefusedChanges(container: SyncProcess.container))
        #expect(all.refused.map(\.name) == names && all.next == nil)
        let refused = try await bob.sharedDatabase.refusedChanges()
        #expect(Set(refused.keys.map(\.recordName)) == Set(names))
        #expect(refused.values.allSatisfy { $0.code == .permissionFailure })
    }

    private func discard(_ laptop: SyncProcess) throws {
        _ = try laptop.call(
            SyncInterface.DiscardChanges(
                container: SyncProcess.container, zone: "notes", names: ["n1"], refused: true))
    }

    @Test func `a refused change is discarded`() throws {
        let (hub, laptop) = try refused()
        try discard(laptop)
        #expect(try laptop.refused().isEmpty)
        try hub.stop()
    }

    @Test func `a program that discards a refused change does not discard a later one`() throws {
        let (hub, laptop) = try refused()
        try hub.stop()
        try laptop.save("n1", "merged")
        try discard(laptop)
        #expect(try laptop.notes() == ["n1": "merged"])
        try hub.start()
        try laptop.synchronize()
        #expect(try laptop.notes() == ["n1": "merged"] && laptop.refused().isEmpty)
    }
}
