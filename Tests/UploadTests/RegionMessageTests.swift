import Location
import Testing

@testable import Upload

/// Messages about regions: which events have one, when they are sent, and what settles them.
@Suite struct RegionMessageTests {
    static let yard = Waypoint(
        name: "yard", created: 1_000, circle: Waypoint.Circle(center: Samples.coordinate(), radius: 80))
    static let route = Waypoint(name: "route", created: 2_000, circle: nil)

    /// An uploader whose monitor has these regions; a new one, unless `known` contains their states.
    static func bench(
        _ waypoints: [Waypoint] = [yard, route], positions: Int64 = 0, known: [String: KnownSide] = [:],
        broker: Bool = false, serves: Bool = true, _ change: (inout UploadConfiguration) -> Void = { _ in }
    ) throws -> Bench {
        var configuration = Samples.configuration(.owntracks, broker: broker)
        change(&configuration)
        var bench = Bench(configuration, positions: positions)
        bench.act { $0.replaceWaypoints(waypoints, at: $1) }
        bench.act { $0.regionsOpened(isNew: known.isEmpty, known, at: $1) }
        if broker { bench.act { $0.connected(isResumed: false, at: $1) } }
        if serves, !broker { try bench.serve() }
        return bench
    }

    static let ok = HTTPAnswer(status: 200, body: Array("[]".utf8))

    /// What was sent: `waypoint yard`, `enter yard 3`, or the numbers of positions.
    static func words(_ bench: Bench) -> [String] { bench.sent.map(words) }

    static func words(_ transfer: Transfer) -> String {
        switch transfer.message {
        case .waypoint(let waypoint, _): "waypoint \(waypoint.name)"
        case .transition(let transition):
            "\(transition.direction.rawValue) \(transition.waypoint.name) \(transition.sequence)"
        case nil: transfer.positions.map { "\($0.sequence)" }.joined(separator: ",")
        }
    }

    static func isTransition(_ transfer: Transfer) -> Bool {
        if case .transition = transfer.message { true } else { false }
    }

    @Test
    func `waypoints are sent at the start, when they are new, when they have changed, and to another destination`()
        throws
    {
        var bench = try Self.bench()
        #expect(Self.words(bench) == ["waypoint yard"], "another shape has no waypoint")
        bench.act { $0.replaceWaypoints([Self.yard, Self.route], at: $1) }
        #expect(bench.open.isEmpty)
        var moved = Self.yard
        moved.circle?.radius = 90
        let depot = Waypoint(name: "depot", created: 3_000, circle: moved.circle)
        bench.act { $0.replaceWaypoints([moved, depot], at: $1) }
        try bench.serve()
        #expect(Self.words(bench) == ["waypoint yard", "waypoint yard", "waypoint depot"])
        #expect(Set(bench.sent.map(\.idempotencyKey)).count == 3)
        var other = bench.uploader.configuration
        other.device.name = "van"
        bench.act { $0.configure(other, at: $1) }
        try bench.serve()
        #expect(Self.words(bench).suffix(2) == ["waypoint depot", "waypoint yard"])
        #expect(bench.uploader.report.regionMessages == 5 && bench.uploader.report.sent == 0)
        #expect(bench.state == .idle)
    }

    @Test func `all waypoints are sent again when the same configuration is loaded again`() throws {
        var bench = try Self.bench()
        let same = bench.uploader.configuration
        bench.act { $0.configure(same, at: $1) }
        try bench.serve()
        #expect(Self.words(bench) == ["waypoint yard", "waypoint yard"])
        #expect(Set(bench.sent.map(\.idempotencyKey)).count == 2, "the second one is no repetition")
        var moved = Self.yard
        moved.circle?.radius = 90
        let depot = Waypoint(name: "depot", created: 3_000, circle: moved.circle)
        bench.act { $0.configure(same, waypoints: [moved, depot], at: $1) }
        try bench.serve()
        #expect(Self.words(bench).suffix(2) == ["waypoint depot", "waypoint yard"], "each once, as they are now")
        #expect(bench.sent.count == 4)
    }

    @Test func `all waypoints are sent again when Home Assistant has started, and every ten seconds at most`() throws {
        var bench = try Self.bench()
        for _ in 0..<3 { bench.act { $0.consumerStarted(at: $1) } }
        try bench.serve()
        #expect(Self.words(bench) == ["waypoint yard", "waypoint yard"])
        bench.pass(.seconds(10))
        bench.act { $0.consumerStarted(at: $1) }
        try bench.serve()
        #expect(Self.words(bench).count == 3 && Set(bench.sent.map(\.idempotencyKey)).count == 3)
    }

