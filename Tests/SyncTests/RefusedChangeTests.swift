import JSONText
import SyncInterface
import TestHubs
import TestSupport
import Testing

/// Changes that the hub has refused, and how programs discard them.
@Suite(.timeLimit(.minutes(5))) struct RefusedChangeTests {
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
