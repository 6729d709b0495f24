import Glibc
import Interfaces
import JSONText
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Uploaders at a real daemon: real processes of another user that attach, report, and receive operators' commands.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct UploadsTests {
    private let scene: UploaderScene

    init() throws { scene = try UploaderScene() }

    private func attached(_ name: String = "home") throws -> AppClient {
        let client = try scene.uploader()
        try client.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"\#(name)"}"#, more: true)
        #expect(try order(client) == UploadsInterface.Attach.Reply(isPaused: false))
        return client
    }

    private func order(_ client: AppClient) throws -> UploadsInterface.Attach.Reply? {
        let reply = try client.next()
        #expect(reply?.error == nil, "\(reply?.parameters ?? .null)")
        return reply.flatMap { UploadsInterface.Attach.Reply($0.parameters) }
    }

    private func report(_ client: AppClient, _ status: String, name: String = "home") throws {
        let reply = try client.call(
            UploadsInterface.Method.report.rawValue, #"{"name":"\#(name)","status":\#(status)}"#)
        #expect(reply.error == nil, "\(reply.parameters)")
    }

    private func operatorClient() throws -> Client { try Client(path: scene.daemon.socketPath, timeout: .seconds(60)) }

    @discardableResult
    private func command(_ method: UploadsInterface.Method, _ name: String = "home") throws -> KnownUpload {
        let reply = try operatorClient().call(
            method.rawValue, ["name": .string(name)], timeout: .seconds(60))
        return try #require(reply["upload"].flatMap(KnownUpload.init))
    }

    private func list() throws -> [KnownUpload] { try OperatorClient(scene.daemon).uploads() }

    /// The kinds and details of the journal's events about uploads, in order.
    private func events() throws -> [(kind: String, details: String)] {
        let read = JournalInterface.Read(app: "uploader", limit: 100)
        let all = try operatorClient().call(read, timeout: .seconds(60)).events
        return all.filter { $0.kind.rawValue.hasPrefix("upload") }.map { event in
            (event.kind.rawValue, String(decoding: event.details.bytes, as: UTF8.self))
        }
    }

    @Test func `an upload is listed with its uploader's report, and remembered when the uploader has ended`() throws {
        #expect(try list().isEmpty)
        let unrecorded = try attached("gone")
        let stream = try attached()
        let other = try scene.uploader()
        try report(
            other,
            #"{"state":"backingOff","reason":"timedOut","message":"No answer.","attempt":3,"sent":7,"rejected":0}"#)
        #expect(try other.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"home"}"#).error == nil)
        let upload = try #require(try list().last)
        #expect(upload.name == "home" && upload.app == "uploader" && upload.uid == OtherUser.nobody)
        #expect(upload.isRunning && !upload.isPaused)
        #expect(upload.status.state == "backingOff" && upload.status.attempt == 3 && upload.status.sent == 7)
        let counted = try OperatorClient(scene.daemon).status().uploads
        #expect(counted.count == 2 && counted.running == 2 && counted.failing == 1)
        let own = try other.call(UploadsInterface.Method.list.rawValue)
        #expect(UploadsInterface.List.Reply(own.parameters)?.uploads.last == upload, "an app sees its own")

        try stream.kill()
        try unrecorded.kill()
        #expect(try eventually { try !list().contains { $0.isRunning } })
        #expect(try list().last?.status.reason == "timedOut")
        try scene.daemon.restart()
        #expect(try list().map(\.name) == ["home"], "of which there is a recording")
        let known = try #require(try list().first, "the upload without an uploader is listed after a restart too")
        #expect(!known.isRunning && known.status.sent == 0)
    }

    @Test func `a pause reaches the uploader, is preserved over a restart, and ends when it is resumed`() throws {
        let stream = try attached()
        #expect(try command(.pause).isPaused)
        #expect(try order(stream) == UploadsInterface.Attach.Reply(isPaused: true))
        #expect(try command(.pause).isPaused, "pausing twice has the same effect")
        scene.daemon.signal(SIGKILL)
        _ = try scene.daemon.wait()
        try scene.daemon.restart()
        #expect(try list().first?.isPaused == true)
        let again = try scene.uploader()
        try again.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try order(again) == UploadsInterface.Attach.Reply(isPaused: true))
        #expect(try !command(.resume).isPaused)
        #expect(try order(again) == UploadsInterface.Attach.Reply(isPaused: false))
        let reported = try events()
        #expect(
            reported.map(\.kind) == ["uploadStarted", "uploadPaused", "uploadStarted", "uploadResumed"], "\(reported)")
        #expect(reported[1].details.contains(#""by":"operator 0""#))
    }

    @Test func `commands reach a running uploader, and are refused without one`() throws {
        let stream = try attached()
        try command(.flush)
        #expect(try order(stream) == UploadsInterface.Attach.Reply(command: "flush", isPaused: false))
        try command(.retryRejected)
        #expect(try order(stream) == UploadsInterface.Attach.Reply(command: "retryRejected", isPaused: false))
        try stream.kill()
        #expect(try eventually { try list().first?.isRunning == false })
        #expect(try Refusal { try command(.flush) }?.error == .uploadsNotRunning)
        #expect(try Refusal { try command(.flush, "elsewhere") }?.error == .uploadsNoSuchUpload)
        #expect(try command(.pause).isPaused, "a pause does not need it")
    }

    @Test func `each call is permitted to the right clients only`() throws {
        let stranger = try AppClient(scene.apps.program("stranger"), to: scene.daemon.socketPath)
        for (method, parameters, error) in [
            (UploadsInterface.Method.list, "{}", ErrorName.uploadsNotOperator),
            (
                .report, #"{"name":"home","status":{"state":"idle","attempt":0,"sent":0,"rejected":0}}"#,
                .uploadsNotAllowed
            ),
            (.pause, #"{"name":"home"}"#, .uploadsNotOperator), (.flush, #"{"name":"home"}"#, .uploadsNotOperator),
        ] {
            let reply = try stranger.call(method.rawValue, parameters)
            #expect(reply.error == error.rawValue, "\(method)")
        }
        let stream = try attached()
        let own = try scene.uploader()
        #expect(
            try own.call(UploadsInterface.Method.resume.rawValue, #"{"name":"home"}"#).error
                == ErrorName.uploadsNotOperator.rawValue)
        try own.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        let refusal = try #require(try own.next())
        #expect(refusal.error == ErrorName.uploadsAlreadyAttached.rawValue)
        #expect(refusal.parameters["message"]?.stringValue?.contains("Process \(stream.processID)") == true)
        try own.begin(UploadsInterface.Method.attach.rawValue, #"{"name":"../home"}"#, more: true)
        #expect(try own.next()?.parameters["parameter"] == "name")
    }

    @Test func `a killed uploader can be replaced by another immediately`() throws {
        for _ in 0..<20 {
            let stream = try attached()
            try stream.kill()
        }
        let last = try attached()
        #expect(try list().first?.isRunning == true)
        withExtendedLifetime(last) {}
    }

    @Test func `two apps with one name have to be distinguished by user`() throws {
        let second = try scene.apps.program("second")
        try scene.apps.add("second", name: "Second", program: second)
        let manage = try OperatorClient(scene.daemon)
        #expect(try eventually { try manage.app("second") != nil })
        let streams = [try attached(), try AppClient(second, to: scene.daemon.socketPath)]
        try streams[1].begin(UploadsInterface.Method.attach.rawValue, #"{"name":"home"}"#, more: true)
        #expect(try order(streams[1]) == UploadsInterface.Attach.Reply(isPaused: false))
        #expect(try Refusal { try command(.flush) }?.error == .uploadsAppNeeded)
        let reply = try operatorClient().call(
            UploadsInterface.Method.flush.rawValue, ["name": "home", "app": "second"], timeout: .seconds(60))
        #expect(reply["upload"]?["app"] == "second")
        #expect(try order(streams[1]) == UploadsInterface.Attach.Reply(command: "flush", isPaused: false))
    }

    @Test func `a watching client gets each change immediately, and at most twice a second`() throws {
        let stream = try attached()
        let watcher = try operatorClient()
        let replies = try watcher.stream(UploadsInterface.Method.monitor.rawValue, timeout: .seconds(60))
        #expect(
            try replies.next(timeout: .seconds(60)).flatMap { UploadsInterface.List.Reply($0.parameters)?.uploads }?
                .map(\.name) == ["home"]
        )
        let other = try scene.uploader()
        let start = SystemClock().monotonicNanoseconds
        for sent in 1...200 { try report(other, #"{"state":"sending","attempt":0,"sent":\#(sent),"rejected":0}"#) }
        var reported = 0
        var sent: Int64 = 0
        while sent < 200 {
            let reply = try #require(try replies.next(timeout: .seconds(60)))
            sent = try #require(UploadsInterface.List.Reply(reply.parameters)?.uploads.first).status.sent
            reported += 1
        }
        let seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
        #expect(Double(reported) <= seconds * 2 + 2, "\(reported) replies in \(seconds) s")
        try stream.kill()
        let last = try #require(try replies.next(timeout: .seconds(60)))
        #expect(UploadsInterface.List.Reply(last.parameters)?.uploads.first?.isRunning == false)
    }

    @Test func `an uploader's states are in the journal, and nothing that may reveal the position`() throws {
        let stream = try attached()
        let other = try scene.uploader()
        let numbers = #""attempt":0,"rejected":0"#
        try report(other, #"{"state":"idle","sent":0,\#(numbers)}"#)
        try report(other, #"{"state":"sending","sent":0,\#(numbers)}"#)
        try report(other, #"{"state":"idle","sent":1,\#(numbers)}"#)
        try report(
            other,
            #"{"state":"backingOff","reason":"status","lastStatus":503,"message":"48.137154","sent":1,\#(numbers)}"#)
        try report(other, #"{"state":"waitingForPath","reason":"noRoute","sent":1,\#(numbers)}"#)
        try report(other, #"{"state":"sending","sent":1,\#(numbers)}"#)
        let reported = try events()
        #expect(
            reported.map(\.kind) == [
                "uploadStarted", "uploadSucceeded", "uploadFailed", "uploadPaused", "uploadResumed",
            ],
            "\(reported)")
        #expect(reported[2].details == #"{"name":"home","state":"backingOff","reason":"status","status":503}"#)
        #expect(!scene.daemon.log.contains("48.137154"))
        withExtendedLifetime(stream) {}
    }
}
