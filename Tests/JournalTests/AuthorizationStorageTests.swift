import Authorization
import Location
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct AuthorizationStorageTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let app = AppID(uid: 1000, name: "org.example.Maps")

    init() throws { directory = try TemporaryDirectory() }

    static func grant(_ permission: Permission, _ decider: Grant.Decider = .person(uid: 1000)) -> Grant {
        Grant(
            permission: permission, accuracy: .reduced, wasAskedAlways: true, decidedAt: UTCTime(microseconds: 17),
            decidedBy: decider, binding: "Exec=1:a;\0'\"")
    }

    static func prompt(_ id: UInt64, _ kind: Prompt.Kind, translations: [String: String] = [:], uid: UInt32 = .max)
        -> Prompt
    {
        Prompt(
            id: id, app: AppID(uid: uid, name: "org.example.Mäps"), kind: kind,
            name: LocalizedText("Maps", translations: translations),
            purpose: LocalizedText("", translations: ["ko": "등산 지도", "de": ""]), assurance: nil,
            proposesFullAccuracy: id % 2 == 0)
    }

    func sql(_ text: String) throws { #expect(try run(["sqlite3", "\(directory.path)/journal.db", text]) == 0) }

    /// The authorization that another daemon would load now.
    func reopened() async throws -> LoadedAuthorization? {
        let bench = try Bench(directory.path, clock: clock)
        let loaded = await bench.loaded()
        try await bench.close()
        return loaded
    }

    @Test func `a new journal contains no decision`() async throws {
        #expect(try await reopened() == LoadedAuthorization())
        #expect(try await reopened() == LoadedAuthorization())
    }

    @Test func `stored values are loaded unchanged`() async throws {
        var expected = StoredAuthorization()
        let bench = try Bench(directory.path, clock: clock)
        for (index, permission) in Permission.allCases.enumerated() {
            let deciders: [Grant.Decider] = [.person(uid: 0), .operator(uid: .max), .rule]
            let id = AppID(uid: UInt32(index), name: app.name)
            expected.grants[id] = Self.grant(permission, deciders[index % 3])
            try await bench.append(changes: [.grant(id, Self.grant(permission, deciders[index % 3]))])
        }
        expected.grants[app] = Grant(wasAskedAlways: true)
        try await bench.append(changes: [.grant(app, Grant(wasAskedAlways: true))])
        let kinds: [Prompt.Kind] = [
            .whenInUse, .always, .changeToAlways, .confirmAlways, .temporaryFullAccuracy(key: "Navigation"), .tracking,
        ]
        for (index, kind) in kinds.enumerated() {
            let prompt = Self.prompt(UInt64(index + 7), kind, translations: ["pt_BR": "Mapas\n\0"], uid: UInt32(index))
            expected.prompts.append(prompt)
            clock.advance(seconds: 1)
            expected.raisedAt[prompt.id] = UTCTime(microseconds: clock.utcMicroseconds)
            try await bench.append(changes: [.prompt(prompt)])
        }
        expected.lastPrompt = 12
        expected.areServicesOn = false
        expected.values = ["lastPrompt": "", "cell": "5"]
        try await bench.append(changes: [.services(isOn: false), .value("lastPrompt", ""), .value("cell", "5")])
        for (index, state) in StoredAccount.State.allCases.enumerated() {
            let account = StoredAccount(
                name: index == 0 ? nil : "one", state: state, otherName: index == 3 ? "two" : nil,
                sinceMicroseconds: index == 0 ? nil : 5, absentSeconds: Int64(index))
            expected.accounts[UInt32(index)] = account
            try await bench.append(changes: [.account(UInt32(index), account)])
        }
        try await bench.append(changes: [.account(77, StoredAccount(name: "one")), .account(77, nil)])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(try await reopened() == LoadedAuthorization(expected))
    }

    @Test func `a decision about tracking is a value, and any other text is none`() async throws {
        let grants = [
            TrackingGrant(
                permission: .authorized, decidedAt: UTCTime(microseconds: 17), decidedBy: .person(uid: 1000),
                binding: "Exec=1:a;\0'\""),
            TrackingGrant(permission: .denied, decidedAt: UTCTime(microseconds: -1), decidedBy: .operator(uid: .max)),
            TrackingGrant(permission: .notDetermined, decidedAt: UTCTime(microseconds: 0), decidedBy: .rule),
        ]
        let bench = try Bench(directory.path, clock: clock)
        var expected: [AppID: TrackingGrant] = [:]
        for (index, grant) in grants.enumerated() {
            let id = AppID(uid: UInt32(index), name: app.name)
            let record = Policy.Record(kind: .trackingAuthorizationChanged, app: id, change: .tracking(grant))
            expected[id] = grant
            try await bench.append(changes: [try #require(StoredChange(record))])
        }
        let removal = Policy.Record(
            kind: .trackingAuthorizationChanged, app: AppID(uid: 0, name: app.name), change: .tracking(TrackingGrant()))
        try await bench.append(changes: [try #require(StoredChange(removal))])
        expected[AppID(uid: 0, name: app.name)] = nil
        try await bench.close()
        let values = try #require(try await reopened()).state.values
        #expect(StoredTracking.read(values).grants == expected && StoredTracking.read(values).damaged.isEmpty)
        let text = try #require(values.first).value
        let damaged = [
            "tracking 1": text, "tracking 01 a": text, "tracking -1 a": text, "tracking 1 a b": text,
            "tracking 1 ": text,
            "tracking 2 a": "", "tracking 3 a": "{}", "tracking 4 a": String(text.dropLast()),
            "tracking 5 a": #"{"permission":"authorized"}"#,
            "tracking 6 a": #"{"permission":"authorized","decidedAt":1,"decidedBy":"person"}"#,
            "tracking 7 a": #"{"permission":"perhaps","decidedAt":1,"decidedBy":"rule"}"#,
        ]
        let read = StoredTracking.read(damaged.merging(["identifier 1 advertising": text]) { $1 })
        #expect(read.grants.isEmpty && Set(read.damaged) == Set(damaged.keys))
    }

    @Test func `a prompt about tracking and one about positions are unanswered at the same time`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        try await bench.append(changes: [
            .prompt(Self.prompt(5, .whenInUse)), .prompt(Self.prompt(6, .tracking)), .prompt(Self.prompt(7, .always)),
            .prompt(Self.prompt(8, .tracking)),
        ])
        try await bench.close()
        #expect(try await reopened()?.state.prompts.map(\.id) == [7, 8])
    }

    @Test func `removed values do not return, and a prompt's number is not reused`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        try await bench.append(changes: [
            .grant(app, Self.grant(.always)), .prompt(Self.prompt(5, .always)), .services(isOn: false),
            .value("cell", "5"),
        ])
        try await bench.append(changes: [
            .grant(app, Grant()), .promptEnded(5), .services(isOn: true), .value("cell", nil),
        ])
        try await bench.close()
        var expected = StoredAuthorization()
        expected.lastPrompt = 5
        #expect(try await reopened() == LoadedAuthorization(expected))
    }

    @Test func `asking a person changes nothing else of a grant, and a prompt replaces another`()
        async throws
    {
        let bench = try Bench(directory.path, clock: clock)
        var grant = Self.grant(.always)
        grant.wasAskedAlways = false
        let other = AppID(uid: 3, name: "other")
        try await bench.append(changes: [
            .grant(app, grant), .wasAskedAlways(app), .wasAskedAlways(other), .prompt(Self.prompt(5, .always)),
            .prompt(Self.prompt(6, .whenInUse)),
        ])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        var expected = StoredAuthorization()
        expected.grants = [app: Self.grant(.always), other: Grant(wasAskedAlways: true)]
        expected.prompts = [Self.prompt(6, .whenInUse)]
        expected.raisedAt = [6: UTCTime(microseconds: clock.utcMicroseconds)]
        expected.lastPrompt = 6
        #expect(try await reopened() == LoadedAuthorization(expected))
    }

    @Test func `changes are stored in the order of the calls and with their events`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        _ = await bench.state { $0 == .running }
        for number in 1...100 {
            bench.journal.append(.remark(number))
            let permission: Permission = number % 2 == 0 ? .denied : .always
            bench.journal.append(
                [.remark(-number), Event(.authorizationChanged)], changes: [.grant(app, Self.grant(permission))]
            ) { _ in }
        }
        try await bench.append(changes: [.value("last", "yes")])
        try await bench.close()
        let loaded = try #require(try await reopened())
        #expect(loaded.state.grants == [app: Self.grant(.denied)])
        let again = try Bench(directory.path, clock: clock)
        #expect(try await again.read().newest == 301)
        try await again.close()
    }

    @Test func `a record of the policy becomes an event and a change`() async throws {
        let bench = try Bench(directory.path, clock: clock)
        let record = Policy.Record(
            kind: .authorizationChanged, app: app, details: ["status": "denied", "by": "person 1000"],
            change: .grant(Self.grant(.denied)))
        let result = await withCheckedContinuation { continuation in
            bench.journal.append([record, Policy.Record(kind: .servicesOff, app: nil, change: .services(isOn: false))])
            {
                continuation.resume(returning: $0)
            }
        }
        try result.get()
        let events = try await bench.read().events
        #expect(events.map(\.kind) == ["authorizationChanged", "servicesOff"])
        #expect(events[0].app == app.name)
        #expect(events[0].uid == app.uid)
        #expect(events[0].details == #"{"by":"person 1000","status":"denied"}"#)
        try await bench.close()
        let loaded = try #require(try await reopened())
        #expect(loaded.state.grants == [app: Self.grant(.denied)])
        #expect(!loaded.state.areServicesOn)
    }

    @Test func `stored values are handed over before the journal reports that it runs`() async throws {
        let (news, notify) = AsyncStream<String>.makeStream()
        let journal = try EventJournal(
            directory: directory.path,
            owner: TestOwner { report in
                switch report {
                case .stateChanged: notify.yield("state")
                case .loaded: notify.yield("loaded")
                case .committed: notify.yield("commit")
                case .recordingsChanged, .machineSecret: break
                }
            })
        journal.append(.remark(1), urgency: .now) { _ in notify.finish() }
        var order: [String] = []
        for await word in news { order.append(word) }
        #expect(order == ["loaded", "state", "commit"])
        await withCheckedContinuation { continuation in journal.close { _ in continuation.resume() } }
    }

    @Test func `a journal of the first schema is brought up to date with all its events`() async throws {
        for statement in [
            Migrations.steps[0], "PRAGMA journal_mode = WAL", "PRAGMA user_version = 1",
            "INSERT INTO boots VALUES (1, 'boot-1')",
            "INSERT INTO events VALUES (1, 1799999999000000, 5, 1, 'note', NULL, NULL, '{}')",
        ] { try sql(statement) }
        let bench = try Bench(directory.path, clock: clock)
        #expect(await bench.loaded() == LoadedAuthorization())
        try await bench.append(changes: [.grant(app, Self.grant(.denied))])
        #expect(try await bench.read().events.map(\.kind) == ["note", "authorizationChanged"])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(try await reopened()?.state.grants == [app: Self.grant(.denied)])
        #expect(DatabaseHeader(try directory.bytes("journal.db"))?.userVersion == Migrations.newest)
    }

    @Test func `retention touches nothing of authorization`() async throws {
        var options = JournalOptions()
        options.retention = Retention(maximumAge: .seconds(1), maximumBytes: 1)
        let bench = try Bench(directory.path, options: options, clock: clock)
        try await bench.append(changes: [.grant(app, Self.grant(.denied)), .prompt(Self.prompt(3, .always))])
        clock.advance(seconds: 10_000)
        for number in 1...3 {
            try await bench.append(.remark(number))
            clock.advance(seconds: 10_000)
        }
        #expect(try await bench.read().oldestRetained > 1)
        try await bench.close()
        let loaded = try #require(try await reopened())
        #expect(loaded.state.grants.count == 1)
        #expect(loaded.state.prompts.count == 1)
    }
}
