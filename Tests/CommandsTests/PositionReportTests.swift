import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Testing
import Varlink

@testable import Commands

@Suite struct PositionReportTests {
    /// Noon of a day, whatever the time zone.
    private static let noon: Double = {
        var parts = tm()
        parts.tm_year = 126
        parts.tm_mon = 5
        parts.tm_mday = 1
        parts.tm_hour = 12
        parts.tm_isdst = -1
        return Double(mktime(&parts))
    }()
    private static let day = 86_400.0

    private func seen(_ time: Double, app: String? = "map", user: Int64 = 4_294_967_290, _ counts: [(String, Int64)])
        -> JournalEntry
    {
        JournalEntry(
            sequence: 1, time: time + 3_600, monotonic: 0, boot: "", kind: "positionsSeen", app: app, user: user,
            details: .object([.init("since", .number(time))] + counts.map { .init($0.0, .integer($0.1)) }))
    }

    private func decided(_ time: Double, _ status: String?, by: String = "operator 0") -> JournalEntry {
        JournalEntry(
            sequence: 1, time: time, monotonic: 0, boot: "",
            kind: status == nil ? "authorizationReset" : "authorizationChanged", app: "map", user: 4_294_967_290,
            details: .object([.init("by", .string(by))] + (status.map { [.init("status", .string($0))] } ?? [])))
    }

    private func report(_ events: [JournalEntry], since: Double = 0, until: Double? = nil, user: Int64? = nil)
        -> [PositionReport.Row]
    {
        var report = PositionReport(since: since, until: until, user: user)
        for event in events {
            report.appendDecision(event)
            report.append(event)
        }
        return report.rows
    }

    @Test func `hours are combined to days, each with its last authorization`() throws {
        let rows = report([
            decided(Self.noon - Self.day, "whenInUse"), seen(Self.noon, [("fullInUse", 10)]),
            seen(Self.noon + 3_600, [("fullInUse", 5), ("reducedInBackground", 2)]),
            decided(Self.noon + Self.day, "always", by: "person 4294967291"),
            seen(Self.noon + Self.day, [("fullInBackground", 1)]),
        ])
        #expect(rows.map(\.day) == ["2026-06-01", "2026-06-02"])
        #expect(rows.map(\.seen.total) == [17, 1])
        #expect(rows.map(\.decision?.permission) == ["whenInUse", "always"])
        let lines = PositionReportText(rows: rows, terminal: Terminal(isTerminal: false)).lines
        #expect(lines[1].hasPrefix("2026-06-01  map  4294967290    17        2           2  while using, by operator"))
        #expect(lines[2].hasPrefix("2026-06-02  map  4294967290     1        -           1  always, by 4294967291"))
        let json = try JSON.parse(rows[0].json)
        #expect(json["seen"] == 17 && json["inUse"] == 15 && json["inBackground"] == 2 && json["reduced"] == 2)
        #expect(json["decidedBy"]?.stringValue == "operator 0")
    }

    @Test func `on a narrow terminal each row is a block that is wrapped at words`() {
        let rows = report([decided(Self.noon - Self.day, "whenInUse"), seen(Self.noon, [("fullInUse", 10)])])
        let lines = PositionReportText(rows: rows, terminal: Terminal(isTerminal: true, width: 40)).lines
        #expect(lines.allSatisfy { $0.displayWidth <= 40 }, "\(lines)")
        #expect(lines.first == "2026-06-01" && lines.contains("  seen: 10"))
    }

    @Test func `operators are listed last, and need no decision`() {
        let rows = report([
            seen(Self.noon, app: nil, user: 0, [("fullInUse", 3)]), seen(Self.noon, [("fullInUse", 1)]),
        ])
        #expect(rows.map(\.subject.isOperator) == [false, true])
        let lines = PositionReportText(rows: rows, terminal: Terminal(isTerminal: false)).lines
        #expect(lines[1].hasSuffix("before the journal begins"))
        #expect(lines[2].contains("  -    root") && lines[2].hasSuffix("none needed: an operator"))
    }

