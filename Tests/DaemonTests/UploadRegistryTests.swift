import Authorization
import Events
import Interfaces
import Journal
import Testing

@testable import Daemon

/// The events of an upload's changes of status, by a clock that the test sets.
@Suite struct UploadRegistryTests {
    private let key = UploadKey(app: AppID(uid: 0, name: "waymark-upload@home"), name: "home")
    private var registry = UploadRegistry()
    private var seconds: UInt64 = 1_000

    /// The events of this status, reported a second later.
    private mutating func report(_ status: UploadStatus) -> [EventKind] {
        seconds += 1
        return registry.report(status, of: key, at: seconds * 1_000_000_000).map(\.kind)
    }

    private mutating func report(
        _ state: UploadsInterface.State, _ reason: UploadsInterface.Reason? = nil, sent: Int64 = 0
    ) -> [EventKind] {
        var status = UploadStatus(state: state, reason: reason)
        status.sent = sent
        return report(status)
    }

    private mutating func attach() -> EventKind { registry.attach(key).kind }

    private func value(_ name: String, of event: Event?) -> EventValue? {
        event?.details.entries.first { $0.name == name }?.value
    }

    @Test mutating func `an accepted batch is one event, however many follow`() {
        #expect(attach() == .uploadStarted)
        #expect(report("idle") == [])
        #expect(report("sending") == [])
        #expect(report("idle", sent: 1) == [.uploadSucceeded])
        for sent in 2..<500 {
            #expect(report("sending", sent: Int64(sent - 1)) == [])
            #expect(report("idle", sent: Int64(sent)) == [])
        }
    }

    @Test mutating func `the count that an uploader reports when it has opened its recording is no success`() {
        #expect(registry.attach(key, sent: 500).kind == .uploadStarted)
        #expect(report("waitingForRecording") == [])
        #expect(report("idle", sent: 500) == [])
        #expect(report("idle", sent: 501) == [.uploadSucceeded])
    }

    @Test mutating func `a lost path is a pause, its return a resumption, and the next batch a success`() {
        _ = attach()
        _ = report("idle", sent: 5)
        #expect(report("waitingForPath", "noRoute", sent: 5) == [.uploadPaused])
        #expect(report("waitingForPath", "noRoute", sent: 5) == [])
        #expect(report("waitingForPath", "noCarrier", sent: 5) == [.uploadPaused], "another reason is an event")
        #expect(report("sending", sent: 5) == [.uploadResumed])
        #expect(report("sending", sent: 205) == [.uploadSucceeded])
        #expect(report("deferred", "constrained", sent: 205) == [.uploadPaused])
        #expect(report("backingOff", "timedOut", sent: 205) == [.uploadResumed, .uploadFailed])
        #expect(report("waitingForPath", "noRoute", sent: 205) == [.uploadPaused])
    }

    @Test mutating func `attempts that fail for the same reason are one failure until a batch succeeds`() {
        _ = attach()
        #expect(report("sending") == [])
        #expect(report("backingOff", "connect") == [.uploadFailed])
        for _ in 0..<50 {
            #expect(report("sending") == [])
            #expect(report("backingOff", "connect") == [])
        }
        #expect(report("blocked", "unauthorized") == [.uploadFailed])
        #expect(report("sending") == [])
        #expect(report("idle", sent: 1) == [.uploadSucceeded])
        #expect(report("backingOff", "connect", sent: 1) == [.uploadFailed])
    }

    @Test mutating func `an operator's pause is reported by the command, not by the uploader's status`() {
        _ = attach()
        #expect(report("waitingForPath", "noRoute") == [.uploadPaused])
        registry.setPaused(true, key)
        #expect(report("paused") == [])
        registry.setPaused(false, key)
        #expect(report("idle") == [])
        #expect(report("idle", sent: 3) == [.uploadSucceeded])
    }

    @Test mutating func `an uploader's counts are no event when it attaches again`() {
        _ = attach()
        var status = UploadStatus(state: "idle")
        status.sent = 100
        status.rejected = 7
        #expect(report(status) == [])
        _ = registry.detach(key)
        #expect(attach() == .uploadStarted)
        status.sent = 200
        status.rejected = 9
        #expect(report(status) == [], "it happened while the daemon did not run")
        status.sent = 201
        #expect(report(status) == [.uploadSucceeded])
    }

    @Test mutating func `an app that reports any number of rejections again and again ends nothing`() {
        _ = attach()
        var status = UploadStatus(state: "sending")
        for number in 0..<3_000 {
            status.rejected = number.isMultiple(of: 2) ? 0 : 1 << 53
            _ = registry.report(status, of: key, at: 1_000_000_000)
        }
        #expect(registry.nextDue != nil)
    }

