import Interfaces
import NetworkPaths
import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// What keeps an uploader from sending for a while: a lost way, an operator, a way that costs.
@Suite(.timeLimit(.minutes(15))) struct UploadPauseTests {
    init() { LoopThread.start() }

    @Test @DaemonActor
    func `a way that is lost cancels what is under way, and it is sent again at once when it is back`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("on its way") { scene.destination.open.count == 1 }
        scene.daemon.reportPath(.unreachable, .noRoute)
        try await scene.eventually("cancelled") { scene.destination.open.isEmpty }
        #expect(scene.process.state == .waitingForPath(.noRoute))
        try await scene.eventually("told") {
            scene.daemon.statuses.last?.state == "waitingForPath" && scene.daemon.statuses.last?.reason == "noRoute"
        }
        scene.daemon.reportPath(.reachable)
        try await scene.eventually("sent again") { scene.destination.open.count == 1 }
        #expect(Set(scene.destination.sent.map(\.idempotencyKey)).count == 1)
        scene.destination.answer(HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)))
        try await scene.eventually("acknowledged") { scene.daemon.cursor == 3 }
        // A connection that waits for its next use may be dead as well.
        let before = scene.destination.pathChanges
        scene.daemon.reportPath(.reachable)
        try await scene.eventually("left") { scene.destination.pathChanges == before + 1 }
    }

    @Test(arguments: [ErrorName.reachabilityOtherNetwork, .reachabilityUnavailable, .reachabilityTooManyTargets])
    @DaemonActor
    func `where nobody tells about the way it is tried`(_ error: ErrorName) async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.pathRefusal = error
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("acknowledged") { scene.daemon.cursor == 3 }
    }

    @Test @DaemonActor func `a pause holds from the very start, over restarts of the daemon, until it is resumed`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.isPaused = true
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("told") { scene.daemon.statuses.last?.state == "paused" }
        scene.daemon.stop()
        try scene.daemon.listen()
        try await scene.eventually("told again") { scene.daemon.starts == 2 }
        try await elapsed(.milliseconds(50))
        #expect(scene.destination.sent.isEmpty)
        scene.daemon.isPaused = false
        scene.daemon.order()
        try await scene.eventually("sent") { scene.daemon.cursor == 3 }
        scene.daemon.isPaused = true
        scene.daemon.order()
        try await scene.eventually("paused") { scene.process.state == .paused }
        scene.daemon.record(2)
        try await elapsed(.milliseconds(50))
        #expect(scene.daemon.cursor == 3)
    }

    @Test @DaemonActor func `a flush sends what waits for a cheaper way`() async throws {
        var configuration = Scene.configuration()
        configuration.queue.expensive = .defer
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        scene.daemon.target.interface = NetworkInterface(name: "wwan0", index: 3, kind: .cellular, isExpensive: true)
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("it waits") { scene.daemon.statuses.last?.state == "deferred" }
        #expect(scene.daemon.statuses.last?.reason == "expensive" && scene.destination.sent.isEmpty)
        scene.daemon.order(.flush)
        try await scene.eventually("sent") { scene.daemon.cursor == 3 }
    }
}
