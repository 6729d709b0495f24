import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// An uploader whose recording is locked waits, says so, and goes on by itself.
@Suite(.waits, .timeLimit(.minutes(20))) struct LockedUploadTests {
    private func protection(_ scene: UploadScene, _ arguments: [String], _ input: [String]) throws {
        let process = try CompletedProcess.run(
            Products.program("waymark"), ProtectionWords.of(arguments) + ["--stdin"],
            environment: scene.daemon.environment(), input: input.map { $0 + "\n" }.joined(), seconds: 90)
        #expect(process.status == .exited(0), "\(process.error)")
    }

    @Test func `an upload waits after a restart until somebody unlocks, and then nothing is missing`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("geojson"))
        try scene.waitForPoints(10)
        try protection(scene, ["set-passphrase"], ["a bicycle"])
        let recordings = try OperatorClient(scene.daemon).recordings()
        #expect(recordings.first?.protection == .completeUntilFirstUnlock)
        try scene.waitForPoints(20)
        // Positions are recorded that only an unlocked machine sends.
        try scene.uploader?.kill()
        let sent = try scene.numbers().count
        try scene.eventually("positions wait") {
            try OperatorClient(scene.daemon).recordings().first.map { $0.waiting >= 10 } ?? false
        }
        try scene.daemon.restart()
        try scene.uploader?.restart()
        let upload = try scene.upload("the upload says why it waits") {
            $0.status.reason == .protectedDataUnavailable
        }
        #expect(upload.status.state == .waitingForRecording)
        #expect(try scene.waymark("uploads").contains("locked"))
        // The machine records all the same, with a class that can be written.
        let recorded = try #require(try OperatorClient(scene.daemon).recordings().first)
        #expect(recorded.protection == .completeUnlessOpen)
        try scene.eventually("the machine records") {
            try OperatorClient(scene.daemon).recordings().first.map { $0.last >= recorded.last + 10 } ?? false
        }
        #expect(try scene.numbers().count <= sent + 300)
        try protection(scene, ["unlock"], ["a bicycle"])
        let points = try scene.numbers().count
        try scene.waitForPoints(points + 10)
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        #expect(Set(numbers) == Set(1...Int64(Set(numbers).count)))
    }
}