    @Test mutating func `rejections are collected for a minute, and none is left unreported`() throws {
        _ = attach()
        var status = UploadStatus(state: "sending")
        status.lastStatus = 422
        #expect(report(status) == [])
        status.rejected = 1
        let first = registry.report(status, of: key, at: 2_000_000_000_000)
        #expect(first.map(\.kind) == [.uploadRejected])
        #expect(value("count", of: first.first) == .integer(1) && value("status", of: first.first) == .integer(422))
        for rejected in 2...50 {
            status.rejected = Int64(rejected)
            let more = registry.report(status, of: key, at: 2_001_000_000_000)
            #expect(more == [])
        }
        let due = try #require(registry.nextDue)
        #expect(due == 2_060_000_000_000)
        #expect(registry.dueEvents(at: due - 1) == [])
        let reported = registry.dueEvents(at: due)
        #expect(value("count", of: reported.first) == .integer(49) && reported.count == 1)
        #expect(registry.nextDue == nil)
        status.rejected = 52
        #expect(registry.report(status, of: key, at: due + 1) == [])
        #expect(value("count", of: registry.detach(key).first) == .integer(2), "the last before it detached")
    }

    @Test mutating func `no event repeats an address, a sentence or anything but words and numbers`() {
        _ = attach()
        var status = UploadStatus(state: "backingOff", reason: "status")
        status.message = "48.137154 is no latitude here"
        status.destination = "https://tracker.example.org"
        status.lastStatus = 503
        status.rejected = 1
        _ = registry.report(UploadStatus(state: "idle"), of: key, at: 1)
        for event in registry.report(status, of: key, at: 2) {
            #expect(event.app == "waymark-upload@home" && event.uid == 0)
            #expect(!event.details.json.contains("latitude") && !event.details.json.contains("example"))
            #expect(event.details.json.contains(#""name":"home""#))
        }
    }

    @Test(
        arguments: [("connect", nil), ("timedOut", nil), ("status", 503), ("captive", 200)]
            as [(UploadsInterface.Reason, Int64?)])
    mutating func `a failure has the HTTP status of a response only if there was one`(
        reason: UploadsInterface.Reason, code: Int64?
    ) {
        _ = attach()
        _ = registry.report(UploadStatus(state: "sending"), of: key, at: 1)
        var status = UploadStatus(state: "backingOff", reason: reason)
        status.lastStatus = code.map(Int.init) ?? 204
        let reported = registry.report(status, of: key, at: 2)
        #expect(reported.map(\.kind) == [.uploadFailed])
        #expect(value("status", of: reported.first) == code.map { .integer($0) })
    }

    @Test mutating func `a state of a later release is stored and is no event`() {
        _ = attach()
        #expect(report("dreaming", "sheep") == [])
        #expect(registry.uploads[key]?.status?.state == "dreaming")
        _ = report("waitingForPath", "noRoute")
        #expect(report("waitingForRecording") == [])
        #expect(report("idle") == [.uploadResumed])
    }

    @Test mutating func `stored uploads are restored, including their pauses`() throws {
        registry.restore([
            key.savedName: UploadRegistry.saved(isPaused: true), "positionsSeen": "[]", "upload 0 a": "known",
            "upload x a b": "known", "upload 7 a ../b": "known", "upload 7 trailmap track": "known",
        ])
        #expect(registry.uploads.count == 2)
        #expect(registry.uploads[key]?.isPaused == true && registry.uploads[key]?.isRunning == false)
        let other = try #require(UploadKey(savedName: "upload 7 trailmap track"))
        #expect(registry.uploads[other]?.isPaused == false)
    }

    @Test mutating func `a name that is not unique is chosen by app and user`() {
        let others = [7, 8].map { UploadKey(app: AppID(uid: $0, name: "b"), name: "home") }
        for key in [key] + others { _ = registry.attach(key) }
        #expect(registry.choose("home").count == 3)
        #expect(registry.choose("home", app: "b") == others)
        #expect(registry.choose("home", app: "b", uid: 8) == [others[1]])
        #expect(registry.choose("home", uid: 0) == [key])
        #expect(registry.choose("hom").isEmpty)
    }

    @Test mutating func `an app has no more than its share of uploads`() {
        for number in 0..<UploadRegistry.mostOfApp {
            #expect(registry.hasRoom(for: key))
            _ = registry.attach(UploadKey(app: key.app, name: "n\(number)"))
        }
        #expect(!registry.hasRoom(for: key))
        let others = (0..<3).map { AppID(uid: key.app.uid, name: "other\($0)") }
        for app in others {
            for number in 0..<UploadRegistry.mostOfApp {
                _ = registry.attach(UploadKey(app: app, name: "n\(number)"))
            }
        }
        #expect(!registry.hasRoom(for: UploadKey(app: AppID(uid: key.app.uid, name: "late"), name: "home")))
        #expect(registry.hasRoom(for: UploadKey(app: AppID(uid: 7, name: "a"), name: "home")), "another user's")
    }
}
