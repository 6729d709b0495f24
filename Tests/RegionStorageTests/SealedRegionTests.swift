import Cryptography
import Glibc
import Location
import Platform
import Regions
import Storage
import TestSupport
import Testing

@testable import RegionStorage

/// A store whose file is sealed.
@Suite(.timeLimit(.minutes(5))) struct SealedRegionTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcMicroseconds: 1_800_000_000_000_000)
    let key: SymmetricKey
    static let time = UTCTime(microseconds: 1_800_000_000_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        key = try SymmetricKey.random()
    }

    func bench(_ sealing: DatabaseSealing) throws -> RegionBench {
        let bench = try RegionBench(directory.path, clock: clock)
        bench.store.use(sealing)
        return bench
    }

    /// Everything that can be read.
    struct Content: Equatable {
        var monitors: [StoredMonitor]
        var regions: [StoredRegion]
        var depot: [StoredRegion]
        var events: [StoredRegionEvent]
    }

    func content(_ bench: RegionBench) async throws -> Content {
        Content(
            monitors: try await bench.load(), regions: try await bench.regions(),
            depot: try await bench.regions(of: .depot), events: try await bench.events().events)
    }

    /// The files of the store, except for its lock.
    var names: [String] {
        DirectoryListing.names(directory.path).filter { $0 != "regions.lock" }.sorted()
    }

    /// Whether any file has the name of a region.
    func isReadable() throws -> Bool {
        try names.contains { name in
            Bytes.contains(
                Array("stop-1000".utf8), in: try BoundedFile.bytes(of: directory.file(name), limit: 1 << 28))
        }
    }

    @Test func `plain regions are sealed with everything that belongs to them`() async throws {
        let bench = try bench(.plain)
        try await bench.fill(at: Self.time)
        let before = try await content(bench)
        #expect(try isReadable())
        bench.store.use(.sealed(key))
        #expect(try await content(bench) == before)
        #expect(names == ["regions.sealed", "regions.sealed-shm", "regions.sealed-wal"])
        #expect(try !isReadable())
        // Changes are sealed as well.
        try await bench.add(NewRegion.row(5_000..<5_100))
        #expect(try await bench.acknowledge(upTo: 10) == 10)
        let after = try await content(bench)
        #expect(try !isReadable())
        try await bench.close()
        #expect(names == ["regions.sealed"])
        let second = try self.bench(.sealed(key))
        #expect(try await content(second) == after)
        #expect(after.regions.count == 2_100 && second.damages.isEmpty)
        #expect(try await second.page(identifiers: ["stop-10005050"]).regions.count == 1)
        try await second.close()
    }

    @Test func `sealed regions are plain again with everything that belongs to them, also after a plain file was left`()
        async throws
    {
        let bench = try bench(.sealed(key))
        try await bench.fill(at: Self.time)
        let before = try await content(bench)
        // The rest of a plain file that was replaced when the regions were sealed.
        try directory.write("regions.sqlite", "something else")
        try directory.write("regions.sqlite.unsealed", "a copy that was interrupted")
        bench.store.use(.unsealing(key))
        #expect(try await content(bench) == before)
        #expect(try isReadable())
        try await bench.close()
        #expect(names == ["regions.sqlite"])
        let second = try self.bench(.plain)
        #expect(try await content(second) == before)
        // And sealed once more.
        second.store.use(.sealed(key))
        #expect(try await content(second) == before && !isReadable())
        try await second.close()
        #expect(names == ["regions.sealed"])
    }

    @Test func `a damaged sealed file is set aside when it is to be plain again, and the rest is restored`()
        async throws
    {
        let bench = try bench(.sealed(key))
        try await bench.fill(at: Self.time)
        let before = try await content(bench)
        try await bench.close()
        var bytes = try BoundedFile.bytes(of: directory.file("regions.sealed"), limit: 1 << 28)
        bytes[bytes.count / 2] ^= 1
        try directory.write("regions.sealed", bytes: bytes)
        let second = try self.bench(.unsealing(key))
        let after = try await content(second)
        #expect(after.monitors.map(\.key) == before.monitors.map(\.key) && after.regions.count <= before.regions.count)
        #expect(second.damages.count == 1)
        try await second.close()
        #expect(names.contains("regions.sqlite") && !names.contains("regions.sealed"), "\(names)")
    }

    @Test func `without the key nothing is stored or read, and afterwards everything is there`() async throws {
        let bench = try bench(.sealed(key))
        try await bench.fill(at: Self.time)
        let before = try await content(bench)
        for (sealing, isLocked) in [
            (DatabaseSealing.locked("the data is locked"), true), (.unavailable("the key is damaged"), false),
            (.plain, false),
        ] {
            bench.store.use(sealing)
            let refusals = [
                try await refusal { try await bench.load() },
                try await refusal { try await bench.add([.circle("new")]) },
                try await refusal { try await bench.erase(uid: 1_000) },
            ]
            #expect(refusals.allSatisfy { $0?.isLocked == isLocked }, "\(refusals)")
        }
        #expect(names == ["regions.sealed"])
        bench.store.use(.sealed(key))
        #expect(try await content(bench) == before)
        try await bench.close()
    }

    @Test func `of a damaged sealed file all but the damaged pages are restored`() async throws {
        let first = try bench(.sealed(key))
        try await first.fill(at: Self.time)
        let before = try await content(first)
        try await first.close()
        // Pages in the middle of the file are those of regions, names, boxes or events.
        let length = try BoundedFile.bytes(of: directory.file("regions.sealed"), limit: 1 << 28).count
        let file = try OwnedDescriptor("open") { open(directory.file("regions.sealed"), O_WRONLY) }
        for page in stride(from: length / 4_096 / 4, to: length / 4_096, by: length / 4_096 / 4) {
            #expect(pwrite(file.number, [UInt8](repeating: 7, count: 100), 100, off_t(page * 4_096 + 50)) == 100)
        }
        let bench = try bench(.sealed(key))
        let after = try await content(bench)
        #expect(!after.regions.isEmpty && after != before)
        let numbers = Set(after.regions.map(\.number))
        #expect(after.regions == before.regions.filter { numbers.contains($0.number) })
        guard case .damaged("regions.sealed.damaged-20270115T080000Z", _, _, _)? = bench.damages.first else {
            Issue.record("\(bench.damages)")
            return
        }
        #expect(try !isReadable())
        try await bench.close()
    }

    @Test func `a damaged plain file is restored before it is sealed`() async throws {
        let first = try bench(.plain)
        try await first.fill(at: Self.time)
        let before = try await content(first)
        try await first.close()
        let path = directory.file("regions.sqlite")
        let pages = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [path, "SELECT pageno FROM dbstat WHERE name = 'regions' AND pagetype = 'leaf' ORDER BY path"], seconds: 60)
        let page = try #require(pages.output.split(separator: "\n").compactMap { Int($0) }.dropFirst(3).first)
        let file = try OwnedDescriptor("open") { open(path, O_WRONLY) }
        #expect(pwrite(file.number, [UInt8](repeating: 0xFF, count: 4_096), 4_096, off_t((page - 1) * 4_096)) == 4_096)
        let bench = try bench(.sealed(key))
        let after = try await content(bench)
        #expect(after.regions.count < before.regions.count && after.regions.count > 1_800)
        #expect(bench.damages.count == 1)
        #expect(
            names.filter { !$0.contains("damaged") } == [
                "regions.sealed", "regions.sealed-shm", "regions.sealed-wal",
            ])
        try await bench.close()
    }
}
