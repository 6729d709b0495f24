import JSONText
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

private typealias AssetRow = Sync.AssetRow
private typealias ZoneRow = Sync.ZoneRow

/// The bytes of assets in the copy.
@Suite struct AssetTableTests {
    private let folder: TemporaryDirectory
    private let cache: SyncCache
    private let container: ContainerRow
    private let zone: ZoneRow
    private static let zoneID = ZoneID(
        SimulatedMachine.container, owner: named("alice") as AccountID, .defaultZone)
    private static let now: Int64 = 1_780_000_000_000_000

    init() throws {
        folder = try TemporaryDirectory()
        cache = try SyncCache(folder: folder.path)
        (container, zone) = try Self.prepare(cache)
    }

    private static func prepare(_ cache: SyncCache) throws -> (ContainerRow, ZoneRow) {
        let account = SyncAccount(
            hub: "https://localhost", pin: nil, token: "t", id: AccountDevice(named("alice"), named("laptop")),
            copy: "c")
        return try cache.write { (tables) throws(StorageError) in
            try tables.join(account)
            let container = try tables.open(SimulatedMachine.container)
            guard let zone = try tables.present(zoneID, in: container, of: named("alice")) else {
                throw CacheTables.damaged("the zone")
            }
            return (container, zone)
        }
    }

    private func write<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws -> Value {
        try cache.write(body)
    }

    private func add(
        _ file: TestFile, from offset: Int64 = 0, _ bytes: [UInt8]? = nil, limits: AssetLimits = AssetLimits(),
        at now: Int64 = now
    ) throws -> Result<AssetRow, CacheTables.AssetRefusal> {
        try write { (tables) throws(StorageError) in
            try tables.add(file.asset, from: offset, bytes ?? file.bytes, in: zone, at: now, limits)
        }
    }

    private func row(_ file: TestFile) throws -> AssetRow? {
        try cache.read { (tables) throws(StorageError) in try tables.asset(file.asset.digest, in: zone) }
    }

    private func read(_ file: TestFile, from offset: Int64 = 0, most: Int64 = .max / 2) throws -> [UInt8]? {
        try cache.read { (tables) throws(StorageError) in
            try tables.asset(file.asset.digest, in: zone).map { (row) throws(StorageError) in
                try tables.read(row, from: offset, most: most)
            }
        }
    }

    /// A program saves a record with these files, or deletes it.
    private func edit(_ name: String, _ files: TestFile...) throws -> EditRefusal? {
        try edit(name, files)
    }

