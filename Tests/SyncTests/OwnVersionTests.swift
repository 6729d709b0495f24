import Glibc
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Changes that a program makes while an earlier one of its own is on its route to the hub.
@Suite struct OwnVersionTests {
    private let folder: TemporaryDirectory
    private let hub: SimulatedHub
    private let machine: SimulatedMachine

    init() throws {
        folder = try TemporaryDirectory(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
        hub = try SimulatedHub(folder: folder.file("hub"))
        machine = try SimulatedMachine("laptop", folder: folder.file("laptop"), hub: hub)
    }

    private func save(_ value: Int64, in zone: ZoneName = .defaultZone) throws {
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            let id = ZoneID(SimulatedMachine.container, owner: account, zone)
            guard let zone = try tables.present(id, in: row, of: account) else { return .zoneNotFound(id.name) }
            let draft = RecordDraft(named("r"), named("Note"), [named("a"): .integer(value)])
            return try tables.modify(zone, ModifyRecords(id, saves: [.init(draft, .ifServerRecordUnchanged)]))
        }
        #expect(refusal == nil)
    }

    private func rest() throws {
        var past: [(HubRequest, String)] = []
        var steps = 0
        while steps < 100, try machine.step(.delivered, past: &past) { steps += 1 }
        #expect(steps < 100)
    }

    @Test(arguments: [SimulatedMachine.Fate.requestLost, .answerLost, .crashBefore, .crashAfter])
    func `a change that follows one on its route is based on what that one makes`(fate: SimulatedMachine.Fate) throws {
        try save(1)
        try rest()
        // The next request is made, and its answer is not known yet.
        try save(2)
        var past: [(HubRequest, String)] = []
        #expect(try machine.step(fate, past: &past))
        try save(3)
        try rest()
        #expect(try machine.refused().isEmpty)
        #expect(try hub.records() == ["_defaultZone/r": ["a": 3]])
        #expect(try machine.records() == ["_defaultZone/r": ["a": 3]])
    }

    private func modifyZones(saving saves: [ZoneName] = [], deleting deletions: [ZoneName] = []) throws {
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: saves, deleting: deletions)
        }
        #expect(refusal == nil)
    }

    @Test(arguments: [SimulatedMachine.Fate.requestLost, .answerLost, .crashBefore, .crashAfter])
    func `a zone that is deleted and made again while the request to make it is on its route is there at the end`(
        fate: SimulatedMachine.Fate
    ) throws {
        try rest()
        let zone: ZoneName = named("one")
        try modifyZones(saving: [zone])
        var past: [(HubRequest, String)] = []
        #expect(try machine.step(fate, past: &past))
        try modifyZones(deleting: [zone])
        try modifyZones(saving: [zone])
        try save(1, in: zone)
        try rest()
        #expect(try machine.refused().isEmpty)
        #expect(try hub.records() == ["one/r": ["a": 1]])
        #expect(try machine.records() == ["one/r": ["a": 1]])
    }
}
