import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct EventQueryTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    init() throws { directory = try TemporaryDirectory() }

    /// Ten events a second apart: odd ones notes of user 1, even ones fixLost of user 2; every third about an app.
    func filled() async throws -> Bench {
        let bench = try Bench(directory.path, clock: clock)
        for number in 1...10 {
            let isOdd = number % 2 == 1
            bench.journal.append(
                Event(isOdd ? .note : .fixLost, app: number % 3 == 0 ? "org.example.Maps" : nil, uid: isOdd ? 1 : 2))
            clock.advance(seconds: 1)
        }
        return bench
    }

    static let cases: [(String, @Sendable (inout EventQuery) -> Void, [Int64], Bool)] = [
        ("no condition", { _ in }, Array(1...10), false),
        ("after", { $0.after = 7 }, [8, 9, 10], false),
        ("before", { $0.before = 3 }, [1, 2], false),
        ("limit", { $0.limit = 3 }, [1, 2, 3], true),
        ("limit that just suffices", { $0.limit = 10 }, Array(1...10), false),
        ("limit below its bounds", { $0.limit = -5 }, [1], true),
        ("limit above its bounds", { $0.limit = .max }, Array(1...10), false),
        (
            "newest first",
            {
                $0.order = .newestFirst; $0.limit = 2
            }, [10, 9], true
        ),
        (
            "last",
            {
                $0.order = .last; $0.limit = 2
            }, [9, 10], true
        ),
        ("since", { $0.sinceMicroseconds = 1_800_000_007_000_000 }, [8, 9, 10], false),
        ("until", { $0.untilMicroseconds = 1_800_000_002_000_000 }, [1, 2], false),
        ("kind", { $0.kinds = ["fixLost"] }, [2, 4, 6, 8, 10], false),
        (
            "kinds",
            {
                $0.kinds = ["fixLost", "note"]; $0.after = 8
            }, [9, 10], false
        ),
        ("unknown kind", { $0.kinds = ["'; DROP TABLE events; --"] }, [], false),
        ("app", { $0.app = "org.example.Maps" }, [3, 6, 9], false),
        (
            "app and user",
            {
                $0.app = "org.example.Maps"; $0.uid = 2
            }, [6], false
        ),
        (
            "user",
            {
                $0.uid = 1; $0.order = .last; $0.limit = 2
            }, [7, 9], true
        ),
        ("another app", { $0.app = "" }, [], false),
    ]

    @Test func `a query returns exactly the matching events`() async throws {
        let bench = try await filled()
        for (name, change, sequences, hasMore) in Self.cases {
            var query = EventQuery()
            change(&query)
            let page = try await bench.read(query)
            #expect(page.events.map(\.sequence) == sequences, "\(name)")
            #expect(page.hasMore == hasMore, "\(name)")
            #expect(page.oldestRetained == 1)
            #expect(page.newest == 10)
        }
        try await bench.close()
    }

    @Test func `a kind that this release does not know is read as its text`() async throws {
        let bench = try await filled()
        _ = try await bench.read()
        let database = try Database(path: "\(directory.path)/journal.db")
        try database.execute("UPDATE events SET kind = 'regionEntered' WHERE seq = 4", as: "change")
        let event = try await bench.read().events[3]
        #expect(event.kind == "regionEntered")
        #expect(event.eventKind == nil)
        try await bench.close()
    }

    @Test func `a page and the events committed after it are contiguous`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        for number in 1...100 { bench.journal.append(.remark(number)) }
        let page = try await bench.read()
        for number in 101...200 { bench.journal.append(.remark(number)) }
        try await bench.append(Event(.serviceStopped))
        let followed = await bench.events { $0.eventKind == .serviceStopped }.filter { $0.sequence > page.newest }
        #expect(page.events.map(\.sequence) + followed.map(\.sequence) == Array(1...201))
        try await bench.close()
    }
}
