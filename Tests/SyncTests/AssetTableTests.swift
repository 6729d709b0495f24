import JSONText
import Storage
import TestSupport
import Testing

@testable import Sync

/// The bytes of assets in the copy: how they are added, read and removed.
@Suite struct AssetTableTests {
    private let copy: AssetTables

    init() throws { copy = try AssetTables() }

    @Test(arguments: [1, 7, 100, 4_096, 300_000])
    func `an asset is added in parts and read in others, also after the copy was opened again`(part: Int) throws {
        let file = TestFile(count: 300_000)
        var offset = 0
        var isComplete = false
        // Of small parts a few are enough.
        let parts = part < 4_096 ? [part, part, 300_000 - 2 * part] : Array(repeating: part, count: 300_000 / part + 1)
        for count in parts where offset < 300_000 {
            let bytes = Array(file.bytes[offset..<min(offset + count, 300_000)])
            let row = try copy.add(file, from: Int64(offset), bytes).get()
            #expect(row.stored == Int64(offset + bytes.count))
            isComplete = row.isComplete
            offset += bytes.count
        }
        #expect(isComplete)
        // An asset that is there stays as it is.
        #expect(try copy.add(file, from: 0, [1, 2, 3]).get().isComplete)
        for (from, most) in [(0, 300_000), (0, 1), (1, 99_999), (299_999, 5), (300_000, 5), (12_345, 262_144)] {
            let expected = Array(file.bytes.dropFirst(from).prefix(most))
            #expect(try copy.read(file, from: Int64(from), most: Int64(most)) == expected, "\(from) \(most)")
        }
    }

    @Test func `a part that begins elsewhere is not added, and the answer says where to go on`() throws {
        let file = TestFile(count: 1_000)
        #expect(try copy.add(file, from: 0, Array(file.bytes[..<400])).get().stored == 400)
        for offset in [0, 399, 401, 1_000] as [Int64] {
            #expect(try copy.add(file, from: offset, [1]).get().stored == 400, "\(offset)")
        }
        #expect(try copy.add(file, from: 0, []).get().stored == 400)
        #expect(try copy.add(file, from: 400, Array(file.bytes[400...])).get().isComplete)
        #expect(try copy.read(file) == file.bytes)
    }

    @Test func `bytes with another digest are removed, and too many or another size are refused`() throws {
        let file = TestFile(count: 1_000)
        _ = try copy.add(file, from: 0, Array(file.bytes[..<400]))
        #expect(try copy.add(file, from: 400, [UInt8](repeating: 0, count: 601)) == .failure(.tooLong))
        #expect(try copy.row(file)?.stored == 400)
        #expect(try copy.add(file, from: 400, [UInt8](repeating: 0, count: 600)) == .failure(.digestDiffers))
        #expect(try copy.row(file) == nil)
        #expect(try copy.add(file).get().isComplete)
        // Nothing has it yet, so that it may have been begun with a wrong size.
        let other = TestFile(file.bytes, size: 999)
        #expect(try copy.add(other, from: 0, []).get().stored == 0)
        #expect(try copy.add(file).get().isComplete)
        #expect(try copy.edit("n1", file) == nil)
        #expect(try copy.add(other, from: 0, []) == .failure(.sizeDiffers(1_000)))
        #expect(try copy.read(file) == file.bytes)
    }

    @Test func `an asset of no bytes is an asset`() throws {
        let file = TestFile(count: 0)
        #expect(try copy.add(file).get().isComplete)
        #expect(try copy.read(file) == [])
        #expect(try copy.edit("n1", file) == nil)
    }

    @Test func `no more may wait to be sent than the limit`() throws {
        var limits = AssetLimits()
        limits.unsentBytes = 1_000
        let (first, second) = (TestFile(count: 600, seed: 1), TestFile(count: 500, seed: 2))
        #expect(try copy.add(first, limits: limits).get().isComplete)
        #expect(try copy.add(second, limits: limits) == .failure(.tooManyUnsent(most: 1_000)))
        #expect(try copy.edit("n1", first) == nil)
        #expect(try copy.add(second, limits: limits) == .failure(.tooManyUnsent(most: 1_000)))
        // What a record at the hub has does not wait.
        try copy.fetch("n2", first)
        #expect(try copy.add(second, limits: limits).get().isComplete)
    }

