import Authorization
import Events
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// The sequence numbers under which apps read the events about themselves.
@Suite(.timeLimit(.minutes(15))) struct AppNumberTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let maps = AppID(uid: 1_000, name: "org.example.Maps")
    let other = AppID(uid: 1_001, name: "org.example.Maps")

    init() throws { directory = try TemporaryDirectory() }

    private func event(_ kind: EventKind, _ app: AppID) -> Event { Event(kind, app: app.name, uid: app.uid) }

    private func query(_ app: AppID, _ change: (inout EventQuery) -> Void = { _ in }) -> EventQuery {
        var query = EventQuery()
        query.audience = app
        change(&query)
        return query
    }

    @Test func `an app's numbers have no gap, whatever is recorded about others between its events`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        for number in 0..<12 {
            try await bench.append(event(.appInUse, maps))
            for _ in 0..<number % 4 { bench.journal.append(event(.appInUse, other)) }
            if number % 3 == 0 { bench.journal.append(Event(.fixLost)) }
            clock.advance(seconds: 1)
        }
        let own = try await bench.read(query(maps))
        #expect(own.events.map(\.appSequence) == (0..<12).map { 1_800_000_000 + $0 })
        #expect(own.newest == 1_800_000_011 && own.oldestRetained == 1_800_000_000)
        let page = try await bench.read(query(maps) { ($0.after, $0.limit) = (1_800_000_004, 3) })
        #expect(page.events.map(\.appSequence) == [1_800_000_005, 1_800_000_006, 1_800_000_007] && page.hasMore)
        let last = try await bench.read(query(maps) { ($0.order, $0.limit) = (.last, 2) })
        #expect(last.events.map(\.appSequence) == [1_800_000_010, 1_800_000_011])
        // An operator sees the journal's numbers; events without an app have no other.
        let all = try await bench.read()
        #expect(all.events.map(\.sequence) == Array(1...all.newest))
        #expect(all.events.allSatisfy { ($0.appSequence == nil) == ($0.eventKind == .fixLost) })
        try await bench.close()
    }

    @Test func `numbers continue after a restart, and are larger in a journal that follows a damaged one`() async throws
    {
        let first = try Bench(directory.path, clock: clock)
        for _ in 0..<3 { try await first.append(event(.appInUse, maps)) }
        try await first.close()
        let second = try Bench(directory.path, clock: clock)
        try await second.append(event(.appInUse, maps))
        #expect(try await second.read(query(maps)).newest == 1_800_000_003)
        try await second.close()
        try directory.overwrite("journal.db", at: 0, with: [UInt8](repeating: 7, count: 100))
        clock.advance(seconds: 60)
        let third = try Bench(directory.path, clock: clock)
        try await third.append(event(.appInUse, maps))
        let page = try await third.read(query(maps) { $0.after = 1_800_000_003 })
        #expect(page.events.map(\.appSequence) == [1_800_000_060])
        try await third.close()
    }

    @Test func `an app without any events has no number that grows with events about others`() async throws {
        var options = JournalOptions()
        options.retention.maximumAge = .seconds(3_600)
        let bench = try Bench(directory.path, options: options, clock: clock)
        try await bench.append(event(.appInUse, maps))
        clock.advance(seconds: 8_000)
        for _ in 0..<20 { try await bench.append(event(.appInUse, other)) }
        let empty = try await bench.read(query(maps))
        #expect(empty.events.isEmpty && empty.newest == 0 && empty.oldestRetained == 1)
        try await bench.append(event(.appInUse, maps))
        #expect(try await bench.read(query(maps)).events.map(\.appSequence) == [1_800_008_000])
        try await bench.close()
    }

    @Test func `events of an earlier schema are numbered afterwards`() async throws {
        #expect(
            try run([
                "sqlite3", "\(directory.path)/journal.db", ".read \(try Products.fixture("journal/schema-4.sql"))",
            ]) == 0)
        do {
            let database = try Database(path: "\(directory.path)/journal.db")
            for (sequence, app) in [(4, maps), (5, other), (6, maps), (7, other), (8, maps)] {
                try database.execute(
                    """
                    INSERT INTO events VALUES (\(sequence), \(1_800_000_000 + sequence)000000, 1, 1, 'appInUse',
                        '\(app.name)', \(app.uid), '{}')
                    """, as: "fill")
            }
        }
        let bench = try Bench(directory.path, clock: clock)
        try await bench.append(event(.appInUse, maps))
        #expect(
            try await bench.read(query(maps)).events.map(\.appSequence)
                == [1_800_000_004, 1_800_000_005, 1_800_000_006, 1_800_000_007])
        #expect(try await bench.read(query(other)).events.map(\.appSequence) == [1_800_000_005, 1_800_000_006])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `an account that reuses a user id reads no events of the earlier account's apps`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        for uid in [1_000, 1_001] as [UInt32] {
            for _ in 0..<3 { try await bench.append(Event(.appInUse, app: "map", uid: uid)) }
        }
        try await bench.append(changes: [.audiencesForgotten(1_000)])
        var query = EventQuery()
        query.audience = AppID(uid: 1_000, name: "map")
        #expect(try await bench.read(query).events.isEmpty)
        clock.advance(seconds: 60)
        try await bench.append(Event(.appInUse, app: "map", uid: 1_000))
        #expect(try await bench.read(query).events.count == 1)
        query.audience = AppID(uid: 1_001, name: "map")
        #expect(try await bench.read(query).events.count == 3)
        // Operators still see all of them.
        #expect(try await bench.read().events.count { $0.kind == "appInUse" } == 7)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }
}
