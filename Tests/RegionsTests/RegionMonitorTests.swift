import Glibc
import Location
import Regions
import Testing

struct RegionMonitorTests {
    private let field = Field()

    private func monitor(
        radius: Double = 100, dwell: Double = 0, loitering: Double? = nil, started: Bool = true
    ) throws -> RegionMonitor {
        var monitor = RegionMonitor()
        monitor.insert(try field.circle(radius: radius, dwell: dwell, loitering: loitering))
        if started {
            #expect(monitor.receive(field.fix(0, 500)).map(\.kind) == [.determined(.outside)])
        }
        return monitor
    }

    @Test func `the first fix that is certain enough determines the state`() throws {
        var monitor = try monitor(started: false)
        #expect(monitor.state(of: 1) == .unknown(.undetermined))
        // σ is 13.2 m, so 20 m from the border is 1.5 σ.
        #expect(monitor.receive(field.fix(0, 80, accuracy: 20)) == [])
        #expect(monitor.receive(field.fix(1, 70, accuracy: 20)).map(\.kind) == [.determined(.inside)])
        #expect(monitor.state(of: 1) == .inside)
    }

    @Test func `a change needs one fix at 0,999 or two fixes at 0,95 that are a second apart`() throws {
        var once = try monitor()
        // σ is 3.3 m: 20 m inside is 6 σ.
        #expect(once.receive(field.fix(10, 80)).map(\.kind) == [.entered])
        var twice = try monitor()
        // 8 m inside is 2.4 σ.
        #expect(twice.receive(field.fix(40, 92)) == [])
        #expect(twice.receive(field.fix(40.5, 92)) == [])
        let events = twice.receive(field.fix(41, 92))
        #expect(events.map(\.kind) == [.entered])
        #expect(events.first?.time == field.time(41))
        #expect(events.first?.passedThrough == false)
    }

    @Test func `a fix between that does not support the change starts the count again`() throws {
        var monitor = try monitor()
        #expect(monitor.receive(field.fix(40, 92)) == [])
        #expect(monitor.receive(field.fix(41, 99)) == [])
        #expect(monitor.receive(field.fix(42, 92)) == [])
        #expect(monitor.receive(field.fix(43, 92)).map(\.kind) == [.entered])
    }

    @Test func `the time of the crossing is interpolated between the fixes around the border`() throws {
        var monitor = try monitor()
        #expect(monitor.receive(field.fix(20, 130)) == [])
        let events = monitor.receive(field.fix(30, 60))
        #expect(events.map(\.kind) == [.entered])
        // 30 m of the 70 m were outside.
        let crossed = try #require(events.first?.crossed)
        #expect(abs(crossed.seconds(since: field.time(20)) - 10.0 * 3 / 7) < 0.05)
        let left = monitor.receive(field.fix(90, 200))
        #expect(left.map(\.kind) == [.left])
        #expect(left.first?.crossed == nil, "the gap of a minute says nothing about the time")
    }

    @Test func `a state that no fix can decide becomes unknown after ten minutes, and is determined again`() throws {
        var monitor = try monitor()
        var events: [RegionEvent] = []
        // It moves along the border.
        for second in 10...900 {
            let angle = Double(second) / 20
            events += monitor.receive(field.fix(Double(second), 103 * cos(angle), 103 * sin(angle)))
        }
        #expect(events == [RegionEvent(region: 1, kind: .unknown(.insufficientAccuracy), time: field.time(610))])
        #expect(monitor.state(of: 1) == .unknown(.insufficientAccuracy))
        #expect(monitor.receive(field.fix(901, 300)).map(\.kind) == [.determined(.outside)])
    }

