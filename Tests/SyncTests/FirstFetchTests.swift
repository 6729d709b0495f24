import JSONText
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

private typealias ZoneRow = Sync.ZoneRow
private typealias RecordRow = Sync.RecordRow

/// Pages of a zone that is fetched for the first time, or again, and in which most records are new.
@Suite struct FirstFetchTests {
    private let folder: TemporaryDirectory
    private let cache: SyncCache
    private let container: ContainerRow
    private static let zoneID = ZoneID(
        SimulatedMachine.container, owner: named("alice") as AccountID, .defaultZone)

    init() throws {
        folder = try TemporaryDirectory()
        cache = try SyncCache(folder: folder.path)
        container = try cache.write { (tables) throws(StorageError) in
            try tables.join(.test())
            return try tables.open(SimulatedMachine.container)
        }
        try change { (tables, zone) throws(StorageError) in try tables.fetchAgain(zone) }
    }

    private func change(_ body: (CacheTables, ZoneRow) throws(StorageError) -> Void) throws {
        try cache.write { (tables) throws(StorageError) in
            guard let zone = try tables.present(Self.zoneID, in: container, of: named("alice")) else {
                throw CacheTables.damaged("the zone")
            }
            try body(tables, zone)
        }
    }

    private func record(_ name: String, _ number: Int64) throws -> Record {
        let stamp = Record.Stamp(.init(microseconds: 1), named("alice"), named("phone"))
        return Record(
            named(name), named("Note"), [named("number"): .integer(number)],
            changeTag: try #require(ChangeTag("1-\(number)")), created: stamp, modified: stamp)
    }

    private func fetch(_ records: [Record], deleted: [String] = [], moreComing: Bool = false) throws {
        var page = ZoneChanges()
        (page.changed, page.token, page.moreComing) = (records, [1], moreComing)
        page.deleted = deleted.map { ZoneChanges.Deletion(named($0), named("Note")) }
        // As a hub sends it, so that the records are checked without being read.
        let written = try WrittenZoneChanges(json: page.json)
        try change { (tables, zone) throws(StorageError) in try tables.apply(written, to: zone) }
    }

    private func row(_ name: String) throws -> RecordRow? {
        var found: RecordRow?
        try change { (tables, zone) throws(StorageError) in found = try tables.record(named(name), in: zone) }
        return found
    }

    private func revision() throws -> Int64 {
        try cache.read { (tables) throws(StorageError) in try tables.revision(of: container.id) }
    }

    @Test func `new records are in the copy as the hub has written them, each with a revision of its own`() throws {
        let before = try revision()
        let records = try (1...5).map { try record("n\($0)", $0) }
        try fetch(Array(records[..<3]), moreComing: true)
        try fetch(Array(records[3...]))
        for (number, record) in records.enumerated() {
            let row = try #require(try row(record.name.text))
            #expect(row.base == record && row.isPresent && !row.isLocal)
            #expect(row.revision == before + 1 + Int64(number))
        }
        #expect(try revision() == before + 5)
        #expect(try cache.read { (tables) throws(StorageError) in try tables.counts(container.id).records } == 5)
    }

    @Test func `of a record that a page lists twice the copy has the later version`() throws {
        let before = try revision()
        try fetch([try record("n1", 1), try record("n2", 2), try record("n1", 3), try record("n3", 4)])
        #expect(try row("n1")?.base == record("n1", 3))
        #expect(try row("n1")?.revision == before + 3)
        #expect(try row("n3")?.revision == before + 4)
        #expect(try revision() == before + 4)
    }

    @Test func `what is fetched again has new revisions where it differs, and what is not listed disappears`() throws {
        try fetch([try record("n1", 1), try record("n2", 2), try record("n3", 3)])
        let before = try revision()
        try change { (tables, zone) throws(StorageError) in try tables.fetchAgain(zone) }
        let first = try #require(try row("n1"))
        try fetch([try record("n1", 1), try record("n4", 4)], moreComing: true)
        try fetch([try record("n2", 5)])
        #expect(try row("n1")?.revision == first.revision)
        #expect(try row("n2")?.base == record("n2", 5))
        #expect(try #require(try row("n2")).revision > before)
        #expect(try row("n3")?.isPresent == false)
        #expect(try row("n4")?.base == record("n4", 4))
    }

    @Test func `a record that a program has changed meanwhile stays changed, on the version of the hub`() throws {
        try change { (tables, zone) throws(StorageError) in
            var request = ModifyRecords(Self.zoneID)
            let draft = RecordDraft(named("n1"), named("Note"), [named("title"): .string("mine")])
            request.saves = [.init(draft, .changedKeys)]
            _ = try tables.modify(zone, request)
        }
        try fetch([try record("n1", 1), try record("n2", 2)])
        #expect(try row("n1")?.base == record("n1", 1))
        #expect(try row("n2")?.base == record("n2", 2))
        var seen: LocalRecord?
        try change { (tables, zone) throws(StorageError) in
            let row = try tables.record(named("n1"), in: zone)
            seen = SeenRecord(try tables.change(named("n1"), in: zone), of: row?.base).record
        }
        #expect(seen?.isPending == true)
        #expect(seen?.fields == [named("number"): .integer(1), named("title"): .string("mine")])
    }

    @Test func `the copy notes which assets the new records have`() throws {
        let asset = try #require(Asset(digest: [UInt8](repeating: 7, count: Asset.digestSize), size: 3))
        var record = try record("n2", 2)
        record.fields[named("file")] = .asset(asset)
        try fetch([try self.record("n1", 1), record, try self.record("n3", 3)])
        var holders: [String] = []
        try change { (tables, zone) throws(StorageError) in
            holders = try tables.assetStatements.all(
                .findAssetRecord, [.integer(zone.id), .text(HexText.text(asset.digest)), .text("")]
            ) { row in row.text(0) }
        }
        #expect(holders == ["n2"])
        #expect(try row("n2")?.base == record)
        #expect(try row("n3")?.base == self.record("n3", 3))
    }

    @Test func `a page that is refused changes nothing`() throws {
        var page = ZoneChanges()
        page.changed = [try record("n1", 1), try record("n2", 2)]
        let text = String(decoding: page.json, as: UTF8.self)
        for (old, new) in [(#""name":"n2""#, #""name":"_n2""#), (#""integer":2"#, #""integer":2.5"#), ("1-2", "01-2")] {
            #expect(text.contains(old))
            #expect(throws: FormatError.self) {
                try WrittenZoneChanges(json: Array(text.replacing(old, with: new).utf8))
            }
        }
    }
}
