import Glibc
import Interfaces
import Location
import Platform
import Replay
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Data that a gpsd can send or omit to stop positions permanently. The daemon recovers from each automatically.
@Suite(.waits, .timeLimit(.minutes(15))) struct ReceiverStreamTests {
    /// A hostile gpsd, a daemon that uses it, and a client that has had a position.
    private struct Scene {
        let gpsd: ScriptedGPSD
        let daemon: DaemonProcess
        let reader: UpdateReader
        /// The connections that the daemon has needed for the first position: on a busy machine a greeting may be late.
        private(set) var connections = 0

        init() throws {
            gpsd = try ScriptedGPSD()
            daemon = try DaemonProcess(gpsd: gpsd.address)
            reader = try UpdateReader(daemon.socketPath)
            try expectPositions("at the start")
            connections = gpsd.connections
        }

        func end() {
            reader.stop()
            gpsd.stop()
        }

        func receiver() throws -> DaemonStatus.Receiver {
            try OperatorClient(daemon).status().receiver
        }

        /// Makes gpsd send positions until one of them has reached the client.
        func expectPositions(_ situation: String, within seconds: Double = 60) throws {
            let before = reader.positions.count
            let clock = SystemClock()
            var sentAt: UInt64 = 0
            let came = eventually(within: seconds) {
                if clock.monotonicNanoseconds - sentAt > 200_000_000 {
                    sentAt = clock.monotonicNanoseconds
                    gpsd.sendPosition()
                }
                return reader.positions.count > before
            }
            let status = try receiver()
            #expect(came, "no position \(situation): \(status) \(daemon.log.suffix(1_000))")
        }
    }

    @Test func `positions continue after bursts of 300 kB that end in the middle of a line`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let line = ScriptedGPSD.sky()
        let half = #"{"class":"SKY","device":"\#(ScriptedGPSD.device)","hdop":0.7,"sat"#
        let rest = #"ellites":[]}"# + "\r\n"
        for round in 1...12 {
            scene.gpsd.send(String(repeating: line, count: 300_000 / line.utf8.count) + half)
            #expect(
                eventually(within: Patience.daemon) { scene.gpsd.isDrained }, "the window stays closed, round \(round)")
            scene.gpsd.send(rest)
            try scene.expectPositions("after burst \(round)", within: Patience.daemon)
        }
        #expect(scene.gpsd.connections == scene.connections, "the connection was opened again")
        #expect(try scene.receiver().malformed == 0)
    }

    @Test func `positions continue after a flood of reports`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let now = SystemClock().utcMicroseconds
        let position = ScriptedGPSD.position(at: now)
        for _ in 0..<20 { scene.gpsd.send(String(repeating: position + ScriptedGPSD.sky(satellites: 8), count: 700)) }
        #expect(eventually { scene.gpsd.isDrained })
        try scene.expectPositions("after a flood")
        #expect(scene.gpsd.connections == scene.connections)
    }

    @Test func `positions continue after a line of five megabytes`() throws {
        let scene = try Scene()
        defer { scene.end() }
        for _ in 0..<50 { scene.gpsd.send(String(repeating: "x", count: 100_000)) }
        scene.gpsd.send("\r\n")
        try scene.expectPositions("after a giant line")
        #expect(scene.gpsd.connections == scene.connections)
        #expect(try scene.receiver().malformed == 1)
    }

    @Test func `a line without an end is discarded, and gpsd connected again`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let clock = SystemClock()
        var sentAt: UInt64 = 0
        #expect(
            eventually(within: 60) {
                if clock.monotonicNanoseconds - sentAt > 100_000_000 {
                    sentAt = clock.monotonicNanoseconds
                    scene.gpsd.send(String(repeating: "x", count: 100_000))
                }
                return scene.gpsd.connections > scene.connections
            }, "a line without an end is waited for")
        try scene.expectPositions("on the second connection")
    }

    @Test func `a stalled connection is opened again, and counted`() throws {
        let scene = try Scene()
        defer { scene.end() }
        scene.gpsd.answerInquiries(false)
        // No data arrives any more, though gpsd listens: as from a connection whose other end is lost.
        #expect(
            eventually(within: 60) { scene.gpsd.connections > scene.connections }, "a stalled connection stays open")
        try scene.expectPositions("on the second connection")
        #expect(try scene.receiver().reconnectsAfterSilence == 1)
    }

    @Test func `a silent gpsd that replies is not disconnected`() throws {
        let scene = try Scene()
        defer { scene.end() }
        #expect(eventually(within: 60) { scene.gpsd.received.contains("?POLL;") }, "a silent gpsd is not polled")
        #expect(try eventually { try scene.receiver().devices.contains { $0.isStale } })
        #expect(try eventually { try !scene.receiver().awaitsAnswer })
        try scene.expectPositions("after silence")
        #expect(scene.gpsd.connections == scene.connections)
        #expect(try scene.receiver().reconnectsAfterSilence == 0)
    }

    @Test func `a daemon that was stopped for two minutes with a fast receiver gets positions again`() throws {
        let scene = try Scene()
        defer { scene.end() }
        scene.daemon.signal(SIGSTOP)
        defer { scene.daemon.signal(SIGCONT) }
        // Two minutes of ten reports a second, with 60 satellites each: 8 MB, of which the kernel holds a part.
        let now = SystemClock().utcMicroseconds
        for second in 0..<120 {
            scene.gpsd.send(
                (0..<10).map { ScriptedGPSD.sky() + ScriptedGPSD.position(at: now + Int64(second * 10 + $0) * 1_000) }
                    .joined())
        }
        #expect(!eventually(within: 1) { scene.gpsd.isDrained }, "the kernel buffered all of it: send more")
        scene.daemon.signal(SIGCONT)
        #expect(eventually { scene.gpsd.isDrained }, "the window stays closed")
        try scene.expectPositions("after a stop")
        #expect(scene.gpsd.connections == scene.connections)
    }

    /// How gpsd is reached.
    enum Route: String, CaseIterable {
        /// At its port.
        case directly
        /// Through systemd's proxy, as by the unit that is shipped.
        case proxy
    }

    @Test(arguments: Route.allCases)
    func `a daemon that was stopped while a real gpsd continued gets positions again`(_ route: Route) throws {
        let directory = try TemporaryDirectory()
        // For two and a half minutes, of which the test needs 15 s after its programs were started.
        let receiver = try PlayedReceiver(
            Products.recording("ten-hertz", seconds: 1_200, in: directory), pace: .times(8))
        defer { receiver.stop() }
        var address = receiver.address
        var proxy: ChildProcess?
        if route == .proxy {
            guard access("/usr/lib/systemd/systemd-socket-proxyd", X_OK) == 0,
                access("/usr/bin/systemd-socket-activate", X_OK) == 0
            else {
                print("SKIPPED: this machine has no systemd-socket-proxyd")
                return
            }
            let path = directory.file("gpsd.sock")
            proxy = try ChildProcess(
                ChildProcess.Launch(
                    "/usr/bin/systemd-socket-activate",
                    ["-l", path, "/usr/lib/systemd/systemd-socket-proxyd", address], isGuarded: true))
            #expect(eventually { access(path, F_OK) == 0 }, "the proxy does not listen")
            address = "unix:\(path)"
        }
        defer { proxy?.signal(SIGKILL) }
        let daemon = try DaemonProcess(gpsd: address, more: ["--simulated"])
        let reader = try UpdateReader(daemon.socketPath)
        #expect(reader.firstPosition() != nil, "\(daemon.log)")
        let witness = try GPSDWitness(receiver.address)
        daemon.signal(SIGSTOP)
        // Two minutes of the receiver's time.
        let passed = witness.waitForMore(1_200, within: 60)
        daemon.signal(SIGCONT)
        #expect(passed, "the receiver does not continue")
        let before = reader.positions.count
        // After all data buffered by the kernel and the proxy the current reports of gpsd follow.
        let now = try #require(witness.times.last)
        #expect(
            eventually(within: 60) { (reader.positions.last?.timestamp ?? 0) > now },
            "\(reader.positions.count - before) positions: \(daemon.log.suffix(2_000))")
        witness.stop()
        reader.stop()
    }

    @Test func `endlessly added and removed devices leave a bounded log and journal`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let before = scene.daemon.log.utf8.count
        let round = (0..<50).map { index in
            #"{"class":"DEVICE","path":"/dev/ttyFLOOD\#(index)","driver":"NMEA0183","activated":"2026-01-01T00:00:00.000Z"}"#
                + "\r\n" + #"{"class":"DEVICE","path":"/dev/ttyFLOOD\#(index)","activated":0}"# + "\r\n"
        }.joined()
        for _ in 0..<400 { scene.gpsd.send(round) }
        #expect(eventually { scene.gpsd.isDrained })
        try scene.expectPositions("after the flood of devices")
        #expect(scene.daemon.log.utf8.count - before < 100_000)
        // The last line reports the number of suppressed messages: 20,000 of each kind minus those that were written.
        try scene.daemon.stop()
        #expect(scene.daemon.log.contains("kind=receiverConnected"), "\(scene.daemon.log.suffix(2_000))")
        #expect(scene.daemon.log.contains("kind=receiverLost"))
    }

    @Test func `a receiver of ships' reports counts as alive, and is reported to send no positions`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: "[Receiver]\nStaleAfter=1s\n", gpsd: gpsd.address)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let clock = SystemClock()
        let start = clock.monotonicNanoseconds
        var sentAt: [UInt64] = []
        var receiver = DaemonStatus.Receiver()
        // For three times as long as a silent receiver is given.
        _ = try eventually(within: 60) {
            if clock.monotonicNanoseconds - (sentAt.last ?? 0) > 100_000_000 {
                sentAt.append(clock.monotonicNanoseconds)
                gpsd.send(
                    #"{"class":"AIS","device":"\#(ScriptedGPSD.device)","type":1,"repeat":0,"mmsi":1,"scaled":true}"#
                        + "\r\n")
            }
            receiver = try client.call(ManageInterface.Status(), timeout: .seconds(60)).status.receiver
            // On a busy machine reports or the reply may come so late that the receiver has been silent for the time of
            // StaleAfter=. The daemon has read the last report that it has counted in this reply after that was sent.
            let counted = min(Int(receiver.reports["other"] ?? 0), sentAt.count)
            let isRecent = counted > 0 && clock.monotonicNanoseconds - sentAt[counted - 1] < 900_000_000
            #expect(!isRecent || !receiver.devices.contains { $0.isStale }, "a receiver that reports is called silent")
            return clock.monotonicNanoseconds - start > 3_000_000_000 && receiver.reports["other"] ?? 0 > 10
        }
        #expect(receiver.reports["other"] ?? 0 > 10)
        #expect(receiver.devices.map(\.hasReportedPositions) == [false])
    }
}
