import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// One user's calls while the daemon cannot read its journal, which wait for it as those of others do.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct EarlyCallFloodTests {
    private static let (attacker, victim): (uid_t, uid_t) = (OtherUser.nobody, 5)
    private static let status = ProtectionInterface.Method.status.rawValue

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
        let authorization = try #require(try app.next())
        #expect(authorization.parameters["authorization"]?["app"]?.stringValue == "trailmap", "\(authorization)")
        let status = try #require(try user.read(messages: 1))
        #expect(status.contains(#""state":"#), "\(status)")
        let unlocked = try #require(try root.read(messages: 1))
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

    @Test func `calls without replies that fill the room for calls refuse none of another user's`() throws {
        let lock = try restartWithoutJournal()
        let flood = try connect(Self.attacker)
        let call = Array(#"{"method":"\#(Self.status)","oneway":true}"#.utf8) + [0]
        for _ in 0..<200 {
            #expect(try flood.send(Array(repeatElement(call, count: 100).joined())) == .everything)
        }
        #expect(try flood.isAnswered)
        try expectOthersServed(lock)
    }
}
