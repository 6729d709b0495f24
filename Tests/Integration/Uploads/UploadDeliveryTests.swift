import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Upload

/// From a receiver to a server, through a real daemon and a real uploader.
@Suite(.waits, .timeLimit(.minutes(20))) struct UploadDeliveryTests {
    @Test(arguments: UploadFormat.all.map(\.name))
    func `recorded positions arrive once, in order, in every format`(_ format: String) throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration(format))
        try scene.waitForPoints(40)
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        expectInOrder(numbers, since: scene.startedAt)
        #expect(try scene.recording()?.last == Int64(numbers.count))
        let upload = try #require(try scene.upload())
        #expect(upload.isRunning && upload.waiting == 0 && upload.status.format == format)
        #expect(upload.status.destination == scene.server.address)
        let log = try #require(scene.uploader?.log)
        #expect(!log.contains("geheim") && !scene.daemon.log.contains("geheim"))
        let end = try scene.uploader?.stop()
        #expect(end == .exited(0), "\(scene.uploader?.log.suffix(4_000) ?? "")")
    }

    @Test func `the environment's proxies are not used`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        // No program listens on this port, so that a request through the proxy would fail.
        let proxy = "http://127.0.0.1:1"
        try scene.start(
            scene.configuration("geojson"),
            environment: ["http_proxy": proxy, "all_proxy": proxy, "ALL_PROXY": proxy])
        try scene.waitForPoints(3)
    }

    @Test func `a filter thins what is sent, counts the rest, and leaves the recording whole`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(
            scene.configuration("geojson", filter: "Distance=none\nInterval=3s\nStationary=none"))
        try scene.eventually("positions were left out") { try scene.upload()?.status.filtered ?? 0 >= 10 }
        try scene.waitForPoints(3)
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        let sent = try scene.numbers()
        #expect(sent.first == 1 && sent == sent.sorted() && Set(sent).count == sent.count, "\(sent)")
        // The counters are reported once a second.
        let upload = try scene.upload("every position was counted") { $0.status.sent + $0.status.filtered == last }
        #expect(upload.status.sent == Int64(sent.count))
        #expect(upload.status.filtered > upload.status.sent && upload.deadLetters == 0)
        #expect(try scene.waymark("uploads").contains("FILTERED"))
    }

    @Test func `the counts of sent and filtered positions continue over restarts, each counted once`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("geojson", filter: "Distance=none\nInterval=500ms\nStationary=none"))
        try scene.waitForPoints(5)
        for isDaemon in [false, true, false] {
            // The counters are reported once a second.
            try scene.upload("positions were counted") { $0.status.sent > 0 && $0.status.filtered > 0 }
            if isDaemon {
                scene.daemon.signal(SIGKILL)
                _ = try scene.daemon.wait()
                try scene.daemon.restart()
            } else {
                try scene.uploader?.kill()
                try scene.uploader?.restart()
            }
            let points = try scene.numbers().count
            try scene.waitForPoints(points + 5)
        }
        // The daemon may still record positions that the receiver has sent, so all counts are read and compared in one attempt.
        scene.receiver.stop()
        try scene.eventually("every position was counted, once") {
            guard let upload = try scene.upload(), let recording = try scene.recording() else { return false }
            let stored = Int64(Set(try scene.numbers()).count)
            return upload.status.sent + upload.status.filtered == recording.last && upload.status.sent == stored
        }
        try scene.uploader?.kill()
        let sent = try #require(try scene.recording()?.sent)
        let stored = Int64(Set(try scene.numbers()).count)
        scene.daemon.signal(SIGKILL)
        _ = try scene.daemon.wait()
        try scene.daemon.restart()
        let listed = try #require(try scene.upload(), "without an uploader too")
        #expect(!listed.isRunning && listed.status.sent >= sent && listed.status.sent <= stored)
        #expect(try scene.recording()?.sent == listed.status.sent)
    }

    @Test(.enabled(if: BrokerProcess.isPossible, "mosquitto and its clients are needed"))
    func `recorded positions are published once, in order, and completely if the uploader is killed`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        let broker = try BrokerProcess()
        let configuration = scene.configuration("owntracks").replacing(
            "URL=\(scene.server.address)/owntracks?secret=geheim", with: "URL=mqtt://127.0.0.1:\(broker.port)")
        try scene.start(configuration)
        try scene.eventually("published") { broker.numbers.count >= 20 }
        let before = broker.numbers
        // The newest position may have been sent ahead, while positions before it are still missing. It is the first message if the
        // broker accepts the connection late.
        #expect(Set(before).count == before.count && before.contains(1), "\(before)")
        #expect(ArrivalOrder(before).ahead <= ArrivalOrder.mostAhead(since: scene.startedAt), "\(before)")
        try scene.uploader?.kill()
        try scene.uploader?.restart()
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        try scene.eventually("all has come") { Set(broker.numbers) == Set(1...last) }
        #expect(try scene.upload()?.status.destination == "mqtt://127.0.0.1:\(broker.port)")
        try broker.end()
    }

    @Test func `a backlog arrives whole, with the newest position ahead and the others in their order`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("geojson"))
        try scene.waitForPoints(1)
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 60 }
        let status = try scene.upload("it waits for another attempt") { $0.status.state == "backingOff" }.status
        #expect(status.reason == "connect")
        try scene.server.restart()
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        expectInOrder(numbers, since: scene.startedAt)
    }

    @Test func `positions that the journal cannot read are dropped, and all others arrive`() throws {
        let scene = try UploadScene(pace: 4)
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(1)
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 200 }
        try scene.waitUntilAcknowledged()
        try scene.uploader?.kill()
        scene.receiver.stop()
        let settled = try #require(try scene.recording()?.acknowledged)
        _ = try scene.daemon.stop()
        // The first pending positions, more than one read returns.
        let damaged = settled + 1...settled + 150
        let change = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                scene.apps.directory.file("state/journal.db"),
                "UPDATE positions SET payload = x'0102' || zeroblob(length(payload) - 2)"
                    + " WHERE seq BETWEEN \(damaged.lowerBound) AND \(damaged.upperBound)",
            ])
        #expect(change.status == .exited(0), "\(change.error)")
        try scene.daemon.restart()
        try scene.server.restart()
        try scene.uploader?.restart()
        try scene.waitUntilDrained()
        let recording = try #require(try scene.recording())
        #expect(recording.last > damaged.upperBound && recording.dropped == damaged.count)
        #expect(Set(try scene.numbers()).union(damaged) == Set(1...recording.last))
    }

    @Test func `an operator pauses over restarts, resumes, and has dead letters tried again`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("geojson"))
        try scene.waitForPoints(5)
        try scene.command(.pause)
        try scene.eventually("paused") { try scene.upload()?.status.state == "paused" }
        try scene.uploader?.kill()
        try scene.uploader?.restart()
        try scene.eventually("attached again") { try scene.upload()?.isRunning == true }
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 10 }
        // A request that the killed process had made may have been handled after its end.
        let before = try scene.numbers()
        let waiting = try scene.recording()?.waiting ?? 0
        try scene.eventually("a longer one") { try scene.recording()?.waiting ?? 0 > waiting + 10 }
        #expect(try scene.numbers() == before)
        #expect(try scene.upload()?.isPaused == true)

        // One of the pending positions is refused.
        let recording = try #require(try scene.recording())
        let refused = max(recording.acknowledged, before.max() ?? 0) + 5
        try scene.server.kill()
        try scene.server.restart(more: ["--reject", "\(recording.id)/\(refused)"])
        try scene.command(.resume)
        try scene.eventually("a dead letter") { try scene.recording()?.deadLetters == 1 }
        try scene.waitForPoints(Int(recording.last))
        #expect(try !scene.numbers().contains(refused))
        try scene.server.kill()
        try scene.server.restart()
        try scene.command(.retryRejected)
        try scene.eventually("the dead letter was accepted") { try scene.recording()?.deadLetters == 0 }
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        #expect(Set(numbers) == Set(1...Int64(numbers.count)))
    }

    @Test func `another destination gets the pending positions, and a file with a new mistake changes nothing`() throws
    {
        let scene = try UploadScene()
        defer { scene.end() }
        let other = try UploadServerProcess()
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(5)
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 10 }
        try scene.uploader?.reload("[Destination]\nURL=https://user:geheim@example.org/\nFormat=overlnd\n")
        try scene.eventually("the mistake is logged") {
            scene.uploader?.log.contains("configuration not applied") == true
        }
        #expect(scene.uploader?.log.contains("geheim") == false)
        #expect(try scene.upload()?.status.destination == scene.server.address)
        try scene.waitUntilAcknowledged()
        let acknowledged = try #require(try scene.recording()?.acknowledged)
        try scene.uploader?.reload(scene.configuration("geojson", server: other))
        try scene.waitForPoints(20, other)
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        let numbers = Set(try scene.numbers(other))
        #expect(numbers.isSuperset(of: (acknowledged + 1)...last))
        #expect(numbers.union(try scene.numbers()) == Set(1...last))
        try other.kill()
    }

    @Test func `a token is sent as it is in the credential, and a wrong one blocks until it is another`() throws {
        let tokens = try TemporaryDirectory()
        let file = try tokens.write("token", "s3cret-token\n")
        let scene = try UploadScene(server: ["--expect-token", file])
        defer { scene.end() }
        let configuration = scene.configuration("overland", "[Credential]\nKind=bearer\nName=home-token")
        try scene.start(configuration)
        try scene.eventually("the missing credential is reported") {
            let status = try scene.upload()?.status
            return status?.reason == "notConfigured" && status?.message?.contains("home-token") == true
        }
        try scene.uploader?.writeCredential("home-token", "wrong-token\n")
        try scene.uploader?.reload(configuration)
        let blocked = try scene.upload("blocked") { $0.status.reason == "unauthorized" }
        #expect(blocked.status.lastStatus == 401)
        try scene.uploader?.writeCredential("home-token", "s3cret-token\n")
        try scene.uploader?.reload(configuration)
        try scene.waitForPoints(10)
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        expectInOrder(numbers, since: scene.startedAt)
        let log = try #require(scene.uploader?.log)
        #expect(!log.contains("s3cret") && !log.contains("wrong-token"))
    }

    @Test func `an uploader that loses its authorization sends nothing more, and unsent positions are erased`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(10)
        let id = try #require(try scene.recording()?.id)
        try scene.authorize(.deny)
        try scene.eventually("the uploader reports it") { try scene.upload()?.status.state == "waitingForRecording" }
        let before = try scene.numbers().count
        try scene.authorize(.always)
        try scene.waitForPoints(before + 5)
        #expect(try scene.recording()?.id != id)
        // The first of the new positions may come from a request that was made before the denial.
        try scene.eventually("positions of another recording") {
            try scene.server.storedIDs().contains { !$0.hasPrefix("\(id)") }
        }
    }

    @Test(arguments: ["503", "captive", "wrong-body", "drop", "drop-stored"])
    func `with any fault of the server every position arrives, and none is stored twice`(_ how: String) throws {
        let scene = try UploadScene(server: ["--fail", how, "--every", "2"])
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(20)
        try scene.server.kill()
        try scene.server.restart()
        try scene.waitUntilDrained()
        let numbers = try scene.numbers()
        #expect(Set(numbers) == Set(1...Int64(numbers.count)))
        #expect(numbers.count == Set(numbers).count)
    }
}
