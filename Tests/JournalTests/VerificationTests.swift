import TestSupport
import Testing

@testable import Journal

@Suite(.timeLimit(.minutes(1))) struct VerificationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let tamperings: [(sql: String, findings: [String])] = [
        ("DELETE FROM events WHERE seq = 5", ["event 5 is missing"]),
        ("DELETE FROM events WHERE seq BETWEEN 3 AND 5", ["events 3 to 5 are missing (3)"]),
        ("DELETE FROM events WHERE seq = 1", ["event 1 is missing"]),
        ("DELETE FROM events WHERE seq > 8", ["events 9 to 10 are missing (2)"]),
        ("DELETE FROM events", ["events 1 to 10 are missing (10)"]),
        ("UPDATE events SET time = 'yesterday' WHERE seq = 2", ["event 2: its time is not a time"]),
        ("UPDATE events SET time = -1 WHERE seq = 2", ["event 2: its time is not a time"]),
        ("UPDATE events SET details = '{' WHERE seq = 2", ["event 2: its details are not JSON"]),
        ("UPDATE events SET kind = '' WHERE seq = 2", ["event 2: it has no kind"]),
        ("DELETE FROM boots", (1...10).map { "event \($0): its boot is missing" }),
        ("UPDATE meta SET value = 3", [1, 2].map { "event \($0) is there, though those before 3 were dropped" }),
        (
            "UPDATE events SET seq = 12 WHERE seq = 10",
            [
                "events 10 to 11 are missing (2)", "event 12 is there, though 10 was the last that was written",
            ]
        ),
    ]

    @Test(arguments: tamperings)
    func `what was changed behind the journal's back is found`(sql: String, findings: [String]) async throws {
        let first = try Bench(directory.path)
        for number in 1...10 { try await first.append(.remark(number)) }
        #expect(try await first.verify() == Verification(events: 10, oldestKept: 1, newest: 10, findings: []))
        try await first.close()

        #expect(try run(["sqlite3", "\(directory.path)/journal.db", sql]) == 0)

        let second = try Bench(directory.path)
        #expect(try await second.verify().findings == findings)
        try await second.close()
    }

    @Test func `an empty journal is sound`() async throws {
        let bench = try Bench(directory.path)
        #expect(try await bench.verify() == Verification(events: 0, oldestKept: 1, newest: 0, findings: []))
        try await bench.close()
    }
}
