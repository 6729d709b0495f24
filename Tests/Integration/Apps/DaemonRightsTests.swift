import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The daemon as the system unit runs it: a user of its own without a capability, with an inspector that reads what the
/// daemon may not; a daemon that has the capabilities itself; and the limits of a daemon without either.
@Suite(
    .waits,
    .enabled(
        if: OtherUser.isPossible
            && [.readEverything, .chooseCapabilities, .trace, .changeOwners].allSatisfy { (held: Capability) in
                held.isHeld
            }, "only root can give a daemon capabilities, where it has them itself"))
struct DaemonRightsTests {
    private static let daemonUser: UInt32 = 4_711
    private static let person = OtherUser.nobody
    private static let slice = "/user.slice/user-\(person).slice/user@\(person).service/app.slice"

    private let apps: TestApps
    private let trailmap: String
    private let agent: String
    private let receiver: PlayedReceiver

    /// How the daemon reads files and processes that only root may read.
    enum Sight: CaseIterable {
        /// With a `waymark-inspector`, as in the system unit.
        case inspector
        /// The daemon itself.
        case own
        /// Neither.
        case none

        /// The cases that are possible on this machine.
        static let possible: [Sight] = (InspectorService.isPossible ? [.inspector] : []) + [.own]
    }

    init() throws {
        apps = try TestApps()
        trailmap = try apps.program("trailmap")
        agent = try apps.program("agent")
        try apps.add("trailmap", name: "Trail Map", program: trailmap)
        receiver = try PlayedReceiver.tenHertz()
    }

    private func start(
        _ sight: Sight, capabilities: [String]? = nil, personalManifests: Bool = false, userDatabase: String? = nil
    ) throws -> (daemon: DaemonProcess, inspector: InspectorService?) {
        let capabilities = capabilities ?? (sight == .own ? DaemonSurroundings.seeingCapabilities : [])
        var surroundings = DaemonSurroundings()
        var inspector: InspectorService?
        if sight == .inspector {
            let service = try InspectorService(
                try apps.program("waymark-inspector", of: "waymark-inspector"),
                at: apps.directory.file("inspector.sock"))
            surroundings.environment = ["WAYMARK_INSPECTOR=\(service.path)"]
            inspector = service
        }
        surroundings.user = Self.daemonUser
        surroundings.capabilities = capabilities
        surroundings.userDatabase = userDatabase
        // The folder of the build may be closed to others.
        surroundings.program = try apps.program("waymarkd", of: "waymarkd")
        let daemon = try DaemonProcess(
            in: apps.directory,
            configuration: apps.configuration(agents: [agent], personalManifests: personalManifests),
            gpsd: receiver.address, knowsLogins: false, surroundings: surroundings)
        let status = "/proc/\(daemon.processID)/status"
        let lines = String(decoding: try BoundedFile.bytes(of: status, limit: 65_536), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.contains("NoNewPrivs:\t1") && lines.contains { $0.hasPrefix("Uid:\t\(Self.daemonUser)\t") })
        // CAP_SYS_PTRACE is number 19, CAP_DAC_READ_SEARCH number 2, capabilities(7).
        let expected = capabilities.reduce(0) { $0 | (["dac_read_search": 0x4, "sys_ptrace": 0x8_0000][$1] ?? 0) }
        for kind in ["CapEff:\t", "CapPrm:\t", "CapBnd:\t", "CapAmb:\t"] {
            let line = try #require(lines.first { $0.hasPrefix(kind) })
            #expect(UInt64(line.dropFirst(kind.count), radix: 16) == UInt64(expected))
        }
        return (daemon, inspector)
    }

