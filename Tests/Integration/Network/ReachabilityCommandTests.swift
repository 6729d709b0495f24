import Glibc
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// `waymark path` and `waymark target`, run by an unprivileged user. The daemon runs as another unprivileged user, and watches
/// a network that the test makes.
@Suite(
    .waits,
    .enabled(
        if: PrivateNetwork.isPossible && OtherUser.isPossible && FarNameServer.program != nil,
        "root is needed for a network namespace and another user, and dnsmasq for a name server"))
struct ReachabilityCommandTests {
    private static let user = 4_711
    private let network: TestNetwork
    private let daemon: DaemonProcess

    init() throws {
        network = try TestNetwork(.both)
        daemon = try ReachabilityScene.daemon(network, settings: "Settle=50ms\nMaximumSettle=50ms")
    }

    private func command(_ arguments: [String]) throws -> [String] {
        let become = ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", "--no-new-privs"]
        return become + [try network.machine.program("waymark")] + arguments + ["--socket", daemon.socketPath]
    }

    private func waymark(_ arguments: String...) throws -> CompletedProcess {
        try network.machine.run("/usr/bin/setpriv", try command(arguments), seconds: 45)
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        try network.machine.start(
            ChildProcess.Launch("/usr/bin/setpriv", try command(arguments), output: .pipe, error: .inherited))
    }

    @Test func `waiting for a host by name ends when its name server is available again`() throws {
        let server = try FarNameServer(network, at: TestNetwork.routerIPv4(), "tracker.test", [TestNetwork.worldIPv4])
        try server.choose()
        try server.stop()
        let soon = try waymark("target", "tracker.test:443", "--wait", "--timeout", "0.5")
        #expect(soon.status == .exited(6), "\(soon)")
        // The daemon queries again after 1, 2, 4 … seconds.
        let wait = try start("target", "tracker.test:443", "--wait", "--timeout", "180")
        try server.start("tracker.test", [TestNetwork.worldIPv4])
        #expect(try wait.wait(seconds: 180) == .exited(0))
        let unknown = try waymark("target", "nobody.test")
        #expect(unknown.status == .exited(6), "\(unknown)")
    }

    @Test func `a watching command shows each loss and each gain`() throws {
        let watch = try start("path", "--watch")
        var text = ""
        func shows(_ lineCounts: ClosedRange<Int>, _ status: String) -> Bool {
            eventually(within: Patience.daemon) {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = read(watch.outputPipe, &buffer, buffer.count)
                if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
                let lines = text.split(separator: "\n")
                return lineCounts.contains(lines.count)
                    && lines.last?.split(separator: " ").contains { $0.hasPrefix(status) } == true
            }
        }
        #expect(shows(1...1, "satisfied"), "\(text)")
        try network.machine.ip("link set up0 down")
        // One version of the protocol may follow shortly after the other.
        #expect(shows(2...3, "unsatisfied"), "\(text)")
        #expect(try waymark("path").status == .exited(6))
        try network.restore()
        #expect(try eventually { try waymark("path", "--wait", "--timeout", "10").status == .exited(0) })
        #expect(shows(3...5, "satisfied"), "\(text)")
    }
}
