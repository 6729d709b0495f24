import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Commands to uploads that arrive while the daemon cannot read its journal yet.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct EarlyCommandTests {
    private let scene: UploaderScene

    init() throws { scene = try UploaderScene() }

    private func isPaused() throws -> Bool? { try OperatorClient(scene.daemon).uploads().first?.isPaused }

    @Test(arguments: [true, false]) func `a command that arrives before the uploads are known has its effect`(
        isPause: Bool
    ) throws {
        let uploader = try scene.uploader()
        try uploader.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try uploader.next()?.parameters["isPaused"] == false)
        #expect(try scene.daemon.waymark(["uploads", "pause", "home"]).status == .exited(0))
        try uploader.kill()
        #expect(try scene.daemon.stop() == .exited(0))
        let lock = try JournalLock(scene.apps.directory.file("state/journal.db"))
        try scene.daemon.restart()
        let connection = try RawConnection(scene.daemon.socketPath)
        let method = isPause ? UploadsInterface.Pause.name : UploadsInterface.Resume.name
        #expect(
            try connection.send(message: #"{"method":"\#(method)","parameters":{"name":"home"}}"#) == .everything)
        // The daemon has read the call, and replies when it has read the journal.
        #expect(try RawConnection(scene.daemon.socketPath).isAnswered)
        #expect(try connection.read(messages: 1, seconds: 0) == nil)
        lock.release()
        let reply = try #require(try connection.read(messages: 1))
        #expect(!reply.contains("error"), "\(reply)")
        #expect(try isPaused() == isPause)
        #expect(try scene.daemon.stop() == .exited(0))
    }
}
