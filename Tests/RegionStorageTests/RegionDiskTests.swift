import Location
import Platform
import Regions
import Storage
import TestSupport
import Testing

@testable import RegionStorage

@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct RegionDiskTests {
    let disk: SmallDisk

    init() throws { disk = try SmallDisk(kibibytes: 2_048) }

    /// The reason in an answer that the disk is full or broken.
    func unavailable<Answer>(_ request: () async throws -> Answer) async throws -> StorageError? {
        if case .unavailable(let error)? = try await refusal(request) { return error }
        return nil
    }

    @Test func `a full disk refuses changes and keeps everything, and works on once there is room`() async throws {
        let bench = try RegionBench(disk.path)
        try await bench.add(NewRegion.row(0..<10), to: .depot)
        try disk.fill()
        // The file and its log have some room of their own at first.
        var added = 0
        var failure: StorageError?
        while failure == nil, added < 20_000 {
            failure = try await unavailable { try await bench.add(NewRegion.row(added..<(added + 100))) }
            if failure == nil { added += 100 }
        }
        let error = try #require(failure)
        #expect(error.leavesConnectionUsable && error.description.contains("full"))
        func count(_ key: MonitorKey) async throws -> Int {
            if added == 0, key == .yard { return 0 }
            return try await bench.regions(of: key).count
        }
        #expect(try await count(.yard) == added)
        let depot = try await bench.regions(of: .depot)
        #expect(depot.count == 10)
        let time = UTCTime(microseconds: 1_800_000_000_000_000)
        let changes = depot.map { RegionChange(number: $0.number, state: .inside, since: time) }
        let events = depot.map {
            NewRegionEvent(RegionEvent(region: $0.number, kind: .determined(.inside), time: time), isSimulated: false)
        }
        var requests = 0
        while try await unavailable({ try await bench.record(changes: changes, events: events) }) == nil {
            requests += 1
            guard requests < 10_000 else { break }
        }
        #expect(requests < 10_000)
        // Every recorded event, and no other.
        #expect(try await bench.load().first { $0.key == .depot }?.last == Int64(requests * 10))
        #expect(try await unavailable { try await bench.stage(NewRegion.row(0..<500)) } != nil)

        disk.free()
        try await bench.add(NewRegion.row(added..<(added + 100)))
        #expect(try await bench.regions().count == added + 100)
        try await bench.stage(NewRegion.row(0..<50), to: .depot)
        try await bench.commit(to: .depot)
        #expect(bench.damages == [])
        try await bench.close()
        let check = try CompletedProcess.run(
            "/usr/bin/sqlite3", ["\(disk.path)/regions.sqlite", "PRAGMA integrity_check; SELECT rtreecheck('boxes')"],
            seconds: 60)
        #expect(check.output == "ok\nok\n")
    }

    @Test func `a commit that the disk has no room for changes nothing, and can be repeated`() async throws {
        let bench = try RegionBench(disk.path)
        try await bench.add(NewRegion.row(0..<10))
        try await bench.stage(NewRegion.row(0..<1_000))
        try disk.fill()
        var refused: StorageError?
        for start in stride(from: 1_000, to: 50_000, by: 1_000) where refused == nil {
            refused = try await unavailable { try await bench.stage(NewRegion.row(start..<(start + 1_000))) }
        }
        #expect(refused != nil)
        #expect(try await unavailable { try await bench.commit() } != nil)
        #expect(try await bench.regions().count == 10)
        disk.free()
        #expect(try await refusal { try await bench.commit() } == .nothingStaged)
        try await bench.stage(NewRegion.row(5..<1_000))
        let added = try await bench.commit()
        #expect(added.added == 990 && added.replaced == 5)
        try await bench.close()
    }

    @Test func `a store on a disk that is full at the start works once there is room`() async throws {
        try disk.fill()
        let bench = try RegionBench(disk.path)
        #expect(try await unavailable { try await bench.load() } != nil)
        #expect(try await unavailable { try await bench.add(NewRegion.row(0..<10)) } != nil)
        disk.free()
        #expect(try await bench.load() == [])
        #expect(try await bench.add(NewRegion.row(0..<10)).added == 10)
        #expect(bench.damages == [])
        try await bench.close()
    }

    @Test func `a disk that became read-only refuses changes, and works on when it is writable again`() async throws {
        let first = try RegionBench(disk.path)
        try await first.add(NewRegion.row(0..<10))
        try await first.close()
        try disk.makeReadOnly()
        let second = try RegionBench(disk.path)
        #expect(try await unavailable { try await second.add(NewRegion.row(10..<20)) } != nil)
        try disk.makeWritable()
        #expect(try await second.add(NewRegion.row(10..<20)).monitor.regions == 20)
        try await second.close()
    }
}
