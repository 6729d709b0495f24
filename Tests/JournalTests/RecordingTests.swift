import Authorization
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct RecordingTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws { directory = try TemporaryDirectory() }

    @Test func `recorded positions are read in order with numbers without gaps`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...2_500 { bench.journal.record(.step(number), in: id) }
        let first = try await bench.positions(of: id)
        #expect(first.count == 1_000)
        #expect(first.last == 2_500)
        #expect(first.acknowledged == 0)
        #expect(first.output == (1...1_000).map { .init(recording: id, sequence: Int64($0), position: .step($0)) })
        let rest = try await bench.positions(of: id, after: 2_400)
        #expect(rest.output.map(\.sequence) == Array(2_401...2_500))
        #expect(try await bench.positions(of: id, after: 10, limit: 2).output.map(\.sequence) == [11, 12])
        #expect(try await bench.positions(of: id, after: 2_500).output.isEmpty)
        try await bench.close()
    }

    @Test func `a recording exists after a restart and continues`() async throws {
        let first = try Bench(directory.path, clock: clock)
        let options = RecordingOptions(desiredAccuracy: 10, distanceFilter: 5.5, interval: 2, onRevoke: .keep)
        let id = try await first.start(hike, options).id
        for number in 1...10 { first.journal.record(.step(number), in: id) }
        try await first.close()

        clock.advance(seconds: 60)
        let second = try Bench(directory.path, clock: clock)
        let loaded = try #require(await second.loadedRecordings())
        #expect(loaded.loss == nil)
        var expected = StoredRecording(
            key: hike, id: id, options: options, startedAt: UTCTime(microseconds: 1_800_000_000_000_000))
        expected.last = 10
        expected.waiting = 10
        expected.oldestWaiting = UTCTime(microseconds: 1_800_000_001_000_000)
        expected.bytes = loaded.recordings.first?.bytes ?? 0
        #expect(loaded.recordings == [expected])
        #expect((600...1_000).contains(expected.bytes))
        second.journal.record(.step(11), in: id)
        #expect(try await second.positions(of: id, after: 9).output.map(\.sequence) == [10, 11])
        try await second.close()
    }

    @Test func `an app's recordings are separate from each other and from those of others`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let keys = [hike, .named("other"), .named("way", of: "org.example.other"), .named("way", uid: 1_001)]
        var ids: [RecordingID] = []
        for key in keys { ids.append(try await bench.start(key).id) }
        #expect(Set(ids).count == 4)
        for number in 1...40 { bench.journal.record(.step(number), in: ids[number % 4]) }
        for (index, id) in ids.enumerated() {
            let numbers = (1...40).filter { $0 % 4 == index }
            #expect(try await bench.positions(of: id).output.map(\.position) == numbers.map { .step($0) })
        }
        try await bench.close()
    }

    @Test func `acknowledged positions are erased and the cursor never moves backwards`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...10 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        #expect(try await bench.acknowledge(id, upTo: 4) == 4)
        #expect(try await bench.acknowledge(id, upTo: 2) == 4)
        #expect(try await bench.positions(of: id).output.map(\.sequence) == Array(5...10))
        #expect(try await bench.acknowledge(id, upTo: 99) == 10)
        let recordings = try #require(await bench.recordings { $0.first?.waiting == 0 && $0.first?.last == 10 })
        #expect(recordings.first?.acknowledged == 10)
        #expect(recordings.first?.oldestWaiting == nil)
        try await bench.close()
    }

    @Test func `what was sent and left out is counted with the cursor, once, and survives a restart`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...20 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.acknowledge(id, upTo: 10, sent: 6, filtered: 3)
        // The same again, as after a lost reply, and a number below the cursor.
        try await bench.acknowledge(id, upTo: 10, sent: 6, filtered: 3)
        try await bench.acknowledge(id, upTo: 4, sent: 4)
        try await bench.acknowledge(id, upTo: 12)
        // Never more than the cursor passes.
        try await bench.acknowledge(id, upTo: 15, sent: .max, filtered: .max)
        try await bench.acknowledge(id, upTo: 16, sent: -5, filtered: -5)
        try await bench.reject(id, 18)
        try await bench.acknowledge(id, upTo: 20, sent: 3)
        try await bench.revive(id, 18)
        await #expect(throws: StorageError.self) { try await bench.revive(id, 18) }
        try await bench.close()
        let again = try Bench(directory.path, clock: clock)
        let stored = try #require(await again.loadedRecordings()?.recordings.first)
        #expect((stored.sent, stored.filtered) == (6 + 3 + 3 + 1, 3))
        try await again.erase(hike)
        let new = try await again.start(hike)
        #expect((new.sent, new.filtered) == (0, 0))
        try await again.close()
    }

    @Test func `a dead letter is not read with the other positions and is removed when it is revived`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...5 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        clock.advance(seconds: 5)
        try await bench.reject(id, 3, status: 422, message: "latitude 47.000003 is refused")
        #expect(try await bench.positions(of: id).output.map(\.sequence) == [1, 2, 4, 5])
        #expect(try await bench.acknowledge(id, upTo: 5) == 5)
        let letters = try await bench.deadLetters(of: id)
        #expect(
            letters.output == [
                DeadLetter(
                    sequence: 3, position: .step(3), status: 422, message: "latitude 47.000003 is refused",
                    rejectedAt: UTCTime(microseconds: 1_800_000_005_000_000))
            ])
        try await bench.revive(id, 3)
        #expect(try await bench.deadLetters(of: id).output.isEmpty)
        await #expect(throws: StorageError.self) { try await bench.revive(id, 3) }
        await #expect(throws: StorageError.self) { try await bench.reject(id, 77) }
        try await bench.close()
    }

    @Test func `erased positions are in none of the files`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...600 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.reject(id, 500, message: "a message that repeats it")
        try await bench.acknowledge(id, upTo: 300)
        try await bench.erase(hike)
        try await bench.close()
        let file = try directory.bytes("journal.db")
        for number in [1, 150, 299, 301, 500, 600] {
            let payload = PositionPayloadTests.encoded(.step(number))
            #expect(!Bytes.contains(payload, in: file), "position \(number)")
        }
        #expect(!Bytes.contains(Array("a message that repeats it".utf8), in: file))
        #expect(directory.names() == ["journal.db", "journal.lock", "machine.secret"])
    }

    @Test func `an erased recording is a new one when it is started again`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...5 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.reject(id, 3)
        #expect(try await bench.erase(hike) == 5)
        bench.journal.record(.step(6), in: id)
        await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        await #expect(throws: StorageError.self) { try await bench.acknowledge(id, upTo: 1) }
        await #expect(throws: StorageError.self) { try await bench.stop(hike) }
        await #expect(throws: StorageError.self) { try await bench.erase(hike) }
        let again = try await bench.start(hike)
        #expect(again.id != id)
        #expect(again.last == 0)
        #expect(try await bench.positions(of: again.id).output.isEmpty)
        try await bench.close()
    }

    @Test(arguments: 1...4)
    func `reported results survive a crash at any time`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var options = JournalOptions()
        options.commitInterval = .seconds(3_600)
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        var (last, acknowledged, letters) = (0, 0, Set<Int64>())
        for _ in 1...12 {
            for _ in 0..<Int.random(in: 1...80, using: &generator) {
                last += 1
                bench.journal.record(.step(last), in: id)
            }
            // Durable before it can be read.
            #expect(try await bench.positions(of: id, limit: 0).last == Int64(last))
            if Bool.random(using: &generator) {
                acknowledged = Int.random(in: acknowledged...last, using: &generator)
                try await bench.acknowledge(id, upTo: Int64(acknowledged))
            }
            if acknowledged < last {
                let number = Int64.random(in: Int64(acknowledged + 1)...Int64(last), using: &generator)
                try await bench.reject(id, number)
                letters.insert(number)
            }
            // A recorded but uncommitted position may be lost, and nothing else.
            bench.journal.record(.step(999_999), in: id)
            let crashed = try TemporaryDirectory()
            // The files as a kill would leave them; copied by another process because of SQLite's locks.
            let files = ["journal.db-wal", "journal.db", "machine.secret"].map { "\(directory.path)/\($0)" }
            #expect(try run(["cp"] + files + [crashed.path]) == 0)
            let after = try Bench(crashed.path, clock: clock)
            let stored = try #require(await after.loadedRecordings()?.recordings.first)
            #expect(stored.last == Int64(last))
            #expect(stored.acknowledged == Int64(acknowledged))
            #expect(try await after.deadLetters(of: id).output.map(\.sequence) == letters.sorted())
            let expected = (Int64(acknowledged)..<Int64(last)).map { $0 + 1 }.filter { !letters.contains($0) }
            #expect(try await after.positions(of: id).output.map(\.sequence) == expected)
            #expect(try await after.verify().findings == [])
            try await after.close()
            _ = try await bench.positions(of: id, limit: 0)
            last += 1
        }
        try await bench.close()
    }

    @Test func `a position is durable at once if a reader waits, and otherwise after the commit interval`()
        async throws
    {
        var options = JournalOptions()
        options.commitInterval = .seconds(3_600)
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        bench.journal.record(.step(1), in: id)
        #expect(try await bench.statistics().waitingPositions == 1)
        bench.journal.setAwaited(true)
        #expect(await bench.recordings { $0.first?.last == 1 } != nil)
        bench.journal.record(.step(2), in: id)
        #expect(await bench.recordings { $0.first?.last == 2 } != nil)
        bench.journal.setAwaited(false)
        bench.journal.record(.step(3), in: id)
        #expect(try await bench.statistics().waitingPositions == 1)
        try await bench.close()
    }

    @Test func `changes are committed with their events, and events of a refused change are not`()
        async throws
    {
        let bench = try Bench(directory.path, clock: clock)
        let event = Event(.recordingStarted, app: hike.app.name, uid: hike.app.uid, details: ["recording": "way"])
        let stopped = Event(.recordingStopped, app: hike.app.name, uid: hike.app.uid, details: ["recording": "way"])
        let results = AsyncStream<Bool>.makeStream()
        // Together, before any is committed.
        bench.journal.stopRecording(hike, reporter: [stopped]) { result in
            if case .failure(let error) = result { results.continuation.yield(error.reason == .noSuchRecording) }
        }
        bench.journal.startRecording(hike, reporter: [event]) { result in
            if case .success(let stored) = result { results.continuation.yield(stored.isStarted) }
        }
        bench.journal.stopRecording(hike, reporter: [stopped]) { result in
            if case .success(let stored) = result { results.continuation.yield(!stored.isStarted) }
            results.continuation.finish()
        }
        var answers: [Bool] = []
        for await answer in results.stream { answers.append(answer) }
        #expect(answers == [true, true, true])
        #expect(try await bench.read().events.map(\.kind) == ["recordingStarted", "recordingStopped"])
        try await bench.close()
    }
}
