import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// What an earlier process of the daemon left, when the journal is blocked while the daemon opens it.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct LateJournalTests {
    private let apps: TestApps
    private let program: String
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program)
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        try OperatorClient(daemon).authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
    }

    /// Whether an app that a person has opened is in use.
    private func isInUse() throws -> Bool? {
        let client = try AppClient(program, to: daemon.socketPath)
        try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        let reply = try client.call(LocationInterface.Method.getAuthorization.rawValue)
        return reply.parameters["authorization"].flatMap(AppAuthorization.init)?.isInUse
    }

    @Test func `a screen stays locked when the journal can only be read later`() throws {
        #expect(try isInUse() == true)
        try OperatorClient(daemon).call(ManageInterface.SetLocked(uid: OtherUser.nobody, locked: true))
        #expect(try isInUse() == false)
        #expect(try daemon.stop() == .exited(0))
        let lock = try JournalLock(apps.directory.file("state/journal.db"))
        try daemon.restart()
        let isBlocked = try eventually {
            try OperatorClient(daemon).status().journal.state == .full
        }
        try #require(isBlocked, "\(daemon.log)")
        lock.release()
        let isRead = try eventually {
            try OperatorClient(daemon).status().journal.state == .running
        }
        try #require(isRead, "\(daemon.log)")
        #expect(try isInUse() == false, "\(daemon.log)")
        // Nor does the next process find it unlocked.
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try isInUse() == false, "\(daemon.log)")
        try OperatorClient(daemon).call(ManageInterface.SetLocked(uid: OtherUser.nobody, locked: false))
        #expect(try isInUse() == true)
        #expect(try daemon.stop() == .exited(0))
    }

    @Test func `a command that waits for the journal is not confirmed by a daemon that ends`() throws {
        #expect(try daemon.stop() == .exited(0))
        let lock = try JournalLock(apps.directory.file("state/journal.db"))
        try daemon.restart()
        let client = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: 0))
        let reset = ManageInterface.Method.reset.rawValue
        let uid = OtherUser.nobody
        #expect(
            try client.send(
                message: #"{"method":"\#(reset)","parameters":{"app":"trailmap","uid":\#(uid)}}"#) == .everything)
        #expect(try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: 0)).isAnswered)
        _ = try daemon.stop(graceSeconds: 30)
        let reply = try client.read(messages: 1)
        #expect(reply == nil, "it is confirmed by \(reply ?? "")")
        lock.release()
        try daemon.restart()
        #expect(try isInUse() == true, "the app has lost its authorization")
        #expect(try daemon.stop() == .exited(0))
    }
}
