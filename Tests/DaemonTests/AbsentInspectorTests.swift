import Authorization
import CLinux
import Glibc
import Interfaces
import JSONText
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

/// Apps and agents that are connected while the inspector does not respond.
@Suite struct AbsentInspectorTests {
    init() { LoopThread.start() }

    /// An app with a connection from before the inspector was lost, and another one from afterwards, on which it is no app yet.
    @DaemonActor private func connectedTwice() async throws -> (
        bench: IdentificationBench, first: IdentificationBench.Connected, second: IdentificationBench.Connected
    ) {
        let bench = try await IdentificationBench()
        bench.inspector.report(IdentificationBench.program, of: getpid())
        let first = try bench.connect()
        #expect(bench.app(of: first.connection) == IdentificationBench.app)
        try await bench.loseInspector()
        let second = try bench.connect()
        #expect(bench.app(of: second.connection) == nil)
        return (bench, first, second)
    }

    @Test @DaemonActor func `another connection of an app without an inspector ends none of its earlier ones`()
        async throws
    {
        let (bench, first, second) = try await connectedTwice()
        #expect(bench.app(of: first.connection) == IdentificationBench.app)
        bench.inspector.comeBack()
        try await bench.settle()
        #expect(bench.app(of: second.connection) == IdentificationBench.app)
        #expect(bench.app(of: first.connection) == IdentificationBench.app)
        #expect(bench.clients.processes.count == 1)
        await bench.close()
        withExtendedLifetime((first.client, second.client)) {}
    }

    @Test @DaemonActor func `a process that ran another program meanwhile is no app when the inspector responds`()
        async throws
    {
        let (bench, first, second) = try await connectedTwice()
        bench.inspector.report("/usr/bin/waymark-test-other", of: getpid())
        bench.inspector.comeBack()
        try await bench.settle()
        #expect(bench.app(of: second.connection) == nil)
        #expect(bench.app(of: first.connection) == nil)
        #expect(bench.clients.processes.isEmpty)
        await bench.close()
        withExtendedLifetime((first.client, second.client)) {}
    }

    /// What an agent receives.
    @DaemonActor private final class Agent {
        private(set) var prompts = 0
        private(set) var withdrawals = 0
        private(set) var failure: VarlinkError?
        private let client: LoopClient

        init(_ client: LoopClient) {
            self.client = client
            client.call(CallRequest(method: AgentInterface.Method.register.rawValue, more: true)) { [weak self] in
                self?.receive($0)
            }
        }

        private func receive(_ result: Result<Reply, VarlinkError>) {
            switch result {
            case .success(let reply):
                if reply.parameters["prompt"]?.objectValue != nil { prompts += 1 }
                if reply.parameters["withdrawn"]?.integerValue != nil { withdrawals += 1 }
            case .failure(let error): failure = error
            }
        }
    }

    /// A bench with an agent.
    @DaemonActor private func registered(
        slowPrograms: InspectorTimeouts? = nil, clock: any TimeSource = SystemClock()
    ) async throws -> (bench: IdentificationBench, agent: Agent) {
        let bench = try await IdentificationBench(slowPrograms: slowPrograms, clock: clock)
        bench.inspector.report(IdentificationBench.agent, of: getpid())
        let agent = Agent(try bench.connect().client)
        #expect(try await eventually { () async throws -> Bool in bench.agents.count == 1 })
        return (bench, agent)
    }

    @Test @DaemonActor func `an agent remains registered without an inspector, and is shown prompts when it is back`()
        async throws
    {
        let (bench, agent) = try await registered()
        try await bench.loseInspector()
        bench.agents.review()
        bench.requestAuthorization()
        #expect(bench.prompts.all.count == 1)
        // An agent that is refused is unregistered in a later iteration of the loop.
        try await elapsed(.milliseconds(20))
        #expect(bench.agents.count == 1 && agent.prompts == 0 && agent.failure == nil)
        bench.inspector.comeBack()
        #expect(try await eventually { () async throws -> Bool in agent.prompts == 1 })
        #expect(bench.agents.count == 1 && agent.failure == nil)
        await bench.close()
    }

    @Test @DaemonActor func `a prompt that is withdrawn while there is no inspector is not shown to an agent later`()
        async throws
    {
        let (bench, agent) = try await registered()
        try await bench.loseInspector()
        bench.requestAuthorization()
        #expect(bench.agents.delayedCount == 1)
        bench.dismissPrompts()
        #expect(bench.prompts.all.isEmpty && bench.agents.delayedCount == 0)
        bench.inspector.comeBack()
        try await bench.settle()
        // The next prompt is shown after everything that was sent before.
        bench.requestAuthorization()
        #expect(try await eventually { () async throws -> Bool in agent.prompts > 0 })
        #expect(agent.prompts == 1)
        bench.dismissPrompts()
        #expect(try await eventually { () async throws -> Bool in agent.withdrawals == 2 })
        await bench.close()
    }

