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
        let upload = KnownUpload(
            name: "home", app: "waymark-upload@home", uid: 0, isRunning: true, isPaused: true, standing: Self.standing,
            waiting: 10_000_000, oldestWaiting: 1_600_000_000, deadLetters: 4, dropped: 5)
        let json = try written { upload.write(to: &$0) }
        #expect(try KnownUpload(varlink: json) == upload)
        #expect(json.keys == (try WaymarkInterface.uploads.fields(of: "Upload")))
        #expect(json["standing"]?.keys == (try WaymarkInterface.uploads.fields(of: "Standing")))
        let bare = KnownUpload(name: "a", app: "b", uid: 7, standing: UploadStanding(state: "idle"))
        let list = UploadsInterface.List.Reply(uploads: [upload, bare])
        #expect(try UploadsInterface.List.Reply(varlink: try written { list.write(to: &$0) }) == list)
    }

    @Test func `requests and orders read back as they were written`() throws {
        func expectSame<Method: VarlinkMethod>(_ method: Method) throws {
            #expect(try Method(varlink: method.parameters) == method)
        }
        try expectSame(UploadsInterface.Pause(name: "home"))
        try expectSame(UploadsInterface.Flush(name: "home", app: "waymark-upload@home", uid: 0))
        try expectSame(UploadsInterface.Attach(name: "home"))
        try expectSame(UploadsInterface.Report(name: "home", standing: Self.standing))
        for command in [nil] + UploaderCommand.allCases.map(\.rawValue) {
            let order = UploadsInterface.Attach.Reply(command: command, isPaused: false)
            #expect(try UploadsInterface.Attach.Reply(varlink: order.parameters) == order)
        }
        let unknown = try UploadsInterface.Attach.Reply(varlink: ["command": "dance", "isPaused": false])
        #expect(unknown.command.flatMap(UploaderCommand.init) == nil)
    }

    @Test(arguments: [
        (#"{"standing": {"state": "idle"}}"#, "name"), (#"{"name": "a"}"#, "standing"),
        (#"{"name": "a", "standing": {"state": "two words"}}"#, "standing"),
        (#"{"name": "a", "standing": {"state": ""}}"#, "standing"),
    ]) func `a wrong parameter of a report is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try UploadsInterface.Report(varlink: json) }
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
