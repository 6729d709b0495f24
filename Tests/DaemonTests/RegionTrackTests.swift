import Glibc
import Location
import Regions
import TestSupport
import Testing

@testable import Daemon

/// Fixes while passes over the stored regions are late.
@Suite struct RegionTrackTests {
    private func coordinate(_ east: Double, _ north: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: 47 + north / 111_195, longitude: -30 + east / 75_800))
    }

    private func fix(_ seconds: Int, _ east: Double, _ north: Double = 0, accuracy: Double = 5) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: 1_795_262_400_000_000 + Int64(seconds) * 1_000_000), receivedAt: 0,
            coordinate: try coordinate(east, north), horizontalAccuracy: accuracy)
    }

    private func circle(_ number: Int64, _ east: Double, _ north: Double = 0, radius: Double = 100) throws
        -> MonitoredRegion
    {
        MonitoredRegion(number: number, region: try .circle(coordinate(east, north), radius: radius))
    }

    private func receive(_ track: inout RegionTrack, _ fix: Fix) -> RegionTrack.Effects {
        track.receive(fix, at: SurfacePoint(fix.coordinate)) ?? RegionTrack.Effects()
    }

    /// What a pass over all regions, with their states as stored, offers.
    private func filled(_ pass: Neighbourhood, _ stored: [Int64: MonitoredRegion]) -> Neighbourhood {
        var pass = pass
        for region in stored.values
        where region.state != .outside || region.region.bounds.distance(to: pass.middle) < pass.reach {
            pass.offer(region)
        }
        return pass
    }

    @Test func `fixes wait for the first pass, and are evaluated in order after it`() throws {
        var track = RegionTrack()
        let first = receive(&track, try fix(0, -500))
        #expect(first.events.isEmpty && first.pass != nil)
        for second in 1...20 {
            #expect(receive(&track, try fix(second, -500 + 50 * Double(second))).isEmpty, "one pass is under way")
        }
        let effects = track.passed(filled(try #require(first.pass), [7: try circle(7, 0)]))
        #expect(effects.events.map(\.event.kind) == [.determined(.outside), .entered, .left])
        #expect(!track.isHolding)
    }

    @Test func `an event that is not stored yet is not decided a second time by a pass that reads the state before it`()
        throws
    {
        let inside = MonitoredRegion(number: 7, region: try .circle(coordinate(0, 0), radius: 100), state: .inside)
        var track = RegionTrack()
        let pass = try #require(receive(&track, try fix(0, 0)).pass)
        #expect(track.passed(filled(pass, [7: inside])).events.isEmpty)
        var events = receive(&track, try fix(60, 2_000)).events
        #expect(events.map(\.event.kind) == [.left])
        // The disk is full: a new evaluation, and one of the same regions from far, read that the machine is inside.
        for north in [2_000.0, 400_000] {
            var later = RegionTrack()
            let next = try #require(receive(&later, try fix(120, 2_000, north)).pass)
            let states = Dictionary(uniqueKeysWithValues: events.changes.map { ($0.number, $0.state) })
            events += later.passed(filled(next, [7: inside]), unstored: states).events
        }
        #expect(events.map(\.event.kind) == [.left])
    }

    @Test func `a fix that can change nothing has no effects, and costs no pass`() throws {
        var track = RegionTrack()
        let pass = try #require(receive(&track, try fix(0, -2_000)).pass)
        _ = track.passed(filled(pass, [7: try circle(7, 0)]))
        #expect(abs(try #require(track.distanceToChange) - 1_900) < 20)
        for second in 1...30 {
            let fix = try fix(second, -2_000 + 30 * Double(second))
            #expect(track.receive(fix, at: SurfacePoint(fix.coordinate)) == nil)
        }
        // Without a region nearby, the next pass begins half of the reach away.
        var empty = RegionTrack()
        _ = empty.passed(filled(try #require(receive(&empty, try fix(0, 0)).pass), [:]))
        #expect(receive(&empty, try fix(1, 74_500)).isEmpty)
        #expect(receive(&empty, try fix(2, 75_500)).pass != nil)
        #expect(receive(&empty, try fix(3, 75_600)).isEmpty, "one pass is enough")
    }

    /// 800 regions, a journey of 150 km, and passes that take up to 40 fixes.
    @Test(arguments: 0..<4)
    func `whenever a pass ends, the events are those of a monitor of all regions`(_ sample: Int) throws {
        var generator = SeededGenerator(sample: 7_700 + UInt64(sample))
        var stored: [Int64: MonitoredRegion] = [:]
        var all = RegionMonitor()
        for number in 0..<800 {
            let region = MonitoredRegion(
                number: Int64(number),
                region: try .circle(
                    coordinate(
                        .random(in: -60_000...60_000, using: &generator),
                        .random(in: -60_000...60_000, using: &generator)),
                    radius: exp(.random(in: 2...9, using: &generator))), state: .outside)
            stored[Int64(number)] = region
            all.insert(region)
        }
        var track = RegionTrack()
        var (east, north, heading) = (0.0, 0.0, 0.0)
        var pending: (pass: Neighbourhood, at: Int)?
        var events: [RegionEvent] = []
        var expected: [RegionEvent] = []
        func apply(_ effects: RegionTrack.Effects, _ second: Int) {
            for decided in effects.events {
                events.append(decided.event)
            }
            for change in effects.events.changes {
                guard let region = stored[change.number] else { continue }
                stored[change.number] = MonitoredRegion(
                    number: region.number, region: region.region, state: change.state)
            }
            if let pass = effects.pass {
                #expect(pending == nil)
                pending = (pass, second + Int.random(in: 0...40, using: &generator))
            }
        }
        for second in 0..<3_000 {
            heading += .random(in: -0.3...0.3, using: &generator)
            if hypot(east, north) > 50_000 { heading = atan2(-north, -east) }
            (east, north) = (east + 50 * cos(heading), north + 50 * sin(heading))
            let fix = try fix(second, east, north, accuracy: .random(in: 2...15, using: &generator))
            expected += all.receive(fix)
            apply(receive(&track, fix), second)
            while let (pass, at) = pending, at <= second {
                // The store has read what was decided before the pass began, or later: the states in memory count.
                pending = nil
                apply(track.passed(filled(pass, stored)), second)
            }
        }
        while let (pass, _) = pending {
            pending = nil
            apply(track.passed(filled(pass, stored)), 3_000)
        }
        func sorted(_ events: [RegionEvent]) -> [RegionEvent] {
            events.sorted { ($0.time, $0.region, "\($0.kind)") < ($1.time, $1.region, "\($1.kind)") }
        }
        #expect(sorted(events) == sorted(expected), "\(generator)")
        #expect(events.count > 5 && track.dropped == 0, "\(events.count)")
    }

    @Test func `a loss is handled after the fixes before it`() throws {
        var track = RegionTrack()
        let pass = try #require(receive(&track, try fix(0, 0)).pass)
        let lost = try fix(6, 0).time
        #expect(track.lose(.fixLost, at: lost).isEmpty)
        #expect(receive(&track, try fix(60, 0)).isEmpty)
        let effects = track.passed(filled(pass, [7: try circle(7, 0)]))
        #expect(
            effects.events.map(\.event.kind) == [
                .determined(.inside), .unknown(.fixLost), .determined(.inside),
            ])
        #expect(effects.events.map(\.event.time) == [try fix(0, 0).time, lost, try fix(60, 0).time])
    }

    @Test func `a region that is added is evaluated at the last fix, without another one`() throws {
        var track = RegionTrack()
        _ = track.passed(filled(try #require(receive(&track, try fix(0, 0)).pass), [:]))
        let pass = try #require(track.regionsChanged().pass)
        // Another one is added before the pass ends: it is looked at again.
        #expect(track.regionsChanged().isEmpty)
        let effects = track.passed(filled(pass, [7: try circle(7, 0)]))
        #expect(effects.events.map(\.event.kind) == [.determined(.inside)])
        let again = track.passed(filled(try #require(effects.pass), [7: try circle(7, 0), 8: try circle(8, 3_000)]))
        #expect(again.events.map(\.event.kind) == [.determined(.outside)])
        #expect(again.pass == nil)
    }

    @Test func `of too many fixes that wait every second is dropped, and no loss`() throws {
        var track = RegionTrack()
        var stored = [Int64(7): try circle(7, 0, radius: 2_000)]
        let pass = try #require(receive(&track, try fix(0, -30_000)).pass)
        for second in 1...1_000 { _ = receive(&track, try fix(second, -30_000 + 30 * Double(second))) }
        _ = track.lose(.receiverLost, at: try fix(1_001, 0).time)
        #expect(track.dropped > 700)
        var kinds: [RegionEvent.Kind] = []
        var next: Neighbourhood? = pass
        while let pass = next {
            let effects = track.passed(filled(pass, stored))
            kinds += effects.events.map(\.event.kind)
            for change in effects.events.changes {
                stored[change.number] = MonitoredRegion(
                    number: change.number, region: try circle(7, 0, radius: 2_000).region, state: change.state)
            }
            next = effects.pass
        }
        #expect(kinds == [.determined(.outside), .entered, .unknown(.receiverLost)])
    }

    @Test func `where regions are more than fit into memory, each fix costs one pass`() throws {
        var track = RegionTrack()
        var stored: [Int64: MonitoredRegion] = [:]
        for number in 0..<3_000 {
            stored[Int64(number)] = try circle(Int64(number), Double(number) / 1_000, radius: 50)
        }
        var (passes, events) = (0, 0)
        for second in 0..<10 {
            var effects = receive(&track, try fix(second, 0))
            while let pass = effects.pass {
                passes += 1
                effects = track.passed(filled(pass, stored))
                events += effects.events.count
                for change in effects.events.changes {
                    stored[change.number] = stored[change.number].map {
                        MonitoredRegion(number: $0.number, region: $0.region, state: change.state)
                    }
                }
            }
        }
        #expect(events == 3_000)
        #expect(passes <= 20)
    }

    @Test func `a pass that fails is repeated at the next fix`() throws {
        var track = RegionTrack()
        #expect(receive(&track, try fix(0, 0)).pass != nil)
        track.passFailed()
        let pass = try #require(receive(&track, try fix(1, 0)).pass)
        #expect(track.passed(filled(pass, [7: try circle(7, 0)])).events.count == 1)
    }
}
