import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(
    .timeLimit(.minutes(15)), .serialized,
    .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct RecordingFullDiskTests {
    let disk: SmallDisk
    var options = JournalOptions()
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws {
        disk = try SmallDisk(kibibytes: 768)
        options.firstPause = .milliseconds(5)
        options.longestPause = .milliseconds(20)
        options.commitInterval = .milliseconds(5)
        options.positionCapacity = 100
    }

    /// Records until the disk is full; returns the last number that was reported durable.
    func fill(_ bench: Bench, _ id: RecordingID) async throws -> Int64 {
        for number in 1...50 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        try disk.fill()
        var number = 50
        while number < 100_000 {
            for _ in 1...50 {
                number += 1
                bench.journal.record(.step(number), in: id)
            }
            _ = try await bench.positions(of: id, limit: 0)
            guard case .running = try await bench.statistics().state else {
                return try await bench.positions(of: id, limit: 0).last
            }
        }
        Issue.record("the disk is never full")
        return 0
    }

    @Test func `on a full disk changes are refused, and recording waits and resumes without a gap`()
        async throws
    {
        let bench = try Bench(disk.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        let last = try await fill(bench, id)
        #expect(last > 0)
        await #expect(throws: StorageError.self) { try await bench.acknowledge(id, upTo: 10) }
        await #expect(throws: StorageError.self) { try await bench.erase(hike) }
        await #expect(throws: StorageError.self) { try await bench.start(.named("another")) }
        await #expect(throws: StorageError.self) { try await bench.reject(id, 1) }
        // Durable positions can be read meanwhile.
        #expect(try await bench.positions(of: id).output.first?.position == .step(1))
        // More than there is room for: the oldest pending positions are dropped.
        for number in 1...250 { bench.journal.record(.step(1_000_000 + number), in: id) }
        let statistics = try await bench.statistics()
        #expect(statistics.waitingPositions == 100)
        let dropped = statistics.droppedPositions
        #expect(dropped >= 150)

        disk.free()
        #expect(await bench.state { $0 == .running } == .running)
        #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
        #expect(await bench.state { $0 == .running } == .running)
        let after = try await bench.positions(of: id, after: last)
        #expect(after.output.map(\.sequence) == Array((last + 1)...(last + 100)))
        #expect(after.output.map(\.position) == (151...250).map { .step(1_000_000 + $0) })
        let stored = try await bench.start(hike)
        #expect(stored.dropped == dropped)
        #expect((stored.acknowledged, stored.waiting) == (0, last + 100))
        var query = EventQuery()
        query.kinds = ["positionsDropped"]
        let event = try await bench.read(query).events.first
        #expect(event?.app == hike.app.name)
        #expect(event?.details.contains(#""recording":"way","reason":"overflow","count":\#(dropped)"#) == true)
        #expect(try await bench.verify().findings == [])
        #expect(try await bench.acknowledge(id, upTo: 10) == 10)
        try await bench.close()
    }

    @Test func `positions dropped before the machine's secret could be stored are counted`() async throws {
        var options = options
        // So that the first attempt to write is the one that the test makes.
        options.commitInterval = .seconds(600)
        let bench = try Bench(disk.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try disk.fill()
        for number in 1...250 { bench.journal.record(.step(number), in: id) }
        let dropped = try await bench.statistics().droppedPositions
        #expect(dropped == 150)
        await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        disk.free()
        #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
        #expect(await bench.state { $0 == .running } == .running)
        #expect(try await bench.positions(of: id).output.map(\.position) == (151...250).map { .step($0) })
        #expect(try await bench.start(hike).dropped == dropped)
        try await bench.close()
    }

    @Test func `positions reported durable before the disk was full are there after a restart`() async throws {
        let bench = try Bench(disk.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        let last = try await fill(bench, id)
        bench.journal.record(.step(1), in: id)
        do {
            try await bench.close()
            Issue.record("closing does not report the loss")
        } catch let error as StorageError {
            #expect(error.message.hasSuffix("positions could not be written"))
        }
        disk.free()
        let again = try Bench(disk.path, options: options, clock: clock)
        #expect(await again.loadedRecordings()?.recordings.first?.last == last)
        #expect(try await again.verify().findings == [])
        try await again.close()
    }

    @Test func `a read-only disk refuses every change at once, and nothing is lost afterwards`() async throws {
        let bench = try Bench(disk.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        bench.journal.record(.step(1), in: id)
        _ = try await bench.positions(of: id)
        try await bench.close()

        try disk.makeReadOnly()
        let refused = try Bench(disk.path, options: options, clock: clock)
        #expect(await refused.loadedRecordings()?.loss?.reason == .system(EROFS))
        await #expect(throws: StorageError.self) { try await refused.start(hike) }
        await #expect(throws: StorageError.self) { try await refused.acknowledge(id, upTo: 1) }
        await #expect(throws: StorageError.self) { try await refused.positions(of: id) }
        refused.journal.record(.step(2), in: id)
        await #expect(throws: StorageError.self) { try await refused.close() }

        try disk.makeWritable()
        let again = try Bench(disk.path, options: options, clock: clock)
        #expect(try await again.positions(of: id).output.map(\.position) == [.step(1)])
        #expect(try await again.verify().findings == [])
        try await again.close()
    }
}
