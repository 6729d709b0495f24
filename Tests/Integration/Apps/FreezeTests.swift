import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Apps whose processes are frozen, as desktops and the suspend of a container do it.
@Suite(
    .waits,
    .enabled(
        if: OtherUser.isPossible && TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
struct FreezeTests {
    private static let person = OtherUser.nobody
    private static let slice = "/user.slice/user-\(person).slice/user@\(person).service/app.slice"

    private let apps: TestApps
    private let wanderer: String
    private let receiver: PlayedReceiver

    init() throws {
        apps = try TestApps()
        wanderer = try apps.program("wanderer")
        try apps.add("wanderer", name: "Wanderer", program: wanderer)
        receiver = try PlayedReceiver.tenHertz()
    }

    private func start() throws -> DaemonProcess {
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + TestApps.patientReceiver, gpsd: receiver.address,
            knowsLogins: false)
        try OperatorClient(daemon).authorize("wanderer", .whileUsing, uid: Self.person)
        return daemon
    }

    /// Reads until an update that is wanted.
    private func next(_ client: AppClient, where isWanted: (LocationUpdate) -> Bool) throws -> LocationUpdate? {
        while let update = try client.next()?.parameters["update"].flatMap(LocationUpdate.init) {
            if isWanted(update) { return update }
        }
        return nil
    }

    private func nextInUse(_ client: AppClient) throws -> Bool? {
        try client.next()?.parameters["authorization"].flatMap(AppAuthorization.init)?.isInUse
    }

    @Test(arguments: [false, true])
    func `an app is not in use while the process that was in use is frozen`(above: Bool) throws {
        defer { receiver.stop() }
        let daemon = try start()
        // Of its own: both cases run at once.
        let name = above ? "above" : "itself"
        let slice = try TemporaryControlGroup("\(Self.slice)/app-waymarktest-\(name).slice")
        let group = try TemporaryControlGroup("\(slice.path)/app-wanderer-1.scope")
        let front = try AppClient(wanderer, to: daemon.socketPath, as: Self.person)
        try group.write("\(front.processID)", to: "cgroup.procs")
        #expect(try front.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        // Another process of the app, which keeps running: its messages show the effect of the freeze.
        let (stream, reported) = try (
            AppClient(wanderer, to: daemon.socketPath, as: Self.person),
            AppClient(wanderer, to: daemon.socketPath, as: Self.person)
        )
        try stream.begin(LocationInterface.Method.monitor.rawValue, more: true)
        #expect(try next(stream) { $0.position != nil } != nil)
        try reported.begin(LocationInterface.Method.monitorAuthorization.rawValue, more: true)
        #expect(try nextInUse(reported) == true)
        for _ in 0..<2 {
            try (above ? slice : group).write("1", to: "cgroup.freeze")
            #expect(try nextInUse(reported) == false)
            #expect(try next(stream) { $0.diagnostics == ["insufficientlyInUse"] }?.position == nil)
            #expect(try OperatorClient(daemon).app("wanderer")?.isInUse == false)
            #expect(try reported.next(seconds: 0.3) == nil, "nothing else has changed")
            try (above ? slice : group).write("0", to: "cgroup.freeze")
            #expect(try nextInUse(reported) == true)
            #expect(try next(stream) { _ in true }?.position != nil)
            #expect(try OperatorClient(daemon).app("wanderer")?.isInUse == true)
        }
        for client in [front, stream, reported] { try client.kill() }
        withExtendedLifetime((slice, group)) {}
    }

    @Test func `an app whose process is frozen is not in use in spite of a hold`() throws {
        defer { receiver.stop() }
        let daemon = try start()
        let group = try TemporaryControlGroup("\(Self.slice)/app-waymarktest-held.scope")
        let front = try AppClient(wanderer, to: daemon.socketPath, as: Self.person)
        try group.write("\(front.processID)", to: "cgroup.procs")
        #expect(try front.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"active"}"#).error == nil)
        try front.begin(LocationInterface.Method.holdInUse.rawValue, more: true)
        #expect(try front.next()?.error == nil)
        try group.write("1", to: "cgroup.freeze")
        #expect(try eventually { try OperatorClient(daemon).app("wanderer")?.isInUse == false })
        #expect(try OperatorClient(daemon).app("wanderer")?.holds == 1)
        try group.write("0", to: "cgroup.freeze")
        #expect(try eventually { try OperatorClient(daemon).app("wanderer")?.isInUse == true })
        try front.kill()
        withExtendedLifetime(group) {}
    }

    @Test func `a process that is frozen already when it is identified is not in use until it is thawed`() throws {
        defer { receiver.stop() }
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let daemon = try start()
        let group = try TemporaryControlGroup("\(Self.slice)/app-waymarktest-cold.scope")
        // The test calls on its connection, as the frozen process cannot.
        var script = PeerProcess.Script()
        script.user = Self.person
        script.passesConnection = true
        script.controlGroup = group.folder
        let process = try PeerProcess(connectingTo: daemon.socketPath, script)
        let connection = try RawConnection(copying: process.passed)
        try group.write("1", to: "cgroup.freeze")
        #expect(eventually { FreezeState.isFrozen(ControlGroup(path: group.path)) == true })
        let active = #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#
        #expect(try connection.send(message: active) == .everything)
        let reply = try #require(try connection.read(messages: 1))
        #expect(reply.contains(#""app":"trailmap""#) && reply.contains(#""isInUse":false"#), "\(reply)")
        try group.write("0", to: "cgroup.freeze")
        #expect(try eventually { try OperatorClient(daemon).app("trailmap")?.isInUse == true })
        process.end()
        withExtendedLifetime(group) {}
    }
}
