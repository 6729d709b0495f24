import Authorization
import Glibc
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(
    .timeLimit(.minutes(15)), .serialized,
    .enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
struct FullDiskTests {
    let disk: SmallDisk
    var options = JournalOptions()
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    init() throws {
        disk = try SmallDisk(kibibytes: 512)
        options.firstPause = .milliseconds(5)
        options.longestPause = .milliseconds(20)
        options.commitInterval = .milliseconds(5)
    }

    @Test func `a full disk fails awaited events, retains the others, and writing resumes once there is room`()
        async throws
    {
        let bench = try Bench(disk.path, options: options, clock: clock)
        #expect(try await bench.append(.remark(1)) == 1)
        try disk.fill()

        // The log has some room of its own at first.
        var recorded = 1
        var failure: StorageError?
        for number in 2...2_000 where failure == nil {
            do {
                try await bench.append(.remark(number))
                recorded = number
            } catch let error as StorageError {
                failure = error
            }
        }
        let error = try #require(failure)
        #expect(error.isPassing(hasRun: true))
        guard case .full(let since, _) = await bench.state({ if case .full = $0 { true } else { false } }) else {
            Issue.record("never full")
            return
        }
        #expect(since == clock.utcMicroseconds)

        clock.advance(seconds: 10)
        for number in 5_001...5_010 { bench.journal.append(.remark(number)) }
        await #expect(throws: StorageError.self) { try await bench.append(.remark(9_999)) }
        // Recorded events can be read meanwhile.
        #expect(try await bench.read().newest == Int64(recorded))
        let statistics = try await bench.statistics()
        #expect(statistics.waiting == 10)
        #expect(statistics.dropped == 0)

        disk.free()
        #expect(await bench.state { $0 == .running } == .running)
        var query = EventQuery()
        query.after = Int64(recorded)
        let after = try await bench.read(query).events
        #expect(after.map(\.kind) == Array(repeating: "note", count: 10) + ["journalFull"])
        #expect(after.first?.details == #"{"number":5001}"#)
        #expect(after.last?.details.contains("\"since\":\"2027-01-15T08:00:00.000000Z\"") == true)
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect(try await bench.append(.remark(3)) == Int64(recorded) + 12)
        try await bench.close()
    }

    @Test func `events that do not fit into the queue meanwhile are counted and reported`() async throws {
        var options = options
        options.queueCapacity = 10
        let bench = try Bench(disk.path, options: options, clock: clock)
        try await bench.append(.remark(1))
        try disk.fill()
        for number in 2...2_000 {
            do { try await bench.append(.remark(number)) } catch is StorageError { break }
        }
        let newest = try await bench.read().newest
        for number in 1...25 { bench.journal.append(.remark(number)) }
        #expect(try await bench.statistics().dropped == 15)
        disk.free()
        #expect(await bench.state { $0 == .running } == .running)
        _ = await bench.state { $0 == .running }
        var query = EventQuery()
        query.after = newest
        let after = try await bench.read(query).events
        #expect(after.map(\.kind) == Array(repeating: "note", count: 10) + ["journalFull", "eventsDropped"])
        #expect(after.first?.details == #"{"number":16}"#)
        #expect(after.last?.details.contains(#""reason":"overflow","count":15"#) == true)
        #expect(try await bench.verify().isSound)
        try await bench.close()
    }

    @Test func `the journal waits for a disk that is full from the start`() async throws {
        try disk.fill()
        let bench = try Bench(disk.path, options: options, clock: clock)
        let state = await bench.state { $0 != .opening }
        guard case .full = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        bench.journal.append(.remark(1))
        disk.free()
        #expect(await bench.state { $0 == .running } == .running)
        let kinds = try await bench.read().events.map(\.kind)
        #expect(kinds.sorted() == ["journalFull", "note"])
        #expect(try await bench.verify().isSound)
        try await bench.close()
    }

    @Test func `changes that a full disk refused are not stored later, and can be appended again`() async throws {
        let app = AppID(uid: 1, name: "a")
        let bench = try Bench(disk.path, options: options, clock: clock)
        try await bench.append(changes: [.grant(app, Grant(permission: .whenInUse))])
        try disk.fill()
        var refused = 0
        let large = EventDetails(dictionaryLiteral: ("padding", .text(String(repeating: "x", count: 10_000))))
        for number in 1...2_000 where refused < 5 {
            do {
                try await bench.append(
                    [Event(.authorizationChanged, details: large)], changes: [.value("kept", String(number))])
                refused = 0
            } catch is StorageError {
                refused += 1
            }
        }
        #expect(refused == 5)
        let newest = try await bench.read().newest
        let denied = StoredChange.grant(app, Grant(permission: .denied))
        await #expect(throws: StorageError.self) {
            try await bench.append([.remark(1), Event(.authorizationChanged, details: large)], changes: [denied])
        }
        bench.journal.append(.remark(7))
        disk.free()
        #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
        #expect(await bench.state { $0 == .running } == .running)
        var query = EventQuery()
        query.after = newest
        #expect(try await bench.read(query).events.map(\.kind) == ["note", "journalFull"])
        try await bench.close()

        let again = try Bench(disk.path, options: options, clock: clock)
        #expect(await again.loaded()?.state.grants == [app: Grant(permission: .whenInUse)])
        try await again.append(changes: [denied])
        try await again.close()
        let last = try Bench(disk.path, options: options, clock: clock)
        #expect(await last.loaded()?.state.grants == [app: Grant(permission: .denied)])
        #expect(try await last.verify().findings == [])
        try await last.close()
    }

    @Test func `closing on a full disk ends and reports the loss`() async throws {
        let bench = try Bench(disk.path, options: options, clock: clock)
        try await bench.append(.remark(1))
        try disk.fill()
        for number in 2...2_000 {
            do { try await bench.append(.remark(number)) } catch is StorageError { break }
        }
        bench.journal.append(.remark(1))
        await #expect(throws: StorageError.self) { try await bench.close() }
        disk.free()
        let again = try Bench(disk.path, options: options, clock: clock)
        #expect(try await again.verify().isSound)
        try await again.close()
    }

    @Test func `a read-only file system is named and ends the journal`() async throws {
        let first = try Bench(disk.path, options: options, clock: clock)
        try await first.append(.remark(1))
        try await first.close()
        try disk.makeReadOnly()
        let second = try Bench(disk.path, options: options, clock: clock)
        let state = await second.state { $0 != .opening }
        guard case .failed(let error) = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        #expect(error.reason == .system(EROFS))
        #expect(error.description.contains(disk.path))
    }
}
