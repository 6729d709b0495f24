import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Assets that nobody needs are removed in pieces: nobody waits for a large one, and a crash leaves nothing.
@Suite struct AssetRemovalTests {
    private let folder: TemporaryDirectory
    private let cache: SyncCache
    private let zone: Sync.ZoneRow
    private static let now: Int64 = 1_780_000_000_000_000
    /// In 40 parts.
    private let file = TestFile(count: 40 * 25_000)

    init() throws {
        LoopThread.start()
        folder = try TemporaryDirectory()
        let cache = try SyncCache(folder: folder.file("copy"))
        self.cache = cache
        zone = try cache.write { (tables) throws(StorageError) in
            try tables.join(.test())
            let container = try tables.open(SimulatedMachine.container)
            let id = ZoneID(SimulatedMachine.container, owner: named("alice") as AccountID, .defaultZone)
            guard let zone = try tables.present(id, in: container, of: named("alice")) else {
                throw CacheTables.damaged("the zone")
            }
            return zone
        }
    }

    private func add(_ file: TestFile, parts: Int, to cache: SyncCache) throws {
        let size = file.bytes.count / parts
        for part in 0..<parts {
            let bytes = Array(file.bytes[part * size..<(part + 1) * size])
            let result = try cache.write { (tables) throws(StorageError) in
                try tables.add(file.asset, from: Int64(part * size), bytes, in: zone, at: Self.now, AssetLimits())
            }
            #expect(try result.get().isComplete == (part == parts - 1))
        }
    }

    private func count(_ table: String, in cache: SyncCache) throws -> Int64 {
        try cache.read { (tables) throws(StorageError) in
            try tables.statements.database.integer("SELECT count(*) FROM \(table)", as: "count") ?? 0
        }
    }

    /// Removes what nobody needs a day later.
    private func discard(in cache: SyncCache) throws {
        while try cache.write({ (tables) throws(StorageError) in
            try tables.removeAssets(at: Self.now + AssetLimits.patience + 1, AssetLimits())
        }) {}
    }

    private func removePiece(in cache: SyncCache) throws -> Bool {
        try cache.write { (tables) throws(StorageError) in try tables.removePiece() }
    }

    private func bytes(of file: TestFile, in cache: SyncCache) throws -> [UInt8]? {
        try cache.read { (tables) throws(StorageError) in
            guard let row = try tables.asset(file.asset.digest, in: zone), row.isComplete else { return nil }
            return try tables.read(row, from: 0, most: .max / 2)
        }
    }

    /// The copy as a crash leaves it now.
    private func afterCrash(_ number: Int) throws -> SyncCache {
        for (name, bytes) in try DirectoryListing.files(folder.file("copy")) where !name.hasSuffix(".lock") {
            try folder.write("crash\(number)/\(name)", bytes: bytes)
        }
        return try SyncCache(folder: folder.file("crash\(number)"))
    }

    @Test func `after a crash between two pieces the rest is removed`() throws {
        try add(file, parts: 40, to: cache)
        try discard(in: cache)
        #expect(try count("assetParts", in: cache) == 40, "no transaction removes a large asset")
        var removed = 0
        repeat {
            let crashed = try afterCrash(removed)
            #expect(try bytes(of: file, in: crashed) == nil, "nobody finds a part of it")
            while try removePiece(in: crashed) {}
            #expect(try count("assetParts", in: crashed) == 0 && count("assets", in: crashed) == 0)
            let before = try count("assetParts", in: cache)
            #expect(try removePiece(in: cache))
            let after = try count("assetParts", in: cache)
            #expect((1...AssetLimits.removedPartsAtOnce).contains(before - after))
            removed += 1
        } while try count("assets", in: cache) > 0
        #expect(try !removePiece(in: cache) && removed == 10)
    }

    @Test func `an asset can be added again while its bytes of before are removed`() throws {
        try add(file, parts: 40, to: cache)
        try discard(in: cache)
        #expect(try removePiece(in: cache))
        try add(file, parts: 2, to: cache)
        #expect(try bytes(of: file, in: cache) == file.bytes)
        // Twice at once: neither has the digest of the other.
        try discard(in: cache)
        try add(file, parts: 4, to: cache)
        while try removePiece(in: cache) {}
        #expect(try count("assets", in: cache) == 1 && count("assetParts", in: cache) == 4)
        #expect(try bytes(of: file, in: cache) == file.bytes)
    }

