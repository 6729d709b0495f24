import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite(.enabled(if: InspectorService.isPossible, "takes root and systemd-socket-activate"))
final class ProgramInspectorTests {
    private let apps: TestApps
    private let service: InspectorService
    private let listener: OwnedDescriptor
    private let peer: PeerProcess

    init() throws {
        LoopThread.start()
        apps = try TestApps()
        service = try InspectorService(
            try apps.program("waymark-inspector", of: "waymark-inspector"),
            at: apps.directory.file("inspector.sock"))
        let path = apps.directory.file("peer.sock")
        listener = try UnixSocket.listen(path: path, mode: 0o666)
        peer = try PeerProcess(connectingTo: path)
    }

    private func identity() throws -> PeerIdentity {
        #expect(try PollDeadline(seconds: 20).poll(listener.number, for: POLLIN))
        guard let connection = try UnixSocket.accept(listener.number) else { throw SystemError("accept", code: EAGAIN) }
        return try PeerIdentity(socket: connection.number)
    }

    /// Connects to the service, and waits for its replies also on a busy machine.
    @DaemonActor private func started() throws -> ProgramInspector {
        let inspector = try ProgramInspector(socket: service.path)
        inspector.longestAnswerSeconds = ScriptedInspector.patience
        inspector.start()
        return inspector
    }

    @DaemonActor private func settled(_ inspector: ProgramInspector) async throws {
        #expect(try await eventually { () async throws -> Bool in inspector.isSettled && inspector.problem == nil })
    }

    @Test @DaemonActor func `an inspector identifies a program it may see, and exits with its client`() async throws {
        let identity = try identity()
        var inspector: ProgramInspector? = try started()
        #expect(inspector?.isSettled == false)
        try await settled(try #require(inspector))
        #expect(inspector?.generation == 1)
        #expect(inspector?.evidence(of: identity)?.program == .file(try TestApps.ownProgram()))
        #expect(service.instances.count == 1)
        inspector = nil
        #expect(eventually { service.instances.isEmpty })
    }

    @Test @DaemonActor func `an inspector that was killed is started again, and clients wait meanwhile`() async throws {
        let identity = try identity()
        let inspector = try started()
        try await settled(inspector)
        let first = try #require(service.instances.first)
        #expect(kill(first, SIGKILL) == 0)
        #expect(try await eventually { () async throws -> Bool in inspector.generation == 2 })
        #expect(inspector.isSettled)
        #expect(inspector.evidence(of: identity)?.program == .file(try TestApps.ownProgram()))
        // Its connection ends before its process.
        #expect(try await eventually { () async throws -> Bool in !self.service.instances.contains(first) })
    }

    @Test @DaemonActor func `an inspector that does not reply blocks the loop briefly, and only once`() async throws {
        let identity = try identity()
        let inspector = try started()
        inspector.longestAnswerSeconds = 0.25
        try await settled(inspector)
        let first = try #require(service.instances.first)
        #expect(kill(first, SIGSTOP) == 0)
        defer { kill(first, SIGKILL) }
        let clock = SystemClock()
        let start = clock.monotonicNanoseconds
        guard case .unknown(let why)? = inspector.evidence(of: identity)?.program else {
            Issue.record("there was a reply")
            return
        }
        #expect(why.contains("waymark-inspector"), "\(why)")
        #expect(!inspector.isSettled)
        let afterOne = clock.monotonicNanoseconds
        // Longer than the following may take without waiting.
        inspector.longestAnswerSeconds = 60
        for _ in 0..<100 { _ = inspector.evidence(of: identity) }
        let afterAll = clock.monotonicNanoseconds
        #expect(afterOne - start >= 200_000_000)
        #expect(afterAll - afterOne < 60_000_000_000, "the loop waited for it again")
        try await settled(inspector)
        #expect(inspector.evidence(of: identity)?.program == .file(try TestApps.ownProgram()))
    }

    @Test @DaemonActor func `without an inspector, clients do not wait forever`() async throws {
        let identity = try identity()
        let inspector = try ProgramInspector(socket: apps.directory.file("nobody.sock"))
        inspector.start()
        #expect(try await eventually { () async throws -> Bool in inspector.isSettled })
        #expect(inspector.problem != nil)
        guard case .unknown? = inspector.evidence(of: identity)?.program else {
            Issue.record("there was a reply")
            return
        }
    }
}
