import Glibc
import Interfaces
import JSONText
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Regions from the daemon, for an operator's program that is no app.
@Suite(.waits, .timeLimit(.minutes(15))) struct RegionTests {
    private static let yard = RegionScene.circle("yard", north: 0)

    @Test func `regions are monitored from the reply on, and their events are numbered and stored until acknowledged`()
        throws
    {
        let scene = try RegionScene()
        let reply = try scene.add([Self.yard, RegionScene.circle("mole", north: 5_000)])
        #expect(reply["added"] == 2 && reply["replaced"] == 0)
        let stream = try scene.stream()
        try scene.waitForDemand()
        scene.drive(0..<40) { 15 * Double($0) - 300 }
        #expect(
            try scene.words(stream, 4)
                == ["1 determined outside yard", "2 determined outside mole", "3 entered yard", "4 left yard"])
        let events = try scene.events(stream)
        // 100 m before the middle, and 100 m after it: at 13.3 s and 26.7 s.
        let crossings = events.compactMap { $0.crossed.map { $0 - Double(scene.start) / 1e6 } }
        #expect(crossings.count == 2 && abs(crossings[0] - 13.33) < 0.1 && abs(crossings[1] - 26.67) < 0.1)
        #expect(events[2].time - Double(scene.start) / 1e6 == 14 && !events[2].isSimulated)
        // The position at 14 s.
        let latitude = try #require(events[2].latitude)
        #expect(abs(latitude - (47 - 90 / 111_195)) < 1e-6 && events[2].longitude == -30)
        let accuracy = try #require(events[2].horizontalAccuracy)
        #expect(accuracy > 0 && accuracy < 10)

        let monitor = try #require(try scene.monitors().first)
        #expect(monitor.name == "m" && monitor.app == nil && monitor.uid == geteuid() && monitor.state == .monitoring)
        #expect(monitor.regions == 2 && monitor.last == 4 && monitor.pending == 4 && monitor.acknowledged == 0)
        #expect(
            try scene.show().map { "\($0.region.identifier) \($0.state.rawValue)" } == ["mole outside", "yard outside"])

        let client = try scene.client()
        #expect(try client.call(RegionsInterface.Acknowledge(monitor: "m", upTo: 2)).acknowledged == 2)
        let second = try scene.stream()
        #expect(try scene.words(second, 2) == ["3 entered yard", "4 left yard"])
        let third = try scene.stream(after: 3)
        #expect(try scene.words(third, 1) == ["4 left yard"])
        #expect(try #require(try scene.monitors().first).pending == 2)
        #expect(
            try refused(.regionsNoSuchEvent) { try client.call(RegionsInterface.Acknowledge(monitor: "m", upTo: 5)) })
        let fourth = try scene.stream(after: 5)
        #expect(eventually { fourth.ending == ErrorName.regionsNoSuchEvent.rawValue })
    }

    @Test func `a region between two fixes is passed through`() throws {
        let scene = try RegionScene()
        try scene.add([RegionScene.circle("gate", north: 0, radius: 50)])
        let stream = try scene.stream()
        try scene.waitForDemand()
        scene.drive(0..<100, every: 10, speed: 30) { 30 * Double($0) - 1_350 }
        #expect(
            try scene.words(stream, 3) == [
                "1 determined outside gate", "2 entered gate through", "3 left gate through",
            ])
    }

    @Test func `a stay is reported after its dwell time, and again after its loitering time`() throws {
        let scene = try RegionScene()
        try scene.add([
            RegionScene.circle("bay", north: 0, radius: 100, #","dwell":60,"loitering":120"#),
            RegionScene.circle("lane", north: -200, radius: 50, #","dwell":60"#),
        ])
        let stream = try scene.stream()
        try scene.waitForDemand()
        scene.drive(0..<40) { 15 * Double($0) - 600 }
        #expect(try scene.words(stream, 2).count == 2)
        for minute in 0..<3 { scene.drive(40 + 60 * minute..<100 + 60 * minute, speed: 0) { _ in 0 } }
        #expect(
            try scene.words(stream, 4).suffix(2) == ["3 entered bay", "4 loitered bay"], "the lane was left too soon")
        let times = try scene.events(stream).suffix(2).map { Int($0.time - Double(scene.start) / 1e6) }
        #expect((93...95).contains(times[0]) && (153...155).contains(times[1]), "\(times)")
    }

    @Test(arguments: [false, true])
    func `monitoring goes on after a restart, with no client and no event twice`(_ isKilled: Bool) throws {
        let scene = try RegionScene()
        try scene.add([Self.yard])
        try scene.waitForDemand()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(
            try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 2 }, "\(scene.daemon.log)")
        if isKilled { scene.daemon.signal(SIGKILL) } else { #expect(try scene.daemon.stop() == .exited(0)) }
        let connections = scene.gpsd.connections
        try scene.daemon.restart()
        try #require(
            eventually(within: Patience.daemon) { scene.gpsd.connections > connections }, "\(scene.daemon.log)")
        try scene.waitForDemand()
        scene.drive(60..<80, speed: 1) { Double($0) - 70 }
        scene.drive(80..<110) { 15 * Double($0 - 80) + 10 }
        #expect(
            try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 3 }, "\(scene.daemon.log)")
        let stream = try scene.stream()
        #expect(try scene.words(stream, 3) == ["1 determined outside yard", "2 entered yard", "3 left yard"])
        let latitudes = try scene.events(stream).compactMap(\.latitude)
        // Those of a daemon before are the same.
        #expect(latitudes.count == 3 && abs(latitudes[1] - (47 - 90 / 111_195)) < 1e-6)
    }

    @Test func `what was crossed while no daemon ran is found out at the first fix`() throws {
        let scene = try RegionScene()
        try scene.add([Self.yard, RegionScene.circle("far", north: 60_000)])
        try scene.waitForDemand()
        scene.drive(0..<20) { 15 * Double($0) - 300 }
        #expect(try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 3 })
        scene.daemon.signal(SIGKILL)
        let connections = scene.gpsd.connections
        try scene.daemon.restart()
        try #require(eventually(within: Patience.daemon) { scene.gpsd.connections > connections })
        try scene.waitForDemand()
        scene.drive(4_000..<4_010, speed: 1) { _ in 60_000 }
        let stream = try scene.stream(after: 3)
        #expect(try scene.words(stream, 2) == ["4 left yard", "5 entered far"])
        #expect(try scene.events(stream).allSatisfy { $0.crossed == nil })
    }

    @Test func `a lost fix makes states unknown, and the next one determines them`() throws {
        let scene = try RegionScene(receiver: "[Receiver]\nStaleAfter=1s\n")
        try scene.add([Self.yard])
        let stream = try scene.stream()
        try scene.waitForDemand()
        scene.drive(0..<5, speed: 0) { _ in 0 }
        #expect(
            try scene.words(stream, 2) == ["1 determined inside yard", "2 unknown fixLost yard"])
        let known = try #require(try scene.show().first)
        #expect(known.state == .unknown && known.reason == .fixLost && known.since != nil)
        #expect(try scene.monitors().first?.state == .locationUnavailable)
        scene.drive(60..<65, speed: 0) { _ in 0 }
        // The fix may be lost again before this thread looks.
        #expect(try scene.words(stream, 3).dropFirst(2).first == "3 determined inside yard")
    }

    @Test func `a region that is added where the machine rests is determined at once, and a removed one is silent`()
        throws
    {
        let scene = try RegionScene()
        try scene.add([RegionScene.circle("buoy", north: 900)])
        let stream = try scene.stream()
        try scene.waitForDemand()
        scene.drive(0..<3, speed: 0) { _ in 0 }
        #expect(try scene.words(stream, 1) == ["1 determined outside buoy"])
        try scene.add([Self.yard])
        #expect(try scene.words(stream, 2).last == "2 determined inside yard", "without another report")
        // Replaced by one elsewhere: what was known of the old one does not count.
        #expect(try scene.add([RegionScene.circle("yard", north: 3_000)])["replaced"] == 1)
        #expect(try scene.words(stream, 3).last == "3 determined outside yard")
        let client = try scene.client()
        #expect(try client.call(RegionsInterface.Remove(monitor: "m", identifiers: ["yard", "none"])).removed == 1)
        scene.drive(10..<250) { 15 * Double($0 - 10) }
        #expect(try scene.words(stream, 5).suffix(2) == ["4 entered buoy", "5 left buoy"])
        #expect(try client.call(RegionsInterface.Remove(monitor: "m")).removed == 1)
        #expect(eventually { stream.ending == ErrorName.regionsNoSuchMonitor.rawValue })
        #expect(try scene.monitors() == [])
        #expect(try refused(.regionsNoSuchMonitor) { try client.call(RegionsInterface.Remove(monitor: "m")) })
        let kinds = try client.call(JournalInterface.Read(kinds: [.regionMonitorAdded, .regionMonitorRemoved]))
        #expect(kinds.events.map(\.kind) == [.regionMonitorAdded, .regionMonitorRemoved])
        #expect(!scene.daemon.log.contains("47.0"))
    }

    @Test func `staged regions take effect together, and not without a commit on the same connection`() throws {
        let scene = try RegionScene()
        let client = try scene.client()
        try scene.add([Self.yard], #","staged":true"#, by: client)
        try scene.add([RegionScene.circle("mole", north: 500)], #","staged":true"#, by: client)
        #expect(try scene.monitors() == [])
        #expect(try refused(.regionsNothingStaged) { try scene.client().call(RegionsInterface.Commit(monitor: "m")) })
        #expect(try client.call(RegionsInterface.Commit(monitor: "m")).added == 2)
        #expect(try scene.monitors().first?.regions == 2)
        #expect(try refused(.regionsNothingStaged) { try client.call(RegionsInterface.Commit(monitor: "m")) })
        do {
            let other = try scene.client()
            try scene.add([RegionScene.circle("quay", north: 500)], to: "n", #","staged":true"#, by: other)
        }
        #expect(try scene.monitors().count == 1)
    }

    @Test func `more events than PendingEvents drop the oldest, and an event says how many`() throws {
        let scene = try RegionScene(configuration: "[Regions]\nPendingEvents=3\n")
        try scene.add([Self.yard])
        try scene.waitForDemand()
        for lap in 0..<3 { scene.drive(lap * 100..<lap * 100 + 40) { 15 * Double($0 % 100) - 300 } }
        #expect(
            try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 7 }, "\(scene.daemon.log)")
        let stream = try scene.stream()
        #expect(
            try scene.words(stream, 4) == ["4 overflowed lost 4", "5 left yard", "6 entered yard", "7 left yard"])
    }

    @Test func `a border that inaccurate fixes cannot decide about is unknown after UndecidedAfter`() throws {
        let scene = try RegionScene(configuration: "[Regions]\nUndecidedAfter=20s\n")
        try scene.add([RegionScene.circle("coast", north: 5_000, radius: 5_000)])
        try scene.waitForDemand()
        let stream = try scene.stream()
        scene.drive(0..<40) { 15 * Double($0) - 600 }
        // Along the border, which curves away by a metre.
        for second in 40..<80 {
            scene.gpsd.send(
                scene.report(second, north: 0, speed: 5, east: 5 * Double(second - 60))
                    .replacing(#""eph":4.0"#, with: #""eph":40.0"#))
        }
        #expect(
            try scene.words(stream, 2) == ["1 determined outside coast", "2 unknown insufficientAccuracy coast"])
    }

    private func refused<Reply>(_ name: ErrorName, _ call: () throws -> Reply) throws -> Bool {
        try Refusal { _ = try call() }?.error == name
    }
}
