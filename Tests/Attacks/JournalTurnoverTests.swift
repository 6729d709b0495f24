import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A user who defines apps without end in files of her own, so that their events displace those of others in the
/// journal.
@Suite(
    .waits,
    .enabled(
        if: PersonalScene.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "connecting as another user and mounting another user database need root"))
struct JournalTurnoverTests {
    private static let apps = 40
    /// Changes of each app, below the sixty events that one app may cause at once.
    private static let changes = 24
    private static let other: UInt32 = 65_533

    private let scene: PersonalScene
    private var programs: [String] = []

    init() throws {
        scene = try PersonalScene()
        let program = try scene.apps.program("map")
        for number in 0..<Self.apps {
            let path = scene.apps.directory.file("bin/map\(number)")
            #expect(link(program, path) == 0)
            programs.append(path)
            try scene.write(
                "map\(number).app",
                "[App]\nName=Map \(number)\nExec=\(path)\nWhenInUseUsageDescription=Shows the way on map \(number).\n")
        }
        try scene.apps.add("walker", name: "Walker", program: try scene.apps.program("walker"))
    }

    private struct Row {
        var kind: JournalInterface.EventKind
        var app: String?
        var user: Int64?
    }

    private func rows(_ daemon: DaemonProcess) throws -> [Row] {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        var rows: [Row] = []
        var after: Int64 = 0
        while true {
            let reply = try client.call(JournalInterface.Read(after: after, limit: 1_000), timeout: .seconds(60))
            rows += reply.events.map { Row(kind: $0.kind, app: $0.app, user: $0.user) }
            guard !reply.isComplete, let last = reply.events.last?.sequence else { return rows }
            after = last
        }
    }

    @Test func `a user who defines apps without end cannot overwrite the journal, or events of other users`() throws {
        let daemon = try scene.start()
        let operators = try OperatorClient(daemon)
        let person = PersonalScene.person
        for (number, path) in programs.enumerated() {
            let app = try AppClient(path, to: daemon.socketPath, as: person)
            for change in 0..<Self.changes {
                let activity = change % 2 == 0 ? "active" : "background"
                #expect(
                    try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"\#(activity)"}"#).error
                        == nil)
            }
            // In use, it requests: the prompt is listed, as no person is at the machine.
            #expect(try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
            #expect(try app.call(LocationInterface.Method.requestWhenInUse.rawValue).error == nil, "map\(number)")
        }
        #expect(try operators.requests().count == 20, "a user cannot fill the list of prompts either")

        // An operator's decisions about the attacker's apps, and the events of another user's app, are still recorded.
        for number in 0..<Self.apps { try operators.authorize("map\(number)", .deny, uid: person) }
        let walker = try AppClient(scene.apps.directory.file("bin/walker"), to: daemon.socketPath, as: Self.other)
        #expect(try walker.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        #expect(try eventually { try rows(daemon).contains { $0.app == "walker" && $0.kind == "appInUse" } })

        let all = try rows(daemon)
        let own = all.filter { $0.user == Int64(person) }
        let decided = own.count { $0.kind.rawValue.hasPrefix("authorization") }
        // The budget grows by ten a minute meanwhile.
        #expect(own.count - decided >= 500 && own.count - decided <= 700, "\(own.count) with \(decided) decided")
        let changed = all.filter { $0.kind == "authorizationChanged" && $0.app?.hasPrefix("map") == true }
        #expect(changed.count == Self.apps)
        #expect(own.contains { $0.kind == "eventsDropped" && $0.app == nil }, "it is reported that a budget is used up")
    }
}
