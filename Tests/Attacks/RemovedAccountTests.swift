import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Inheriting another person's decisions and recordings with a user id, and continuing after one's account was removed.
@Suite(
    .waits, .serialized,
    .enabled(
        if: OtherUser.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "connecting as another user and mounting another user database need root"))
struct RemovedAccountTests {
    private static let account: UInt32 = 45_678

    private let apps: TestApps
    private let program: String
    private let receiver: PlayedReceiver
    private let database: String

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
        receiver = try PlayedReceiver.tenHertz()
        database = try apps.directory.write("passwd", "")
        try give(to: "one")
    }

    /// Assigns the number to an account, or to none. The file is written in place, as the daemon sees it through a
    /// mount.
    private func give(to name: String?, home: String = "/nonexistent") throws {
        let line = name.map { "\($0):x:\(Self.account):\(Self.account)::\(home):/bin/sh\n" } ?? ""
        try apps.directory.overwrite("passwd", "root:x:0:0::/root:/bin/sh\n\(line)")
    }

    private func start(retained: String? = nil, personalManifests: Bool = false) throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.userDatabase = database
        let setting = retained.map { "RemovedUsersRetention=\($0)\n" } ?? ""
        return try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration(personalManifests: personalManifests)
                + "OperatorGroup=games\n" + setting,
            gpsd: receiver.address, knowsLogins: false,
            surroundings: surroundings)
    }

    private func app(_ daemon: DaemonProcess) throws -> AppClient {
        try AppClient(program, to: daemon.socketPath, as: Self.account)
    }

    private func refusal(_ client: AppClient) throws -> String? {
        try client.call(LocationInterface.Method.getPosition.rawValue).error
    }

    private func points(_ client: AppClient) throws -> Reply {
        try client.call(RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0}"#)
    }

    private func user(_ daemon: DaemonProcess) throws -> KnownUser? {
        try OperatorClient(daemon).call(ManageInterface.ListUsers()).users.first { $0.uid == Self.account }
    }

    private func decide(_ method: ManageInterface.Method, _ daemon: DaemonProcess) throws -> JSON {
        try OperatorClient(daemon).call(method) { ManageInterface.EraseUser(uid: Self.account).write(to: &$0) }
    }

    /// An account's app that may always have positions, records them, and has some.
    private func record(_ daemon: DaemonProcess) throws -> AppClient {
        try OperatorClient(daemon).authorize("trailmap", .always, uid: Self.account)
        let client = try app(daemon)
        #expect(try refusal(client) == nil, "\(daemon.log)")
        #expect(try client.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#).error == nil)
        #expect(
            try eventually { try points(client).parameters["points"]?.arrayValue?.isEmpty == false }, "\(daemon.log)")
        return client
    }

    private func isSuspended(_ client: AppClient) throws -> Bool {
        try refusal(client) == ErrorName.accountSuspended.rawValue
    }

    @Test func `a removed account's processes lose their rights, and a new owner of its number inherits nothing`()
        throws
    {
        let daemon = try start()
        let client = try record(daemon)
        let streaming = try app(daemon)
        try streaming.begin(LocationInterface.Method.monitor.rawValue, more: true)
        #expect(try streaming.next()?.error == nil)

        try give(to: nil)
        var last: Reply?
        while let reply = try streaming.next() {
            last = reply
            if reply.error != nil { break }
        }
        #expect(last?.error == ErrorName.accountSuspended.rawValue, "the stream ends with the reason: \(daemon.log)")
        #expect(last?.parameters["message"]?.stringValue?.contains("the account one") == true)
        #expect(try isSuspended(client))
        #expect(try points(client).error != nil)
        let removed = try #require(try user(daemon))
        #expect(removed.state == "removed" && removed.name == "one" && removed.grants == 1 && removed.recordings == 1)
        #expect(try #require(removed.erasedAfter) > 6 * 86_400)
        let status = try OperatorClient(daemon).status()
        #expect(status.authorization.suspendedUsers == [Self.account])
        for command in ["status", "doctor"] {
            let said = try daemon.waymark(command)
            let text = (said.output + said.error).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("because the account was removed: it will be erased in"), "\(text)")
        }

        // Another account has the number now.
        try give(to: "eve")
        #expect(try eventually { try user(daemon)?.state == "replaced" }, "\(daemon.log)")
        let other = try app(daemon)
        #expect(try isSuspended(other))
        for method in RecordingInterface.Method.allCases {
            let reply = try other.call(
                method.rawValue, #"{"identifier":"trip","after":0,"upTo":1,"sequence":1,"status":1}"#)
            #expect(
                reply.error != nil || reply.parameters["recordings"]?.arrayValue?.isEmpty == true, "\(method) \(reply)")
        }
        let events = try other.call(JournalInterface.Method.read.rawValue)
        #expect(events.parameters["events"]?.arrayValue?.isEmpty ?? true, "\(events)")

        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try isSuspended(try app(daemon)), "also after a restart")

        _ = try decide(.eraseUser, daemon)
        let fresh = try app(daemon)
        #expect(try refusal(fresh) == ErrorName.notDetermined.rawValue)
        #expect(try points(fresh).error != nil)
        let read = try fresh.call(JournalInterface.Method.read.rawValue).parameters["events"]?.arrayValue ?? []
        #expect(!read.contains { $0["kind"] == "authorizationChanged" || $0["kind"] == "recordingStarted" }, "\(read)")
        #expect(try OperatorClient(daemon).app("trailmap")?.permission == .notDetermined)
    }

    @Test
    func
        `a user id with another name after a restart inherits nothing, until root confirms that it is the same person`()
        throws
    {
        let daemon = try start()
        _ = try record(daemon)
        #expect(try daemon.stop() == .exited(0))
        try give(to: "eve")
        try daemon.restart()
        let client = try app(daemon)
        #expect(try isSuspended(client), "\(daemon.log)")
        let changed = try #require(try user(daemon))
        #expect(changed.state == "renamed" && changed.otherName == "eve" && changed.erasedAfter == nil)
        _ = try decide(.restoreUser, daemon)
        #expect(try refusal(client) == nil)
        #expect(try points(client).parameters["points"]?.arrayValue?.isEmpty == false)
        #expect(try user(daemon)?.name == "eve")
    }

    /// A daemon with an app that has requested to be woken, and of which nothing else is stored.
    private func wakeable() throws -> DaemonProcess {
        try apps.add("trailmap", name: "Trail Map", program: program, "[Wake]\nUnit=trailmap.service\nFor=target\n")
        let daemon = try start()
        let client = try app(daemon)
        let request = #"{"cause":"target","host":"192.0.2.1"}"#
        #expect(try client.call(WakingInterface.Method.subscribe.rawValue, request).error == nil, "\(daemon.log)")
        return daemon
    }

    @Test func `requests to be woken belong to the account, also if the number gets another one while no daemon runs`()
        throws
    {
        let daemon = try wakeable()
        #expect(try daemon.stop() == .exited(0))
        try give(to: "eve")
        try daemon.restart()
        #expect(try isSuspended(try app(daemon)), "\(daemon.log)")
        #expect(try user(daemon)?.state == "renamed")
    }

    @Test func `requests to be woken belong to the account, also if nothing else is stored of it`() throws {
        let daemon = try wakeable()
        try give(to: nil)
        #expect(try eventually { try user(daemon)?.state == "removed" }, "\(daemon.log)")
        try give(to: "eve")
        #expect(try eventually { try user(daemon)?.state == "replaced" }, "\(daemon.log)")
        #expect(try isSuspended(try app(daemon)))
        _ = try decide(.eraseUser, daemon)
        let reply = try app(daemon).call(WakingInterface.Method.list.rawValue)
        #expect(reply.parameters["subscriptions"]?.arrayValue?.isEmpty == true, "\(reply)")
    }

    @Test func `an account created again with the same name and number inherits nothing by itself`() throws {
        let daemon = try start()
        let client = try record(daemon)
        try give(to: nil)
        #expect(try eventually { try isSuspended(client) }, "\(daemon.log)")
        try give(to: "one")
        #expect(try eventually { try user(daemon)?.state == "returned" }, "\(daemon.log)")
        #expect(try isSuspended(client))
        #expect(try isSuspended(try app(daemon)))
    }

    /// A home of the account, which is created again if there is one.
    private func makeHome(on disk: SmallDisk) throws -> String {
        let home = "\(disk.path)/one"
        if rmdir(home) != 0, errno != ENOENT { throw SystemError("remove", subject: home) }
        #expect(mkdir(home, 0o700) == 0 && chown(home, Self.account, Self.account) == 0)
        return home
    }

    @Test(arguments: [true, false])
    func `an account created again with its name and number while no daemon runs inherits nothing`(
        personalManifests: Bool
    ) throws {
        let disk = try SmallDisk(kibibytes: 64)
        #expect(chmod(disk.path, 0o755) == 0)
        try give(to: "one", home: try makeHome(on: disk))
        let daemon = try start(personalManifests: personalManifests)
        _ = try record(daemon)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try refusal(try app(daemon)) == nil, "the same account has its rights: \(daemon.log)")
        #expect(try daemon.stop() == .exited(0))

        _ = try makeHome(on: disk)
        try daemon.restart()
        let client = try app(daemon)
        #expect(try isSuspended(client), "\(daemon.log)")
        #expect(try points(client).error != nil)
        #expect(try user(daemon)?.state == "returned" && user(daemon)?.erasedAfter == nil)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try isSuspended(try app(daemon)), "also after one more restart")

        // Root confirms that it is the same person, whose home was created again.
        _ = try decide(.restoreUser, daemon)
        #expect(try refusal(try app(daemon)) == nil)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try refusal(try app(daemon)) == nil, "\(daemon.log)")
    }

    @Test func `an account created again within a second, while the daemon runs, inherits nothing`() throws {
        let disk = try SmallDisk(kibibytes: 64)
        #expect(chmod(disk.path, 0o755) == 0)
        try give(to: "one", home: try makeHome(on: disk))
        // Homes are watched where their manifests count.
        let daemon = try start(personalManifests: true)
        let client = try record(daemon)
        _ = try makeHome(on: disk)
        #expect(try eventually { try isSuspended(client) }, "\(daemon.log)")
    }

    @Test func `the data of a removed account are erased after a time, and its processes still have no rights`()
        throws
    {
        let daemon = try start(retained: "0s")
        let client = try record(daemon)
        let key = "state/copy-\(Self.account).key"
        try apps.directory.write(key, "released \(String(repeating: "00", count: 32))")
        try apps.directory.write("state/copy-1\(Self.account).key", "of another user")
        try give(to: nil)
        #expect(try eventually { try user(daemon)?.state == "erased" }, "\(daemon.log)")
        #expect(try eventually { try user(daemon)?.recordings == 0 })
        #expect(access(apps.directory.file(key), F_OK) != 0)
        #expect(try apps.directory.bytes("state/copy-1\(Self.account).key").count == 15)
        #expect(try user(daemon)?.grants == 0)
        #expect(try isSuspended(client))
        #expect(try isSuspended(try app(daemon)))
        // An account that gets the number starts without any data.
        try give(to: "eve")
        #expect(try eventually { try refusal(try app(daemon)) == ErrorName.notDetermined.rawValue }, "\(daemon.log)")
    }

    @Test func `a user database that is empty for a while removes nothing from anybody`() throws {
        let daemon = try start(retained: "0s")
        let client = try record(daemon)
        try apps.directory.overwrite("passwd", "")
        #expect(eventually { daemon.log.contains("has no root") }, "\(daemon.log)")
        #expect(try refusal(client) == nil)
        try give(to: "one")
        #expect(try refusal(client) == nil)
        #expect(try user(daemon)?.state == "present" && user(daemon)?.recordings == 1)
    }

    @Test func `only root assigns stored data to an account`() throws {
        let daemon = try start()
        _ = try record(daemon)
        let client = try app(daemon)
        for method in [ManageInterface.Method.listUsers, .eraseUser, .restoreUser] {
            let reply = try client.call(method.rawValue, #"{"uid":\#(Self.account)}"#)
            #expect(reply.error == ErrorName.manageNotOperator.rawValue, "\(method) \(reply)")
        }
        // Nor may a member of the operators' group, who could be the new owner of the number.
        let member = try AppClient(
            try apps.program("shell"), to: daemon.socketPath, groups: [try PersonalScene.operators()])
        #expect(try member.call(ManageInterface.Method.listUsers.rawValue).error == nil)
        for method in [ManageInterface.Method.eraseUser, .restoreUser] {
            let reply = try member.call(method.rawValue, #"{"uid":\#(Self.account)}"#)
            #expect(reply.error == ErrorName.manageNotRoot.rawValue, "\(method) \(reply)")
        }
    }
}
