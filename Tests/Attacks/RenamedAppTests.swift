import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A user who gives a program another name, so that root's restrictions do not apply to it.
@Suite(.waits, .enabled(if: PersonalScene.isPossible, "starting programs as another user needs root"))
struct RenamedAppTests {
    private let scene: PersonalScene
    private let program: String
    private let receiver: PlayedReceiver

    init() throws {
        scene = try PersonalScene()
        program = try scene.apps.program("trail")
        receiver = try PlayedReceiver.tenHertz()
    }

    private func manifest(_ name: String) -> String {
        """
        [App]
        Name=\(name)
        Exec=\(program)
        WhenInUseUsageDescription=Shows the way along the coast.
        AlwaysAndWhenInUseUsageDescription=Records the way along the coast.
        """
    }

    private func position(_ daemon: DaemonProcess) throws -> Reply {
        try AppClient(program, to: daemon.socketPath, as: PersonalScene.person).call(
            LocationInterface.Method.getPosition.rawValue, #"{"timeoutMilliseconds":20000}"#)
    }

    @Test func `a list of allowed apps is met by the system's manifests, and by no user's of that name`() throws {
        defer { receiver.stop() }
        try scene.write("trail.app", manifest("Trail"))
        let daemon = try scene.start(gpsd: receiver.address)
        #expect(try position(daemon).error == ErrorName.notDetermined.rawValue, "\(daemon.log)")
        try OperatorClient(daemon).authorize("trail", .always, uid: PersonalScene.person)
        #expect(try position(daemon).error == nil)
        try scene.apps.restrict("[Restrictions]\nAllowOnlyApps=trail\n")
        #expect(try eventually { try position(daemon).error == ErrorName.restricted.rawValue })
        // Of the system's, it is the app that root means.
        try scene.apps.directory.write("apps/trail.app", manifest("Trail"))
        #expect(try eventually { try position(daemon).error == nil }, "\(daemon.log)")
    }

    @Test func `a denied app stays denied under another name`() throws {
        defer { receiver.stop() }
        try scene.write("trail.app", manifest("Trail"))
        try scene.write("trail2.app", "[App]\nName=Nobody\nExec=/bin/false\n")
        let daemon = try scene.start(gpsd: receiver.address)
        _ = try position(daemon)
        try scene.apps.restrict("[Restrictions]\nDenyApps=trail\n")
        #expect(try eventually { try position(daemon).error == ErrorName.restricted.rawValue })
        // By the same program; then also by the unit, which proves more and so names the app.
        try scene.write("trail2.app", manifest("Trail Two"))
        var errors: Set<String?> = []
        let isNeither = try eventually {
            errors.insert(try position(daemon).error)
            return errors.contains(ErrorName.manifestMissing.rawValue)
        }
        #expect(isNeither, "two manifests by the same proof are neither")
        #expect(errors.isSubset(of: [ErrorName.manifestMissing.rawValue, ErrorName.restricted.rawValue]))
        guard TemporaryControlGroup.hierarchy != nil else { return }
        let unit = "trail2-\(getpid())-\(Int.random(in: 0..<1_000_000_000)).scope"
        let group = try TemporaryControlGroup("\(PersonalScene.slice)/\(unit)")
        try scene.write(
            "trail2.app",
            "[App]\nName=Trail Two\nUserUnit=\(unit)\nWhenInUseUsageDescription=Shows the way along the coast.\n")
        #expect(try eventually { try position(daemon).error == ErrorName.restricted.rawValue })
        let client = try AppClient(program, to: daemon.socketPath, as: PersonalScene.person)
        try group.write("\(client.processID)", to: "cgroup.procs")
        let own = try client.call(LocationInterface.Method.getAuthorization.rawValue)
        #expect(own.parameters["authorization"]?["app"] == "trail2", "\(own.parameters)")
        #expect(own.parameters["authorization"]?["status"] == "restricted", "\(own.parameters)")
        let authorized = Result {
            try OperatorClient(daemon).authorize("trail2", .always, uid: PersonalScene.person)
        }
        #expect(throws: (any Error).self) { try authorized.get() }
        try client.kill()
        withExtendedLifetime(group) {}
    }
}
