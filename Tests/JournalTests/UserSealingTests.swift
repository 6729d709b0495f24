import Cryptography
import JSONText
import Location
import Platform
import Protection
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// Recordings of users who have keys of their own.
@Suite(.timeLimit(.minutes(15))) struct UserSealingTests {
    private static let (anna, bert): (UInt32, UInt32) = (1_001, 1_002)

    private let directory: TemporaryDirectory
    private let clock = ManualClock(utcSeconds: 1_800_000_000)
    private let hers = RecordingKey.named("way", uid: anna)
    private let his = RecordingKey.named("way", uid: bert)
    private let machine: SealedBench
    private let own: SealedBench

    init() throws {
        directory = try TemporaryDirectory()
        machine = try SealedBench(directory)
        own = try SealedBench(directory, of: Self.anna)
    }

    private func integer(_ query: String) throws -> Int64? {
        try Database(path: "\(directory.path)/journal.db", isReadOnly: true).integer(query, as: "test")
    }

    /// How many positions of a user are sealed with the keys of a file; with the class none, if there is no file.
    private func count(_ uid: UInt32, _ bench: SealedBench?) throws -> Int64? {
        let id = bench.map { HexText.text($0.file.id) } ?? ""
        return try integer(
            """
            SELECT count(*) FROM positions JOIN segments ON segments.id = segment
            JOIN recordings ON recordings.id = positions.recording WHERE uid = \(uid) AND keyFile = x'\(id)'
            """)
    }

    private func opened() async throws -> (bench: Bench, hers: RecordingID, his: RecordingID) {
        let bench = try Bench(directory.path, clock: clock)
        return (bench, try await bench.start(hers).id, try await bench.start(his).id)
    }

    private func read(_ bench: Bench, _ id: RecordingID) async throws -> [Int] {
        var found: [Int] = []
        while true {
            let page = try await bench.positions(of: id, after: Int64(found.last ?? 0), limit: 1_000).output
            if page.isEmpty { return found }
            #expect(page.allSatisfy { $0.position == .step(Int($0.sequence)) })
            found += page.map { Int($0.sequence) }
        }
    }

    @Test func `a user's locked rows close nobody else's, and nobody else's lock closes them`() async throws {
        let (bench, hers, his) = try await opened()
        try await bench.setKeys(machine.keys(.unlocked))
        try await bench.setKeys(own.keys(.unlocked), of: Self.anna)
        for number in 1...300 {
            for id in [hers, his] { bench.journal.record(.step(number), in: id, .completeUnlessOpen) }
        }
        #expect(try await read(bench, hers).count == 300)
        try await bench.setKeys(own.keys(.locked), of: Self.anna)
        let error = await #expect(throws: StorageError.self) { try await bench.positions(of: hers) }
        #expect(error?.reason == .protectedDataUnavailable)
        #expect(try await read(bench, his).count == 300)
        // What is written while it is locked is the user's own as well.
        bench.journal.record(.step(301), in: hers, .completeUnlessOpen)
        try await bench.setKeys(machine.keys(.locked))
        bench.journal.record(.step(301), in: his, .completeUnlessOpen)
        try await bench.setKeys(own.keys(.unlocked), of: Self.anna)
        #expect(try await read(bench, hers).count == 301)
        await #expect(throws: StorageError.self) { try await bench.positions(of: his) }
        try await bench.close()
        #expect(try count(Self.anna, own) == 301 && count(Self.anna, machine) == 0)
        // The key of a segment does not outlive the keys with which it was begun.
        let segments = "SELECT count(DISTINCT segment) FROM positions JOIN recordings ON recordings.id = recording"
        for uid in [Self.anna, Self.bert] {
            #expect(try integer("\(segments) WHERE uid = \(uid) AND seq IN (300, 301)") == 2, "\(uid)")
        }
        #expect(try count(Self.bert, machine) == 301)
    }

    @Test func `rows move to a user's keys, and back, also when the journal is closed meanwhile`()
        async throws
    {
        var (bench, hers, his) = try await opened()
        try await bench.setKeys(machine.keys(.unlocked))
        let classes = [ProtectionClass.none, .completeUnlessOpen, .complete]
        for number in 1...15_000 {
            bench.journal.record(.step(number), in: hers, classes[number / 700 % 3])
            if number <= 1_000 { bench.journal.record(.step(number), in: his, .completeUnlessOpen) }
            if number % 1_000 == 0 { _ = try await bench.positions(of: hers, limit: 0) }
        }
        _ = try await bench.positions(of: hers, limit: 0)
        try await bench.reject(hers, 777)
        let present = [hers: ProtectionClass.completeUnlessOpen, his: .completeUnlessOpen]
        try await bench.close()
        /// Opens the journal, has it move some rows, and closes it. Returns how many rows of hers have other keys then.
        func step(_ keys: AvailableKeys, from other: SealedBench) async throws -> Int64 {
            let again = try Bench(directory.path, clock: clock)
            try await again.setKeys(machine.keys(.unlocked))
            again.journal.setClasses(present)
            try await again.setKeys(keys, of: Self.anna)
            try await again.close()
            return try (count(Self.anna, other) ?? 0) + (count(Self.anna, nil) ?? 0)
        }
        while try await step(own.keys(.unlocked), from: machine) > 0 {}
        func check() async throws {
            #expect(try await read(bench, hers) == Array(1...15_000).filter { $0 != 777 })
            #expect(try await bench.deadLetters(of: hers).output.map(\.position) == [.step(777)])
            #expect(try await bench.verify().findings == [])
        }
        bench = try Bench(directory.path, clock: clock)
        try await bench.setKeys(own.keys(.unlocked), of: Self.anna)
        try await check()
        // What has a stricter class retains it.
        #expect(try integer("SELECT count(*) FROM positions WHERE class = 3") ?? 0 > 4_000)
        #expect(try count(Self.anna, own) == 14_999)
        #expect(try count(Self.bert, own) == 0 && count(Self.bert, machine) == 1_000)
        // Locked, nothing of hers can be brought back, and nothing is lost.
        bench.journal.setClasses(present)
        try await bench.setKeys(own.keys(.neverUnlocked, isEnding: true), of: Self.anna)
        #expect(try await bench.remainsSealed(of: Self.anna))
        let waiting = try await bench.rowsToSeal(of: Self.anna)
        #expect(waiting.all >= 14_999 && waiting.locked == waiting.all)
        try await bench.close()
        while try await step(own.keys(.unlocked, isEnding: true), from: own) > 0 {}
        bench = try Bench(directory.path, clock: clock)
        try await bench.setKeys(machine.keys(.unlocked))
        try await check()
        try await bench.close()
        #expect(try count(Self.anna, machine) == 14_999 && count(Self.anna, own) == 0)
    }

    @Test func `rows of keys that are switched off get the class none where the machine has no passphrase`()
        async throws
    {
        let (bench, hers, _) = try await opened()
        try await bench.setKeys(own.keys(.unlocked), of: Self.anna)
        for number in 1...2_500 { bench.journal.record(.step(number), in: hers, .completeUnlessOpen) }
        _ = try await bench.positions(of: hers, limit: 0)
        bench.journal.setClasses([hers: .none])
        try await bench.setKeys(own.keys(.unlocked, isEnding: true), of: Self.anna)
        // A position that was queued with the class of before is not lost.
        bench.journal.record(.step(2_501), in: hers, .completeUnlessOpen)
        #expect(try await eventually { try await !bench.remainsSealed(of: Self.anna) })
        try await bench.setKeys(AvailableKeys(machine: nil), of: Self.anna)
        #expect(try await read(bench, hers) == Array(1...2_501))
        try await bench.close()
        #expect(try count(Self.anna, nil) == 2_501)
    }

    @Test func `rows do not move in a circle while no other keys can take them`() async throws {
        let (bench, hers, _) = try await opened()
        try await bench.setKeys(machine.keys(.neverUnlocked))
        try await bench.setKeys(own.keys(.unlocked, isEnding: true), of: Self.anna)
        for number in 1...600 { bench.journal.record(.step(number), in: hers, .completeUntilFirstUnlock) }
        bench.journal.setClasses([hers: .completeUntilFirstUnlock])
        _ = try await bench.positions(of: hers, limit: 0)
        #expect(try await bench.remainsSealed(of: Self.anna))
        #expect(try await bench.statistics().rowsToSeal == 600)
        #expect(try await bench.rowsToSeal(of: Self.anna).locked == 600)
        let number = try integer("SELECT seq FROM sqlite_sequence WHERE name = 'segments'")
        _ = try await bench.append(.remark(1))
        #expect(try integer("SELECT seq FROM sqlite_sequence WHERE name = 'segments'") == number)
        try await bench.setKeys(machine.keys(.unlocked))
        #expect(try await eventually { try await !bench.remainsSealed(of: Self.anna) })
        try await bench.close()
        #expect(try count(Self.anna, machine) == 600)
    }

    @Test func `rows that the machine's keys seal wait for them, and others move meanwhile`() async throws {
        let (bench, hers, _) = try await opened()
        try await bench.setKeys(machine.keys(.locked))
        for number in 1...600 {
            bench.journal.record(.step(number), in: hers, number <= 300 ? ProtectionClass.none : .completeUnlessOpen)
        }
        _ = try await bench.positions(of: hers, limit: 0)
        #expect(try await bench.rowsToSeal(of: Self.anna) == RowsToSeal(), "what need not move waits for nothing")
        try await bench.setKeys(own.keys(.unlocked), of: Self.anna)
        bench.journal.setClasses([hers: .completeUnlessOpen])
        #expect(try await eventually { try await bench.rowsToSeal(of: Self.anna).all == 300 })
        #expect(try await bench.rowsToSeal(of: Self.anna).locked == 300)
        #expect(try count(Self.anna, machine) == 300 && count(Self.anna, own) == 300)
        // The machine is unlocked: they go on by themselves.
        try await bench.setKeys(machine.keys(.unlocked))
        #expect(try await eventually { try await bench.rowsToSeal(of: Self.anna) == RowsToSeal() })
        try await bench.close()
        #expect(try count(Self.anna, machine) == 0 && count(Self.anna, own) == 600)
    }

    @Test func `only what is sealed with the lost keys of a user is erased`() async throws {
        let (bench, hers, his) = try await opened()
        try await bench.setKeys(own.keys(.locked), of: Self.anna)
        for number in 1...3_000 {
            bench.journal.record(.step(number), in: hers, number <= 10 ? .none : .completeUnlessOpen)
            bench.journal.record(.step(number), in: his)
            if number % 1_000 == 0 { _ = try await bench.positions(of: his, limit: 0) }
        }
        _ = try await bench.positions(of: his, limit: 0)
        try await bench.eraseSealed(with: own.file.id, of: Self.anna)
        try await bench.setKeys(AvailableKeys(machine: nil), of: Self.anna)
        bench.journal.record(.step(3_001), in: hers)
        #expect(try await read(bench, hers) == Array(1...10) + [3_001])
        #expect(try await read(bench, his).count == 3_000)
        #expect(try await bench.start(self.hers).dropped == 2_990)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }
}
