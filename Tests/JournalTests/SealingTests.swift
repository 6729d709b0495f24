import Cryptography
import Location
import Platform
import Protection
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct SealingTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws { directory = try TemporaryDirectory() }

    private func sql(_ statement: String) throws {
        #expect(try run(["sqlite3", "\(directory.path)/journal.db", statement]) == 0)
    }

    private func integer(_ query: String) throws -> Int64? {
        try Database(path: "\(directory.path)/journal.db", isReadOnly: true).integer(query, as: "test")
    }

    @Test(arguments: ProtectionClass.allCases)
    func `no position of any class is in a file, and all are read again`(_ protection: ProtectionClass) async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.unlocked))
        for number in 1...700 { bench.journal.record(.step(number), in: id, protection) }
        #expect(try await bench.positions(of: id).output.map(\.position) == (1...700).map { .step($0) })
        try await bench.reject(id, 300, message: "47.0003 is refused")
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(300)])
        #expect(try await bench.verify().findings == [])
        let scanner = CoordinateScanner([1, 255, 256, 300, 700].map { .step($0) })
        // With the log, while the journal runs.
        for (name, bytes) in try directory.contents() { #expect(scanner.count(in: bytes) == 0, "\(name)") }
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments") == 4)
        #expect(
            try integer("SELECT count(*) FROM positions WHERE class = \(protection.rawValue) AND segment > 0") == 699)
    }

    @Test func `the scanner finds positions that are planted in every encoding`() throws {
        let position = Position.step(123_456)
        let scanner = CoordinateScanner([position])
        for needle in scanner.needles {
            #expect(scanner.count(in: [UInt8](repeating: 7, count: 99) + needle + [1, 2, 3]) >= 1)
        }
        #expect(scanner.count(in: Array("a file with 47.123456 in it".utf8)) == 1)
        #expect(scanner.count(in: [UInt8](repeating: 0, count: 4_096)) == 0)
    }

    @Test func `a locked machine records what it cannot read, and reads it after it is unlocked`() async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        bench.journal.record(.step(1), in: id)
        try await bench.setKeys(sealed.keys(.unlocked))
        bench.journal.record(.step(2), in: id, .completeUnlessOpen)
        try await bench.setKeys(sealed.keys(.locked))
        for number in 3...5 { bench.journal.record(.step(number), in: id, .completeUnlessOpen) }
        // The row of the class none is a page of its own.
        #expect(try await bench.positions(of: id).output.map(\.sequence) == [1])
        let error = await #expect(throws: StorageError.self) { try await bench.positions(of: id, after: 1) }
        #expect(error?.reason == .protectedDataUnavailable)
        #expect(try await bench.start(hike).waiting == 5)
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect((verification.positions, verification.unchecked) == (5, 4))
        await #expect(throws: StorageError.self) { try await bench.reject(id, 3) }
        try await bench.setKeys(sealed.keys(.unlocked))
        #expect(try await bench.positions(of: id).output.map(\.position) == (1...5).map { .step($0) })
        #expect(try await bench.verify().unchecked == 0)
        try await bench.close()
    }

    @Test func `what is queued when the lock falls is sealed with the keys of before`() async throws {
        var options = JournalOptions()
        options.commitInterval = .seconds(3_600)
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.unlocked))
        for number in 1...3 { bench.journal.record(.step(number), in: id, .complete) }
        try await bench.setKeys(sealed.keys(.locked))
        for number in 4...5 { bench.journal.record(.step(number), in: id, .complete) }
        bench.journal.record(.step(6), in: id, .completeUntilFirstUnlock)
        bench.journal.record(.step(7), in: id, .completeUnlessOpen)
        let events = try await bench.read().events
        #expect(events.map(\.kind) == ["positionsDropped"])
        #expect(events.first?.details.contains(#""reason":"locked","count":2"#) == true)
        let stored = try await bench.start(hike)
        #expect((stored.last, stored.dropped) == (5, 2))
        try await bench.setKeys(sealed.keys(.unlocked))
        #expect(try await bench.positions(of: id).output.map(\.position) == [1, 2, 3, 6, 7].map { .step($0) })
        try await bench.close()
    }

    @Test func `what is recorded as soon as the data is unlocked is sealed with the keys of after`() async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.locked))
        // The journal's thread is busy when the keys come, and commits once before it receives them.
        let isReleased = Flag()
        bench.journal.post { _ in _ = eventually { isReleased.isSet } }
        bench.journal.post { $0.commitWaiting() }
        bench.journal.setKeys(sealed.keys(.unlocked))
        for number in 1...3 { bench.journal.record(.step(number), in: id, .complete) }
        isReleased.set()
        #expect(try await bench.positions(of: id).output.map(\.position) == (1...3).map { .step($0) })
        let stored = try await bench.start(hike)
        #expect((stored.last, stored.dropped) == (3, 0))
        try await bench.close()
    }

    @Test func `after a restart only the classes of a machine that was never unlocked are written`() async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.neverUnlocked))
        for protection in ProtectionClass.allCases { bench.journal.record(.step(1), in: id, protection) }
        _ = try await bench.append(.remark(1))
        let stored = try await bench.start(hike)
        #expect((stored.last, stored.dropped) == (2, 2))
        #expect(stored.oldestWaiting == UTCTime(microseconds: 1_800_000_001_000_000))
        try await bench.acknowledge(id, upTo: 1)
        // Of a locked position the time of its segment is known.
        #expect(try await bench.start(hike).oldestWaiting == UTCTime(microseconds: 1_800_000_000_000_000))
        try await bench.close()
    }

    @Test func `rows are sealed again when a recording gets a stricter class`() async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...3_000 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        try await bench.reject(id, 77)
        try await bench.setKeys(sealed.keys(.locked))
        #expect(try await bench.statistics().rowsToSeal == 0)
        bench.journal.setClasses([id: .completeUnlessOpen])
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        await #expect(throws: StorageError.self) { try await bench.deadLetters(of: id) }
        // Rows that only another key opens stay until it is there.
        bench.journal.setClasses([id: .complete])
        #expect(try await bench.verify().unchecked == 3_000)
        try await bench.setKeys(sealed.keys(.unlocked))
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        #expect(try await bench.verify().findings == [])
        #expect(
            try await bench.positions(of: id, after: 2_990).output.map(\.position) == (2_991...3_000).map { .step($0) })
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(77)])
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments WHERE class <> 3") == 0)
        #expect(try integer("SELECT count(*) FROM positions WHERE class = 3") == 2_999)
    }

    @Test func `rows of a class that became stricter while they were queued are sealed again, and all are read`()
        async throws
    {
        var options = JournalOptions()
        options.commitInterval = .seconds(3_600)
        options.firstPause = .milliseconds(5)
        options.longestPause = .milliseconds(5)
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.unlocked))
        do {
            let other = try Database(path: "\(directory.path)/journal.db")
            try other.execute("BEGIN IMMEDIATE", as: "lock")
            for number in 1...100 { bench.journal.record(.step(number), in: id) }
            bench.journal.setClasses([id: .completeUnlessOpen])
            #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
            try other.execute("ROLLBACK", as: "unlock")
        }
        #expect(await bench.state { $0 == .running } == .running)
        #expect(try await bench.positions(of: id).output.map(\.position) == (1...100).map { .step($0) })
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        let protection = ProtectionClass.completeUnlessOpen.rawValue
        #expect(try integer("SELECT count(*) FROM positions WHERE class = \(protection)") == 100)
    }

    @Test func `dead letters that were rejected in another order than recorded are sealed again`() async throws {
        let sealed = try SealedBench(directory)
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.unlocked))
        for number in 1...5 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        for number in [4, 2] { try await bench.reject(id, Int64(number)) }
        bench.journal.setClasses([id: .completeUnlessOpen])
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(2), .step(4)])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments WHERE class = 0") == 0)
    }

    @Test func `rows are brought back to the class none when protection is switched off, also after a restart`()
        async throws
    {
        let sealed = try SealedBench(directory)
        var bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        try await bench.setKeys(sealed.keys(.unlocked))
        let classes = ProtectionClass.allCases
        for number in 1...3_000 { bench.journal.record(.step(number), in: id, classes[number / 300 % classes.count]) }
        _ = try await bench.positions(of: id, limit: 0)
        try await bench.reject(id, 777)
        try await bench.close()
        // Locked, nothing is lost, and nothing can be brought back.
        bench = try Bench(directory.path, clock: clock)
        try await bench.setKeys(sealed.keys(.neverUnlocked))
        bench.journal.setClasses([id: .none], lowers: true)
        #expect(try await bench.remainsSealed())
        #expect(try await bench.verify().findings == [])
        try await bench.setKeys(sealed.keys(.unlocked))
        bench.journal.record(.step(3_001), in: id, .none)
        #expect(try await eventually { try await !bench.remainsSealed() })
        #expect(try await bench.statistics().rowsToSeal == 0)
        try await bench.setKeys(AvailableKeys(machine: nil))
        #expect(try await bench.verify().findings == [])
        var found: [Int] = []
        while let page = try? await bench.positions(of: id, after: Int64(found.last ?? 0), limit: 1_000).output,
            !page.isEmpty
        {
            found += page.map { Int($0.sequence) }
            #expect(page.allSatisfy { $0.position == .step(Int($0.sequence)) })
        }
        #expect(found == Array(1...3_001).filter { $0 != 777 })
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(777)])
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments WHERE class <> 0") == 0)
        #expect(try integer("SELECT count(*) FROM positions WHERE class <> 0") == 0)
    }

    @Test func `a changed byte is an error of one row, and the others are read`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...20 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.close()
        try sql("UPDATE positions SET payload = substr(payload, 1, 50) || x'00' || substr(payload, 52) WHERE seq = 7")
        // Moved to another number.
        try sql("UPDATE positions SET payload = (SELECT payload FROM positions WHERE seq = 9) WHERE seq = 8")
        // Declared to be plain, and to be of another class.
        try sql("UPDATE positions SET segment = NULL WHERE seq = 10")
        try sql("UPDATE positions SET class = 2 WHERE seq = 11")
        let again = try Bench(directory.path, clock: clock)
        #expect(
            try await again.verify().findings
                == [7, 8, 10, 11].map { "recording \(hike): position \($0) cannot be read" })
        #expect(
            try await again.positions(of: id).output.map(\.sequence) == [1, 2, 3, 4, 5, 6, 9] + Array(12...20))
        _ = try await again.append(.remark(1))
        #expect(try await again.start(hike).dropped == 4)
        #expect(try await again.verify().findings == [])
        try await again.close()
    }

    @Test func `nothing is removed when the machine's secret is missing or another one`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...20 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.close()
        let secret = try directory.bytes("machine.secret")
        for wrong in [[UInt8](repeating: 9, count: 32), [1, 2, 3]] {
            #expect(try run(["rm", "\(directory.path)/machine.secret"]) == 0)
            try directory.overwrite("machine.secret", at: 0, with: wrong)
            let other = try Bench(directory.path, clock: clock)
            let error = await #expect(throws: StorageError.self) { try await other.positions(of: id) }
            #expect(error?.reason == .protectedDataUnavailable)
            // Nothing is sealed with a secret that opens nothing else here.
            other.journal.record(.step(21), in: id)
            _ = try await other.append(.remark(1))
            #expect(try await other.start(hike).last == 20)
            #expect(try await other.verify().unchecked == 20)
            try await other.close()
        }
        #expect(try run(["rm", "\(directory.path)/machine.secret"]) == 0)
        try directory.overwrite("machine.secret", at: 0, with: secret)
        let again = try Bench(directory.path, clock: clock)
        #expect(try await again.positions(of: id).output.count == 20)
        try await again.close()
    }

    @Test func `acknowledged positions are erased together with the keys of their segments`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...1_000 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.acknowledge(id, upTo: 600)
        #expect(try await bench.verify().findings == [])
        try await bench.acknowledge(id, upTo: 1_000)
        bench.journal.record(.step(1_001), in: id)
        #expect(try await bench.positions(of: id, after: 1_000).output.map(\.position) == [.step(1_001)])
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments") == 1)
    }

    @Test func `the key of a segment of dead letters is erased with the last of them`() async throws {
        var options = JournalOptions()
        options.recordingRetention.maximumAge = .seconds(86_400)
        var bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...3 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
        let count = "SELECT count(*) FROM segments WHERE isDeadLetter = 1"
        try await bench.reject(id, 1)
        try await bench.revive(id, 1)
        bench.journal.setClasses([:])
        try await bench.append(.remark(1))
        #expect(try integer(count) == 0)
        // Others of the segment need it.
        try await bench.reject(id, 2)
        try await bench.reject(id, 3)
        try await bench.revive(id, 2)
        #expect(try await bench.deadLetters(of: id).output.map(\.position) == [.step(3)])
        // One that is replaced is in another segment.
        bench.journal.setClasses([:])
        try await bench.reject(id, 3, message: "still no")
        #expect(try await bench.deadLetters(of: id).output.map(\.message) == ["still no"])
        #expect(try integer(count) == 1)
        // Dropped by their age.
        clock.advance(seconds: 86_500)
        try await bench.append(.remark(2))
        #expect(try await bench.deadLetters(of: id).output.isEmpty)
        #expect(try integer(count) == 0)
        // Unreadable.
        bench.journal.record(.step(4), in: id)
        _ = try await bench.positions(of: id, limit: 0)
        try await bench.reject(id, 4)
        try await bench.close()
        #expect(try integer(count) == 1)
        try sql("UPDATE deadLetters SET payload = zeroblob(length(payload))")
        bench = try Bench(directory.path, options: options, clock: clock)
        #expect(try await bench.deadLetters(of: id).output.isEmpty)
        try await bench.append(.remark(3))
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(try integer(count) == 0)
    }

    @Test func `a segment ends after 256 rows or ten minutes`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...257 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        clock.advance(seconds: 599)
        bench.journal.record(.step(258), in: id)
        _ = try await bench.positions(of: id)
        clock.advance(seconds: 1)
        bench.journal.record(.step(259), in: id)
        #expect(try await bench.positions(of: id).output.count == 259)
        try await bench.close()
        #expect(try integer("SELECT count(*) FROM segments") == 3)
    }
}
