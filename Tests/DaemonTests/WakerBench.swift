import Authorization
import CLinux
import Glibc
import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon
@testable import Storage

/// The parts of a daemon that give orders to programs which start services, with an inspector whose replies the test
/// decides. The test itself is such a program.
@DaemonActor
final class WakerBench {
    /// Whose apps the program serves.
    enum Kind: CaseIterable {
        /// The machine's, as `waymark-waker`.
        case machine
        /// Its user's, as an agent.
        case user
    }

    /// The program that may be an agent.
    nonisolated static let agent = "/usr/bin/waymark-test-agent"

    let inspector: ScriptedInspector
    let agents: AgentService
    let waker: WakerService
    private let kind: Kind
    private let parts: ClientParts
    private let wakes: WakeRegistry
    private let server: Server
    private let directory: TemporaryDirectory

    init(_ kind: Kind) async throws {
        self.kind = kind
        directory = try TemporaryDirectory()
        inspector = try ScriptedInspector(directory.file("inspector.sock"))
        let clock = SystemClock()
        parts = try ClientParts(directory, clock: clock, inspector: inspector.path)
        agents = AgentService(
            programs: AgentPrograms([Self.agent]), authorizer: parts.authorizer, clients: parts.clients,
            prompts: parts.prompts, users: parts.users, holds: parts.holds, recorder: parts.clientRecorder,
            changes: parts.changes)
        let readiness = Readiness(
            authorizer: parts.authorizer, clients: parts.clients, users: parts.users, changes: parts.changes)
        wakes = try WakeRegistry(
            journal: parts.journal.journal, authorizer: parts.authorizer, clients: parts.clients,
            regions: parts.regions(readiness, clock: clock),
            network: NetworkWatch(parts.settings.reachability, changes: parts.changes, clock: clock),
            readiness: readiness, recorder: parts.clientRecorder, changes: parts.changes, clock: clock)
        waker = WakerService(
            registry: wakes, agents: agents, authorizer: parts.authorizer, changes: parts.changes)
        let service = try Service(
            info: ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org"))
        server = try Server(service, tooManyConnections: "org.example.test.TooManyConnections")
        try service.register(WaymarkInterface.waker.text, requiringMore: WakerInterface.requiringMore) {
            [waker] in waker.handle($0)
        }
        parts.changes.react = { [weak self] in self?.react(to: $0) }
        let own = try #require(WakerProgram.own.first)
        inspector.report(kind == .machine ? own : Self.agent, of: getpid())
        parts.programs.longestAnswerSeconds = ScriptedInspector.patience
        parts.programs.start()
        #expect(try await eventually { () async throws -> Bool in parts.authorizer.isLoaded })
        try await settle()
    }

    private func react(to change: Change) {
        switch change {
        case .journalLoaded(let authorization, _):
            wakes.restore(authorization.state.values)
            parts.authorizer.load(authorization)
            wakes.begin()
        case .manifestsChanged:
            parts.clients.manifestsChanged()
            waker.review()
        case .programsSettled: waker.review()
        case .journalStateChanged: wakes.journalChanged(to: parts.journal.status)
        default: break
        }
    }

    /// Waits until the inspector responds.
    func settle() async throws {
        #expect(
            try await eventually { () async throws -> Bool in parts.programs.isSettled && !parts.programs.isAbsent })
    }

    /// Has the inspector leave, and waits until that is noticed.
    func loseInspector() async throws {
        inspector.leave()
        #expect(try await eventually { () async throws -> Bool in parts.programs.isAbsent })
    }

    // Apps

    /// An app of those that the program serves.
    func app(_ name: String) -> AppID { AppID(uid: kind == .machine ? 0 : geteuid(), name: name) }

    /// Installs such an app, which may be woken. That is noticed later.
    func install(_ name: String) throws {
        try directory.write(
            "apps/\(name).app",
            """
            [App]
            Name=The \(name)
            \(kind == .machine ? "Unit" : "UserUnit")=\(name).service
            WhenInUseUsageDescription=Shows where you are on the map.
            AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.
            [Wake]
            Unit=\(name).service
            For=regions

            """)
    }

    /// Installs an app with this program.
    func install(_ name: String, program: String) throws {
        try directory.write(
            "apps/\(name).app",
            """
            [App]
            Name=The \(name)
            Exec=\(program)
            WhenInUseUsageDescription=Shows where you are on the map.

            """)
    }

    func remove(_ name: String) { unlink(directory.file("apps/\(name).app")) }

    // The program

    /// What the program receives.
    @DaemonActor
    final class Program {
        /// The lists of the apps whose services are to be watched.
        private(set) var watched: [[String]] = []
        /// How its call has ended.
        private(set) var failure: VarlinkError?
        private let client: LoopClient

        init(_ client: LoopClient) {
            self.client = client
            client.stream(WakerInterface.Serve()) { [weak self] result, _ in self?.receive(result) }
        }

        private func receive(_ result: Result<WakerInterface.Serve.Reply, VarlinkError>) {
            switch result {
            case .success(let reply): if let apps = reply.watched { watched.append(apps) }
            case .failure(let error): failure = error
            }
        }

        /// Whether its call has ended because it may not start services.
        var isRefused: Bool {
            guard case .reply(let name, _)? = failure else { return false }
            return name == ErrorName.wakerNotWaker.rawValue
        }
    }

    /// Connects the program, and has it call for orders.
    func connect() throws -> Program { Program(try client()) }

    /// Has the program report over another connection that the manager of services has started. Returns the error.
    func report() async throws -> VarlinkError? { try await report(WakerInterface.ReportManager()) }

    /// Has the program make a report over another connection. Returns the error.
    func report<Method: VarlinkMethod>(_ method: Method) async throws -> VarlinkError? {
        let client = try client()
        return await withCheckedContinuation { continuation in
            client.call(method) { result in
                switch result {
                case .success: continuation.resume(returning: nil)
                case .failure(let error): continuation.resume(returning: error)
                }
            }
        }
    }

    private func client() throws -> LoopClient {
        var ends: [Int32] = [-1, -1]
        try retrying("socketpair") {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
        }
        server.adopt(OwnedDescriptor(adopting: ends[0]))
        return try LoopClient(adopting: OwnedDescriptor(adopting: ends[1]))
    }

    // Records

    /// Whether an app has a record, and all of it is stored.
    func hasStoredRecord(_ name: String) -> Bool {
        wakes.users.contains(app(name).uid) && wakes.isStored(app(name)) && wakes.problem == nil
    }

    /// Locks the journal as another program does, until the transaction of the connection ends.
    func lockJournal() throws -> Database {
        let other = try Database(path: "\(parts.settings.journal.stateDirectory)/journal.db")
        try other.execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE", as: "lock")
        return other
    }

    func close() async {
        server.stop()
        await withCheckedContinuation { continuation in parts.journal.close { continuation.resume() } }
    }
}