    private func edit(_ name: String, _ files: [TestFile]?, _ policy: SavePolicy = .allKeys) throws -> EditRefusal? {
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
    private func fetch(_ name: String, _ files: TestFile..., tag: UInt64 = 1) throws {
        let stamp = Record.Stamp(.init(microseconds: 1), named("alice"), named("phone"))
        let list = FieldList(.asset, files.map { .asset($0.asset) })
        let record = Record(
            named(name), named("Note"), [named("files"): try #require(list.map(FieldValue.list))],
            changeTag: try #require(ChangeTag("1-\(tag)")), created: stamp, modified: stamp)
        var page = ZoneChanges()
        (page.changed, page.token) = ([record], [1])
        try write { (tables) throws(StorageError) in try tables.apply(WrittenZoneChanges(page), to: zone) }
    }

    private func clean(_ limits: AssetLimits = AssetLimits(), at now: Int64 = now) throws {
        while try write({ (tables) throws(StorageError) in try tables.removeAssets(at: now, limits) }) {}
    }

    /// The names of the records of the next request; nil if nothing can be sent.
    private func prepareRequest() throws -> RequestRow? {
        try write { (tables) throws(StorageError) in
            try tables.prepare(key: "k", of: named("alice"), most: 400, at: Self.now)
        }
    }

    private func apply(_ outcomes: [RecordOutcome]) throws {
        try write { (tables) throws(StorageError) in
            guard let request = try tables.request() else { throw CacheTables.damaged("the request") }
            try tables.apply(outcomes, to: request, in: zone)
        }
    }

    private func saved(_ tag: UInt64) throws -> RecordOutcome {
        let stamp = Record.Stamp(.init(microseconds: 1), named("alice"), named("laptop"))
        return .saved(
            SavedRecord(changeTag: try #require(ChangeTag("1-\(tag)")), created: stamp, modified: stamp))
    }

    private func nextUpload() throws -> AssetRow? {
        let work = try cache.read { (tables) throws(StorageError) in try tables.nextUpload() }
        guard case .upload(_, _, let row, _)? = work else { return nil }
        return row
    }

    private func markUploaded(_ file: TestFile) throws {
        let id = try #require(try row(file)).id
        try write { (tables) throws(StorageError) in
            try tables.storeUpload(id, sent: file.asset.size, isUploaded: true)
        }
    }

    // Bytes

    @Test(arguments: [1, 7, 100, 4_096, 300_000])
    func `an asset is added in parts and read in others, also after the copy was opened again`(part: Int) throws {
        let file = TestFile(count: 300_000)
        var offset = 0
        var isComplete = false
        // Of small parts a few are enough.
        let parts = part < 4_096 ? [part, part, 300_000 - 2 * part] : Array(repeating: part, count: 300_000 / part + 1)
        for count in parts where offset < 300_000 {
            let bytes = Array(file.bytes[offset..<min(offset + count, 300_000)])
            let row = try add(file, from: Int64(offset), bytes).get()
            #expect(row.stored == Int64(offset + bytes.count))
            isComplete = row.isComplete
            offset += bytes.count
        }
        #expect(isComplete)
        // An asset that is there stays as it is.
        #expect(try add(file, from: 0, [1, 2, 3]).get().isComplete)
        for (from, most) in [(0, 300_000), (0, 1), (1, 99_999), (299_999, 5), (300_000, 5), (12_345, 262_144)] {
            let expected = Array(file.bytes.dropFirst(from).prefix(most))
            #expect(try read(file, from: Int64(from), most: Int64(most)) == expected, "\(from) \(most)")
        }
    }

    @Test func `a part that begins elsewhere is not added, and the answer says where to go on`() throws {
        let file = TestFile(count: 1_000)
        #expect(try add(file, from: 0, Array(file.bytes[..<400])).get().stored == 400)
        for offset in [0, 399, 401, 1_000] as [Int64] {
            #expect(try add(file, from: offset, [1]).get().stored == 400, "\(offset)")
        }
        #expect(try add(file, from: 0, []).get().stored == 400)
        #expect(try add(file, from: 400, Array(file.bytes[400...])).get().isComplete)
        #expect(try read(file) == file.bytes)
    }

    @Test func `bytes with another digest are removed, and too many or another size are refused`() throws {
        let file = TestFile(count: 1_000)
        _ = try add(file, from: 0, Array(file.bytes[..<400]))
        #expect(try add(file, from: 400, [UInt8](repeating: 0, count: 601)) == .failure(.tooLong))
        #expect(try row(file)?.stored == 400)
        #expect(try add(file, from: 400, [UInt8](repeating: 0, count: 600)) == .failure(.digestDiffers))
        #expect(try row(file) == nil)
        #expect(try add(file).get().isComplete)
        // Nothing has it yet, so that it may have been begun with a wrong size.
        let other = TestFile(file.bytes, size: 999)
        #expect(try add(other, from: 0, []).get().stored == 0)
        #expect(try add(file).get().isComplete)
        #expect(try edit("n1", file) == nil)
        #expect(try add(other, from: 0, []) == .failure(.sizeDiffers(1_000)))
        #expect(try read(file) == file.bytes)
    }

    @Test func `an asset of no bytes is an asset`() throws {
        let file = TestFile(count: 0)
        #expect(try add(file).get().isComplete)
        #expect(try read(file) == [])
        #expect(try edit("n1", file) == nil)
    }

    @Test func `no more may wait to be sent than the limit`() throws {
        var limits = AssetLimits()
        limits.unsentBytes = 1_000
        let (first, second) = (TestFile(count: 600, seed: 1), TestFile(count: 500, seed: 2))
        #expect(try add(first, limits: limits).get().isComplete)
        #expect(try add(second, limits: limits) == .failure(.tooManyUnsent(most: 1_000)))
        #expect(try edit("n1", first) == nil)
        #expect(try add(second, limits: limits) == .failure(.tooManyUnsent(most: 1_000)))
        // What a record at the hub has does not wait.
        try fetch("n2", first)
        #expect(try add(second, limits: limits).get().isComplete)
    }

    // Records

    @Test func `a record has only assets whose bytes are there, or that the zone has`() throws {
        let (file, other) = (TestFile(count: 100), TestFile(count: 200))
        #expect(try edit("n1", file) == .assetNotFound(named("n1"), file.asset.digest))
        _ = try add(file, from: 0, Array(file.bytes[..<50]))
        #expect(try edit("n1", file) == .assetNotFound(named("n1"), file.asset.digest), "it is not complete")
        _ = try add(file, from: 50, Array(file.bytes[50...]))
        #expect(try edit("n1", file) == nil)
        #expect(try edit("n2", TestFile(file.bytes, size: 99)) == .assetNotFound(named("n2"), file.asset.digest))
        #expect(try edit("n2", file, other) == .assetNotFound(named("n2"), other.asset.digest))
        // A record of the hub has it, so that the hub has its bytes.
        try fetch("n3", other)
        #expect(try edit("n2", file, other) == nil)
    }

    @Test func `a digest opens nothing without the record that has it`() throws {
        let file = TestFile(count: 100)
        _ = try add(file)
        func found(_ name: String) throws -> Asset? {
            try cache.read { (tables) throws(StorageError) in
                try tables.asset(file.asset.digest, of: named(name), in: zone)
            }
        }
        #expect(try found("n1") == nil)
        #expect(try edit("n1", file) == nil)
        #expect(try found("n1") == file.asset && found("n2") == nil)
        #expect(try edit("n1") == nil)
        #expect(try found("n1") == nil)
    }

    /// Who has an asset after each step, and whether its bytes are there after those that nobody needs were removed.
    @Test func `an asset stays as long as a record or a change has it`() throws {
        let file = TestFile(count: 100)
        func expect(_ holders: AssetRow.Holders?, _ step: String) throws {
            try clean(at: Self.now + AssetLimits.patience + 1)
            #expect(try row(file)?.holders == holders, "\(step)")
        }
        _ = try add(file)
        try clean(at: Self.now + AssetLimits.patience)
        #expect(try row(file)?.holders == [], "a program has a day to save a record")
        #expect(try edit("n1", file) == nil)
        try expect(.change, "saved")
        #expect(try edit("n2", file) == nil)
        try markUploaded(file)
        #expect(try prepareRequest() != nil)
        try expect(.change, "sent")
        try apply([try saved(1), try saved(2)])
        try expect(.record, "acknowledged")
        #expect(try edit("n1", nil as [TestFile]?) == nil)
        try expect(.record, "a deletion waits")
        _ = try prepareRequest()
        try apply([.deleted])
        try expect(.record, "the other record has it")
        #expect(try edit("n2") == nil)
        _ = try prepareRequest()
        try apply([try saved(3)])
        try expect(nil, "replaced")
    }

    @Test func `the assets of a change that the hub has refused stay until it is discarded`() throws {
        let file = TestFile(count: 100)
        _ = try add(file)
        #expect(try edit("n1", file) == nil)
        try markUploaded(file)
        _ = try prepareRequest()
        try apply([.notPermitted])
        try clean(at: .max / 2)
        #expect(try row(file)?.holders == .refusedChange && read(file) == file.bytes)
        #expect(try nextUpload() == nil)
        try write { (tables) throws(StorageError) in try tables.discard([named("n1")], in: zone, onlyRefused: true) }
        try clean(at: .max / 2)
        #expect(try row(file) == nil)
    }

    @Test func `a deleted zone keeps what was not sent, and a purged one nothing`() throws {
        let (unsent, stored) = (TestFile(count: 100), TestFile(count: 200))
        _ = try add(unsent)
        #expect(try edit("n1", unsent) == nil)
        try fetch("n2", stored)
        _ = try add(stored)
        try write { (tables) throws(StorageError) in
            var lost = zone
            try tables.lose(&lost, because: .deleted)
        }
        try clean(at: .max / 2)
        #expect(try row(unsent)?.holders == .refusedChange && row(stored) == nil)
        try write { (tables) throws(StorageError) in try tables.empty(zone) }
        try clean(at: .max / 2)
        #expect(try row(unsent) == nil)
    }

    // Sending

    @Test func `a record is sent after its assets, and others before them`() throws {
        let (first, second) = (TestFile(count: 100, seed: 1), TestFile(count: 100, seed: 2))
        for file in [first, second] { _ = try add(file) }
        #expect(try edit("n1", first, second) == nil && edit("n2") == nil)
        let request = try #require(try prepareRequest())
        #expect(try ModifyRecords(Self.zoneID, json: request.body).names == [named("n2")])
        try apply([try saved(1)])
        #expect(try prepareRequest() == nil)
        #expect(try nextUpload()?.asset == first.asset)
        try markUploaded(first)
        #expect(try prepareRequest() == nil)
        #expect(try nextUpload()?.asset == second.asset)
        try markUploaded(second)
        #expect(try nextUpload() == nil)
        let last = try #require(try prepareRequest())
        #expect(try ModifyRecords(Self.zoneID, json: last.body).names == [named("n1")])
    }

    @Test func `an asset that the hub has lost is uploaded again, a few times, and then the change is set aside`()
        throws
    {
        let file = TestFile(count: 100)
        _ = try add(file)
        #expect(try edit("n1", file) == nil)
        for attempt in 1...3 {
            try markUploaded(file)
            #expect(try prepareRequest() != nil, "\(attempt)")
            try apply([.assetNotFound(file.asset.digest)])
            #expect(try prepareRequest() == nil)
            let upload = try #require(try nextUpload(), "\(attempt)")
            #expect(upload.sent == nil, "it begins anew, whatever the hub has")
        }
        try markUploaded(file)
        _ = try prepareRequest()
        try apply([.assetNotFound(file.asset.digest)])
        #expect(try nextUpload() == nil && prepareRequest() == nil)
        #expect(try row(file)?.holders == .refusedChange)
        // The program saves it again.
        #expect(try edit("n1", file) == nil)
        #expect(try nextUpload()?.asset == file.asset)
    }

    @Test func `a hub that has lost an asset which another record has gets it again`() throws {
        let file = TestFile(count: 100)
        try fetch("n2", file)
        _ = try add(file)
        #expect(try edit("n1", file) == nil)
        #expect(try nextUpload() == nil, "a record of the zone has it")
        _ = try prepareRequest()
        try apply([.assetNotFound(file.asset.digest)])
        #expect(try nextUpload()?.asset == file.asset)
    }

    // Removing

    @Test func `those that were not read for the longest time are removed first, and nothing that is only here`() throws
    {
        var limits = AssetLimits()
        limits.cachedBytes = 250
        let files = (1...4).map { TestFile(count: 100, seed: UInt8($0)) }
        for (index, file) in files.enumerated() {
            try fetch("n\(index)", file, tag: UInt64(index + 1))
            _ = try add(file, at: Self.now + Int64(index))
        }
        let unsent = TestFile(count: 100, seed: 9)
        _ = try add(unsent, at: 0)
        #expect(try edit("u", unsent) == nil)
        // A change has the oldest one as well.
        #expect(try edit("v", files[0]) == nil)
        let second = try #require(try row(files[1]))
        try write { (tables) throws(StorageError) in try tables.noteUse(of: second, at: Self.now + 100) }
        try clean(limits)
        #expect(try files.map { try row($0) != nil } == [true, true, false, true])
        #expect(try read(unsent) == unsent.bytes)
        limits.cachedBytes = 0
        try clean(limits)
        #expect(try files.map { try row($0) != nil } == [true, false, false, false])
    }

    @Test func `leaving the account leaves no byte of an asset in the folder`() throws {
        let file = TestFile(Array("the house by the river ".utf8) + TestFile(count: 50_000).bytes)
        _ = try add(file)
        #expect(try edit("n1", file) == nil)
        func files() throws -> [String] {
            try DirectoryListing.files(folder.path).filter {
                Bytes.contains(Array("the house by the river".utf8), in: $0.bytes)
            }.map(\.name)
        }
        #expect(try !files().isEmpty)
        try write { (tables) throws(StorageError) in try tables.wipe() }
        while try cache.write({ (tables) throws(StorageError) in try tables.removePiece() }) {}
        cache.close(because: StorageError("close", .closed, "for the test"))
        #expect(try files() == [])
    }

    /// SQLite writes whole pages, so that a limit at each number of them lets each write of a step fail in turn.
    @Test func `a full disk at any write refuses the step and changes nothing`() throws {
        let (file, second) = (TestFile(count: 20_000, seed: 1), TestFile(count: 20_000, seed: 2))
        let steps: [(String, (CacheTables) throws(StorageError) -> Void)] = [
            (
                "begin",
                { (tables) throws(StorageError) in
                    _ = try tables.add(
                        file.asset, from: 0, Array(file.bytes[..<9_000]), in: zone, at: Self.now, AssetLimits())
                }
            ),
            (
                "go on",
                { (tables) throws(StorageError) in
                    _ = try tables.add(
                        file.asset, from: 9_000, Array(file.bytes[9_000...]), in: zone, at: Self.now, AssetLimits())
                }
            ),
            (
                "another",
                { (tables) throws(StorageError) in
                    _ = try tables.add(second.asset, from: 0, second.bytes, in: zone, at: Self.now, AssetLimits())
                }
            ),
        ]
        func pages(_ sql: String) throws -> Int64 {
            try cache.write { (tables) throws(StorageError) in
                try tables.statements.database.integer(sql, as: "limit") ?? 0
            }
        }
        var failures = 0
        for (name, step) in steps {
            let before = try StoredAssets(cache)
            let present = try pages("PRAGMA page_count")
            var most = present
            while true {
                _ = try pages("PRAGMA max_page_count = \(most)")
                do throws(StorageError) {
                    try cache.write(step)
                    break
                } catch {
                    guard error.isFull else { throw error }
                    failures += 1
                    _ = try pages("PRAGMA max_page_count = 1000000")
                    #expect(try StoredAssets(cache) == before, "\(name) at \(most) pages")
                }
                most += 1
            }
            _ = try pages("PRAGMA max_page_count = 1000000")
        }
        #expect(failures > 8)
        #expect(try read(file) == file.bytes && read(second) == second.bytes)
    }

    @Test func `a copy of an earlier release knows which records and changes have assets`() throws {
        let (first, second, third) = (TestFile(count: 10), TestFile(count: 20), TestFile(count: 30))
        for file in [first, second, third] { _ = try add(file) }
        try fetch("n1", first, tag: 1)
        #expect(try edit("n2", second) == nil && edit("n3", third) == nil)
        try markUploaded(second)
        _ = try prepareRequest()
        cache.close(because: StorageError("close", .closed, "for the test"))
        let old = try TemporaryDirectory()
        for file in try DirectoryListing.files(folder.path) where file.name.hasPrefix("sync.sqlite") {
            try old.write(file.name, bytes: file.bytes)
        }
        do {
            let database = try Database(path: old.file("sync.sqlite"))
            try database.execute(
                """
                DROP TABLE assetHolders; DROP TABLE assetParts; DROP TABLE assets;
                ALTER TABLE alertSubscriptions DROP COLUMN state; PRAGMA user_version = \(Self.version)
                """, as: "make an earlier file")
        }
        let opened = try SyncCache(folder: old.path)
        let holders = try opened.read { (tables) throws(StorageError) in
            try tables.statements.all(.readAssetHolders, [.integer(zone.id), .text(HexText.text(first.asset.digest))]) {
                $0.integer(0)
            }
                + tables.statements.all(
                    .readAssetHolders, [.integer(zone.id), .text(HexText.text(second.asset.digest))]
                ) {
                    $0.integer(0)
                }
                + tables.statements.all(
                    .readAssetHolders, [.integer(zone.id), .text(HexText.text(third.asset.digest))]
                ) {
                    $0.integer(0)
                }
        }
        #expect(holders == [1, 2, 2])
    }

    /// The version before assets had bytes in the copy.
    private static let version = 7
}

/// All that the tables of assets have.
private struct StoredAssets: Equatable {
    private var rows: [[SQLValue]] = []

    init(_ cache: SyncCache) throws {
        try cache.read { (tables) throws(StorageError) in
            for table in ["assets", "assetParts", "assetHolders"] {
                let statement = try Statement(tables.statements.database, "SELECT * FROM \(table)", as: "compare")
                try statement.run { row in
                    rows.append(row.values)
                    return true
                }
            }
        }
    }
}