    @Test func `what is removed neither waits to be sent nor counts as stored`() throws {
        try add(file, parts: 40, to: cache)
        try discard(in: cache)
        var limits = AssetLimits()
        limits.unsentBytes = file.asset.size
        let other = TestFile(count: file.bytes.count, seed: 2)
        let added = try cache.write { (tables) throws(StorageError) in
            try tables.add(other.asset, from: 0, [], in: zone, at: Self.now, limits)
        }
        #expect(try added.get().stored == 0)
        let upload = try cache.read { (tables) throws(StorageError) in try tables.nextUpload() }
        #expect(upload == nil)
    }

    @Test @DaemonActor func `the loop does other things between two pieces`() async throws {
        let clock = ManualClock(utcMicroseconds: Self.now + AssetLimits.patience + 1)
        let fetcher = AssetFetcher(cache, AssetLimits(), clock: clock)
        try add(file, parts: 40, to: cache)
        fetcher.clean()
        #expect(try count("assetParts", in: cache) == 40)
        let others = Others()
        others.begin { try count("assetParts", in: cache) }
        // What is removed meanwhile does not begin a second time.
        fetcher.clean()
        #expect(try await eventually { () async throws -> Bool in others.seen.last == 0 })
        #expect(try count("assets", in: cache) == 0)
        #expect(others.seen == [36, 32, 28, 24, 20, 16, 12, 8, 4, 0])
    }

    @Test @DaemonActor func `of many assets a few are removed in each turn of the loop`() async throws {
        let clock = ManualClock(utcMicroseconds: Self.now + AssetLimits.patience + 1)
        let fetcher = AssetFetcher(cache, AssetLimits(), clock: clock)
        for seed in 1...100 { try add(TestFile(count: 10, seed: UInt8(seed)), parts: 1, to: cache) }
        fetcher.clean()
        let others = Others()
        others.begin { try count("assets WHERE holders = 0", in: cache) }
        #expect(try await eventually { () async throws -> Bool in others.seen.last == 0 })
        #expect(others.seen == [60, 40, 20, 0])
        #expect(try await eventually { () async throws -> Bool in try count("assets", in: cache) == 0 })
    }

    @Test @DaemonActor func `assets of an account that is left are removed in pieces, while another one is joined`()
        async throws
    {
        let fetcher = AssetFetcher(cache, AssetLimits(), clock: ManualClock(utcMicroseconds: Self.now))
        try add(file, parts: 40, to: cache)
        try add(TestFile(count: 400_000, seed: 2), parts: 4, to: cache)
        try cache.write { (tables) throws(StorageError) in try tables.wipe() }
        #expect(try count("assetParts", in: cache) == 44 && count("records", in: cache) == 0)
        let listed = try cache.write { (tables) throws(StorageError) in
            try tables.join(.test(named("bob"), copy: "d"))
            return try tables.containers().count
        }
        #expect(listed == 0, "nothing of the account before")
        // Twice, as after a crash.
        try cache.write { (tables) throws(StorageError) in try tables.wipe() }
        let isEmpty = Flag()
        fetcher.whenRemoved { isEmpty.set() }
        #expect(!isEmpty.isSet)
        let others = Others()
        others.begin { try count("assetParts", in: cache) }
        #expect(try await eventually { () async throws -> Bool in isEmpty.isSet })
        #expect(try count("assets", in: cache) == 0 && count("assetParts", in: cache) == 0)
        #expect(others.seen == [36, 32, 28, 24, 20, 16, 12, 8, 4, 0])
    }

    /// Something else that the loop does in each of its turns, until no part is left.
    @DaemonActor private final class Others {
        private(set) var seen: [Int64] = []

        func begin(_ count: @escaping @Sendable @DaemonActor () throws -> Int64) {
            DaemonActor.post { [weak self] in
                guard let left = attempt({ try count() }) else { return }
                self?.seen.append(left)
                if left > 0 { self?.begin(count) }
            }
        }
    }
}
