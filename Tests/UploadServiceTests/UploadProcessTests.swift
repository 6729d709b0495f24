import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// The uploader between a daemon and a destination, without a network.
@Suite(.timeLimit(.minutes(15))) struct UploadProcessTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `recorded positions are sent once, in order, and acknowledged`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.record(1_000)
        scene.process.start()
        try await scene.eventually("the backlog is acknowledged") { scene.daemon.cursor == 1_000 }
        for _ in 0..<20 {
            scene.daemon.record()
            try await scene.eventually("each new position is acknowledged") { scene.daemon.cursor == scene.daemon.last }
        }
        #expect(scene.destination.numbers == Array(1...1_020))
        #expect(scene.daemon.starts == 1)
        #expect(scene.process.state == .idle)
        #expect(scene.daemon.outcomes == ["answered"])
    }

    @Test @DaemonActor func `pages shorter than requested skip only unreadable positions`() async throws {
        var configuration = Scene.configuration(.geojson)
        configuration.queue.batchLimit = 1_000
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        scene.daemon.mostInOneReply = 37
        scene.daemon.unreadable = [5, 100, 3_000]
        scene.daemon.record(3_000)
        scene.process.start()
        try await scene.eventually("settled") { scene.daemon.cursor == 3_000 }
        let sent = Set(scene.destination.sent.flatMap(\.positions).map(\.sequence))
        #expect(sent == Set(1...3_000).subtracting(scene.daemon.unreadable))
        scene.daemon.mostInOneReply = 1_000
        scene.daemon.record(5_000)
        try await scene.eventually("settled") { scene.daemon.cursor == 8_000 }
        let all = Set(scene.destination.sent.flatMap(\.positions).map(\.sequence))
        #expect(all.isSuperset(of: 3_001...8_000))
        #expect(scene.daemon.reads.allSatisfy { $0.limit ?? 0 <= 1_000 })
    }

    @Test @DaemonActor func `positions acknowledged to a stopped daemon are not sent again`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.process.start()
        scene.daemon.record(50)
        try await scene.eventually("sent") { scene.daemon.cursor == 50 }
        for round in Int64(1)...5 {
            scene.daemon.stop()
            try await scene.eventually("the loss is reported") { scene.process.state == .waitingForRecording }
            try scene.daemon.listen()
            scene.daemon.record(10)
            try await scene.eventually("sent") { scene.daemon.cursor == 50 + 10 * round }
        }
        #expect(scene.destination.numbers == Array(1...100))
    }

    @Test @DaemonActor func `a response received while the daemon is stopped is acknowledged when it has restarted`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(5)
        scene.process.start()
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
        scene.daemon.stop()
        try await scene.eventually("the loss is reported") { scene.process.state == .waitingForRecording }
        scene.destination.answer(HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)))
        try scene.daemon.listen()
        try await scene.eventually("acknowledged") { scene.daemon.cursor == 5 }
        #expect(scene.destination.sent.count == 1)
    }

    @Test @DaemonActor
    func `a refused position is stored as such, blocks nothing, and is sent again on request`()
        async throws
    {
        let scene = try await Scene.make(Scene.configuration(.geojson))
        defer { scene.end() }
        var isFixed = false
        scene.destination.evaluate = { transfer in
            !isFixed && transfer.positions.contains { $0.sequence == 13 }
                ? HTTPAnswer(status: 422, body: Array("no".utf8)) : HTTPAnswer(status: 200)
        }
        scene.daemon.record(40)
        scene.process.start()
        try await scene.eventually("all settled") { scene.daemon.cursor == 40 }
        #expect(scene.daemon.deadLetters == [13: DestinationRefusal(status: 422, message: "no")])
        isFixed = true
        scene.daemon.order(.retryRejected)
        try await scene.eventually("taken") { scene.daemon.deadLetters.isEmpty }
        #expect(scene.destination.sent.last?.positions.map(\.sequence) == [13])
    }

    @Test(arguments: [UploadsInterface.Method.attach.rawValue, RecordingInterface.Method.start.rawValue]) @DaemonActor
    func `a daemon that does not know a method is reported as older, with the next step`(
        method: String
    ) async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.unknownMethods = [method]
        scene.daemon.record(3)
        scene.process.start()
        try await scene.eventually("told") { scene.process.status.message != nil }
        let message = try #require(scene.process.status.message)
        #expect(message.contains("the daemon is older") && message.contains("systemctl restart waymark"))
        #expect(message.contains(method) && scene.process.state == .waitingForRecording)
        scene.daemon.unknownMethods = []
        try await scene.eventually("updated") { scene.daemon.cursor == 3 }
    }

    @Test @DaemonActor func `two uploaders of one recording do not send at once`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.daemon.attachRefusal = .uploadsAlreadyAttached
        scene.daemon.record(3)
        scene.process.start()
        try await elapsed(.milliseconds(150))
        #expect(scene.destination.sent.isEmpty && scene.daemon.starts == 0)
        scene.daemon.attachRefusal = nil
        try await scene.eventually("the first one has stopped") { scene.daemon.cursor == 3 }
    }

    @Test @DaemonActor func `another destination gets the pending positions once its path is known`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(5)
        scene.process.start()
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
        scene.destination.evaluate = { _ in HTTPAnswer(status: 201) }
        scene.process.configure(scene.setup(Scene.configuration(.geojson, url: "https://other.example.org:8443/x")))
        try await scene.eventually("acknowledged") { scene.daemon.cursor == 5 }
        #expect(scene.daemon.watched.map(\.host) == ["127.0.0.1", "other.example.org"])
        #expect(scene.daemon.watched.map(\.port) == [8_080, 8_443])
        #expect(scene.destination.carriers.map { $0.0.destination.format } == [.overland, .geojson])
    }

    @Test @DaemonActor func `a missing credential is reported by name, and read again at a reload`() async throws {
        var configuration = Scene.configuration()
        configuration.credential.kind = .bearer
        configuration.credential.name = "home-token"
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        scene.daemon.record(2)
        scene.process.start()
        try await scene.eventually("reported") { scene.daemon.statuses.last?.reason == "notConfigured" }
        let message = try #require(scene.daemon.statuses.last?.message)
        #expect(message.contains("home-token") && message.contains("LoadCredential="))
        #expect(scene.destination.sent.isEmpty)
        try scene.writeCredential("home-token", "abc123\n")
        scene.process.configure(scene.setup(configuration))
        try await scene.eventually("sent") { scene.daemon.cursor == 2 }
        #expect(scene.destination.carriers.last?.1.identity == .bearer(try Secret("abc123")))
        // Another token in the same file: the carrier has to use it.
        try scene.writeCredential("home-token", "def456\n")
        scene.process.configure(scene.setup(configuration))
        #expect(scene.destination.carriers.last?.1.identity == .bearer(try Secret("def456")))
        scene.process.configure(scene.setup(configuration))
        #expect(scene.destination.carriers.count == 2)
    }

    @Test @DaemonActor func `an unauthorized uploader uses another credential as soon as there is one`() async throws {
        var configuration = Scene.configuration()
        configuration.credential.kind = .bearer
        configuration.credential.name = "home-token"
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        try scene.writeCredential("home-token", "wrong")
        scene.process.configure(scene.setup(configuration))
        scene.destination.evaluate = { _ in HTTPAnswer(status: 401) }
        scene.daemon.record(2)
        scene.process.start()
        try await scene.eventually("blocked") { scene.daemon.statuses.last?.reason == "unauthorized" }
        scene.destination.evaluate = { _ in HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)) }
        try scene.writeCredential("home-token", "right")
        scene.process.configure(scene.setup(configuration))
        try await scene.eventually("sent") { scene.daemon.cursor == 2 }
    }

    @Test @DaemonActor func `an unauthorized uploader reports how to load a corrected credential`() async throws {
        var configuration = Scene.configuration()
        configuration.credential.kind = .bearer
        configuration.credential.name = "home-token"
        let scene = try await Scene.make(configuration)
        defer { scene.end() }
        try scene.writeCredential("home-token", "wrong")
        var setup = scene.setup(configuration)
        setup.renewal = .restart(unit: "waymark-upload@home.service")
        scene.process.configure(setup)
        scene.destination.evaluate = { _ in HTTPAnswer(status: 401) }
        scene.daemon.record(2)
        scene.process.start()
        try await scene.eventually("blocked") { scene.daemon.statuses.last?.reason == "unauthorized" }
        let message = try #require(scene.daemon.statuses.last?.message)
        #expect(message.contains("home-token (401)"))
        #expect(message.contains("`sudo systemctl restart waymark-upload@home.service`"))
        scene.process.configure(scene.setup(configuration))
        try await scene.eventually("reported again") { scene.process.status.message?.contains("send SIGHUP") == true }
        scene.process.configure(UploadProcess.Setup(Scene.configuration(), from: CredentialFolder(path: nil)))
        try await scene.eventually("missing credential reported") {
            scene.process.status.message?.contains("LoadCredential=NAME:FILE") == true
        }
    }

    @Test @DaemonActor func `a stop gives transfers a short time, and stores acknowledgements`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(5)
        scene.process.start()
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
        scene.daemon.answersStores = false
        var isOver = false
        scene.process.stop(.seconds(600)) { isOver = true }
        scene.daemon.record(5)
        try await elapsed(.milliseconds(50))
        #expect(!isOver)
        scene.destination.answer(HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)))
        try await elapsed(.milliseconds(50))
        #expect(!isOver && scene.daemon.cursor == 0)
        scene.daemon.answerStores()
        try await scene.eventually("the end") { isOver }
        #expect(scene.daemon.cursor == 5 && scene.destination.sent.count == 1)
    }

    @Test @DaemonActor func `a stop does not wait for a silent destination`() async throws {
        let scene = try await Scene.make()
        defer { scene.end() }
        scene.destination.evaluate = nil
        scene.daemon.record(5)
        scene.process.start()
        try await scene.eventually("in flight") { scene.destination.open.count == 1 }
        var ends = 0
        scene.process.stop(.milliseconds(30)) { ends += 1 }
        try await scene.eventually("the end") { ends == 1 }
        #expect(scene.destination.open.isEmpty)
        scene.process.stop { ends += 1 }
        #expect(ends == 1)
    }

    private final class Observer: UploadObserver {
        var lines: [String] = []
        func statusChanged(_ line: String) { lines.append(line) }
    }

    @Test @DaemonActor func `the log reports once that nothing is sent, and once that sending has resumed`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        let observer = Observer()
        scene.process.observer = observer
        scene.destination.evaluate = { _ in HTTPAnswer(status: 503) }
        scene.daemon.record()
        scene.process.start()
        try await scene.eventually("several attempts") { scene.destination.sent.count >= 4 }
        scene.destination.evaluate = { _ in HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8)) }
        try await scene.eventually("sent") { scene.daemon.cursor == 1 }
        #expect(observer.lines.map { $0.prefix(10) } == ["Sending to", "backingOff", "Sending to"])
    }

    @Test @DaemonActor func `no possible secret is reported, and counters are not reported with every position`()
        async throws
    {
        let scene = try await Scene.make()
        defer { scene.end() }
        let (clock, begin) = (SystemClock(), SystemClock().monotonicNanoseconds)
        scene.process.start()
        for _ in 0..<200 {
            scene.daemon.record()
            try await scene.eventually("sent") { scene.daemon.cursor == scene.daemon.last }
        }
        scene.destination.evaluate = { _ in
            HTTPAnswer(status: 200, body: Array(#"{"error":"48.1,11.5 is no place"}"#.utf8))
        }
        scene.daemon.record()
        try await scene.eventually("backs off") { scene.daemon.statuses.last?.reason == "refused" }
        // Counters are reported once a second.
        let seconds = Int((clock.monotonicNanoseconds - begin) / 1_000_000_000)
        #expect(scene.daemon.statuses.count < 100 + seconds)
        for status in scene.daemon.statuses {
            #expect(status.destination == "http://127.0.0.1:8080")
            let text = [status.message, status.destination, status.reason?.rawValue].compactMap { $0 }.joined()
            #expect(!text.contains("token") && !text.contains("s3cret") && !text.contains("48.1"))
        }
        // The next attempt may have begun already.
        let refused = try #require(scene.daemon.statuses.last { $0.reason == "refused" })
        #expect(refused.sent == 200 && refused.attempt > 0)
    }
}
