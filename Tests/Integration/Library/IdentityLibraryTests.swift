import Glibc
import Interfaces
import Location
import Platform
import SyncInterface
import TestClients
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink

/// Identifiers for programs in C, with a real daemon, hub and waymark-sync.
@Suite(.waits, .timeLimit(.minutes(10)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct IdentityLibraryTests {
    private static let purpose = "UserTrackingUsageDescription=Finds out who buys walking boots."

    private let apps: TestApps
    private let agent: String

    init() throws {
        apps = try TestApps()
        try apps.directory.write("bin/README", "")
        agent = try apps.program("agent")
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration(agents: [agent]), knowsLogins: false)
    }

    private func run(
        _ program: CompiledProgram, _ argument: String, _ daemon: String, sync: String
    ) throws -> CompletedProcess {
        try CompletedProcess.run(
            program.path, [argument],
            environment: ["PATH": "/usr/bin:/bin", "WAYMARK_SOCKET": daemon, "WAYMARK_SYNC_SOCKET": sync], seconds: 60)
    }

    @Test func `the example in C prints the identifiers of the installation, of the person and of the account`() throws
    {
        let program = try CompiledProgram("Examples/C/positions.c", to: apps.directory.file("bin/positions"))
        try apps.add(
            "positions", name: "Positions", program: program.path, "Vendor=org.example\n\(Self.purpose)")
        try apps.add("own", name: "Own", program: try TestApps.ownProgram(), "Vendor=org.example")
        let daemon = try start()
        let hub = try HubProcess(more: [])
        let machine = try SyncMachine(hub, as: "tablet")
        try machine.use()
        let vendor = try Client(path: daemon.socketPath, timeout: .seconds(60)).call(
            IdentityInterface.GetIdentifierForVendor(), timeout: .seconds(60))
        // The program is no app for waymark-sync, which reads the manifests of the machine, and so it names the container.
        let first = try run(program, "--identifiers", daemon.socketPath, sync: machine.socket)
        #expect(first.status == .exited(0), "\(first.error) \(daemon.log)")
        #expect(
            first.output.split(separator: "\n").sorted() == [
                "advertising: none, because tracking is not allowed", "installation: \(vendor.identifier)",
            ], "\(first.output)")
        #expect(
            first.error.contains("account: ") && first.error.contains("only an app has a container"), "\(first.error)")
        _ = try OperatorClient(daemon).call(
            ManageInterface.AuthorizeTracking(app: "positions", uid: geteuid(), status: .allow))
        let second = try run(program, "--identifiers", daemon.socketPath, sync: apps.directory.file("none"))
        let advertising = try #require(
            second.output.split(separator: "\n").first { $0.hasPrefix("advertising: ") }?.split(separator: " ").last)
        #expect(UniqueID(String(advertising))?.isRandom == true && advertising != vendor.identifier)
        #expect(second.error.contains("waymark-sync does not run: no program listens on"), "\(second.error)")
        #expect(!daemon.log.contains(vendor.identifier) && !daemon.log.contains(advertising))
    }

    @Test func `a program in C asks for tracking, the person answers, and it has the account's identifier`() throws {
        let program = try CompiledProgram(
            "Tests/Integration/Library/Programs/checks.c", to: apps.directory.file("bin/checks"), more: ["-ldl"])
        try apps.add("checks", name: "Checks", program: program.path, Self.purpose)
        let daemon = try start()
        let hub = try HubProcess(more: [])
        let machine = try SyncMachine(hub, as: "tablet")
        try machine.use()
        let agent = try AppClient(agent, to: daemon.socketPath, as: geteuid())
        #expect(try agent.register().isEmpty)
        let running = try ChildProcess(
            ChildProcess.Launch(
                program.path, ["identifiers", machine.socket, SyncMachine.container],
                environment: ["WAYMARK_SOCKET": daemon.socketPath], output: .pipe, error: .inherited, isGuarded: true))
        let question = try agent.nextQuery()
        let answerer = try AppClient(self.agent, to: daemon.socketPath, as: geteuid())
        let reply = try answerer.call(
            AgentInterface.Method.answer.rawValue,
            #"{"prompt":\#(question.id),"choice":"\#(PromptChoice.allow.rawValue)"}"#)
        #expect(reply.error == nil, "\(reply.parameters)")
        #expect(try running.wait(seconds: 60) == .exited(0), "\(daemon.log)")
        var text = ""
        try PipeText.read(running.outputPipe, into: &text) { $0.contains("account") && $0.hasSuffix("\n") }
        let lines = text.split(separator: "\n").map(String.init)
        let account = try machine.call(SyncInterface.GetAccountIdentifier(container: SyncMachine.container))
        #expect(
            lines.prefix(2) == ["before 0 0", "after 3 0"] && lines.last == "account \(account.identifier)", "\(text)")
        // The identifiers of apps have no relation.
        let others = lines.dropFirst(2).dropLast().map { String($0.split(separator: " ").last ?? "") }
        #expect(others.count == 2 && Set(others + [account.identifier]).count == 3, "\(text)")
        #expect(others.allSatisfy { UniqueID($0)?.isRandom == true })
    }

    @Test func `a program that is no app, and one whose manifest has no purpose, are refused with what to do`() throws {
        let program = try CompiledProgram("Examples/C/positions.c", to: apps.directory.file("bin/positions"))
        let daemon = try start()
        let stranger = try run(program, "--identifiers", daemon.socketPath, sync: apps.directory.file("none"))
        #expect(stranger.status == .exited(1) && stranger.output == "", "\(stranger.output)")
        #expect(stranger.error.contains("installation: ") && stranger.error.contains("manifest"), "\(stranger.error)")
        let checks = try CompiledProgram(
            "Tests/Integration/Library/Programs/checks.c", to: apps.directory.file("bin/checks"), more: ["-ldl"])
        try apps.add("checks", name: "Checks", program: checks.path)
        #expect(try eventually(within: Patience.daemon) { try OperatorClient(daemon).app("checks") != nil })
        let refused = try checks.run(["purpose"], socket: daemon.socketPath)
        #expect(refused.status == .exited(0), "\(refused.error)")
    }
}
