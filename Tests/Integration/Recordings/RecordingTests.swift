import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Recordings as an app and operators have them, of a real daemon with a receiver that reports ten times a second.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RecordingTests {
    private let scene: RecordingScene

    init() throws { scene = try RecordingScene() }

    /// An app that may always have positions and records them.
    private func recorder(_ options: String = "{}") throws -> AppClient {
        try scene.manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let client = try scene.app()
        let reply = try client.call(
            RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":\#(options)}"#)
        #expect(reply.error == nil, "\(reply)")
        return client
    }

    private func recordings() throws -> [KnownRecording] {
        try OperatorClient(scene.daemon).recordings()
    }

    private func waitForNumber(_ number: Int64) throws {
        #expect(
            try eventually(within: 60) { try recordings().first.map { $0.last >= number } ?? false },
            "\(scene.daemon.log)")
    }

    /// A receiver that is late on a busy machine has no position meanwhile.
    private func expectRecording() throws {
        #expect(try eventually { try recordings().first?.state == "recording" }, "\(scene.daemon.log)")
    }

    private func read(_ client: AppClient, after: Int64 = 0, limit: Int = 1_000) throws -> RecordingPage {
        let reply = try client.call(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(after),"limit":\#(limit)}"#)
        #expect(reply.error == nil, "\(reply)")
        return try #require(RecordingPage(reply.parameters))
    }

    private func readAll(_ client: AppClient, after: Int64 = 0) throws -> [RecordedPosition] {
        let (points, error) = try client.recordedPositions(after: after)
        #expect(error == nil)
        return points
    }

    @Test func `positions are recorded for an app that does not run, and read in their order`() throws {
        defer { scene.receiver.stop() }
        let first = try recorder()
        try first.kill()
        try waitForNumber(15)
        try expectRecording()
        let recording = try #require(try recordings().first)
        #expect(recording.isStarted && recording.app == "trailmap")
        #expect(recording.uid == OtherUser.nobody && recording.waiting == recording.last)

        let points = try readAll(try scene.app())
        #expect(points.count >= 15)
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)))
        for (point, next) in zip(points, points.dropFirst()) {
            #expect(point.position.timestamp < next.position.timestamp)
        }
        #expect(points.allSatisfy { $0.recording == recording.id && $0.position.accuracy == .full })
        let status = try scene.manage.status()
        #expect(status.recordings.count == 1 && status.recordings.recording == 1 && status.recordings.waiting >= 15)
    }

    @Test func `acknowledged positions are not read again, and rejected ones are stored as dead letters`() throws {
        defer { scene.receiver.stop() }
        let client = try recorder()
        try waitForNumber(12)
        let acknowledged = try client.call(
            RecordingInterface.Method.acknowledge.rawValue, #"{"identifier":"trip","upTo":10}"#)
        #expect(acknowledged.parameters["acknowledged"] == 10)
        #expect(try read(client, limit: 1).points.map(\.sequence) == [11])
        let reject = #"{"identifier":"trip","sequence":11,"status":422,"message":"out of range"}"#
        #expect(try client.call(RecordingInterface.Method.reject.rawValue, reject).error == nil)
        #expect(try read(client, limit: 1).points.map(\.sequence) == [12])
        let rejected = try client.call(
            RecordingInterface.Method.readRejected.rawValue, #"{"identifier":"trip","after":0}"#)
        let letters = try #require(rejected.parameters["deadLetters"]?.arrayValue).map { KnownDeadLetter($0) }
        #expect(letters.count == 1 && letters[0]?.sequence == 11 && letters[0]?.message == "out of range")
        #expect(try recordings().first?.deadLetters == 1)
        try expectOperatorsMayRead(letter: 11)
        let revive = #"{"identifier":"trip","sequence":11}"#
        #expect(try client.call(RecordingInterface.Method.revive.rawValue, revive).error == nil)
        #expect(
            try client.call(RecordingInterface.Method.revive.rawValue, revive).error
                == ErrorName.recordingNoSuchPosition.rawValue)
        #expect(try recordings().first?.deadLetters == 0)
        let future = try client.call(
            RecordingInterface.Method.acknowledge.rawValue, #"{"identifier":"trip","upTo":1000000}"#)
        #expect(future.error == ErrorName.recordingNoSuchPosition.rawValue)
        #expect(!scene.daemon.log.contains("out of range"), "a destination's response may repeat the position")
    }

    /// An operator reads the rejected positions from the command line; another app's program may not.
    private func expectOperatorsMayRead(letter: Int64) throws {
        let shown = try scene.daemon.waymark("uploads", "rejected", "trip")
        #expect(shown.status == .exited(0), "\(shown.error)")
        #expect(shown.output.hasPrefix("\(letter)  ") && shown.output.hasSuffix("status 422: out of range\n"))
        let log = try scene.daemon.waymark("log", "--kind", "positionsSeen")
        #expect(log.output.contains("1 in an hour, as an operator"), "\(log.output)")

        let other = try scene.apps.program("other")
        try scene.apps.add("other", name: "Other", program: other, "Record=yes")
        #expect(try eventually { try scene.manage.app("other") != nil })
        let stranger = try AppClient(other, to: scene.daemon.socketPath)
        let parameters = #"{"identifier":"trip","after":0,"app":"trailmap"}"#
        let refused = try stranger.call(RecordingInterface.Method.readRejected.rawValue, parameters)
        #expect(refused.error == ErrorName.recordingNotOperator.rawValue)
        let nobody = try AppClient(try scene.apps.program("nobody"), to: scene.daemon.socketPath)
        let unknown = try nobody.call(RecordingInterface.Method.readRejected.rawValue, parameters)
        #expect(unknown.error == ErrorName.recordingNotOperator.rawValue)
    }

    @Test func `a waiting reader gets each position as it arrives, and one that does not wait gets the stored ones`()
        throws
    {
        defer { scene.receiver.stop() }
        _ = try recorder()
        // From now on positions are committed once a minute, unless somebody reads them or waits for them.
        _ = try scene.daemon.stop()
        try scene.apps.directory.write(
            "waymark.conf", scene.apps.configuration() + "[Journal]\nCommitInterval=1min\n")
        try scene.daemon.restart()
        let client = try scene.app()
        var known: Int64 = 0
        let isRecorded = try eventually {
            known = try readAll(client).last?.sequence ?? 0
            return known > 0
        }
        #expect(isRecorded, "\(scene.daemon.log)")
        let waiter = try scene.app()
        try waiter.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":\#(known),"wait":true}"#, more: true
        )
        var next = known + 1
        var replies = 0
        while next <= known + 30 || replies < 15 {
            let reply = try #require(
                try waiter.next(), "a waiting reader does not get positions immediately: \(scene.daemon.log)")
            #expect(reply.continues)
            for point in try #require(RecordingPage(reply.parameters)).points {
                #expect(point.sequence == next)
                next += 1
            }
            replies += 1
        }
        let empty = try client.call(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":1000000000,"wait":false}"#)
        #expect(empty.error == nil && empty.parameters["points"] == [])
    }

    @Test func `a reader waiting after the largest number gets the end only, and causes no earlier write`()
        throws
    {
        defer { scene.receiver.stop() }
        _ = try recorder()
        let waiter = try scene.app()
        try waiter.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":9223372036854775807,"wait":true}"#)
        try waitForNumber(1)
        // Ten positions come in the time of a commit.
        var reported: Set<Int64> = []
        let isEnough = try eventually(within: 60) {
            reported.insert(try recordings().first?.last ?? 0)
            return reported.max() ?? 0 > 40
        }
        #expect(isEnough && reported.count < 15, "\(reported.sorted())")
        try scene.manage.authorize("trailmap", .deny)
        #expect(try waiter.next()?.error == ErrorName.denied.rawValue)
    }

    @Test func `a denial ends readers, reads and the recording, and is reported to operators`() throws {
        defer { scene.receiver.stop() }
        let client = try recorder()
        try waitForNumber(5)
        let id = try #require(try recordings().first).id
        let waiter = try scene.app()
        try waiter.begin(RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":1000000,"wait":true}"#)
        let events = try Client(path: scene.daemon.socketPath, timeout: .seconds(60))
        try scene.manage.authorize("trailmap", .deny)
        #expect(try waiter.next()?.error == ErrorName.denied.rawValue)
        let read = try client.call(RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0}"#)
        #expect(read.error == ErrorName.denied.rawValue)
        #expect(try eventually { try recordings().isEmpty })
        let reported = try events.call(JournalInterface.Read(kinds: [.recordingErased]), timeout: .seconds(60)).events
        #expect(reported.last?.details["by"] == "revocation")

        try scene.manage.authorize("trailmap", .always)
        let removed = try client.call(RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0}"#)
        #expect(removed.error == ErrorName.recordingNoSuchRecording.rawValue)
        _ = try recorder()
        try waitForNumber(1)
        #expect(try recordings().first?.id != id)
    }

    @Test func `a retained recording can be read when the app is allowed again, without positions from meanwhile`()
        throws
    {
        defer { scene.receiver.stop() }
        let client = try recorder(#"{"onRevoke":"keep"}"#)
        try waitForNumber(5)
        try scene.manage.authorize("trailmap", .deny)
        #expect(try recordings().first?.state == "denied")
        let last = try #require(try recordings().first?.last)
        // Ten positions arrive for all authorized apps.
        let reader = try AppClient(try scene.apps.program("reader"), to: scene.daemon.socketPath, as: geteuid())
        try reader.begin(LocationInterface.Method.monitor.rawValue, more: true)
        var meanwhile: [Double] = []
        while meanwhile.count < 10 {
            let update = try #require(try reader.next()).parameters["update"]
            if let time = update?["position"]?["timestamp"]?.numberValue { meanwhile.append(time) }
        }
        try scene.manage.authorize("trailmap", .always)
        try waitForNumber(last + 5)
        let points = try readAll(client)
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)))
        // The first of them may have been recorded before the denial.
        let recorded = Set(points.map(\.position.timestamp))
        #expect(recorded.isDisjoint(with: meanwhile.dropFirst()), "\(meanwhile) \(recorded.sorted())")
    }

    @Test func `after a denial has returned no recorded position is sent, whatever was queued before`() throws {
        defer { scene.receiver.stop() }
        // Clients within the test: their sockets can be checked without further reading.
        try scene.apps.add("probe", name: "Probe", program: try TestApps.ownProgram(), "Record=yes")
        #expect(try eventually { try scene.manage.app("probe") != nil })
        func decide(_ status: ManageInterface.Authorize.Status) throws {
            try scene.manage.authorize("probe", status, uid: OtherUser.nobody)
        }
        try decide(.always)
        let starter = try Client(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        _ = try starter.call(
            RecordingInterface.Method.start.rawValue, ["identifier": "trip", "options": ["onRevoke": "keep"]],
            timeout: .seconds(60))
        #expect(
            try eventually(within: 60) {
                let list = try starter.call(RecordingInterface.List(), timeout: .seconds(60))
                return list.recordings.first.map { $0.last >= 30 } ?? false
            }, "\(scene.daemon.log)")
        let call = #"{"method":"io.waymark.Recording.Read","parameters":{"identifier":"trip","after":0,"limit":1000}}"#
        var random = SeededGenerator(seed: 3)
        var bytesBefore = 0
        for round in 0..<40 {
            let clients = try (0..<8).map { _ in
                try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
            }
            for client in clients {
                for _ in 0..<4 { #expect(try client.send(message: call) == .everything) }
            }
            // Every second time a reply has arrived, however busy the machine is.
            let seconds = round.isMultiple(of: 2) ? 60 : Double.random(in: 0...0.01, using: &random)
            _ = try PollDeadline(seconds: seconds).poll(clients[0].socket.number, for: POLLIN)
            try decide(.deny)
            scene.daemon.signal(SIGSTOP)
            for client in clients { bytesBefore += try client.readArrived().bytes.count }
            scene.daemon.signal(SIGCONT)
            // All data that it would still send has been sent before this reply.
            try decide(.deny)
            _ = try starter.call("org.varlink.service.GetInfo", timeout: .seconds(60))
            for client in clients {
                let text = String(decoding: try client.readArrived().bytes, as: UTF8.self)
                #expect(!text.contains("latitude"), "round \(round): \(text.prefix(300))")
            }
            try decide(.always)
        }
        #expect(bytesBefore > 100_000, "hardly anything was there to be revoked: \(bytesBefore)")
    }

    @Test func `numbers are dense and no position is recorded twice over kills of the daemon`() throws {
        defer { scene.receiver.stop() }
        _ = try recorder(#"{"interval":0}"#)
        var durable: [RecordedPosition] = []
        var random = SeededGenerator(seed: 11)
        for _ in 0..<6 {
            try waitForNumber((durable.last?.sequence ?? 0) + Int64.random(in: 3...15, using: &random))
            let points = try readAll(try scene.app())
            #expect(
                points.prefix(durable.count).elementsEqual(durable), "positions that were read exist after the crash")
            durable = points
            scene.daemon.signal(SIGKILL)
            #expect(try scene.daemon.wait() == .killed(signal: SIGKILL))
            try scene.daemon.restart()
        }
        try waitForNumber((durable.last?.sequence ?? 0) + 5)
        let points = try readAll(try scene.app())
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)))
        #expect(Set(points.map(\.position.timestamp)).count == points.count)
        try expectRecording()
    }

    @Test func `unauthorized calls and calls without a name fail with the reason`() throws {
        defer { scene.receiver.stop() }
        let plain = try scene.apps.program("plain")
        try scene.apps.add("plain", name: "Plain", program: plain)
        #expect(try eventually { try scene.manage.app("plain") != nil })
        let stranger = try scene.apps.program("stranger")
        let client = try recorder()
        let other = try AppClient(plain, to: scene.daemon.socketPath)
        let nobody = try AppClient(stranger, to: scene.daemon.socketPath)
        func error(_ client: AppClient, _ method: RecordingInterface.Method, _ parameters: String) throws -> String? {
            try client.call(method.rawValue, parameters).error
        }
        let trip = #"{"identifier":"trip"}"#
        #expect(try error(other, .start, trip) == ErrorName.recordingNotAllowed.rawValue)
        #expect(try error(other, .stop, trip) == ErrorName.recordingNoSuchRecording.rawValue, "it sees no others'")
        #expect(
            try error(other, .erase, #"{"identifier":"trip","app":"trailmap"}"#)
                == ErrorName.recordingNotOperator.rawValue)
        #expect(try error(nobody, .start, trip) == ErrorName.recordingNotAllowed.rawValue)
        #expect(try error(nobody, .list, "{}") == ErrorName.recordingNotAllowed.rawValue)
        #expect(try error(client, .start, #"{"identifier":".."}"#) == ErrorName.recordingInvalidIdentifier.rawValue)
        for number in 2...16 { #expect(try error(client, .start, #"{"identifier":"trip\#(number)"}"#) == nil) }
        #expect(
            try error(client, .start, #"{"identifier":"one-more"}"#) == ErrorName.recordingTooManyRecordings.rawValue)
        #expect(try error(client, .start, trip) == nil, "an existing recording continues")

        // An operator has to name the owner where that is ambiguous, and erases it.
        let manager = try Client(path: scene.daemon.socketPath, timeout: .seconds(60))
        let reply = try manager.call(
            RecordingInterface.Method.erase.rawValue, ["identifier": "trip2", "app": "trailmap"], timeout: .seconds(60))
        #expect(reply["erased"] != nil)
        #expect(try recordings().count == 15)
    }
}
