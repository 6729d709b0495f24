import Glibc
import Manifests
import Platform
import TestSupport
import Testing

@testable import Waker

@Suite struct WakeManifestsTests {
    init() { LoopThread.start() }

    private static func manifest(_ identity: String, wake: String) -> String {
        "[App]\nName=Gate\n\(identity)\n[Wake]\nUnit=\(wake)\nFor=regions\n"
    }

    private func folder(_ files: [String: String]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, text) in files { try directory.write(name, text) }
        return directory
    }

    @Test func `an app of the machine is started by the service of its manifest`() throws {
        let directory = try folder(["gate.app": Self.manifest("Unit=gate.service", wake: "gate.service")])
        let manifests = WakeManifests(folders: [directory.path], user: nil)
        #expect(manifests.unit(of: "gate") == "gate.service")
        #expect(manifests.unit(of: "other") == nil)
    }

    @Test func `for the machine's service manager the apps of users have no service`() throws {
        let directory = try folder([
            "mine.app": Self.manifest("UserUnit=mine.service", wake: "ssh.service"),
            "gate.app": Self.manifest("Unit=gate.service", wake: "gate.service"),
        ])
        #expect(WakeManifests(folders: [directory.path], user: nil).unit(of: "mine") == nil)
        #expect(WakeManifests(folders: [directory.path], user: 65_533).unit(of: "gate") == nil)
        #expect(WakeManifests(folders: [directory.path], user: 65_533).unit(of: "mine") == "ssh.service")
    }

    @Test(arguments: [
        "../gate.service", "/etc/x.service", "gate@x.service", "gate.service other.service", "-gate.service",
    ])
    func `a manifest with another name than a plain one has no service`(unit: String) throws {
        let directory = try folder(["gate.app": Self.manifest("Unit=gate.service", wake: unit)])
        #expect(WakeManifests(folders: [directory.path], user: nil).unit(of: "gate") == nil)
    }

    @Test func `a file that others may write has no service`() throws {
        let directory = try folder(["gate.app": Self.manifest("Unit=gate.service", wake: "gate.service")])
        chmod("\(directory.path)/gate.app", 0o666)
        #expect(WakeManifests(folders: [directory.path], user: nil).unit(of: "gate") == nil)
    }

    @Test(
        arguments: [
            ("org.freedesktop.systemd1.UnitMasked", "masked"), ("org.freedesktop.systemd1.NoSuchUnit", "noService"),
            ("org.freedesktop.systemd1.TransactionIsDestructive", "unavailable"), ("", "unavailable"),
            ("org.freedesktop.DBus.Error.AccessDenied", "unavailable"), ("org.example.Other", "notStarted"),
        ])
    @DaemonActor
    func `an error of the manager has a result`(name: String, outcome: String) {
        #expect(WatchedService.outcome(of: name).rawValue == outcome)
    }
}
