import Interfaces
import JSONText
import Testing
import Varlink

@Suite struct UploadCodingTests {
    private static let status = {
        var status = UploadStatus(state: "backingOff", reason: "timedOut")
        status.message = "The server did not answer in time. Nothing has to be done."
        status.nextAttempt = 1_700_000_000.5
        status.attempt = 3
        status.format = "geojson"
        status.destination = "https://[2001:db8::1]:8443"
        status.sent = 1 << 53
        status.rejected = 2
        status.lastStatus = 503
        status.lastSuccess = 1_699_999_999
        status.unansweredSince = 1_699_999_000
        status.regions = UploadsInterface.RegionMessages(
            state: .refused, message: "The broker forbids the topic of events. Allow it in the broker's rules.",
            regions: 3,
            sent: 40, pending: 2, skipped: 1, refused: 5)
        return status
    }()

    @Test func `an upload reads back as it was written`() throws {
        let upload = KnownUpload(
            name: "home", app: "waymark-upload@home", uid: 0, isRunning: true, isPaused: true, status: Self.status,
            waiting: 10_000_000, oldestWaiting: 1_600_000_000, deadLetters: 4, dropped: 5)
        let json = try written { upload.write(to: &$0) }
        #expect(try KnownUpload(varlink: json) == upload)
        #expect(json.keys == (try WaymarkInterface.uploads.fields(of: "Upload")))
        #expect(json["status"]?.keys == (try WaymarkInterface.uploads.fields(of: "Status")))
        let bare = KnownUpload(name: "a", app: "b", uid: 7, status: UploadStatus(state: "idle"))
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
        try expectSame(UploadsInterface.Report(name: "home", status: Self.status))
        for command in [nil] + UploaderCommand.allCases.map(\.rawValue) {
            let order = UploadsInterface.Attach.Reply(command: command, isPaused: false)
            #expect(try UploadsInterface.Attach.Reply(varlink: order.parameters) == order)
        }
        let unknown = try UploadsInterface.Attach.Reply(varlink: ["command": "dance", "isPaused": false])
        #expect(unknown.command.flatMap(UploaderCommand.init) == nil)
    }

    @Test(arguments: [
        (#"{"status": {"state": "idle"}}"#, "name"), (#"{"name": "a"}"#, "status"),
        (#"{"name": "a", "status": {"state": "two words"}}"#, "status"),
        (#"{"name": "a", "status": {"state": ""}}"#, "status"),
    ]) func `a wrong parameter of a report is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try UploadsInterface.Report(varlink: json) }
    }

    @Test func `a hostile uploader's report is bounded and cannot control a terminal`() throws {
        let long = String(repeating: "a", count: 10_000)
        let json: JSON = [
            "state": "sending", "reason": .string(long),
            "message": .string("\u{1B}[2Jred\u{202E}now\nnext" + long), "nextAttempt": 1e300, "attempt": -4,
            "format": "<b>", "sent": .integer(.max), "rejected": .integer(.min), "lastStatus": 100_000,
            "lastSuccess": -1,
        ]
        let status = try #require(UploadStatus(json))
        #expect(status.reason == nil && status.format == nil && status.lastStatus == nil)
        #expect(status.nextAttempt == nil && status.lastSuccess == nil)
        #expect(status.attempt == 0 && status.rejected == 0 && status.sent == 1 << 53)
        let message = try #require(status.message)
        #expect(message.unicodeScalars.count == 500)
        #expect(message.hasPrefix(" [2Jred now next"))
    }

    @Test(arguments: [
        "https://user:secret@tracker.example.org", "https://tracker.example.org/pub?token=secret",
        "https://tracker.example.org#x", "tracker.example.org", "https://", "://host", "https://a b",
    ]) func `an address that may contain a credential is dropped`(text: String) {
        let status = UploadStatus(["state": "idle", "destination": .string(text)])
        #expect(status?.state == "idle")
        #expect(status?.destination == nil)
    }

    @Test(arguments: ["https://tracker.example.org", "mqtts://192.0.2.1:8883", "http://[::1]:8080"])
    func `a scheme, a host and a port are preserved`(text: String) {
        #expect(UploadStatus(["state": "idle", "destination": .string(text)])?.destination == text)
    }
}
