import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

/// Users with several processes for which the inspector does not reply.
@Suite final class SlowUserTests {
    private static let program = "/usr/bin/waymark-test-trailmap"
    /// Another user than `OtherUser.nobody`.
    private static let neighbour: uid_t = 65_533
    /// The first of the user ids of a subordinate range.
    private static let subordinate: uid_t = 2_000_300_000

    /// A lower limit than the daemon's, because each missed deadline makes the event loop wait.
    private static let most = 2

    private let directory: TemporaryDirectory
    private let listener: OwnedDescriptor
    private let inspector: ScriptedInspector

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        listener = try UnixSocket.listen(path: directory.file("peer.sock"), mode: 0o666)
        inspector = try ScriptedInspector(directory.file("inspector.sock"))
    }

    private struct Client {
        let process: PeerProcess
        let identity: PeerIdentity
        var processID: pid_t { process.processID }
    }

    /// Starts a process of a user, for which the inspector replies.
    private func startClient(of user: uid_t = geteuid()) throws -> Client {
        var script = PeerProcess.Script()
        script.user = user
        let process = try PeerProcess(connectingTo: directory.file("peer.sock"), script)
        inspector.report(Self.program, of: process.processID)
        #expect(try PollDeadline(seconds: 20).poll(listener.number, for: POLLIN))
        guard let connection = try UnixSocket.accept(listener.number) else { throw SystemError("accept", code: EAGAIN) }
        return Client(process: process, identity: try PeerIdentity(socket: connection.number))
    }

    /// Starts a process of a user, for which the inspector does not reply.
    private func startSlowClient(of user: uid_t = geteuid()) throws -> Client {
        let client = try startClient(of: user)
        inspector.hang(for: client.processID)
        return client
    }

    @DaemonActor private func settle(_ programs: ProgramInspector) async throws {
        #expect(try await eventually { () async throws -> Bool in programs.isSettled && !programs.isAbsent })
    }

    /// Has a process identified for which the inspector misses the deadline, and waits for the next inspector.
    @DaemonActor private func miss(_ client: Client, _ programs: ProgramInspector) async throws {
        programs.longestAnswerSeconds = 0.25
        #expect(programs.evidence(of: client.identity)?.program != .file(Self.program))
        #expect(programs.isAbsent)
        try await settle(programs)
    }

    /// Whether the program of a process is identified, which may take long on a busy machine.
    @DaemonActor private func isKnown(_ client: Client, _ programs: ProgramInspector) -> Bool {
        programs.longestAnswerSeconds = ScriptedInspector.patience
        return programs.evidence(of: client.identity)?.program == .file(Self.program)
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can be somebody else")) @DaemonActor
    func `a user with many slow processes delays another user as often in ten minutes as its limit allows`()
        async throws
    {
        let clock = ManualClock()
        let programs = try ProgramInspector(
            socket: inspector.path, clock: clock, timeouts: InspectorTimeouts(most: Self.most))
        programs.start()
        try await settle(programs)
        let neighbour = try startClient(of: Self.neighbour)
        let earlier = try startClient(of: OtherUser.nobody)
        #expect(isKnown(earlier, programs) && !programs.isUndecided(earlier.identity))
        var slow: [Client] = []
        for _ in 0..<Self.most {
            let client = try startSlowClient(of: OtherUser.nobody)
            slow.append(client)
            try await miss(client, programs)
        }
        let generation = programs.generation
        let last = try startSlowClient(of: OtherUser.nobody)
        for client in slow + [last] { #expect(!isKnown(client, programs)) }
        #expect(!programs.isAbsent && programs.isSettled && programs.generation == generation)
        #expect(inspector.queryCount(of: last.processID) == 0)
        #expect(isKnown(neighbour, programs) && !programs.isUndecided(neighbour.identity))
        #expect(programs.isUndecided(earlier.identity), "what is known about this user's other processes remains known")
        clock.advance(seconds: 600)
        try await miss(last, programs)
        #expect(inspector.queryCount(of: last.processID) == 1)
        withExtendedLifetime(slow) {}
    }

    @Test(.enabled(if: OtherUser.isPossible, "only root can be somebody else")) @DaemonActor
    func `user ids that have one limit together reach it together`() async throws {
        let first = Self.subordinate
        let programs = try ProgramInspector(
            socket: inspector.path, clock: ManualClock(), timeouts: InspectorTimeouts(most: Self.most),
            limitUser: { $0 >= first ? .max : $0 })
        programs.start()
        try await settle(programs)
        var clients: [Client] = []
        for number in 0..<uid_t(Self.most) {
            let client = try startSlowClient(of: first + number)
            clients.append(client)
            try await miss(client, programs)
        }
        let last = try startSlowClient(of: first + uid_t(Self.most))
        #expect(!isKnown(last, programs))
        #expect(!programs.isAbsent && inspector.queryCount(of: last.processID) == 0)
        let nobody = try startClient(of: OtherUser.nobody)
        #expect(isKnown(nobody, programs))
        withExtendedLifetime(clients) {}
    }

    @Test @DaemonActor func `clients of a user are identified again when the limit has ended`() async throws {
        let clock = ManualClock()
        // The processes count to a user other than root, whoever runs the test.
        let timeouts = InspectorTimeouts(most: 1, window: .seconds(5))
        let programs = try ProgramInspector(
            socket: inspector.path, clock: clock, timeouts: timeouts, limitUser: { _ in 1_000 })
        programs.start()
        try await settle(programs)
        let slow = try startSlowClient()
        let client = try startClient()
        try await miss(slow, programs)
        #expect(!isKnown(client, programs))
        let generation = programs.generation
        clock.advance(seconds: 5)
        #expect(try await eventually { () async throws -> Bool in programs.generation > generation })
        #expect(isKnown(client, programs))
        withExtendedLifetime(slow) {}
    }

    /// The pause before the connection after the next one.
    @DaemonActor private func nextPause(_ programs: ProgramInspector) -> Duration {
        var pause = programs.pause
        return pause.next()
    }

    @Test @DaemonActor func `the pause before the next inspector grows only while inspectors do not reply`()
        async throws
    {
        let programs = try ProgramInspector(socket: inspector.path, clock: ManualClock())
        programs.start()
        try await settle(programs)
        var slow: [Client] = []
        for _ in 1...3 {
            let client = try startSlowClient()
            slow.append(client)
            try await miss(client, programs)
            // The first pause, of 100 ms, is over.
            #expect(nextPause(programs) == .milliseconds(200))
        }
        inspector.leave()
        #expect(try await eventually { () async throws -> Bool in self.nextPause(programs) >= .seconds(1) })
        withExtendedLifetime(slow) {}
    }
}
