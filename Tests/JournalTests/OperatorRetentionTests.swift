import TestSupport
import Testing

@testable import Journal

/// Operators' events remain when users' programs fill the journal.
@Suite(.timeLimit(.minutes(15))) struct OperatorRetentionTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    /// One event of each kind, as the daemon makes them.
    static let byOperators: [Event] = [
        Event(.authorizationChanged, app: "map", uid: 1_000, details: ["status": "always", "by": "operator 0"]),
        Event(.authorizationReset, app: "map", uid: 1_000, details: ["by": "operator 1001"]),
        Event(.positionsSeen, uid: 0, details: ["since": 0.5, "fullInUse": 3, "operator": true]),
        Event(.positionsSeen, app: "map", uid: 0, details: ["since": 0.5, "fullInUse": 3, "operator": true]),
        Event(.recordingErased, app: "map", uid: 1_000, details: ["recording": "walk", "by": "operator 0"]),
        Event(.uploadPaused, app: "map", uid: 1_000, details: ["name": "walk", "by": "operator 0"]),
        Event(.servicesOff, details: ["by": "operator 0"]), Event(.servicesOn, details: ["by": "operator 0"]),
        Event(.configurationReloaded, details: ["changed": ""]),
        Event(.restrictionsChanged, details: ["unreadable": 0]),
        Event(.manifestsChanged, details: ["added": "map"]),
        Event(.reducedKeyRotated, details: ["by": "operator 0"]),
        Event(.note, uid: 0, details: ["text": "on the roof"]),
    ]

    /// Events of users and their programs, some with names that resemble operators'.
    static let byUsers: [Event] = [
        Event(.authorizationChanged, app: "map", uid: 1_000, details: ["status": "always", "by": "person 1000"]),
        Event(.authorizationReset, app: "map", uid: 1_000, details: ["by": "rule"]),
        Event(.positionsSeen, app: "map", uid: 1_000, details: ["since": 0.5, "fullInUse": 3]),
        Event(.appInUse, app: "operator 0", uid: 1_000),
        Event(.recordingErased, app: "map", uid: 1_000, details: ["recording": "operator 0", "by": "app"]),
        Event(.uploadPaused, app: "map", uid: 1_000, details: ["name": "\"by\":\"operator 0\"", "state": "paused"]),
        Event(.note, details: ["text": "the daemon's own"]), Event(.fixLost, details: ["reason": "operator 0"]),
    ]

    init() throws { directory = try TemporaryDirectory() }

    private func options(operatorAgeSeconds: Int64 = 365 * 86_400, operatorBytes: Int64 = 16 << 20) -> JournalOptions {
        var options = JournalOptions()
        options.retention = Retention(maximumAge: .seconds(3_600), maximumBytes: 1 << 20)
        options.retention.operatorMaximumAge = .seconds(operatorAgeSeconds)
        options.retention.operatorMaximumBytes = operatorBytes
        return options
    }

    /// Appends events of a user's programs, until they would fill the journal several times over.
    private func fill(_ bench: Bench) async throws {
        let padding = EventValue.text(String(repeating: "x", count: 1_000))
        for number in 0..<3_000 {
            bench.journal.append(Event(.appInUse, app: "app\(number)", uid: 1_000, details: ["padding": padding]))
            if number % 1_000 == 999 { try await bench.append(.remark(number)) }
        }
        for number in 0..<3 {
            clock.advance(seconds: 601)
            try await bench.append(.remark(number))
        }
    }

    private func all(_ bench: Bench) async throws -> [StoredEvent] {
        var query = EventQuery()
        query.limit = 1_000
        return try await bench.read(query).events
    }

    @Test func `operators' events outlive a journal that a user's programs fill, without a gap`()
        async throws
    {
        let bench = try Bench(directory.path, options: options(), clock: clock)
        for event in Self.byUsers + Self.byOperators { try await bench.append(event) }
        try await fill(bench)
        let events = try await all(bench)
        let first = Array(events.prefix(Self.byOperators.count))
        #expect(first.map(\.kind) == Self.byOperators.map(\.kind.rawValue))
        #expect(first.map(\.details) == Self.byOperators.map(\.details.json))
        let statistics = try await bench.statistics()
        #expect(statistics.oldestRetained > 1_000)
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect(verification.events == statistics.events)
        try await bench.close()
        // Also after a reopening, without the count in memory.
        let again = try Bench(directory.path, options: options(), clock: clock)
        #expect(try await again.statistics().events == statistics.events)
        #expect(try await again.verify().isSound)
        try await again.close()
    }

    @Test func `operators' events expire by their own age, and an event reports it`() async throws {
        let bench = try Bench(directory.path, options: options(operatorAgeSeconds: 7_200), clock: clock)
        for event in Self.byOperators { try await bench.append(event) }
        clock.advance(seconds: 3_000)
        try await bench.append(Self.byOperators[0])
        clock.advance(seconds: 4_300)
        try await bench.append(.remark(1))
        let events = try await all(bench)
        let expired = Self.byOperators.count
        #expect(
            events.first?.eventKind == .authorizationChanged && events.first?.sequence == Int64(expired + 1),
            "\(events)")
        let notice = try #require(events.last { $0.eventKind == .eventsDropped })
        let expected = #""reason":"operators' events by age","count":\#(expired)"#
        #expect(notice.details.contains(expected), "\(notice.details)")
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `operators' events are dropped by their own size, the oldest first`() async throws {
        let bench = try Bench(directory.path, options: options(operatorBytes: 1 << 20), clock: clock)
        let text = EventValue.text(String(repeating: "x", count: 1_000))
        for number in 0..<3_000 {
            bench.journal.append(Event(.note, uid: 0, details: ["text": text]))
            if number % 1_000 == 999 { try await bench.append(.remark(number)) }
        }
        clock.advance(seconds: 4_000)
        for number in 0..<4 {
            clock.advance(seconds: 601)
            try await bench.append(.remark(number))
        }
        let statistics = try await bench.statistics()
        #expect(statistics.events > 500 && statistics.events < 1_200, "\(statistics.events)")
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `an app's own numbers have no gap where an operator's event about it outlives the others`() async throws
    {
        let bench = try Bench(directory.path, options: options(), clock: clock)
        let app = Self.byOperators[0]
        try await bench.append(app)
        for _ in 0..<3 { try await bench.append(Event(.appInUse, app: "map", uid: 1_000)) }
        clock.advance(seconds: 4_000)
        for _ in 0..<3 { try await bench.append(Event(.appInUse, app: "map", uid: 1_000)) }
        #expect(try await all(bench).first?.kind == app.kind.rawValue, "operators still see it")
        var query = EventQuery()
        query.audience = .init(uid: 1_000, name: "map")
        let page = try await bench.read(query)
        #expect(page.events.count == 3 && page.events.first?.appSequence == page.oldestRetained)
        try await bench.close()
    }

    @Test func `the condition for stored rows is the rule for events`() throws {
        for event in Self.byOperators { #expect(event.isByOperator, "\(event)") }
        for event in Self.byUsers { #expect(!event.isByOperator, "\(event)") }
    }
}
