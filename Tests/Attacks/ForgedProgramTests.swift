import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Programs that pretend to be another one: `prctl(PR_SET_MM_MAP)` in a user namespace, code that the loader is made to
/// add, and connections that were made before.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "starting programs as another user needs root"))
struct ForgedProgramTests {
    private static let person = OtherUser.nobody
    private static let agentGroup: gid_t = 4_243

    private let apps: TestApps
    private let attacker: String
    private let trailmap: String
    private let agent: String

    init() throws {
        apps = try TestApps()
        attacker = try apps.program("attacker")
        trailmap = try apps.program("trailmap")
        agent = try apps.program("agent")
        try apps.add("trailmap", name: "Trail Map", program: trailmap)
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(in: apps.directory, configuration: apps.configuration(agents: [agent]), knowsLogins: false)
    }

    private static let isNoSUID: Bool = {
        var status = statvfs()
        return statvfs("/tmp", &status) != 0 || status.f_flag & UInt(ST_NOSUID) != 0
    }()

    @Test(
        .enabled(if: UserNamespace.isPossible, "users may have no user namespaces here"),
        .enabled(if: !Sanitizer.isActive, "a sanitizer ends a program that replaces what it is mapped from"),
        arguments: [("namespace", "user namespace"), ("memory", "executes nothing of")])
    func `a program that changes its link in /proc is neither the app nor the agent`(
        how: String, why: String
    ) throws {
        let daemon = try start()
        try OperatorClient(daemon).authorize("trailmap", .always, uid: Self.person)
        let app = try AppClient(attacker, to: daemon.socketPath, arguments: [how, trailmap])
        let reply = try app.call(LocationInterface.Method.getPosition.rawValue)
        // The link has the path that the attacker wanted: otherwise the test would show nothing.
        #expect(LinkTarget.read("/proc/\(app.processID)/exe") == trailmap)
        #expect(reply.error == ErrorName.manifestMissing.rawValue, "\(reply.parameters)")
        #expect(reply.parameters["message"]?.stringValue?.contains(why) == true, "\(reply.parameters)")

        let pretender = try AppClient(attacker, to: daemon.socketPath, arguments: [how, agent])
        let refusal = try pretender.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue, "\(refusal.parameters)")
        #expect(refusal.parameters["message"]?.stringValue?.contains(why) == true, "\(refusal.parameters)")
        #expect(try AppClient(agent, to: daemon.socketPath).register().isEmpty)
    }

    @Test(
        .enabled(if: UserNamespace.isPossible, "users may have no user namespaces here"),
        arguments: ["namespace", "memory"])
    func `an unreadable agent cannot be impersonated`(how: String) throws {
        #expect(chown(agent, 0, Self.agentGroup) == 0 && chmod(agent, 0o2711) == 0)
        let daemon = try start()
        let pretender = try AppClient(attacker, to: daemon.socketPath, arguments: [how, agent])
        // It ends before it connects: it may not open the file that it would have to show to the kernel.
        let status = "/proc/\(pretender.processID)/stat"
        #expect(
            try eventually {
                let text = String(decoding: try BoundedFile.bytes(of: status, limit: 4_096), as: UTF8.self)
                return text.contains(") Z ")
            })
        #expect(try pretender.next() == nil)
    }

    @Test(.enabled(if: !isNoSUID, "set-group-ID programs do not count below /tmp here"))
    func `an agent with a group of its own is accepted only if it was started with that group`() throws {
        #expect(chown(agent, 0, Self.agentGroup) == 0 && chmod(agent, 0o2711) == 0)
        let daemon = try start()
        #expect(try AppClient(agent, to: daemon.socketPath).register().isEmpty)
        // So started the loader obeys LD_PRELOAD.
        let loaded = try AppClient(agent, to: daemon.socketPath, options: ["--no-new-privs"])
        let refusal = try loaded.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue, "\(refusal.parameters)")
        #expect(
            refusal.parameters["message"]?.stringValue?.contains("without the group") == true, "\(refusal.parameters)")
    }

    @Test(.enabled(if: !isNoSUID, "set-group-ID programs do not count below /tmp here"))
    func `a program that connects and then becomes the agent is no agent on that connection`() throws {
        #expect(chown(agent, 0, Self.agentGroup) == 0 && chmod(agent, 0o2711) == 0)
        let daemon = try start()
        var script = PeerProcess.Script()
        script.user = Self.person
        script.passesConnection = true
        script.laterProgram = agent
        let process = try PeerProcess(connectingTo: daemon.socketPath, script)
        let before = try RawConnection(copying: process.passed)
        try process.become()
        #expect(
            try before.send(
                message: #"{"method":"\#(AgentInterface.Method.dismiss.rawValue)","parameters":{"prompt":1}}"#)
                == .everything)
        let reply = try #require(try before.read(messages: 1))
        #expect(reply.contains(ErrorName.agentNotAgent.rawValue), "\(reply)")
        process.end()
    }

    @Test(.enabled(if: !isNoSUID, "set-group-ID programs do not count below /tmp here"))
    func `an agent with a group of its own starts no program named by its environment`() throws {
        let program = try apps.program("waymark-agent", of: "waymark-agent")
        #expect(chown(program, 0, Self.agentGroup) == 0 && chmod(program, 0o2711) == 0)
        let folder = apps.directory.file("open")
        #expect(mkdir(folder, 0o777) == 0 && chmod(folder, 0o777) == 0)
        // sd-bus(3) would run the command of such an address, with the group that makes an agent.
        for (options, isRun) in [([], false), (["--no-new-privs"], true)] as [([String], Bool)] {
            let proof = "\(folder)/run-\(isRun)"
            let address = "unixexec:path=/usr/bin/touch,argv1=\(proof)"
            let agent = try ChildProcess(
                ChildProcess.Launch(
                    "/usr/bin/setpriv",
                    ["--reuid=\(Self.person)", "--regid=\(Self.person)", "--clear-groups"] + options
                        + [program, "--desktop"],
                    environment: ["DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C"], error: .pipe, isGuarded: true))
            if isRun {
                #expect(eventually { access(proof, F_OK) == 0 })
            } else {
                // It reports that there is no desktop session when it has refused the address.
                var said = ""
                try PipeText.read(agent.errorPipe, into: &said) { $0.contains("desktop session") }
                #expect(said.contains("desktop session") && access(proof, F_OK) != 0, "\(said)")
            }
            withExtendedLifetime(agent) {}
        }
    }
}
