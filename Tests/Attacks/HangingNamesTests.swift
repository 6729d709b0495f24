import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Names without a reply of any name server, as many as a user may watch, so that others' names are not resolved.
@Suite(
    .waits, .enabled(if: PrivateNetwork.isPossible && OtherUser.isPossible, "creating a network namespace needs root"))
struct HangingNamesTests {
    /// An account of every Debian, that has nothing to do with the other.
    private static let other: UInt32 = 1

    @Test func `sixty hanging names of one user do not delay another user's name`() throws {
        let network = try TestNetwork(.ipv4)
        let programs = try TemporaryDirectory()
        let program = try programs.write(
            "resolver",
            "#!/bin/sh\nread name; case $name in hang*) exec sleep 600;; esac; echo \(TestNetwork.worldIPv4); echo found\n"
        )
        for path in [program, programs.path] { try retrying("chmod", subject: path) { chmod(path, 0o755) } }
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        let directory = try TemporaryDirectory()
        try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o755) }
        let daemon = try DaemonProcess(
            in: directory,
            configuration: "[Socket]\nMaximumConnectionsPerUser=100\n[Reachability]\nResolver=\(program)\n",
            surroundings: surroundings)
        func connect(as user: UInt32) throws -> Client {
            try network.machine.inside {
                try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: user))
            }
        }
        let hanging = try (0..<60).map { number in
            try connect(as: OtherUser.nobody).stream(
                ReachabilityInterface.Method.monitorTarget.rawValue, ["host": .string("hang\(number).example")])
        }
        #expect(hanging.count == 60)
        let clock = SystemClock()
        var took: UInt64 = 0
        for number in 0..<3 {
            let client = try connect(as: Self.other)
            let began = clock.monotonicNanoseconds
            let reply = try client.call(
                ReachabilityInterface.Method.getTarget.rawValue, ["host": .string("tracker\(number).example")],
                timeout: .seconds(60))
            took += (clock.monotonicNanoseconds - began) / 1_000_000
            #expect(reply["target"]?["status"] == "reachable", "\(reply) \(daemon.log)")
        }
        // A name that hangs has its process for five seconds, which each name would wait for. On a busy machine one of
        // them may be late all the same.
        #expect(took < 7_500, "\(took) ms")
    }
}
