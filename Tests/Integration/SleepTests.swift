import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The receiver that sleeps while only significant changes need it.
@Suite(.waits, .timeLimit(.minutes(15))) struct SleepTests {
    @Test func `gpsd is disconnected until the next significant change can be due, and no stream ends`()
        throws
    {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let manage = try OperatorClient(daemon)
        func isAsleep() throws -> Bool {
            try eventually(within: Patience.daemon) { try manage.status().receiver.asleepUntil != nil }
        }
        let reader = try UpdateReader(daemon.socketPath, MonitorRequest(significantChanges: true))
        defer { reader.stop() }
        try #require(eventually { gpsd.received.contains("?WATCH") && reader.received.count == 1 })
        gpsd.sendPosition()
        try #require(reader.firstPosition() != nil, "\(daemon.log)")
        try #require(try isAsleep(), "\(daemon.log)")
        let status = try manage.status()
        let seconds = try #require(status.receiver.asleepUntil) - Double(SystemClock().utcMicroseconds) / 1e6
        #expect(seconds > 200 && seconds < 300 && status.receiver.sleeps == 1 && status.health == "ok")
        #expect(status.receiver.state == .idle && gpsd.connections == 1)
        let printed = try daemon.waymark(["status"])
        #expect(printed.output.contains("asleep for") && printed.status == .exited(0), "\(printed)")

        // Somebody else needs a position, and the receiver sleeps on. On a busy machine it may have been woken before.
        let client = try Client(path: daemon.socketPath)
        let call = try client.stream(
            LocationInterface.Method.getPosition.rawValue, ["maximumAge": 0, "timeout": 60], more: false)
        try #require(
            eventually(within: Patience.daemon) { gpsd.connections >= 2 && gpsd.received.contains("?WATCH") },
            "\(gpsd.connections), \(gpsd.received), \(daemon.log)")
        gpsd.sendPosition()
        #expect(try call.next()?.parameters["position"] != nil)

        // A new stream of significant changes gets its first position without delay.
        let other = try UpdateReader(daemon.socketPath, MonitorRequest(significantChanges: true))
        defer { other.stop() }
        // gpsd may accept the connection later than the stream has its first reply.
        let isServed = eventually(within: Patience.daemon) {
            gpsd.sendPosition()
            return other.firstPosition(within: 0.2) != nil
        }
        #expect(isServed, "\(daemon.log)")

        // Without adaptive power gpsd is connected again.
        try daemon.directory.write("waymark.conf", "[Receiver]\nPower=continuous\n")
        let reload = try client.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reload["changed"] == ["Receiver.Power"])
        try #require(
            try eventually(within: Patience.daemon) { try manage.status().receiver.state == .watching }, "\(daemon.log)"
        )
        #expect(try manage.status().receiver.asleepUntil == nil)

        // While another client has the receiver woken, its lack of a fix may be reported to everybody.
        #expect(reader.positions.count == 1 && reader.ending == nil, "\(reader.received.map(\.update))")
        let events = "\(try client.call(JournalInterface.Method.read.rawValue, timeout: .seconds(60)))"
        #expect(!events.contains("unwatched"), "\(events)")
    }

    @Test func `a region that is far away lets the receiver sleep, a near one and a new one do not`() throws {
        let scene = try RegionScene(receiver: "[Receiver]\nReleaseAfter=0s\n")
        let manage = try OperatorClient(scene.daemon)
        func isAsleep(_ asleep: Bool) throws -> Bool {
            try eventually(within: Patience.daemon) { try (manage.status().receiver.asleepUntil != nil) == asleep }
        }
        try scene.add([RegionScene.circle("far", north: 40_000)])
        let stream = try scene.stream()
        try scene.waitForDemand()
        // The first fix begins a look at the stored regions, and the next one finds them evaluated.
        var second = 0
        func fix(until isDone: () throws -> Bool) throws {
            try #require(
                try eventually(within: Patience.daemon) {
                    scene.gpsd.send(scene.report(second, north: 0))
                    second += 1
                    return try isDone()
                }, "\(scene.daemon.log)")
        }
        try fix { try manage.status().receiver.asleepUntil != nil }
        let status = try manage.status()
        let seconds = try #require(status.receiver.asleepUntil) - Double(SystemClock().utcMicroseconds) / 1e6
        // 39,900 m at 70 m/s, less the time to a fix.
        #expect(seconds > 480 && seconds < 570, "\(seconds)")
        #expect(try scene.words(stream, 1) == ["1 determined outside far"])
        #expect(try #require(try scene.monitors().first).state == .monitoring, "a sleep is no loss")

        // A near region needs a fix at once, and keeps the receiver awake.
        try scene.add([RegionScene.circle("near", north: 500)])
        try #require(try isAsleep(false), "\(scene.daemon.log)")
        try #require(eventually { scene.gpsd.connections == 2 && scene.gpsd.received.contains("?WATCH") })
        try fix { stream.replies.count >= 2 }
        #expect(try scene.words(stream, 2).last == "2 determined outside near")
        for _ in 0..<5 { try fix { true } }
        #expect(try manage.status().receiver.asleepUntil == nil)
        #expect(scene.gpsd.connections == 2)
    }
}
