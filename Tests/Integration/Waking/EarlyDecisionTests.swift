import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Decisions about waking that arrive while the daemon cannot read its journal yet.
@Suite(.waits, .enabled(if: geteuid() == 0, "apps of the system are root's"))
struct EarlyDecisionTests {
    private let apps: TestApps
    private let daemon: DaemonProcess

    init() throws {
        apps = try TestApps()
        try apps.directory.write(
            "apps/gate.app",
            """
            [App]
            Name=The gate
            Unit=gate.service
            WhenInUseUsageDescription=Opens the gate when the vehicle comes.
            AlwaysAndWhenInUseUsageDescription=Opens the gate when the vehicle comes.
            [Wake]
            Unit=gate.service
            For=path
            """)
        daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration())
    }

    private func obstacle() throws -> ManageInterface.WakingObstacle? {
        try #require(try OperatorClient(daemon).app("gate")?.waking).obstacle
    }

    private func request(_ isAllowed: Bool) -> WakingInterface.SetAllowed {
        WakingInterface.SetAllowed(app: "gate", uid: 0, allowed: isAllowed)
    }

    @Test(arguments: [true, false]) func `a decision that arrives early is in effect, and stored`(
        isAllowed: Bool
    ) throws {
        try OperatorClient(daemon).call(request(!isAllowed))
        #expect(try (obstacle() == nil) == !isAllowed)
        #expect(try daemon.stop() == .exited(0))
        let lock = try JournalLock(apps.directory.file("state/journal.db"))
        try daemon.restart()
        let connection = try RawConnection(daemon.socketPath)
        let method = WakingInterface.SetAllowed.name
        #expect(
            try connection.send(
                message: #"{"method":"\#(method)","parameters":{"app":"gate","uid":0,"allowed":\#(isAllowed)}}"#)
                == .everything)
        // The daemon has read the call, and replies when it has read the journal.
        #expect(try RawConnection(daemon.socketPath).isAnswered)
        #expect(try connection.read(messages: 1, seconds: 0) == nil)
        lock.release()
        let reply = try #require(try connection.read(messages: 1))
        #expect(!reply.contains("error"), "\(reply)")
        #expect(try (obstacle() == nil) == isAllowed)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        #expect(try (obstacle() == nil) == isAllowed)
        #expect(try daemon.stop() == .exited(0))
    }
}