    @Test func `the requested events are printed, and no others`() {
        let events = [
            seen(Self.noon - 7_200, [("fullInUse", 1)]), seen(Self.noon - 1_800, [("fullInUse", 2)]),
            seen(Self.noon, [("fullInUse", 4)]), seen(Self.noon + 3_600, [("fullInUse", 8)]),
            seen(Self.noon, user: 7, [("fullInUse", 16)]), seen(Self.noon, [("fullInUse", 0)]),
            seen(Self.noon, [("fullInUse", -5)]),
        ]
        let rows = report(events, since: Self.noon, until: Self.noon + 3_600, user: 4_294_967_290)
        #expect(rows.map(\.seen.total) == [6])
        #expect(report([seen(Self.noon, [])]).isEmpty)
    }

    @Test func `a reset and temporary full accuracy are distinguished from decisions`() {
        let temporary = JournalEntry(
            sequence: 1, time: Self.noon - 1, monotonic: 0, boot: "", kind: "authorizationChanged", app: "map",
            user: 4_294_967_290, details: ["accuracy": "temporaryFull"])
        let counts: [(String, Int64)] = [("fullInUse", 1)]
        #expect(
            report([decided(0, "once"), temporary, seen(Self.noon, counts)]).first?.decision?.permission == "once")
        #expect(
            report([decided(0, "once"), decided(Self.noon - 1, nil), seen(Self.noon, counts)]).first?.decision?
                .permission
                == "notDetermined")
    }

    @Test func `numbers that make no sense do not overflow`() {
        let most: [(String, Int64)] = [
            ("fullInUse", .max), ("fullInBackground", .max), ("reducedInUse", .max), ("reducedInBackground", .max),
        ]
        let rows = report((0..<100).map { _ in seen(Self.noon, most) })
        #expect(rows.first.map { $0.seen.total > 0 } == true)
    }
}

@Suite struct EventSentenceTests {
    private func line(
        _ kind: JournalInterface.EventKind, _ details: [JSON.Member] = [], app: String? = "map",
        user: Int64? = 4_294_967_290
    ) -> String {
        let event = JournalEntry(
            sequence: 1, time: 0, monotonic: 0, boot: "", kind: kind, app: app, user: user, details: .object(details))
        return String(
            EventText(terminal: Terminal(isTerminal: false)).lines(event).joined(separator: "\n").dropFirst(21))
    }