    @Test
    func `while the machine is stationary a reflected signal changes no state, however long it cannot be decided`()
        throws
    {
        var monitor = try monitor()
        for second in 1...600 { #expect(monitor.receive(field.fix(Double(second), 104)) == []) }
        // Two minutes 30 m to the inside, as certain as a receiver can be wrong.
        for second in 601...720 { #expect(monitor.receive(field.fix(Double(second), 74)) == []) }
        for second in 721...2_000 { #expect(monitor.receive(field.fix(Double(second), 101)) == []) }
        #expect(monitor.state(of: 1) == .outside)
    }

    @Test func `a stationary machine that turns out to be on the other side is reported after minutes`() throws {
        var certain = try monitor()
        for second in 1...100 { #expect(certain.receive(field.fix(Double(second), 104)) == []) }
        let events = (101...400).flatMap { certain.receive(field.fix(Double($0), 85)) }
        #expect(events.map(\.kind) == [.entered])
        #expect(events.first?.time == field.time(281))
        var likely = try monitor()
        for second in 1...100 { #expect(likely.receive(field.fix(Double(second), 104)) == []) }
        let later = (101...800).flatMap { likely.receive(field.fix(Double($0), 92)) }
        #expect(later.map(\.kind) == [.entered])
        #expect(later.first?.time == field.time(701))
    }

    @Test
    func `a machine that has come to rest behind a border by fixes that decide nothing is found out by better ones`()
        throws
    {
        var monitor = try monitor()
        for second in 10...80 { #expect(monitor.receive(field.fix(Double(second), 60, accuracy: 60)) == []) }
        let events = (81...400).flatMap { monitor.receive(field.fix(Double($0), 60)) }
        #expect(events.map(\.kind) == [.entered])
        #expect(events.first?.time == field.time(261))
        // Also where the border is farther away than such fixes are wrong, nothing is compared any more once it is decided.
        #expect(monitor.remainder(at: SurfacePoint(field.coordinate(60, 0))) != nil)
    }

    @Test func `a stay that was not reported begins again behind a gap that leads through the outside`() throws {
        func ring(_ east: Double, _ north: Double) -> [Coordinate] {
            [(-east, -north), (east, -north), (east, north), (-east, north)].map { field.coordinate($0.0, $0.1) }
        }
        var monitor = RegionMonitor()
        monitor.insert(
            MonitoredRegion(
                number: 1, region: try Region(.polygon(rings: [ring(500, 500), ring(200, 20)])), dwell: 60,
                state: .outside))
        #expect(monitor.receive(field.fix(0, 0, 1_000, accuracy: 3)) == [])
        #expect(monitor.receive(field.fix(100, 0, 100, accuracy: 3)) == [])
        // Through the hole.
        #expect(monitor.receive(field.fix(110, 0, -100, accuracy: 3)) == [])
        #expect(monitor.receive(field.fix(169, 0, -300, accuracy: 3)) == [])
        #expect(monitor.receive(field.fix(171, 0, -310, accuracy: 3)).map(\.kind) == [.entered])
    }

    @Test func `a machine that drives off is reported by the second fix on the other side`() throws {
        var monitor = try monitor()
        for second in 1...600 { #expect(monitor.receive(field.fix(Double(second), 104, speed: 0)) == []) }
        var events: [RegionEvent] = []
        for second in 601...610 where events.isEmpty {
            events = monitor.receive(field.fix(Double(second), 104 - 3 * Double(second - 600), speed: 3))
        }
        // 5.5 m inside are likely: those of the fixes at 606 s and 607 s are 14 m and 17 m, that of 604 s is 8 m.
        #expect(events.map(\.kind) == [.entered])
        #expect(events.first.map { $0.time <= field.time(605) } == true)
    }

    @Test func `a stationary machine that was carried off is reported at once`() throws {
        var monitor = try monitor(started: true)
        for second in 1...600 { #expect(monitor.receive(field.fix(Double(second), 50)).count <= 1) }
        #expect(monitor.state(of: 1) == .inside)
        #expect(monitor.receive(field.fix(4_000, 900)).map(\.kind) == [.left])
    }

    @Test func `a machine that left while there was no fix enters a region at its first fix, far from where it was`()
        throws
    {
        var monitor = try monitor()
        for second in 1...600 { #expect(monitor.receive(field.fix(Double(second), 6_000, speed: 0)) == []) }
        // 20 m inside, after a sleep of the receiver or a tunnel; 1 s later it may have driven through.
        let events = monitor.receive(field.fix(700, 80, speed: 69))
        #expect(events.map(\.kind) == [.entered] && events.first?.time == field.time(700))
        #expect(monitor.receive(field.fix(703, -120, speed: 69)).map(\.kind) == [.left])
    }

    @Test func `a region driven through between two fixes is entered and left`() throws {
        var monitor = try monitor(radius: 30)
        #expect(monitor.receive(field.fix(100, 150, accuracy: 3)) == [])
        let events = monitor.receive(field.fix(110, -150, accuracy: 3))
        #expect(events.map(\.kind) == [.entered, .left])
        #expect(events.allSatisfy { $0.passedThrough && $0.time == field.time(110) })
        let times = try events.map { try #require($0.crossed).seconds(since: field.time(100)) }
        #expect(abs(times[0] - 4) < 0.05 && abs(times[1] - 6) < 0.05)
        #expect(monitor.state(of: 1) == .outside)
    }

    @Test func `nothing is passed through in a long gap, at an impossible speed, or at the edge`() throws {
        var gap = try monitor(radius: 30)
        #expect(gap.receive(field.fix(100, 150)) == [])
        #expect(gap.receive(field.fix(131, -150)) == [])
        var speed = try monitor(radius: 30)
        #expect(speed.receive(field.fix(100, 150)) == [])
        #expect(speed.receive(field.fix(100.1, -150)) == [])
        var edge = try monitor(radius: 30)
        // 28 m from the centre, 2 m deep: less than the uncertainty.
        #expect(edge.receive(field.fix(100, 150, 28)) == [])
        #expect(edge.receive(field.fix(110, -150, 28)) == [])
    }

    @Test func `a dwell time delays entering, and a shorter stay is not reported`() throws {
        var monitor = try monitor(dwell: 60, loitering: 300)
        #expect(monitor.receive(field.fix(20, 0)) == [])
        #expect(monitor.receive(field.fix(79, 0)) == [])
        #expect(monitor.receive(field.fix(80, 0)).map(\.kind) == [.entered])
        #expect(monitor.receive(field.fix(319, 0)) == [])
        #expect(monitor.receive(field.fix(320, 0)).map(\.kind) == [.loitered])
        #expect(monitor.receive(field.fix(400, 0)) == [])
        #expect(monitor.receive(field.fix(420, 500)).map(\.kind) == [.left])
        #expect(monitor.receive(field.fix(440, 0)) == [])
        #expect(monitor.receive(field.fix(460, 500)) == [])
    }

    @Test func `an event has the place of the fix that decided it`() throws {
        func place(_ seconds: Double, _ east: Double) -> EventPlace {
            let fix = field.fix(seconds, east)
            return EventPlace(fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy)
        }
        var monitor = try monitor(radius: 30, started: false)
        #expect(monitor.receive(field.fix(0, 500)).map(\.place) == [place(0, 500)])
        #expect(monitor.receive(field.fix(100, 150)) == [])
        // Neither fix is in the region that lies between them.
        #expect(monitor.receive(field.fix(110, -150)).map(\.place) == [place(110, -150), place(110, -150)])
        #expect(monitor.lose(.fixLost, at: field.time(111)).map(\.place) == [nil])
    }

    @Test(arguments: [RegionDoubt.fixLost, .receiverLost, .unauthorized])
    func `what cannot be seen is reported once, with its reason`(_ doubt: RegionDoubt) throws {
        var monitor = try monitor()
        #expect(
            monitor.lose(doubt, at: field.time(9)) == [
                RegionEvent(region: 1, kind: .unknown(doubt), time: field.time(9))
            ])
        #expect(monitor.lose(.receiverLost, at: field.time(10)) == [])
        #expect(monitor.receive(field.fix(11, 0)).map(\.kind) == [.determined(.inside)])
    }

    @Test func `far from each border a fix needs one comparison`() throws {
        var monitor = RegionMonitor()
        for number in 1...100 {
            monitor.insert(
                MonitoredRegion(
                    number: Int64(number),
                    region: try .circle(field.coordinate(10_000 + Double(number), 0), radius: 50)))
        }
        #expect(monitor.receive(field.fix(0, 0)).count == 100)
        for second in 1...900 { #expect(monitor.receive(field.fix(Double(second), Double(second * 10))) == []) }
        // Two evaluations halve what is left, the rest is quiet.
        #expect(monitor.quietFixes > 880)
    }
}