    @Test func `a start of Home Assistant soon after another has its effect once ten seconds have passed`() throws {
        var bench = try Self.bench()
        bench.act { $0.consumerStarted(at: $1) }
        try bench.serve()
        bench.pass(.seconds(5))
        bench.act { $0.consumerStarted(at: $1) }
        #expect(bench.open.isEmpty)
        bench.pass(.milliseconds(4_999))
        #expect(bench.open.isEmpty)
        bench.pass(.milliseconds(1))
        #expect(bench.open.map(Self.words) == ["waypoint yard"])
        try bench.serve()
        bench.pass(.seconds(60))
        #expect(bench.sent.count == 3, "it has the effect once")
    }

    @Test func `to hear of Home Assistant's start the uploader connects to a broker although nothing is pending`()
        throws
    {
        var bench = try Self.bench(broker: true, serves: false) {
            $0.mqtt.hasDiscovery = true
            $0.owntracks.regionsFile = "/etc/waymark/regions.geojson"
        }
        let first = try #require(bench.open.first)
        try bench.confirm(first)
        #expect(bench.open.isEmpty)
        bench.act { $0.connectionLost(.connectionLost, at: $1) }
        let count = bench.effects.filter { $0 == .connect }.count
        bench.pass(.seconds(5))
        #expect(bench.effects.filter { $0 == .connect }.count == count + 1)
    }

    @Test func `a waypoint that changes in flight is sent again`() throws {
        var bench = try Self.bench(serves: false)
        var moved = Self.yard
        moved.circle?.radius = 90
        bench.act { $0.replaceWaypoints([moved], at: $1) }
        try bench.serve()
        #expect(Self.words(bench) == ["waypoint yard", "waypoint yard"])
        guard case .waypoint(moved, _)? = bench.sent.last?.message else {
            Issue.record("\(String(describing: bench.sent.last))")
            return
        }
    }

    @Test func `an event is acknowledged to the daemon when the destination has acknowledged its message`() throws {
        var bench = try Self.bench()
        bench.act { $0.receive(Samples.event(1, .determined(isInside: false)), at: $1) }
        #expect(bench.acknowledgedEvents == [1], "at first, outside is no news")
        bench.act { $0.receive(Samples.event(2, .entered, seconds: 5), at: $1) }
        bench.act { $0.receive(Samples.event(3, .left, seconds: 9), at: $1) }
        #expect(Self.words(bench) == ["waypoint yard", "enter yard 2"])
        #expect(bench.acknowledgedEvents == [1] && bench.state.isSending)
        try bench.answer(Self.ok)
        #expect(bench.open.map(Self.words) == ["leave yard 3"])
        try bench.answer(Self.ok)
        #expect(bench.acknowledgedEvents == [1, 2, 3] && bench.state == .idle)
        #expect(bench.uploader.report.regionMessages == 3 && bench.uploader.report.skippedRegionEvents == 1)
        let transition = try #require(bench.sent.last)
        #expect(transition.idempotencyKey.contains("/event-3-") && !transition.isRetained)
    }

    @Test func `an event that was received twice is sent once`() throws {
        var bench = try Self.bench()
        let event = Samples.event(1, .entered)
        bench.act { $0.receive(event, at: $1) }
        bench.act { $0.regionsLost(isWithdrawn: false, at: $1) }
        #expect(bench.open.count == 1, "it is the app's, and remains in flight")
        try bench.answer(Self.ok)
        #expect(bench.acknowledgedEvents == [])
        bench.act { $0.regionsOpened(isNew: false, [:], at: $1) }
        #expect(bench.acknowledgedEvents == [1])
        bench.act { $0.receive(event, at: $1) }
        #expect(bench.open.isEmpty)
        // A monitor that was made anew counts from 1.
        bench.act { $0.regionsLost(isWithdrawn: false, at: $1) }
        bench.act { $0.regionsOpened(isNew: true, [:], at: $1) }
        bench.act { $0.receive(event, at: $1) }
        #expect(bench.open.map(Self.words) == ["enter yard 1"])
    }

