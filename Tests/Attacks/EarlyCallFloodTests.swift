import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// One user's calls while the daemon cannot read its journal, which wait for it as those of others do.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct EarlyCallFloodTests {
    private static let (attacker, victim): (uid_t, uid_t) = (OtherUser.nobody, 5)
    private static let status = ProtectionInterface.Method.status.rawValue
    /// How long a reply may take after the journal can be read again, in seconds: the daemon tries it again after a pause
    /// that doubles up to a minute.
    private static let patience = 120.0

    private let apps: TestApps
    private let program: String
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program)
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        try OperatorClient(daemon).authorize("trailmap", .whileUsing, uid: Self.victim)
        for uid in [Self.attacker, Self.victim] {
            let client = try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: uid))
            _ = try client.call(ProtectionInterface.SetPassphrase(passphrase: "of \(uid)"), timeout: .seconds(60))
        }
        #expect(try daemon.stop() == .exited(0))
    }

    private func restartWithoutJournal() throws -> JournalLock {
        let lock = try JournalLock(apps.directory.file("state/journal.db"))
        try daemon.restart()
        return lock
    }

    private func connect(_ user: uid_t) throws -> RawConnection {
        try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: user))
    }

    /// Makes calls as another user and as root, after the calls of the attacker, and expects their results once the journal can be
    /// read.
    private func expectOthersServed(_ lock: JournalLock) throws {
        let app = try AppClient(program, to: daemon.socketPath, as: Self.victim)
        try app.begin(LocationInterface.Method.getAuthorization.rawValue)
        let (user, root) = (try connect(Self.victim), try connect(0))
        #expect(try user.send(message: #"{"method":"\#(Self.status)"}"#) == .everything)
        let unlock = ProtectionInterface.Method.unlock.rawValue
        #expect(
            try root.send(
                message:
                    #"{"method":"\#(unlock)","parameters":{"secret":"of \#(Self.victim)","user":\#(Self.victim)}}"#)
                == .everything)
        // The daemon has read them, and replies to nobody yet.
        #expect(try connect(Self.victim).isAnswered)
        #expect(try app.next(seconds: 0) == nil && user.read(messages: 1, seconds: 0) == nil)
        lock.release()
        let authorization = try #require(try app.next(seconds: Self.patience))
        #expect(authorization.parameters["authorization"]?["app"]?.stringValue == "trailmap", "\(authorization)")
        let status = try #require(try user.read(messages: 1, seconds: Self.patience))
        #expect(status.contains(#""state":"#), "\(status)")
        let unlocked = try #require(try root.read(messages: 1, seconds: Self.patience))
        #expect(unlocked.contains(#""state":"unlocked""#), "\(unlocked)")
    }

    @Test func `calls of one user that wait at a start refuse none of another's`() throws {
        let lock = try restartWithoutJournal()
        let waiting = try (0..<1_500).map { _ in
            let connection = try connect(Self.attacker)
            #expect(try connection.send(message: #"{"method":"\#(Self.status)"}"#) == .everything)
            return connection
        }
        #expect(try connect(Self.attacker).isAnswered)
        try expectOthersServed(lock)
        // Those that have room are served as well.
        #expect(try waiting[0].read(messages: 1)?.contains(#""state":"#) == true)
    }

    /// A hundred calls without a reply, as one text.
    private func hundred(_ method: String, _ parameters: String = "{}") -> String {
        let call = #"{"method":"\#(method)","parameters":\#(parameters),"oneway":true}"#
        return Array(repeating: call, count: 100).joined(separator: "\0")
    }

    @Test(arguments: [
        (status, "{}"), (ProtectionInterface.Method.unlock.rawValue, #"{"secret":"a guess"}"#),
    ])
    func `calls without replies that fill the room for calls refuse none of another user's`(
        _ method: String, _ parameters: String
    ) throws {
        let lock = try restartWithoutJournal()
        let connection = try connect(Self.attacker)
        for _ in 0..<200 { #expect(try connection.send(message: hundred(method, parameters)) == .everything) }
        #expect(try connection.isAnswered)
        try expectOthersServed(lock)
    }

    @Test
    func `a call that waits for the journal and is displaced is refused, and not answered for an unknown program`()
        throws
    {
        let lock = try restartWithoutJournal()
        let method = LocationInterface.Method.getAuthorization.rawValue
        let app = try ProgramClient(program, to: daemon.socketPath, as: Self.attacker)
        // All of the room, the last place with a call that has a reply.
        for _ in 0..<163 { try app.send(hundred(method)) }
        let oneway = #"{"method":"\#(method)","oneway":true}"#
        try app.send((Array(repeating: oneway, count: 83) + [#"{"method":"\#(method)"}"#]).joined(separator: "\0"))
        #expect(try app.next(seconds: 0) == nil)
        let other = try AppClient(program, to: daemon.socketPath, as: Self.victim)
        try other.begin(method)
        let refused = String(decoding: try #require(try app.next(), "\(daemon.log.suffix(2_000))"), as: UTF8.self)
        #expect(refused.contains("TooManyConnections") && refused.contains("Try again later."), "\(refused)")
        lock.release()
        let reply = try #require(try other.next(seconds: Self.patience))
        #expect(reply.parameters["authorization"]?["app"]?.stringValue == "trailmap", "\(reply)")
    }

    /// Calls that wait for what is stored besides the journal, in a queue of their own.
    enum Waiting: String, CaseIterable {
        case regions = "io.waymark.Regions.List"
        case waking = "io.waymark.Waking.List"

        /// Why a call is refused.
        var refusal: String {
            switch self {
            case .regions: "too many calls of this user wait until they were read"
            case .waking: "Too many calls of this user wait until the stored events were read"
            }
        }

        /// What a reply has.
        var member: String { self == .regions ? "monitors" : "subscriptions" }
    }

    /// Starts the daemon again, which then waits for the file of regions.
    private func restartWithoutRegions() throws -> FileLease {
        try daemon.restart()
        // The daemon reads its journal, and waits for the file of regions, which has to be there.
        _ = try Client(path: daemon.socketPath, timeout: .seconds(60)).call(
            RegionsInterface.Method.add.rawValue,
            try JSON.parse(Array(#"{"monitor":"m","regions":[\#(RegionScene.circle("r", north: 0))]}"#.utf8)),
            timeout: .seconds(60))
        #expect(try daemon.stop() == .exited(0))
        let lease = try FileLease(apps.directory.file("state/regions.sqlite"))
        try daemon.restart()
        return lease
    }

    @Test(arguments: Waiting.allCases)
    func `a call that another user's displaces is refused, and the one behind it as well`(_ waiting: Waiting) throws {
        let lease = try restartWithoutRegions()
        let app = try ProgramClient(program, to: daemon.socketPath, as: Self.attacker)
        // All of the room, the last place with a call that has a reply, and another one behind it.
        for _ in 0..<163 { try app.send(hundred(waiting.rawValue)) }
        let oneway = #"{"method":"\#(waiting.rawValue)","oneway":true}"#
        let last = #"{"method":"\#(waiting.rawValue)"}"#
        try app.send((Array(repeating: oneway, count: 83) + [last, last]).joined(separator: "\0"))
        #expect(try app.next(seconds: 0) == nil)
        let other = try AppClient(program, to: daemon.socketPath, as: Self.victim)
        try other.begin(waiting.rawValue)
        for _ in 0..<2 {
            let refused = try #require(try app.next(), "\(daemon.log.suffix(2_000))")
            #expect(String(decoding: refused, as: UTF8.self).contains(waiting.refusal))
        }
        try lease.release()
        let reply = try #require(try other.next())
        #expect(reply.error == nil && reply.parameters[waiting.member] != nil, "\(reply)")
    }

    @Test(arguments: Waiting.allCases)
    func `calls of one user's app that wait for other files refuse none of another user's`(_ waiting: Waiting) throws {
        let lease = try restartWithoutRegions()
        let app = try ProgramClient(program, to: daemon.socketPath, as: Self.attacker)
        for _ in 0..<200 { try app.send(hundred(waiting.rawValue)) }
        try app.send(#"{"method":"\#(waiting.rawValue)"}"#)
        let refused = try #require(try app.next())
        #expect(String(decoding: refused, as: UTF8.self).contains(waiting.refusal), "the room is not full")

        let other = try AppClient(program, to: daemon.socketPath, as: Self.victim)
        try other.begin(waiting.rawValue)
        #expect(try connect(Self.victim).isAnswered)
        // Later ones take nothing either.
        for _ in 0..<10 { try app.send(hundred(waiting.rawValue)) }
        try app.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(try app.next() != nil)
        #expect(try other.next(seconds: 0) == nil)
        try lease.release()
        let reply = try #require(try other.next())
        #expect(reply.error == nil && reply.parameters[waiting.member] != nil, "\(reply)")
    }
}
