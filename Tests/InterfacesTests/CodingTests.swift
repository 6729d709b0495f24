import Interfaces
import JSONText
import Location
import Testing
import Varlink

@Suite struct CodingTests {
    @Test func `a status reads back as it was written`() throws {
        var status = DaemonStatus()
        status.version = "1.2.3"
        status.protocol = 7
        status.processID = 42
        status.startedAt = 1_780_000_000.25
        status.health = "noFix"
        status.summary = "The receiver has no fix."
        status.receiver.gpsd = "localhost:2947"
        status.receiver.state = .watching
        status.receiver.version = "3.22"
        status.receiver.devices = [
            .init(path: "/dev/ttyACM0", driver: "u-blox", isActive: true, isStale: false, hasReportedPositions: true)
        ]
        status.receiver.reports = ["TPV": 17, "SKY": 3]
        status.fix = .init(
            age: 0.5, horizontalAccuracy: 3.25, hasAltitude: true, isSimulated: false, quality: "dgps",
            receiver: "/dev/ttyACM0")
        status.satellitesUsed = 7
        status.rejected = ["noFix": 12]
        status.accepted = 99
        status.journal.state = .full
        status.journal.reason = "no space"
        status.journal.newest = 1 << 40
        status.clients.connections = 3
        status.authorization.servicesEnabled = false
        status.authorization.suspendedUsers = [1_000, 4_294_967_294]
        status.authorization.apps = 5
        status.authorization.inUse = 4
        status.authorization.requests = 3
        status.authorization.agents = 2
        status.authorization.problems = 1
        status.authorization.loss = "damaged"
        status.authorization.problem = "not noticed"
        status.recordings.count = 4
        status.recordings.started = 3
        status.recordings.recording = 2
        status.recordings.waiting = 1 << 40
        status.recordings.oldestWaiting = 1_780_000_000.5
        status.recordings.deadLetters = 5
        status.recordings.dropped = 6
        status.recordings.problem = "the disk is full"
        status.uploads.count = 4
        status.uploads.running = 3
        status.uploads.paused = 2
        status.uploads.failing = 1
        status.uploads.abandoned = 1 << 40
        status.configuration = ["/etc/waymark/waymark.conf"]
        #expect(try DaemonStatus(varlink: try written { status.write(to: &$0) }) == status)
    }

    @Test func `an event is read with all its members`() throws {
        let text = """
            {"sequence":7,"time":1780000000.123456,"monotonic":12.5,"boot":"0123456789abcdef0123456789abcdef",
            "kind":"note","app":"trailmap","user":1000,"details":{"text":"antenna replaced","count":3}}
            """
        let entry = JournalEntry(
            sequence: 7, time: 1_780_000_000.123456, monotonic: 12.5, boot: "0123456789abcdef0123456789abcdef",
            kind: "note", app: "trailmap", user: 1000, details: ["text": "antenna replaced", "count": 3])
        #expect(try JournalEntry(varlink: try JSON.parse(Array(text.utf8))) == entry)
    }

    @Test func `a request reads back as it was written`() throws {
        let request = JournalInterface.Read(
            after: 5, since: 1.5, until: 9, kinds: ["note"], app: "a", limit: 10, newest: 4, follow: true)
        #expect(try JournalInterface.Read(varlink: try written { request.write(to: &$0) }) == request)
        let monitor = MonitorRequest(desiredAccuracy: 10, distanceFilter: 5, interval: 1)
        #expect(try MonitorRequest(varlink: try written { monitor.write(to: &$0) }) == monitor)
    }

    @Test(arguments: [
        (#"{"limit": 0}"#, "limit"), (#"{"limit": 1001}"#, "limit"), (#"{"after": -1}"#, "after"),
        (#"{"after": 1.5}"#, "after"), (#"{"kinds": "note"}"#, "kinds"), (#"{"kinds": [1]}"#, "kinds[0]"),
        (#"{"follow": 1}"#, "follow"), (#"{"since": 1e300}"#, "since"), (#"{"app": 7}"#, "app"),
    ]) func `a wrong parameter is named`(text: String, name: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter(path: name)) { try JournalInterface.Read(varlink: json) }
    }

    @Test(arguments: [
        #"{"desiredAccuracy": -1}"#, #"{"distanceFilter": "far"}"#, #"{"interval": 1e9}"#,
    ]) func `a position request out of range is refused`(text: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter.self) { try MonitorRequest(varlink: json) }
    }

    @Test func `null means absent and unknown parameters are ignored`() throws {
        let json = try JSON.parse(Array(#"{"desiredAccuracy": null, "colour": "red"}"#.utf8))
        #expect(try PositionRequest(varlink: json) == PositionRequest())
    }

    @Test(arguments: [
        #"{"timestamp": 1, "latitude": 91, "longitude": 0, "horizontalAccuracy": 5}"#,
        #"{"timestamp": 1, "latitude": 1, "longitude": 0, "horizontalAccuracy": 0}"#,
        #"{"timestamp": 1, "latitude": 1, "horizontalAccuracy": 5}"#,
    ]) func `an object that is no position is rejected`(text: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: InvalidParameter.self) { try Position(varlink: json) }
    }
}
