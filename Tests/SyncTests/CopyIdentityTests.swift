import JSONText
import Storage
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// The identity of a copy, by which an app notices that its revision is that of another one.
@Suite(.waits) struct CopyIdentityTests {
    @Test func `the revision of another copy is reset, and that of this one is not`() throws {
        let hub = try HubProcess()
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        // Otherwise the hub could acknowledge the zone, which is pending below.
        try hub.stop()
        try laptop.makeZone()
        let copy = try #require(try laptop.call(SyncInterface.GetAccount()).copy)
        let page = try changes(laptop, since: 0, of: copy)
        #expect(page.copy == copy && page.changes.count == 1 && !page.reset)
        #expect(page.changes[0].revision == page.revision && page.changes[0].pending)
        _ = try laptop.call(SyncInterface.Leave(unsent: laptop.unsent()))
        try hub.start()
        // The name is free again when the hub has been notified.
        try laptop.join(hub, as: "laptop2")
        try laptop.makeZone()
        try laptop.save("n1", "milk")
        // Without the identity the app would skip what the new copy has.
        #expect(try !changes(laptop, since: page.revision, of: nil).reset)
        let reset = try changes(laptop, since: page.revision, of: copy)
        #expect(reset.reset && reset.revision == 0 && reset.changes.isEmpty && reset.moreComing)
        #expect(reset.copy != copy && reset.copy?.utf8.count == 32)
        #expect(try !changes(laptop, since: 0, of: reset.copy).reset)
        // Of no account.
        try laptop.synchronize()
        _ = try laptop.call(SyncInterface.Leave(unsent: 0))
        #expect(try laptop.call(SyncInterface.GetAccount()).copy == nil)
    }

    @Test func `a change is listed as pending, and again when the hub has acknowledged it`() throws {
        let hub = try HubProcess()
        let laptop = try SyncProcess()
        try laptop.join(hub, as: "laptop")
        try laptop.makeZone()
        try laptop.synchronize()
        try hub.stop()
        try laptop.save("n1", "milk")
        let pending = try changes(laptop, since: 0, of: nil)
        #expect(pending.changes.map(\.name) == [nil, "n1"] && pending.changes[1].pending && pending.changes[1].local)
        #expect(pending.changes[1].record?["changeTag"] == nil)
        try hub.start()
        try laptop.synchronize()
        let saved = try changes(laptop, since: pending.revision, of: nil)
        #expect(saved.changes.map(\.name) == ["n1"] && !saved.changes[0].pending && saved.changes[0].local)
        #expect(saved.changes[0].record?["changeTag"] != nil)
        try laptop.delete("n1")
        try laptop.synchronize()
        let deleted = try changes(laptop, since: saved.revision, of: nil)
        #expect(deleted.changes.map(\.name) == ["n1"] && !deleted.changes[0].pending && deleted.changes[0].local)
        #expect(deleted.changes[0].record == nil && deleted.revision == saved.revision + 2)
    }

    private func changes(
        _ machine: SyncProcess, since revision: Int64, of copy: String?
    ) throws -> SyncInterface.GetChanges.Reply {
        try machine.call(SyncInterface.GetChanges(container: SyncProcess.container, since: revision, copy: copy))
    }
}