    /// The error of a call for a position, with its message; nil where there is a position.
    private func refusal(_ client: AppClient) throws -> Reply? {
        let reply = try client.call(LocationInterface.Method.getPosition.rawValue)
        if reply.error == nil { #expect(reply.parameters["position"] != nil) }
        return reply.error == nil ? nil : reply
    }

    @Test(arguments: Sight.possible)
    func `the daemon knows another user's app and agent by their programs`(sight: Sight) throws {
        defer { receiver.stop() }
        let (daemon, inspector) = try start(sight)
        let client = try AppClient(trailmap, to: daemon.socketPath, as: Self.person)
        #expect(try refusal(client)?.error == ErrorName.notDetermined.rawValue)
        let watching = try AppClient(agent, to: daemon.socketPath, as: Self.person)
        #expect(try watching.register().isEmpty)
        #expect(try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try client.begin(LocationInterface.Method.requestWhenInUse.rawValue)
        let question = try watching.nextQuery()
        let answering = try AppClient(agent, to: daemon.socketPath, as: Self.person)
        let answer = try answering.call(
            AgentInterface.Method.answer.rawValue,
            #"{"prompt":\#(question.id),"choice":"allowWhileUsing","precise":true}"#)
        #expect(answer.error == nil, "\(answer.parameters)")
        #expect(try client.next()?.error == nil)
        #expect(try refusal(client) == nil, "\(daemon.log)")
        #expect(try daemon.stop() == .exited(0), "\(daemon.log)")
        try daemon.restart()
        let again = try AppClient(trailmap, to: daemon.socketPath, as: Self.person)
        #expect(try again.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        #expect(try refusal(again) == nil)
        let stranger = try AppClient(try apps.program("stranger"), to: daemon.socketPath, as: Self.person)
        #expect(try refusal(stranger)?.error == ErrorName.manifestMissing.rawValue)
        withExtendedLifetime(inspector) {}
    }

    @Test func `without either the daemon reports what it may not see, and identifies programs of its own user`() throws
    {
        defer { receiver.stop() }
        let (daemon, _) = try start(.none)
        try OperatorClient(daemon).authorize("trailmap", .always, uid: Self.person)
        try OperatorClient(daemon).authorize("trailmap", .always, uid: Self.daemonUser)
        let client = try AppClient(trailmap, to: daemon.socketPath, as: Self.person)
        let refused = try #require(try refusal(client))
        #expect(refused.error == ErrorName.manifestMissing.rawValue)
        let message = try #require(refused.parameters["message"]?.stringValue)
        #expect(message.contains("its program may not be read: Permission denied"), "\(message)")
        let watching = try AppClient(agent, to: daemon.socketPath, as: Self.person)
        try watching.begin(AgentInterface.Method.register.rawValue, more: true)
        let notAgent = try #require(try watching.next())
        #expect(notAgent.error == ErrorName.agentNotAgent.rawValue)
        #expect(
            notAgent.parameters["message"]?.stringValue?.contains("may not be read") == true, "\(notAgent.parameters)")

        let own = try AppClient(trailmap, to: daemon.socketPath, as: Self.daemonUser)
        #expect(try refusal(own) == nil)
        #expect(try AppClient(agent, to: daemon.socketPath, as: Self.daemonUser).register().isEmpty)
    }

    @Test(
        .enabled(
            if: DaemonSurroundings.seesProgramsFromOwnMounts, "no other user database can be laid over the machine's"),
        arguments: Sight.possible + [.none])
    func `a personal manifest in a closed home is used if the daemon or its inspector may read it`(sight: Sight) throws
    {
        defer { receiver.stop() }
        let logger = try apps.program("logger")
        let directory = apps.directory
        // Each belongs to the person, and is closed to everybody else.
        try directory.write("home/.config/waymark/apps/logger.app", "[App]\nName=Logger\nExec=\(logger)\n")
        for name in ["home", "home/.config", "home/.config/waymark", "home/.config/waymark/apps"] {
            let path = directory.file(name)
            #expect(chown(path, Self.person, Self.person) == 0 && chmod(path, 0o700) == 0)
        }
        let manifest = directory.file("home/.config/waymark/apps/logger.app")
        #expect(chown(manifest, Self.person, Self.person) == 0 && chmod(manifest, 0o600) == 0)
        let users = try directory.write(
            "passwd",
            "root:x:0:0::/root:/bin/sh\nnobody:x:\(Self.person):\(Self.person)::\(directory.file("home")):/bin/sh\n")
        let (daemon, inspector) = try start(
            sight, capabilities: sight == .none ? ["sys_ptrace"] : nil, personalManifests: true, userDatabase: users)
        let client = try AppClient(logger, to: daemon.socketPath, as: Self.person)
        let refused = try #require(try refusal(client))
        guard sight != .none else {
            #expect(refused.error == ErrorName.manifestMissing.rawValue)
            #expect(
                eventually { daemon.log.contains("home/.config/waymark/apps") }, "nothing is reported:\n\(daemon.log)")
            return
        }
        #expect(refused.error == ErrorName.notDetermined.rawValue, "\(refused.parameters)\n\(daemon.log)")
        try OperatorClient(daemon).authorize("logger", .always, uid: Self.person)
        #expect(try refusal(client) == nil)
        // It is watched there, too.
        let text = try BoundedFile.bytes(of: manifest, limit: 65_536)
        for _ in 0..<2 {
            #expect(unlink(manifest) == 0)
            #expect(try eventually { try refusal(client)?.error == ErrorName.manifestMissing.rawValue })
            try directory.write("home/.config/waymark/apps/logger.app", bytes: text)
            #expect(chown(manifest, Self.person, Self.person) == 0)
            #expect(try eventually { try refusal(client) == nil })
        }
        withExtendedLifetime(inspector) {}
    }

    @Test(
        .enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"),
        arguments: [true, false])
    func `units, and that they are frozen, are seen with and without the capabilities`(isCapable: Bool) throws {
        defer { receiver.stop() }
        try apps.directory.write(
            "apps/fleet.app", "[App]\nName=Fleet\nUserUnit=app-fleet-*.scope\nWhenInUseUsageDescription=Finds cars.\n")
        let (daemon, _) = try start(isCapable ? .own : .none)
        try OperatorClient(daemon).authorize("fleet", .whileUsing, uid: Self.person)
        // A separate folder for each case: both may run at once.
        let group = try TemporaryControlGroup("\(Self.slice)/app-fleet-\(getpid())\(isCapable ? 1 : 2).scope")
        let client = try AppClient(try apps.program("cars"), to: daemon.socketPath, as: Self.person)
        try group.write("\(client.processID)", to: "cgroup.procs")
        let reply = try client.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#)
        #expect(reply.parameters["authorization"]?["assurance"] == "user", "\(reply.parameters)")
        #expect(try refusal(client) == nil)
        try group.write("1", to: "cgroup.freeze")
        #expect(try eventually { try OperatorClient(daemon).app("fleet")?.isInUse == false })
        try group.write("0", to: "cgroup.freeze")
        #expect(try eventually { try OperatorClient(daemon).app("fleet")?.isInUse == true })
        #expect(try refusal(client) == nil)
        try client.kill()
        withExtendedLifetime(group) {}
    }
}
