import Location
import RecordScript
import Records
import RecordsSQLite
import TestSupport
import Testing

@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct SQLiteDiskTests {
    let disk: SmallDisk

    init() throws { disk = try SmallDisk(kibibytes: 2_048) }

    /// The failure of a request; nil if it succeeds.
    private func failure(_ number: Int, _ store: RecordStore<SQLiteEngine, TestSigner>) throws -> EngineFailure? {
        do {
            _ = try RecordScript.perform(number, store)
            return nil
        } catch let error as EngineFailure {
            return error
        }
    }

    @Test func `a full disk refuses requests and keeps everything, and works on once there is room`() throws {
        let engine = try SQLiteEngine(folder: disk.path)
        let store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
        try disk.fill()
        var number = 0
        var found: EngineFailure?
        var before = try engine.tables()
        while found == nil, number < 5_000 {
            before = try engine.tables()
            found = try failure(number, store)
            if found == nil { number += 1 }
        }
        #expect(try #require(found).description.contains("Free some space"), "\(String(describing: found))")
        #expect(try engine.tables() == before)
        disk.free()
        #expect(try failure(number, store) == nil)
        #expect(try RecordScript.perform(number, store))
    }

    @Test func `a part of an asset that a full disk refuses is not counted, and the upload goes on once there is room`()
        throws
    {
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let asset = Asset(of: bytes)
        let engine = try SQLiteEngine(folder: disk.path)
        let store = RecordStore(engine, try TestSigner())
        let zone = ZoneID(World.container, owner: World.alice, .defaultZone)
        func append(_ range: Range<Int>) throws -> Int64 {
            let part = AssetPart(
                asset.digest, size: asset.size, offset: Int64(range.lowerBound), bytes: Array(bytes[range]), to: zone)
            return try store.append(part, by: World.phone, hasher: TestHasher(), at: UTCTime(microseconds: 1)).get()
                .offset
        }
        #expect(try append(0..<100_000) == 100_000)
        try disk.fill()
        let before = try engine.tables()
        do {
            _ = try append(100_000..<1 << 20)
            Issue.record("the disk is not full")
        } catch let error as EngineFailure {
            #expect(error.description.contains("Free some space"), "\(error)")
        }
        #expect(try engine.tables() == before)
        disk.free()
        #expect(try append(100_000..<1 << 20) == 1 << 20)
        var request = ModifyRecords(zone)
        request.saves = [.init(RecordDraft(name("n1"), name("Note"), [AssetTests.field: .asset(asset)]))]
        _ = try store.modify(request, by: World.phone, key: name("key"), at: UTCTime(microseconds: 2))
        let read = try store.bytes(of: asset.digest, in: name("n1"), of: zone, from: 0, most: 2 << 20, by: World.phone)
        #expect(try read.get().bytes == bytes)
    }

    @Test func `a disk that became read-only refuses requests, and works on when it is writable again`() throws {
        do {
            let store = RecordStore(try SQLiteEngine(folder: disk.path), try TestSigner())
            try RecordScript.prepare(store)
            _ = try RecordScript.perform(0, store)
        }
        try disk.makeReadOnly()
        #expect(throws: EngineFailure.self) { try SQLiteEngine(folder: disk.path) }
        try disk.makeWritable()
        let store = RecordStore(try SQLiteEngine(folder: disk.path), try TestSigner())
        #expect(try RecordScript.perform(0, store))
        #expect(try RecordScript.perform(1, store) == false)
    }
}
