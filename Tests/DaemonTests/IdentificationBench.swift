import Accounts
import Authorization
import Configuration
import CLinux
import Glibc
import Interfaces
import Journal
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

/// The parts of a daemon that identify clients and agents, with an inspector whose replies the test decides. The test
/// itself is the client.
@DaemonActor
final class IdentificationBench {
    /// The app that the manifest names, and its program.
    nonisolated static let app = AppID(uid: geteuid(), name: "trailmap")
    nonisolated static let program = "/usr/bin/waymark-test-trailmap"
    /// The program that may be an agent.
    nonisolated static let agent = "/usr/bin/waymark-test-agent"

    let inspector: ScriptedInspector
    let programs: ProgramInspector
    let authorizer: Authorizer
    let clients: Clients
    let prompts: Prompts
    let agents: AgentService
    private let journal: JournalSupervisor
    private let server: Server
    private let directory: TemporaryDirectory

    init(slowPrograms: InspectorTimeouts? = nil, clock: any TimeSource = SystemClock()) async throws {
        directory = try TemporaryDirectory()
        try directory.write(
            "apps/trailmap.app",
            """
            [App]
            Name=Trail Map
            Exec=\(Self.program)
            WhenInUseUsageDescription=Shows where you are on the map.

            """)
        inspector = try ScriptedInspector(directory.file("inspector.sock"))
        let parts = try ClientParts(
            directory, clock: clock, inspector: inspector.path, slowPrograms: slowPrograms)
        (journal, programs, authorizer) = (parts.journal, parts.programs, parts.authorizer)
        (clients, prompts) = (parts.clients, parts.prompts)
        agents = AgentService(
            programs: AgentPrograms([Self.agent]), authorizer: authorizer, clients: clients, prompts: prompts,
            users: parts.users, holds: parts.holds, recorder: parts.clientRecorder, changes: parts.changes)
        let service = try Service(
            info: ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org"))
        server = try Server(service, tooManyConnections: "org.example.test.TooManyConnections")
        try service.register(WaymarkInterface.agent.text, requiringMore: AgentInterface.requiringMore) {
            [agents] in agents.handle($0)
        }
        parts.changes.react = { [weak self] in self?.react(to: $0) }
        programs.longestAnswerSeconds = ScriptedInspector.patience
        programs.start()
        #expect(try await eventually { () async throws -> Bool in authorizer.isLoaded })
        try await settle()
    }

    private func react(to change: Change) {
        switch change {
        case .journalLoaded(let authorization, _): authorizer.load(authorization)
        case .programsSettled: agents.review()
        case .promptRaised(let prompt): prompts.raised(prompt)
        case .promptEnded(let id): prompts.ended(id)
        case .promptShown(let prompt, let agent): agents.show(prompt, to: agent)
        case .promptWithdrawn(let prompt): agents.withdraw(prompt)
        default: break
        }
    }

    /// Waits until the inspector responds.
    func settle() async throws {
        #expect(try await eventually { () async throws -> Bool in programs.isSettled && !programs.isAbsent })
    }

    /// Has a process identified for which the inspector does not reply.
    func miss(_ identity: PeerIdentity) {
        programs.longestAnswerSeconds = 0.25
        _ = programs.evidence(of: identity)
        programs.longestAnswerSeconds = ScriptedInspector.patience
    }

    /// Has the inspector leave, and waits until that is noticed.
    func loseInspector() async throws {
        inspector.leave()
        #expect(try await eventually { () async throws -> Bool in programs.isAbsent })
    }

    /// A client, and the server's side of its connection.
    typealias Connected = (client: LoopClient, connection: ServerConnection)

    /// Connects a client.
    func connect() throws -> Connected {
        var ends: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
        }
        let before = Set(server.openConnections.map { ObjectIdentifier($0) })
        server.adopt(OwnedDescriptor(adopting: ends[0]))
        let client = try LoopClient(adopting: OwnedDescriptor(adopting: ends[1]))
        let connection = server.openConnections.first { !before.contains(ObjectIdentifier($0)) }
        return (client, try #require(connection))
    }

    /// The app of a connection.
    func app(of connection: ServerConnection) -> AppID? { clients.identity(of: connection).app }

    /// Has the app request authorization.
    func requestAuthorization() {
        let process = authorizer.newNumber()
        authorizer.send(.userChanged(Self.app.uid, .active))
        authorizer.send(
            .attached(Policy.Process(id: process, app: Self.app, assurance: .program, isInSession: true)))
        authorizer.send(.declared(process, .active))
        prompts.request(.whenInUse, by: process) { _ in }
    }

    /// Has an operator dismiss all prompts.
    func dismissPrompts() {
        for summary in prompts.all { prompts.dismiss(summary.prompt, by: .operator(uid: 0)) }
    }

    func close() async {
        server.stop()
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }
}
