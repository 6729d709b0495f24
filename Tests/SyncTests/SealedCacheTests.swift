import Cryptography
import Glibc
import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// The file of the copy, plain and sealed.
@Suite struct SealedCacheTests {
    private static let marker = "the house by the river"

    private let folder: TemporaryDirectory
    private let key: SymmetricKey

    init() throws {
        folder = try TemporaryDirectory()
        key = try SymmetricKey.random()
    }

    private func change(_ cache: SyncCache, to sealing: DatabaseSealing) throws {
        cache.close(because: StorageError("seal", .closed, "it is being sealed"))
        try cache.open(sealedBy: try cache.preparation(of: sealing)().get())
    }

    private func note(_ cache: SyncCache, _ app: String, hour: Int64) throws {
        let container = try #require(ContainerName("org.example.notes"))
        try cache.write { (tables) throws(StorageError) in
            try tables.noteReader("\(Self.marker) \(app)", container, hour: hour)
        }
    }

    private func apps(_ cache: SyncCache) throws -> [String] {
        try cache.read { (tables) throws(StorageError) in try tables.readers().map(\.app) }
    }

    private func files(with text: String = marker) throws -> [String] {
        try DirectoryListing.files(folder.path).filter { Bytes.contains(Array(text.utf8), in: $0.bytes) }.map(\.name)
            .sorted()
    }

    @Test func `the bytes of assets are sealed with the copy`() throws {
        let cache = try SyncCache(folder: folder.path)
        let file = TestFile(Array("\(Self.marker) ".utf8) + TestFile(count: 20_000).bytes)
        let zone = ZoneID(SimulatedMachine.container, owner: named("alice") as AccountID, .defaultZone)
        func row(_ tables: CacheTables) throws(StorageError) -> Sync.ZoneRow {
            let container = try tables.open(SimulatedMachine.container)
            guard let row = try tables.present(zone, in: container, of: named("alice")) else {
                throw CacheTables.damaged("the zone")
            }
            return row
        }
        try cache.write { (tables) throws(StorageError) in
            try tables.join(.test())
            _ = try tables.add(file.asset, from: 0, file.bytes, in: try row(tables), at: 0, AssetLimits())
        }
        #expect(try !files().isEmpty, "they would be found in a plain file")
        try change(cache, to: .sealed(key))
        #expect(try files() == [])
        let second = TestFile(Array("\(Self.marker)".utf8))
        let read = try cache.write { (tables) throws(StorageError) in
            let zone = try row(tables)
            _ = try tables.add(second.asset, from: 0, second.bytes, in: zone, at: 0, AssetLimits())
            return try tables.asset(file.asset.digest, in: zone).map { (row) throws(StorageError) in
                try tables.read(row, from: 0, most: row.stored)
            }
        }
        #expect(read == file.bytes)
        #expect(try files() == [])
    }

    @Test func `a copy is sealed and made plain again with everything that is in it`() throws {
        let cache = try SyncCache(folder: folder.path)
        #expect(!cache.isSealed && cache.obstacle == nil)
        for hour in 1...200 { try note(cache, "a\(hour)", hour: Int64(hour)) }
        let before = Set(try apps(cache))
        #expect(before.count == 200)
        #expect(try !files().isEmpty, "the text would be found in a plain file")
        try change(cache, to: .sealed(key))
        #expect(cache.isSealed)
        #expect(Set(try apps(cache)) == before)
        try note(cache, "b", hour: 7)
        #expect(try files() == [])
        #expect(try files(with: "CREATE TABLE") == [])
        try change(cache, to: .unsealing(key))
        #expect(!cache.isSealed)
        #expect(Set(try apps(cache)) == before.union(["\(Self.marker) b"]))
        #expect(!DirectoryListing.names(folder.path).contains { $0.hasPrefix("sync.sealed") })
    }

    @Test func `a sealed copy is closed until it gets its key, and locked all the while`() throws {
        do {
            let cache = try SyncCache(folder: folder.path)
            try change(cache, to: .sealed(key))
            try note(cache, "a", hour: 1)
        }
        let cache = try SyncCache(folder: folder.path)
        #expect(cache.obstacle?.reason == .protectedDataUnavailable)
        let refused = #expect(throws: StorageError.self) { try apps(cache) }
        #expect(refused?.reason == .protectedDataUnavailable)
        let other = #expect(throws: StorageError.self) { try SyncCache(folder: folder.path) }
        #expect(other?.reason == .inUse)
        for sealing in [DatabaseSealing.locked("unlock it"), .unavailable("it is missing"), .plain] {
            #expect(throws: StorageError.self) { try change(cache, to: sealing) }
        }
        try change(cache, to: .sealed(key))
        #expect(try apps(cache) == ["\(Self.marker) a"])
    }

    @Test func `another key opens nothing and changes nothing`() throws {
        let cache = try SyncCache(folder: folder.path)
        try change(cache, to: .sealed(key))
        try note(cache, "a", hour: 1)
        cache.close(because: StorageError("close", .closed, "it is closed"))
        let before = try folder.bytes("sync.sealed")
        let wrong = try SymmetricKey.random()
        for sealing in [DatabaseSealing.sealed(wrong), .unsealing(wrong)] {
            let error = #expect(throws: StorageError.self) { try change(cache, to: sealing) }
            #expect(error?.isDamage == true, "\(String(describing: error))")
            #expect(try folder.bytes("sync.sealed") == before)
        }
        #expect(!DirectoryListing.names(folder.path).contains("sync.sqlite"))
        try change(cache, to: .sealed(key))
        #expect(try apps(cache) == ["\(Self.marker) a"])
    }

    @Test func `a crash while it is sealed or made plain leaves a copy that is complete`() throws {
        let cache = try SyncCache(folder: folder.path)
        try note(cache, "a", hour: 1)
        let path = folder.file("sync.sqlite")
        // The sealed file was complete, and the plain one not removed yet.
        cache.close(because: StorageError("close", .closed, "it is closed"))
        let plain = try folder.bytes("sync.sqlite")
        try change(cache, to: .sealed(key))
        try note(cache, "b", hour: 2)
        cache.close(because: StorageError("close", .closed, "it is closed"))
        try folder.write("sync.sqlite", bytes: plain)
        try change(cache, to: .sealed(key))
        #expect(try apps(cache).count == 2)
        #expect(access(path, F_OK) != 0)
        // A plain copy was begun, and the sealed file was not removed yet.
        cache.close(because: StorageError("close", .closed, "it is closed"))
        try folder.write("sync.sqlite.unsealed", bytes: [UInt8](repeating: 1, count: 5_000))
        try change(cache, to: .unsealing(key))
        #expect(try apps(cache).count == 2)
    }
}