    @Test @DaemonActor func `an agent that runs another program is refused once the inspector responds again`()
        async throws
    {
        let (bench, agent) = try await registered()
        try await bench.loseInspector()
        bench.inspector.report("/usr/bin/waymark-test-other", of: getpid())
        bench.agents.review()
        #expect(bench.agents.count == 1)
        bench.inspector.comeBack()
        #expect(try await eventually { () async throws -> Bool in bench.agents.count == 0 })
        #expect(try await eventually { () async throws -> Bool in agent.failure != nil })
        await bench.close()
    }

    @Test @DaemonActor func `an agent remains registered while its user has too many slow programs`() async throws {
        let clock = ManualClock.beginningNow()
        let (bench, agent) = try await registered(
            slowPrograms: InspectorTimeouts(most: 1, window: .seconds(3)), clock: clock)
        let (stranger, identity) = try SlowProgram.connect(to: bench.inspector)
        bench.miss(identity)
        try await bench.settle()
        bench.agents.review()
        bench.requestAuthorization()
        #expect(bench.agents.count == 1 && bench.agents.delayedCount == 1)
        // When the limit ends, the agent is shown what was delayed.
        clock.advance(seconds: 3)
        #expect(try await eventually { () async throws -> Bool in agent.prompts == 1 })
        #expect(bench.agents.count == 1 && agent.failure == nil)
        withExtendedLifetime(stranger) {}
        await bench.close()
    }

    @Test @DaemonActor func `an agent remains registered while another process makes the inspector wait`()
        async throws
    {
        let (bench, agent) = try await registered()
        let (stranger, identity) = try SlowProgram.connect(to: bench.inspector)
        for _ in 0..<3 {
            bench.miss(identity)
            bench.agents.review()
            try await bench.settle()
        }
        #expect(bench.inspector.queryCount(of: stranger.processID) == 2)
        #expect(bench.agents.count == 1 && agent.failure == nil)
        await bench.close()
    }
}

/// Processes for which the inspector does not reply.
@Suite struct SlowProgramTests {
    private let directory: TemporaryDirectory
    private let inspector: ScriptedInspector

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        inspector = try ScriptedInspector(directory.file("inspector.sock"))
        inspector.report("/usr/bin/waymark-test-trailmap", of: getpid())
    }

    @Test @DaemonActor func `a process for which the inspector does not reply blocks the loop twice at most`()
        async throws
    {
        let programs = try ProgramInspector(socket: inspector.path)
        programs.start()
        func settle() async throws {
            #expect(try await eventually { () async throws -> Bool in programs.isSettled && !programs.isAbsent })
        }
        try await settle()
        let (stranger, slow) = try SlowProgram.connect(to: inspector)
        let own = try SlowProgram.ownIdentity()
        for _ in 0..<2 {
            programs.longestAnswerSeconds = 0.25
            guard case .unknown? = programs.evidence(of: slow)?.program else {
                Issue.record("there was a reply")
                return
            }
            #expect(programs.isAbsent)
            try await settle()
            programs.longestAnswerSeconds = ScriptedInspector.patience
            #expect(programs.evidence(of: own)?.program == .file("/usr/bin/waymark-test-trailmap"))
        }
        let generation = programs.generation
        for _ in 0..<10 {
            guard case .unknown? = programs.evidence(of: slow)?.program else {
                Issue.record("there was a reply")
                return
            }
        }
        #expect(inspector.queryCount(of: stranger.processID) == 2)
        #expect(!programs.isAbsent && programs.isSettled && programs.generation == generation)
        #expect(programs.evidence(of: own)?.program == .file("/usr/bin/waymark-test-trailmap"))
    }
}

/// A process for which an inspector does not reply.
private enum SlowProgram {
    /// Starts one, and returns its identity.
    static func connect(to inspector: ScriptedInspector) throws -> (PeerProcess, PeerIdentity) {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(path: directory.file("peer.sock"), mode: 0o600)
        let process = try PeerProcess(connectingTo: directory.file("peer.sock"))
        inspector.hang(for: process.processID)
        #expect(try PollDeadline(seconds: 20).poll(listener.number, for: POLLIN))
        guard let connection = try UnixSocket.accept(listener.number) else { throw SystemError("accept", code: EAGAIN) }
        return (process, try PeerIdentity(socket: connection.number))
    }

    /// The identity of the test itself.
    static func ownIdentity() throws -> PeerIdentity {
        var ends: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        defer { for end in ends { _ = close(end) } }
        return try PeerIdentity(socket: ends[0])
    }
}