    @Test(
        arguments: [
            ([.determined(isInside: true)], ["enter yard 1"]),
            ([.determined(isInside: false)], []),
            // What it missed meanwhile: OwnTracks reports a side that differs from the last one.
            ([.entered, .other, .determined(isInside: true)], ["enter yard 1"]),
            ([.entered, .other, .determined(isInside: false)], ["enter yard 1", "leave yard 3"]),
            ([.left, .other, .determined(isInside: true)], ["leave yard 1", "enter yard 3"]),
            ([.entered, .left], ["enter yard 1", "leave yard 2"]),
            ([.other, .other], []),
        ] as [([BorderEvent.Kind], [String])])
    func `events have these messages`(_ kinds: [BorderEvent.Kind], _ expected: [String]) throws {
        var bench = try Self.bench()
        for (index, kind) in kinds.enumerated() {
            bench.act { $0.receive(Samples.event(Int64(index + 1), kind, seconds: Double(index)), at: $1) }
        }
        try bench.serve()
        #expect(bench.sent.filter(Self.isTransition).map(Self.words) == expected)
        #expect(bench.acknowledgedEvents.last == Int64(kinds.count))
        #expect(bench.uploader.report.skippedRegionEvents == UInt64(kinds.count - expected.count))
    }

    @Test
    func `after a restart the states in the daemon show on which side the machine was, except after the event itself`()
        throws
    {
        let known = ["yard": KnownSide(isInside: true, since: UTCTime(microseconds: Samples.begin + 5_000_000))]
        var later = try Self.bench(known: known)
        later.act { $0.receive(Samples.event(7, .other, seconds: 6), at: $1) }
        later.act { $0.receive(Samples.event(8, .determined(isInside: false), seconds: 7), at: $1) }
        #expect(later.open.map(Self.words) == ["leave yard 8"])
        // The state is the result of this event, which nobody has reported yet.
        var same = try Self.bench(known: known)
        same.act { $0.receive(Samples.event(7, .determined(isInside: true), seconds: 5), at: $1) }
        #expect(same.open.map(Self.words) == ["enter yard 7"])
    }

    @Test func `the states of a new monitor show on which side the machine was`() throws {
        var bench = try Self.bench()
        bench.act { $0.regionsLost(isWithdrawn: true, at: $1) }
        let known = ["yard": KnownSide(isInside: true, since: UTCTime(microseconds: Samples.begin + 5_000_000))]
        bench.act { $0.regionsOpened(isNew: true, known, at: $1) }
        bench.act { $0.receive(Samples.event(7, .other, seconds: 6), at: $1) }
        bench.act { $0.receive(Samples.event(8, .determined(isInside: false), seconds: 7), at: $1) }
        #expect(bench.open.map(Self.words) == ["leave yard 8"])
    }

    @Test func `events without a region, of another region or without a position are acknowledged and counted`() throws
    {
        var bench = try Self.bench()
        bench.act { $0.receive(Samples.event(4, .other, region: nil), at: $1) }
        bench.act { $0.receive(Samples.event(5, .entered, region: "unknown"), at: $1) }
        bench.act { $0.receive(Samples.event(6, .entered, hasPlace: false), at: $1) }
        #expect(bench.open.isEmpty && bench.acknowledgedEvents == [4, 5, 6])
        #expect(bench.uploader.report.skippedRegionEvents == 3)
        bench.act { $0.receive(Samples.event(7, .entered, region: "route"), at: $1) }
        #expect(bench.open.map(Self.words) == ["enter route 7"], "each shape has transitions")
    }

