import Containers
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// Which changes of the copy are reported to the daemon.
@Suite(.waits) struct OwedReportTests {
    private var machines: TwoMachines
    private var hub: SimulatedHub { machines.hub }
    private var laptop: SimulatedMachine { machines.laptop }
    private var phone: SimulatedMachine { machines.phone }

    init() throws { machines = try TwoMachines() }

    private func makeZone(_ machine: SimulatedMachine) throws {
        _ = try machine.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named("notes")], deleting: [])
        }
    }

    private func save(_ machine: SimulatedMachine, _ name: String, _ value: Int64) throws {
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            let id = ZoneID(SimulatedMachine.container, owner: account, named("notes"))
            guard let zone = try tables.present(id, in: row, of: account) else { return .zoneNotFound(named("notes")) }
            let draft = RecordDraft(named(name), named("Note"), [named("value"): .integer(value)])
            return try tables.modify(
                zone, ModifyRecords(id, saves: [ModifyRecords.Save(draft, .ifServerRecordUnchanged)]))
        }
        #expect(refusal == nil)
    }

    private func owed(_ machine: SimulatedMachine) throws -> [OwedReport] {
        try machine.cache.read { (tables) throws(StorageError) in try tables.owedReports() }
    }

    private func settle(_ machine: SimulatedMachine, _ report: OwedReport) throws {
        try machine.cache.write { (tables) throws(StorageError) in try tables.settle(report) }
    }

    @Test mutating func `a push of the public database is reported, although the copy has nothing of it`() throws {
        try makeZone(laptop)
        try machines.synchronize(laptop)
        #expect(try owed(laptop).isEmpty)
        let device = PushTarget(SimulatedMachine.container, named("alice"), named("laptop"))
        let zone = ZoneID(SimulatedMachine.container, owner: nil, .defaultZone)
        let push = Push(device, zone.database, zone, named("severe"), 7)
        try laptop.cache.write { (tables) throws(StorageError) in try tables.apply([push]) }
        let report = try #require(try owed(laptop).first)
        #expect(report.container == SimulatedMachine.container)
        #expect(report.fired == [try #require(FiredSubscription(.public, "severe"))])
        try settle(laptop, report)
        #expect(try owed(laptop).isEmpty)
    }

    @Test mutating func `subscriptions that have fired are reported until the daemon has received them, the latest 16`()
        throws
    {
        try makeZone(laptop)
        try machines.synchronize(laptop)
        let device = PushTarget(SimulatedMachine.container, named("alice"), named("laptop"))
        let notes = ZoneID(SimulatedMachine.container, owner: named("alice"), named("notes"))
        let own = notes.database
        func receive(_ names: [String?]) throws {
            let pushes = names.map { Push(device, own, notes, $0.map { named($0) }, 7) }
            try laptop.cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
        }
        func fired(_ report: OwedReport?) -> [String] { report?.fired.map { "\($0.database) \($0.name)" } ?? [] }
        // Of a zone that has changed no program learns before the change is in the copy.
        try receive([nil])
        #expect(try owed(laptop).isEmpty)
        try receive(["a", nil, "b"])
        let first = try #require(try owed(laptop).first)
        #expect(fired(first) == ["private a", "private b"])
        try receive(["a", "c"])
        try settle(laptop, first)
        try laptop.crash()
        let second = try #require(try owed(laptop).first)
        #expect(fired(second) == ["private a", "private c"], "a has fired again")
        try receive((0..<20).map { "s\($0)" })
        let third = try #require(try owed(laptop).first)
        #expect(fired(third) == (4..<20).map { "private s\($0)" })
        try settle(laptop, third)
        #expect(try owed(laptop).isEmpty)
        try receive(["d"])
        #expect(fired(try owed(laptop).first) == ["private d"])
    }

    @Test mutating func `what a program on the same machine has changed is not reported, also when it comes back`()
        throws
    {
        try makeZone(laptop)
        try save(laptop, "n1", 1)
        try machines.synchronize(laptop)
        try save(laptop, "n1", 2)
        try machines.synchronize(laptop)
        try machines.synchronize(laptop)
        #expect(try owed(laptop) == [])
        // A copy that fetches everything again finds the same records.
        let zone = try laptop.cache.read { (tables) throws(StorageError) in
            try tables.find(SimulatedMachine.container).map { (row) throws(StorageError) in
                try tables.zones(.readZones, in: row)
            }?.first { $0.zone.name == named("notes") }
        }
        let notes = try #require(zone)
        try laptop.cache.write { (tables) throws(StorageError) in try tables.fetchAgain(notes) }
        try machines.synchronize(laptop)
        #expect(try owed(laptop) == [])
        #expect(try laptop.records() == ["notes/n1": ["value": 2]])
    }

    @Test mutating func `what another machine has changed is reported once, also after a crash`() throws {
        try makeZone(laptop)
        try save(laptop, "n1", 1)
        try machines.synchronize(laptop)
        try machines.synchronize(phone)
        let first = try #require(try owed(phone).first)
        #expect(first.container == SimulatedMachine.container)
        try phone.crash()
        #expect(try owed(phone) == [first])
        try settle(phone, first)
        #expect(try owed(phone) == [])
        try machines.synchronize(phone)
        #expect(try owed(phone) == [], "nothing has changed")
    }

    @Test mutating func `a change while a report is on its route is another report`() throws {
        try makeZone(laptop)
        try save(laptop, "n1", 1)
        try machines.synchronize(laptop)
        try machines.synchronize(phone)
        let first = try #require(try owed(phone).first)
        try save(laptop, "n2", 2)
        try machines.synchronize(laptop)
        try machines.synchronize(phone)
        try settle(phone, first)
        let second = try #require(try owed(phone).first)
        #expect(second.revision > first.revision)
        // The copy of another account may have the same number and fewer changes.
        try settle(phone, OwedReport(id: second.id, container: second.container, revision: second.revision + 5))
        #expect(try owed(phone) == [second])
        try settle(phone, second)
        #expect(try owed(phone) == [])
    }

    @Test mutating func `a deletion elsewhere and a change that is refused are reported`() throws {
        try makeZone(laptop)
        try save(laptop, "n1", 1)
        try machines.synchronize(laptop)
        try machines.synchronize(phone)
        try settle(phone, try #require(try owed(phone).first))
        try save(phone, "n1", 3)
        try save(laptop, "n1", 2)
        try machines.synchronize(laptop)
        // The hub refuses the phone's change, or the laptop's is fetched before.
        try machines.synchronize(phone)
        #expect(try phone.records() == ["notes/n1": ["value": 2]])
        try settle(phone, try #require(try owed(phone).first))
        _ = try laptop.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [], deleting: [named("notes")])
        }
        try machines.synchronize(laptop)
        #expect(try owed(laptop) == [])
        try machines.synchronize(phone)
        #expect(try owed(phone).count == 1)
    }
}
