import Authorization
import Location
import TestSupport
import Testing

@testable import Journal

@Suite(.timeLimit(.minutes(15))) struct VerificationTests {
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
        ("UPDATE meta SET value = 3", [1, 2].map { "event \($0) exists, though those before 3 were dropped" }),
        (
            "UPDATE events SET seq = 12 WHERE seq = 10",
            [
                "events 10 to 11 are missing (2)", "event 12 exists, though 10 was the last that was written",
            ]
        ),
    ]

    static let authorizationTamperings: [(sql: String, findings: [String])] = [
        ("UPDATE grants SET permission = 'all'", ["the grant of a of uid 1 makes no sense"]),
        ("UPDATE grants SET accuracy = ''", ["the grant of a of uid 1 makes no sense"]),
        ("UPDATE grants SET wasAskedAlways = 2", ["the grant of a of uid 1 makes no sense"]),
        ("UPDATE grants SET uid = -1", ["the grant of a of uid -1 makes no sense"]),
        ("UPDATE grants SET decidedBy = 'nobody'", ["the grant of a of uid 1 makes no sense"]),
        ("UPDATE grants SET decidedByUID = NULL", ["the grant of a of uid 1 makes no sense"]),
        ("UPDATE grants SET decidedAt = -1", ["the grant of a of uid 1: its time is not a time"]),
        ("UPDATE prompts SET kind = 'x'", ["prompt 3 makes no sense"]),
        ("UPDATE prompts SET purposeKey = NULL", ["prompt 3 makes no sense"]),
        ("UPDATE prompts SET raisedAt = 'now'", ["prompt 3: its time is not a time"]),
        ("DELETE FROM promptTexts WHERE field = 'name'", ["prompt 3 makes no sense"]),
        ("DELETE FROM prompts", ["a text of a prompt that is missing", "a text of a prompt that is missing"]),
        ("UPDATE state SET value = 2 WHERE name = 'lastPrompt'", ["prompt 3 exists, though 2 was the last"]),
        ("UPDATE state SET value = 'yes' WHERE name = 'areServicesOn'", ["areServicesOn makes no sense"]),
    ]

    @Test(arguments: authorizationTamperings)
    func `a change of the authorization is found, and grants nothing`(sql: String, findings: [String]) async throws {
        let app = AppID(uid: 1, name: "a")
        let first = try Bench(directory.path)
        try await first.append(changes: [
            .grant(app, Grant(permission: .always, decidedAt: UTCTime(microseconds: 5), decidedBy: .person(uid: 1))),
            .prompt(
                Prompt(
                    id: 3, app: app, kind: .temporaryFullAccuracy(key: "turns"), name: LocalizedText("A"),
                    purpose: LocalizedText("B"), assurance: nil, proposesFullAccuracy: true)),
            .services(isOn: true),
        ])
        #expect(try await first.verify().findings == [])
        try await first.close()

        #expect(try run(["sqlite3", "\(directory.path)/journal.db", sql]) == 0)

        let second = try Bench(directory.path)
        let loaded = try #require(await second.loaded())
        if findings.contains(where: { $0.contains("grant") && $0.contains("sense") }) {
            #expect(loaded.state.grants == [:])
        }
        #expect(loaded.state.areServicesOn == !sql.contains("areServicesOn"))
        #expect((loaded.loss == nil) == !findings.contains { $0.contains("sense") || $0.contains("though") })
        #expect(try await second.verify().findings == findings)
        try await second.close()
    }

    @Test(arguments: tamperings)
    func `a change by another program is found`(sql: String, findings: [String]) async throws {
        let first = try Bench(directory.path)
        for number in 1...10 { try await first.append(.remark(number)) }
        #expect(try await first.verify() == Verification(events: 10, oldestRetained: 1, newest: 10, findings: []))
        try await first.close()

        #expect(try run(["sqlite3", "\(directory.path)/journal.db", sql]) == 0)

        let second = try Bench(directory.path)
        #expect(try await second.verify().findings == findings)
        try await second.close()
    }

    @Test func `an empty journal is sound`() async throws {
        let bench = try Bench(directory.path)
        #expect(try await bench.verify() == Verification(events: 0, oldestRetained: 1, newest: 0, findings: []))
        try await bench.close()
    }
}
