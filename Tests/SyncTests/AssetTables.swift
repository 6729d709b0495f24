import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// A copy with one zone, in which a test adds assets, and records that have them, as programs and the hub do.
struct AssetTables {
    typealias AssetRow = Sync.AssetRow
    typealias ZoneRow = Sync.ZoneRow

    let folder: TemporaryDirectory
    let cache: SyncCache
    let zone: ZoneRow
    static let zoneID = ZoneID(
        SimulatedMachine.container, owner: named("alice") as AccountID, .defaultZone)
    static let now: Int64 = 1_780_000_000_000_000

    init() throws {
        folder = try TemporaryDirectory()
        cache = try SyncCache(folder: folder.path)
        zone = try Self.prepare(cache)
    }

    /// Joins an account and makes the zone.
    private static func prepare(_ cache: SyncCache) throws -> ZoneRow {
        return try cache.write { (tables) throws(StorageError) in
            try tables.join(.test())
            let container = try tables.open(SimulatedMachine.container)
            guard let zone = try tables.present(zoneID, in: container, of: named("alice")) else {
                throw CacheTables.damaged("the zone")
            }
            return zone
        }
    }

    func write<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws -> Value {
        try cache.write(body)
    }

    func add(
        _ file: TestFile, from offset: Int64 = 0, _ bytes: [UInt8]? = nil, limits: AssetLimits = AssetLimits(),
        at now: Int64 = now
    ) throws -> Result<AssetRow, CacheTables.AssetRefusal> {
        try write { (tables) throws(StorageError) in
            try tables.add(file.asset, from: offset, bytes ?? file.bytes, in: zone, at: now, limits)
        }
    }

    func row(_ file: TestFile) throws -> AssetRow? {
        try cache.read { (tables) throws(StorageError) in try tables.asset(file.asset.digest, in: zone) }
    }

    func read(_ file: TestFile, from offset: Int64 = 0, most: Int64 = .max / 2) throws -> [UInt8]? {
        try cache.read { (tables) throws(StorageError) in
            try tables.asset(file.asset.digest, in: zone).map { (row) throws(StorageError) in
                try tables.read(row, from: offset, most: most)
            }
        }
    }

    /// A program saves a record with these files, or deletes it.
    func edit(_ name: String, _ files: TestFile...) throws -> EditRefusal? {
        try edit(name, files)
    }

    func edit(_ name: String, _ files: [TestFile]?, _ policy: SavePolicy = .allKeys) throws -> EditRefusal? {
        var request = ModifyRecords(Self.zoneID)
        if let files {
            let list = FieldList(.asset, files.map { .asset($0.asset) })
            let draft = RecordDraft(
                named(name), named("Note"), [named("files"): try #require(list.map(FieldValue.list))])
            request.saves = [ModifyRecords.Save(draft, policy)]
        } else {
            request.deletions = [ModifyRecords.Deletion(named(name))]
        }
        return try write { (tables) throws(StorageError) in try tables.modify(zone, request) }
    }

    /// The hub lists a record with these files.
    func fetch(_ name: String, _ files: TestFile..., tag: UInt64 = 1) throws {
        let stamp = Record.Stamp(.init(microseconds: 1), named("alice"), named("phone"))
        let list = FieldList(.asset, files.map { .asset($0.asset) })
        let record = Record(
            named(name), named("Note"), [named("files"): try #require(list.map(FieldValue.list))],
            changeTag: try #require(ChangeTag("1-\(tag)")), created: stamp, modified: stamp)
        var page = ZoneChanges()
        (page.changed, page.token) = ([record], [1])
        try write { (tables) throws(StorageError) in try tables.apply(WrittenZoneChanges(page), to: zone) }
    }

    func clean(_ limits: AssetLimits = AssetLimits(), at now: Int64 = now) throws {
        while try write({ (tables) throws(StorageError) in try tables.removeAssets(at: now, limits) }) {}
    }

    /// Prepares the next request with changes; nil if nothing can be sent.
    func prepareRequest() throws -> RequestRow? {
        try write { (tables) throws(StorageError) in
            try tables.prepare(key: "k", of: named("alice"), most: 400, at: Self.now)
        }
    }

    func apply(_ outcomes: [RecordOutcome]) throws {
        try write { (tables) throws(StorageError) in
            guard let request = try tables.request() else { throw CacheTables.damaged("the request") }
            try tables.apply(outcomes, to: request, in: zone)
        }
    }

    func saved(_ tag: UInt64) throws -> RecordOutcome {
        let stamp = Record.Stamp(.init(microseconds: 1), named("alice"), named("laptop"))
        return .saved(
            SavedRecord(changeTag: try #require(ChangeTag("1-\(tag)")), created: stamp, modified: stamp))
    }

    func nextUpload() throws -> AssetRow? {
        let work = try cache.read { (tables) throws(StorageError) in try tables.nextUpload() }
        guard case .upload(_, _, let row, _)? = work else { return nil }
        return row
    }

    func markUploaded(_ file: TestFile) throws {
        let id = try #require(try row(file)).id
        try write { (tables) throws(StorageError) in
            try tables.storeUpload(id, sent: file.asset.size, isUploaded: true)
        }
    }
}
