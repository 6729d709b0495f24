import Interfaces
import TestClients
import TestSupport
import Testing

/// A server that is being updated, or the proxy before it, refuses everything for a while; and one that never answers.
@Suite(.waits, .timeLimit(.minutes(5))) struct UploadRefusalTests {
    @Test(arguments: [("geojson", "404"), ("overland", "413"), ("owntracks", "400")])
    func `a server that refuses everything for a while has everything afterwards, and nothing is a dead letter`(
        _ format: String, _ status: String
    ) throws {
        let scene = try UploadScene(server: ["--fail", status])
        defer { scene.end() }
        try scene.start(scene.configuration(format))
        try scene.eventually("it is blocked") { try scene.upload()?.standing.reason == "everythingRejected" }
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 20 }
        #expect(try scene.upload()?.deadLetters == 0)
        // What was tried is not lost with the process either.
        try scene.uploader?.kill()
        try scene.uploader?.restart()
        try scene.eventually("it is blocked again") {
            guard let upload = try scene.upload(), upload.isRunning else { return false }
            return upload.standing.reason == "everythingRejected"
        }
        #expect(try scene.upload()?.deadLetters == 0)
        try scene.server.kill()
        try scene.server.restart()
        #expect(try scene.waymark("uploads", "flush", "home", "--timeout", "60").contains("sent"))
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        #expect(try scene.numbers().sorted() == Array(1...last))
        #expect(try scene.upload()?.deadLetters == 0)
    }

    @Test func `a server that does not answer is reported after ten seconds`() throws {
        let scene = try UploadScene(server: ["--delay", "3600"])
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.eventually("no answer is reported") { try scene.upload()?.standing.reason == "noAnswer" }
        #expect(try scene.upload()?.standing.unansweredSince != nil)
        #expect(try scene.waymark("uploads").contains("no answer for"))
    }
}