    @Test func `decisions are described in words`() {
        #expect(
            line(
                "authorizationChanged",
                [.init("accuracy", "full"), .init("by", "person 4294967290"), .init("status", "whenInUse")])
                == "authorization changed       map of 4294967290: while using, full accuracy, by 4294967290")
        #expect(
            line(
                "authorizationChanged",
                [.init("accuracy", "full"), .init("by", "operator 0"), .init("status", "denied")]
            )
            .hasSuffix("map of 4294967290: denied, by operator root"))
        #expect(
            line("authorizationRequested", [.init("kind", "always")]).hasSuffix("map of 4294967290: positions always"))
        #expect(
            line("authorizationAnswered", [.init("answer", "dismissed"), .init("kind", "whenInUse")])
                .hasSuffix("map of 4294967290: positions while in use: dismissed"))
        #expect(line("servicesOff", [.init("by", "operator 0")], app: nil, user: nil).hasSuffix("by operator root"))
        #expect(
            line("recordingPaused", [.init("recording", "trip"), .init("reason", "notInUse")])
                .hasSuffix("map of 4294967290: trip: the app may have positions only while it is in use"))
        #expect(
            line("recordingErased", [.init("recording", "trip"), .init("by", "revocation")])
                .hasSuffix("map of 4294967290: trip, because the app lost its authorization"))
        #expect(
            line("recordingErased", [.init("recording", "trip"), .init("by", "operator 0")])
                .hasSuffix("map of 4294967290: trip, by operator root"))
        #expect(line("agentRegistered", app: nil) == "agent registered            4294967290")
        #expect(
            line("restrictionsChanged", [.init("unreadable", "2")], app: nil, user: nil)
                .hasSuffix("2 mistakes, see waymark restrictions"))
    }

    @Test func `seen positions are counted in words`() {
        #expect(
            line("positionsSeen", [.init("fullInUse", 1_200), .init("reducedInBackground", 4)])
                == "positions seen              map of 4294967290: 1,204 in an hour, 4 of them reduced, 4 in the background"
        )
    }

    @Test(
        arguments: [
            ("satisfied", nil, "eth0 wlan0", "there is a route to the rest of the world: eth0, wlan0"),
            ("satisfied", nil, "", "there is a route to the rest of the world"),
            ("unsatisfied", "noRoute", "", "there is no route to the rest of the world: no route leads there"),
            ("unsatisfied", "eclipse", "", "there is no route to the rest of the world: eclipse"),
            (
                "requiresConnection", "noCarrier", "",
                "the route to the rest of the world is not ready yet: the route's interface has no carrier"
            ),
        ] as [(String, String?, String, String)]) func `changes of the network are described in words`(
            status: String, reason: String?, interfaces: String, words: String
        )
    {
        var details: [JSON.Member] = [.init("status", .string(status))]
        if let reason { details.append(.init("reason", .string(reason))) }
        details += [.init("interfaces", .string(interfaces)), .init("generation", 7)]
        let line = line("networkChanged", details, app: nil, user: nil)
        #expect(line == "network changed             \(words)")
    }

    @Test(
        arguments: [
            ("reachable", nil, "there is a route to a.example"),
            ("unreachable", "nameNotFound", "cannot be reached: there is no such name"),
            ("requiresConnection", "addressTentative", "yet: the address of the route's interface is not ready yet"),
            ("unknown", "nameServerNotAnswering", "is not known: no name server responds"),
        ] as [(String, String?, String)]) func `changes of a watched host are described in words`(
            status: String, reason: String?, words: String
        )
    {
        var details: [JSON.Member] = [.init("host", "a.example"), .init("status", .string(status))]
        if let reason { details.append(.init("reason", .string(reason))) }
        let line = line("targetChanged", details)
        #expect(line.hasPrefix("watched host changed        map of 4294967290: "))
        #expect(line.contains("a.example"))
        #expect(line.hasSuffix(words))
    }

    @Test(
        arguments: [
            ("uploadStarted", [], "home"), ("uploadSucceeded", [.init("sent", 7)], "home"),
            ("uploadPaused", [.init("by", "operator 4294967291")], "home: by operator 4294967291"),
            (
                "uploadPaused", [.init("state", "waitingForPath"), .init("reason", "noRoute")],
                "home: no route leads there"
            ),
            (
                "uploadPaused", [.init("state", "deferred"), .init("reason", "expensive")],
                "home: the route to the destination costs money"
            ),
            (
                "uploadFailed", [.init("state", "backingOff"), .init("reason", "timedOut")],
                "home: there was no response in time"
            ),
            (
                "uploadFailed", [.init("state", "blocked"), .init("reason", "unauthorized"), .init("status", 401)],
                "home: the credential is not accepted, status 401"
            ),
            ("uploadFailed", [.init("state", "blocked"), .init("reason", "eclipse")], "home: eclipse"),
            ("uploadRejected", [.init("count", 2), .init("status", 422)], "home: 2 positions, status 422"),
        ] as [(JournalInterface.EventKind, [JSON.Member], String)]) func `changes of an upload are described in words`(
            kind: JournalInterface.EventKind, details: [JSON.Member], words: String
        )
    {
        let line = line(kind, [.init("name", "home")] + details)
        #expect(line.hasSuffix("map of 4294967290: \(words)"), "\(line)")
    }

    @Test func `details unknown to this version are printed unchanged`() {
        #expect(line("networkChanged", [.init("status", "sideways")]).contains("status=sideways"))
        #expect(line("targetChanged", [.init("host", "a"), .init("status", "gone")]).contains("host=a"))
        #expect(line("authorizationChanged", [.init("weather", "fine")]).contains("app=map"))
        #expect(line("holdBegan", [.init("reason", "hike")]).contains("reason=hike"))
        #expect(line("newKind", [.init("a", 1)]).contains("a=1"))
    }
}
