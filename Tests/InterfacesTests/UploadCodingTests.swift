import Interfaces
import JSONText
import Testing
import Varlink

@Suite struct UploadCodingTests {
    private static let standing = {
        var standing = UploadStanding(state: "backingOff", reason: "timedOut")
        standing.message = "The server did not answer in time. Nothing has to be done."
        standing.nextAttempt = 1_700_000_000.5
        standing.attempt = 3
        standing.format = "geojson"
        standing.destination = "https://[2001:db8::1]:8443"
        standing.sent = 1 << 53
        standing.rejected = 2
        standing.lastStatus = 503
        standing.lastSuccess = 1_699_999_999
        standing.unansweredSince = 1_699_999_000
        return standing
    }()

    @Test func `an upload reads back as it was written`() throws {
        var upload = KnownUpload(name: "home", app: "waymark-upload@home", uid: 0, standing: Self.standing)
        upload.isRunning = true
        upload.isPaused = true
        upload.waiting = 10_000_000
        upload.oldestWaiting = 1_600_000_000
        upload.deadLetters = 4
        upload.dropped = 5
        let json = try written { upload.write(to: &$0) }
        #expect(KnownUpload(json) == upload)
        #expect(json.keys == (try WaymarkInterface.uploads.fields(of: "Upload")))
        #expect(json["standing"]?.keys == (try WaymarkInterface.uploads.fields(of: "Standing")))
        let bare = KnownUpload(name: "a", app: "b", uid: 7, standing: UploadStanding(state: "idle"))
        #expect(KnownUpload(try written { bare.write(to: &$0) }) == bare)
        let list = try written { writer in writer.object { KnownUpload.write([upload, bare], to: &$0) } }
        #expect(KnownUpload.list(list) == [upload, bare])
    }

    @Test func `requests and orders read back as they were written`() throws {
        for choice in [UploadChoice(name: "home"), UploadChoice(name: "home", app: "waymark-upload@home", uid: 0)] {
            #expect(try UploadChoice(written { choice.write(to: &$0) }) == choice)
        }
        let attach = AttachRequest(name: "home")
        #expect(try AttachRequest(written { attach.write(to: &$0) }) == attach)
        let report = StandingReport(name: "home", standing: Self.standing)
        #expect(try StandingReport(written { report.write(to: &$0) }) == report)
        for order in [UploaderOrder(isPaused: true)]
            + UploaderOrder.Command.allCases.map({ UploaderOrder(command: $0, isPaused: false) })
        {
            let json = try written { writer in writer.object { order.writeMembers(to: &$0) } }
            #expect(UploaderOrder(json) == order)
        }
        #expect(UploaderOrder(["command": "dance", "isPaused": false]) == UploaderOrder(isPaused: false))
    }

    @Test(arguments: [
        (#"{"standing": {"state": "idle"}}"#, "name"), (#"{"name": "../a", "standing": {"state": "idle"}}"#, "name"),
        (#"{"name": ".a", "standing": {"state": "idle"}}"#, "name"), (#"{"name": "a"}"#, "standing"),
        (#"{"name": "a", "standing": {"state": "two words"}}"#, "standing"),
        (#"{"name": "a", "standing": {"state": ""}}"#, "standing"),
    ]) func `a wrong parameter of a report is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: ParameterError(name)) { _ = try StandingReport(json) }
    }

    @Test func `what a hostile uploader says is bounded and cannot steer a terminal`() throws {
        let long = String(repeating: "a", count: 10_000)
        let json: JSON = [
            "state": "sending", "reason": .string(long),
            "message": .string("\u{1B}[2Jred\u{202E}now\nnext" + long), "nextAttempt": 1e300, "attempt": -4,
            "format": "<b>", "sent": .integer(.max), "rejected": .integer(.min), "lastStatus": 100_000,
            "lastSuccess": -1,
        ]
        let standing = try #require(UploadStanding(json))
        #expect(standing.reason == nil && standing.format == nil && standing.lastStatus == nil)
        #expect(standing.nextAttempt == nil && standing.lastSuccess == nil)
        #expect(standing.attempt == 0 && standing.rejected == 0 && standing.sent == 1 << 53)
        let message = try #require(standing.message)
        #expect(message.unicodeScalars.count == 500)
        #expect(message.hasPrefix(" [2Jred now next"))
    }

    @Test(arguments: [
        "https://user:secret@tracker.example.org", "https://tracker.example.org/pub?token=secret",
        "https://tracker.example.org#x", "tracker.example.org", "https://", "://host", "https://a b",
    ]) func `an address that may hold a credential is not kept`(text: String) {
        let standing = UploadStanding(["state": "idle", "destination": .string(text)])
        #expect(standing?.state == "idle")
        #expect(standing?.destination == nil)
    }

    @Test(arguments: ["https://tracker.example.org", "mqtts://192.0.2.1:8883", "http://[::1]:8080"])
    func `a scheme, a host and a port are kept`(text: String) {
        #expect(UploadStanding(["state": "idle", "destination": .string(text)])?.destination == text)
    }
}