    // Removing

    @Test func `those that were not read for the longest time are removed first, and nothing that is only here`() throws
    {
        var limits = AssetLimits()
        limits.cachedBytes = 250
        let files = (1...4).map { TestFile(count: 100, seed: UInt8($0)) }
        for (index, file) in files.enumerated() {
            try copy.fetch("n\(index)", file, tag: UInt64(index + 1))
            _ = try copy.add(file, at: AssetTables.now + Int64(index))
        }
        let unsent = TestFile(count: 100, seed: 9)
        _ = try copy.add(unsent, at: 0)
        #expect(try copy.edit("u", unsent) == nil)
        // A change has the oldest one as well.
        #expect(try copy.edit("v", files[0]) == nil)
        let second = try #require(try copy.row(files[1]))
        try copy.write { (tables) throws(StorageError) in try tables.noteUse(of: second, at: AssetTables.now + 100) }
        try copy.clean(limits)
        #expect(try files.map { try copy.row($0) != nil } == [true, true, false, true])
        #expect(try copy.read(unsent) == unsent.bytes)
        limits.cachedBytes = 0
        try copy.clean(limits)
        #expect(try files.map { try copy.row($0) != nil } == [true, false, false, false])
    }

    @Test func `leaving the account leaves no byte of an asset in the folder`() throws {
        let file = TestFile(Array("the house by the river ".utf8) + TestFile(count: 50_000).bytes)
        _ = try copy.add(file)
        #expect(try copy.edit("n1", file) == nil)
        func files() throws -> [String] {
            try DirectoryListing.files(copy.folder.path).filter {
                Bytes.contains(Array("the house by the river".utf8), in: $0.bytes)
            }.map(\.name)
        }
        #expect(try !files().isEmpty)
        try copy.write { (tables) throws(StorageError) in try tables.wipe() }
        while try copy.cache.write({ (tables) throws(StorageError) in try tables.removePiece() }) {}
        copy.cache.close(because: StorageError("close", .closed, "for the test"))
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
                        file.asset, from: 0, Array(file.bytes[..<9_000]), in: copy.zone, at: AssetTables.now,
                        AssetLimits())
                }
            ),
            (
                "go on",
                { (tables) throws(StorageError) in
                    _ = try tables.add(
                        file.asset, from: 9_000, Array(file.bytes[9_000...]), in: copy.zone, at: AssetTables.now,
                        AssetLimits())
                }
            ),
            (
                "another",
                { (tables) throws(StorageError) in
                    _ = try tables.add(
                        second.asset, from: 0, second.bytes, in: copy.zone, at: AssetTables.now, AssetLimits())
                }
            ),
        ]
        func pages(_ sql: String) throws -> Int64 {
            try copy.cache.write { (tables) throws(StorageError) in
                try tables.statements.database.integer(sql, as: "limit") ?? 0
            }
        }
        var failures = 0
        for (name, step) in steps {
            let before = try StoredAssets(copy.cache)
            let present = try pages("PRAGMA page_count")
            var most = present
            while true {
                _ = try pages("PRAGMA max_page_count = \(most)")
                do throws(StorageError) {
                    try copy.cache.write(step)
                    break
                } catch {
                    guard error.isFull else { throw error }
                    failures += 1
                    _ = try pages("PRAGMA max_page_count = 1000000")
                    #expect(try StoredAssets(copy.cache) == before, "\(name) at \(most) pages")
                }
                most += 1
            }
            _ = try pages("PRAGMA max_page_count = 1000000")
        }
        #expect(failures > 8)
        #expect(try copy.read(file) == file.bytes && copy.read(second) == second.bytes)
    }
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
