import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A program that leaves the unit of its user's manager by which it is an app: the rights that it gains, see
/// authorization.md.
@Suite(
    .waits, .enabled(if: OtherUser.isPossible, "starting programs as another user needs root"),
    .enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
struct LeftUnitTests {
    private static let person = OtherUser.nobody
    private static let slice = "/user.slice/user-\(person).slice/user@\(person).service/app.slice"

    private let apps: TestApps
    private let program: String
    private let unit = "trail-\(getpid())-\(Int.random(in: 0..<1_000_000_000)).scope"
    private let receiver: PlayedReceiver

    init() throws {
        apps = try TestApps()
        program = try apps.program("trail")
        try apps.directory.write(
            "apps/trail.app", "[App]\nName=Trail\nUserUnit=\(unit)\nWhenInUseUsageDescription=Shows the coast.\n")
        receiver = try PlayedReceiver.tenHertz()
    }

    private func start(_ more: String = "") throws -> DaemonProcess {
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + more, gpsd: receiver.address)
        try OperatorClient(daemon).authorize("trail", .always, uid: Self.person)
        return daemon
    }

    @Test func `a program outside the unit is not the app and gets nothing, also if it was inside before`() throws {
        defer { receiver.stop() }
        let daemon = try start()
        let inside = try TemporaryControlGroup("\(Self.slice)/\(unit)")
        let outside = try TemporaryControlGroup("\(Self.slice)/elsewhere-\(unit)")
        let client = try AppClient(program, to: daemon.socketPath)
        try inside.write("\(client.processID)", to: "cgroup.procs")
        let position = #"{"timeoutMilliseconds":20000}"#
        #expect(try client.call(LocationInterface.Method.getPosition.rawValue, position).error == nil, "\(daemon.log)")
        let child = try AppClient(program, to: daemon.socketPath)
        try outside.write("\(child.processID)", to: "cgroup.procs")
        #expect(
            try child.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.manifestMissing.rawValue)
        for client in [client, child] { try client.kill() }
        withExtendedLifetime((inside, outside)) {}
    }

    @Test func `where a system unit is required a user's unit is not accepted`() throws {
        defer { receiver.stop() }
        let daemon = try start("MinimumAssurance=unit\n")
        let inside = try TemporaryControlGroup("\(Self.slice)/\(unit)")
        let client = try AppClient(program, to: daemon.socketPath)
        try inside.write("\(client.processID)", to: "cgroup.procs")
        #expect(
            try client.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.manifestMissing.rawValue)
        try client.kill()
        withExtendedLifetime(inside) {}
    }
}
