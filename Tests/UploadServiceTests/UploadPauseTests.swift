import Interfaces
import NetworkPaths
import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// Obstacles to sending: a lost path, a pause by an operator, an expensive path.
@Suite(.timeLimit(.minutes(15))) struct UploadPauseTests {
    init() { LoopThread.start() }

    @Test @DaemonActor
    func `a lost path cancels transfers, and they are sent again at once when it is restored`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
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
        // An idle connection may be dead as well.
        let before = scene.destination.pathChanges
        scene.daemon.reportPath(.reachable)
        try await scene.eventually("left") { scene.destination.pathChanges == before + 1 }
    }

    @Test(arguments: [ErrorName.reachabilityOtherNetwork, .reachabilityUnavailable, .reachabilityTooManyTargets])
    @DaemonActor
    func `without path reports the destination is tried`(_ error: ErrorName) async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.pathRefusal = error
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("acknowledged") { scene.daemon.cursor == 3 }
    }

    @Test @DaemonActor func `a pause holds from the start, over restarts of the daemon, until it is resumed`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.isPaused = true
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("reported") { scene.daemon.statuses.last?.state == "paused" }
        scene.daemon.stop()
        try scene.daemon.listen()
        try await scene.eventually("started again") { scene.daemon.starts == 2 }
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

    @Test @DaemonActor func `a flush sends positions that wait for a cheaper path`() async throws {
        var configuration = Scene.configuration()
        configuration.queue.expensive = .defer
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        scene.daemon.target.interface = NetworkInterface(name: "wwan0", index: 3, kind: .cellular, isExpensive: true)
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("deferred") { scene.daemon.statuses.last?.state == "deferred" }
        #expect(scene.daemon.statuses.last?.reason == "expensive" && scene.destination.sent.isEmpty)
        scene.daemon.order(.flush)
        try await scene.eventually("sent") { scene.daemon.cursor == 3 }
    }
}
