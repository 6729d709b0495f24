import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// Effects of the `sqlite3` program, or of a backup, on a journal in use.
@Suite(.timeLimit(.minutes(15))) struct OtherProgramsTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `other programs read while events are appended`() async throws {
        let bench = try Bench(directory.path)
        try await bench.append(.remark(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...300 { try await bench.append(.remark(number)) }
            }
            group.addTask {
                for _ in 1...10 {
                    let status = try run([
                        "sqlite3", "-readonly", "-bail", "\(directory.path)/journal.db", ".output /dev/null",
                        "SELECT * FROM events", "SELECT abs(-9223372036854775807 - (count(*) <> max(seq))) FROM events",
                    ])
                    // The last query overflows, and fails, if a read is inconsistent.
                    #expect(status == 0)
                }
            }
            try await group.waitForAll()
        }
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect(verification.events == 301)
        try await bench.close()
    }

    @Test func `a log that another program reads is emptied later, after a pause`() async throws {
        let clock = ManualClock(utcSeconds: 1_800_000_000)
        let log = "\(directory.path)/journal.db-wal"
        let bench = try Bench(directory.path, clock: clock)
        try await bench.append(.remark(1))
        do {
            let other = try Database(path: "\(directory.path)/journal.db", isReadOnly: true)
            try other.execute("BEGIN; SELECT count(*) FROM events", as: "read")
            try await bench.append(.remark(2))
            bench.journal.emptyLog()
            _ = try await bench.statistics()
            #expect(try run(["test", "-s", log]) == 0, "the log was emptied, so that nothing was read")
            try other.execute("ROLLBACK", as: "stop reading")
        }
        try await bench.append(.remark(3))
        // The log is emptied after a commit has been reported.
        _ = try await bench.statistics()
        #expect(try run(["test", "-s", log]) == 0, "there was no pause")
        clock.advance(seconds: 10)
        try await bench.append(.remark(4))
        _ = try await bench.statistics()
        #expect(try run(["test", "-s", log]) == 1)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `a program that locks the database delays a result up to a bound and writing resumes afterwards`()
        async throws
    {
        var options = JournalOptions()
        options.firstPause = .milliseconds(5)
        options.longestPause = .milliseconds(5)
        let bench = try Bench(directory.path, options: options)
        try await bench.append(.remark(1))
        do {
            let other = try Database(path: "\(directory.path)/journal.db")
            try other.execute("BEGIN IMMEDIATE", as: "lock")
            await #expect(throws: StorageError.self) { try await bench.append(.remark(2)) }
            bench.journal.append(.remark(3))
            try other.execute("ROLLBACK", as: "unlock")
        }
        #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
        #expect(await bench.state { $0 == .running } == .running)
        _ = try await bench.append(.remark(4))
        let details = try await bench.read().events.filter { $0.eventKind == .note }.map(\.details)
        #expect(details == [1, 3, 4].map { "{\"number\":\($0)}" })
        try await bench.close()
    }
}
