import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// Which positions may still be sent after the permission was withdrawn.
@Suite(.timeLimit(.minutes(15))) struct WithdrawalTests {
    init() { LoopThread.start() }

    @Test(
        arguments: [
            (.denied, .denied), (.notDetermined, .notDetermined), (.deniedGlobally, .deniedGlobally),
            (.recordingNotAllowed, .notAllowed),
        ] as [(ErrorName, RecordingInterface.State)])
    @DaemonActor
    func `an uploader that loses the authorization sends nothing more, and continues when it is restored`(
        error: ErrorName, state: RecordingInterface.State
    ) async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("sent") { scene.daemon.cursor == 3 }
        scene.destination.evaluate = nil
        scene.daemon.record(2)
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
        scene.daemon.withdraw(error, state: state)
        try await scene.eventually("given up") { scene.destination.open.isEmpty }
        #expect(scene.process.state == .waitingForRecording)
        try await scene.eventually("the reason is reported") {
            scene.daemon.statuses.last?.state == "waitingForRecording" && scene.daemon.statuses.last?.message != nil
        }
        let before = scene.destination.sent.count
        scene.daemon.record(4)
        try await elapsed(.milliseconds(50))
        #expect(scene.destination.sent.count == before)
        scene.destination.evaluate = { _ in HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)) }
        scene.daemon.allow()
        try await scene.eventually("continues") { scene.daemon.cursor == 9 }
    }

    @Test @DaemonActor
    func `recorded positions are sent while only recording is forbidden, and none while reading is`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.record(3)
        scene.daemon.state = "restricted"
        scene.process.start()
        try await scene.eventually("sent") { scene.daemon.cursor == 3 }
        // Positions held when the daemon stops wait for its decision after the restart.
        scene.daemon.reportPath(.unreachable, .noRoute)
        try await scene.eventually("no path") { scene.process.state == .waitingForPath(.noRoute) }
        scene.daemon.record(2)
        try await scene.eventually("held") { scene.daemon.reads.map(\.after).contains(5) }
        scene.daemon.stop()
        scene.daemon.refusal = .restricted
        scene.daemon.reportPath(.reachable)
        try scene.daemon.listen()
        let (starts, reads) = (scene.daemon.starts, scene.daemon.reads.count)
        try await scene.eventually("started again") { scene.daemon.starts > starts }
        try await scene.eventually("refused") {
            scene.daemon.reads.count > reads && scene.process.state == .waitingForRecording
        }
        try await elapsed(.milliseconds(50))
        #expect(scene.process.state == .waitingForRecording && scene.destination.numbers == [1, 2, 3])
        scene.daemon.allow()
        try await scene.eventually("continues") { scene.daemon.cursor == 5 }
    }

    @Test(arguments: [ErrorName.denied, .deniedGlobally, .restricted, .recordingNoSuchRecording]) @DaemonActor
    func `an uploader with a full buffer, which reads no more, is still notified of a withdrawal`(
        error: ErrorName
    ) async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.reportPath(.unreachable, .noRoute)
        scene.daemon.record(1_000)
        scene.process.start()
        let old = scene.daemon.id
        // Only the read that watches for the withdrawal waits.
        try await scene.eventually("the buffer is full") { scene.daemon.reads.map(\.after).max() == .max }
        try await scene.eventually("no other read") { scene.daemon.readsInProgress == 1 }
        if error == .recordingNoSuchRecording {
            scene.daemon.erase()
            try await scene.eventually("begun anew") { scene.daemon.starts == 2 }
        } else {
            scene.daemon.withdraw(error, state: error == .deniedGlobally ? "deniedGlobally" : "denied")
            try await scene.eventually("heard") { scene.process.state == .waitingForRecording }
        }
        scene.daemon.reportPath(.reachable)
        try await elapsed(.milliseconds(50))
        #expect(scene.destination.sent.isEmpty)
        guard error == .recordingNoSuchRecording else { return }
        scene.daemon.record(2)
        try await scene.eventually("sent") { scene.daemon.cursor == 2 }
        #expect(scene.destination.sent.flatMap(\.positions).allSatisfy { $0.recording != old })
    }

    @Test @DaemonActor func `a recording that was erased begins again`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.record(7)
        scene.process.start()
        try await scene.eventually("sent") { scene.daemon.cursor == 7 }
        scene.daemon.erase()
        try await scene.eventually("started again") { scene.daemon.starts == 2 }
        scene.daemon.record(2)
        try await scene.eventually("sent") { scene.daemon.cursor == 2 }
        #expect(scene.destination.sent.last?.positions.first?.recording == scene.daemon.id)
    }
}