    @Test(arguments: [false, true])
    func `a transition precedes a backlog of positions, and takes turns with it`(_ broker: Bool) throws {
        var bench = try Self.bench(positions: 100, broker: broker, serves: false) { $0.mqtt.window = 1 }
        for number in 1...3 {
            bench.act { $0.receive(Samples.event(Int64(number), number % 2 == 1 ? .entered : .left), at: $1) }
        }
        for _ in 0..<8 {
            let transfer = try #require(bench.open.first)
            if broker {
                try bench.confirm(transfer)
            } else {
                try bench.answer(Self.ok)
            }
        }
        let kinds = bench.sent.prefix(8).map { $0.message == nil ? "position" : Self.words($0) }
        #expect(
            kinds.filter { $0 != "position" } == ["waypoint yard", "enter yard 1", "leave yard 2", "enter yard 3"])
        #expect(!zip(kinds, kinds.dropFirst()).contains { $0 != "position" && $1 != "position" }, "\(kinds)")
    }

    @Test func `the waypoint of a transition precedes it, and the transition precedes other waypoints`() throws {
        let others = (1...20).map { Waypoint(name: "w\($0)", created: Int64($0), circle: Self.yard.circle) }
        var bench = try Self.bench(others + [Self.yard], serves: false)
        bench.act { $0.receive(Samples.event(1, .entered), at: $1) }
        try bench.serve()
        #expect(Self.words(bench).prefix(3) == ["waypoint w1", "waypoint yard", "enter yard 1"])
        #expect(Self.words(bench).count == 22)
    }

    @Test func `a pause, an obstacle, a failure and a deferral hold a transition`() throws {
        var bench = try Self.bench { $0.queue.expensive = .defer }
        bench.act { $0.pause(at: $1) }
        bench.act { $0.receive(Samples.event(1, .entered, seconds: 1_000), at: $1) }
        #expect(bench.open.isEmpty && bench.state == .paused)
        bench.notify(Samples.target(.unreachable, .noRoute))
        bench.act { $0.resume(at: $1) }
        #expect(bench.open.isEmpty)
        bench.notify(Samples.target(.reachable, generation: 3, expensive: true))
        guard case .deferred(.expensive, _) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        bench.notify(Samples.target(.reachable, generation: 4))
        #expect(bench.open.count == 1)
        try bench.fail(.connectionLost)
        #expect(bench.open.isEmpty && bench.acknowledgedEvents.isEmpty)
        bench.wait()
        try bench.answer(HTTPAnswer(status: 503))
        #expect(bench.open.isEmpty && bench.acknowledgedEvents.isEmpty)
        bench.wait()
        bench.act { $0.recordingLost(isWithdrawn: true, at: $1) }
        #expect(bench.open.isEmpty)
        bench.open(cursor: 0)
        try bench.answer(Self.ok)
        #expect(bench.acknowledgedEvents == [1])
    }

    @Test func `a deferred transition is sent when it is old enough, or with flush`() throws {
        var bench = try Self.bench {
            $0.queue.expensive = .defer
            $0.queue.deferAtMost = .seconds(100)
        }
        bench.notify(Samples.target(.reachable, expensive: true))
        bench.act { $0.receive(Samples.event(1, .entered, seconds: 990), at: $1) }
        #expect(bench.open.isEmpty)
        bench.pass(.seconds(85))
        #expect(bench.open.isEmpty)
        bench.pass(.seconds(10))
        #expect(bench.open.count == 1)
        try bench.serve()
        bench.act { $0.receive(Samples.event(2, .left, seconds: 1_090), at: $1) }
        #expect(bench.open.isEmpty, "the release has ended")
        bench.act { $0.flush(at: $1) }
        #expect(bench.open.map(Self.words) == ["leave yard 2"])
    }

    @Test(arguments: [false, true])
    func `a withdrawal takes away what is pending and in flight, and its events are not acknowledged`(_ broker: Bool)
        throws
    {
        var bench = try Self.bench([Self.route], broker: broker)
        for number in 1...3 {
            bench.act {
                $0.receive(Samples.event(Int64(number), number % 2 == 1 ? .entered : .left, region: "route"), at: $1)
            }
        }
        if broker { bench.act { $0.connected(isResumed: false, at: $1) } }
        let late = try #require(bench.open.first)
        bench.act { $0.regionsLost(isWithdrawn: true, at: $1) }
        #expect(bench.open.isEmpty && bench.uploader.report.pendingRegionMessages == 0)
        bench.act { $0.answered(late.id, with: Self.ok, at: $1) }
        bench.act { $0.regionsOpened(isNew: false, [:], at: $1) }
        #expect(bench.open.isEmpty && bench.acknowledgedEvents == [])
        bench.act { $0.receive(Samples.event(4, .determined(isInside: true), region: "route"), at: $1) }
        #expect(bench.open.map(Self.words) == ["enter route 4"])
    }

    @Test func `more events than fit into memory are left in the daemon and read later`() throws {
        var bench = try Self.bench([Self.route])
        func event(_ number: Int64) -> BorderEvent {
            Samples.event(number, number % 2 == 1 ? .entered : .left, region: "route")
        }
        for number in 1...Int64(2 * RegionOutbox.mostEvents) {
            bench.act { $0.receive(event(number), at: $1) }
        }
        #expect(bench.uploader.report.pendingRegionMessages == RegionOutbox.mostEvents)
        try bench.serve(stopping: { $0.effects.contains(.readRegions(after: Int64(RegionOutbox.mostEvents))) })
        #expect(bench.sent.filter(Self.isTransition).count == RegionOutbox.mostEvents / 2 + 1)
        for number in Int64(RegionOutbox.mostEvents + 1)...Int64(RegionOutbox.mostEvents + 5) {
            bench.act { $0.receive(event(number), at: $1) }
        }
        try bench.serve()
        #expect(bench.acknowledgedEvents.last == Int64(RegionOutbox.mostEvents + 5))
        #expect(bench.effects.filter { if case .readRegions = $0 { true } else { false } }.count == 1)
    }
}

extension UploadState {
    fileprivate var isSending: Bool { if case .sending = self { true } else { false } }
}
