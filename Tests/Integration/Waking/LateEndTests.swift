import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// A service that ends later than the process of its app that the daemon knows.
@Suite(.waits, .enabled(if: SleepScene.isPossible, "a network and control groups of a test's own need root"))
struct LateEndTests {
    private let scene: SleepScene
    private let directory: TemporaryDirectory
    /// A FIFO: the service of the first app runs until somebody has opened it for writing and closed it.
    private var pipe: String { directory.file("pipe") }
    private var gate: SleepScene.App { scene.apps[0] }
    /// An app whose service is its process.
    private var other: SleepScene.App { scene.apps[1] }

    init() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        let pipe = directory.file("pipe")
        try retrying("mkfifo", subject: pipe) { mkfifo(pipe, 0o600) }
        // An app that does not attach is noticed after this test has given up.
        scene = try SleepScene(
            ["gate", "other"], settings: "[Waking]\nAttachWithin=10min\n[Reachability]\nSettle=0\n", causes: "path"
        ) { app in
            let sleeper = [try Products.program("waymark-sleeper"), app.record, "0", "path"]
            guard app.name == "gate" else { return sleeper }
            return ["/bin/sh", "-c", #""$@"; exec cat \#(pipe)"#, "sh"] + sleeper
        }
    }

    /// Ends the service of the first app when its process has ended.
    private func endService() throws {
        var writer: OwnedDescriptor?
        let isRead = eventually(within: Patience.daemon) {
            writer = try? OwnedDescriptor("open", subject: pipe) { open(pipe, O_WRONLY | O_CLOEXEC | O_NONBLOCK) }
            return writer != nil
        }
        let lines = try gate.lines()
        try #require(isRead, "\(lines) \(scene.daemon.log)")
    }

    private func starts(_ app: SleepScene.App) throws -> Int {
        try scene.manager.starts.count { $0.unit == app.unit }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an event between the end of an app and that of its service starts the app when its service has ended`()
        throws
    {
        for app in scene.apps {
            try scene.manage().authorize(app.name, .always, uid: 0)
            try scene.manager.start(app.unit)
        }
        let areReady = try eventually(within: Patience.daemon) { try scene.apps.allSatisfy { try !$0.lines().isEmpty } }
        let isOtherAsleep = try eventually(within: Patience.daemon) { try scene.isAsleep(other) }
        try #require(areReady && isOtherAsleep)
        // The first app is in the daemon's list until its process has ended.
        let isIdle = try eventually(within: Patience.daemon) { try scene.manage().app(gate.name)?.processes == 0 }
        try #require(isIdle)
        try scene.losePath()
        try scene.regainPath()
        // When the second one has been started and has ended, the order for the first one was answered as well.
        let isOtherWoken = try eventually(within: Patience.daemon) {
            try other.paths().count == 1 && scene.isAsleep(other)
        }
        #expect(isOtherWoken)
        let pending = try scene.waking(gate).pending
        #expect(try pending == 1 && starts(gate) == 1, "its service runs")
        try endService()
        let isWoken = try eventually(within: Patience.daemon) { try gate.paths().count == 1 }
        let (lines, waking) = (try gate.lines(), try scene.waking(gate))
        #expect(isWoken, "\(lines) \(waking) \(scene.daemon.log)")
        #expect(try starts(gate) == 2 && waking.failures == 0)
        try endService()
    }
}
