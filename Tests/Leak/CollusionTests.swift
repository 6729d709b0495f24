import Location
import TestSupport
import TestTraits
import Testing
import Tracking

/// L4: apps that share their data, restarts and changing permissions reveal nothing more.
@Suite(.computes) struct CollusionTests {
    private static let noise = 8.0
    private static let apps = 10

    /// The shared data of the apps: each cell of each tick once.
    private struct Sighting: Hashable {
        let tick: ReducedTick
        let cell: ReducedCell

        init(_ reduced: ReducedFix) {
            tick = reduced.tick
            cell = reduced.cell
        }
    }

    @Test func `ten apps with 100 restarts and 100 toggles know no more than one app`() throws {
        var generator = SeededGenerator(sample: 3)
        var (alone, together): ([Double], [Double]) = ([], [])
        var different = 0
        for _ in 0..<scaled(200, least: 60) {
            let device = try Device(using: &generator)
            let home = try Coordinate.random(using: &generator)
            var (steady, troubled) = (device.accuracy, device.accuracy)
            var allowed = [Bool](repeating: true, count: Self.apps)
            var (seenAlone, seenTogether): (Set<Sighting>, Set<Sighting>) = ([], [])
            // 400 steps of 5 minutes: of these, every fourth has a restart, and another fourth a toggle.
            for step in 0..<400 {
                let now = Device.instant(Double(step) * 300 + Double.random(in: 0...20, using: &generator))
                let fix = Device.fix(at: try home.scattered(by: Self.noise, using: &generator))
                if step % 4 == 1 {
                    troubled = ReducedAccuracy(field: device.field, restoring: troubled.state, at: now)
                }
                if step % 4 == 3 { allowed[Int.random(in: 0..<Self.apps, using: &generator)].toggle() }
                _ = steady.reduce(fix, at: now)
                _ = troubled.reduce(fix, at: now)
                for app in 0..<Self.apps where allowed[app] {
                    if let shown = troubled.current { seenTogether.insert(Sighting(shown)) }
                }
                if let shown = steady.current { seenAlone.insert(Sighting(shown)) }
                if steady.current != troubled.current { different += 1 }
            }
            alone.append(try Attack.mean(of: seenAlone.map(\.cell), near: home).distance(to: home))
            together.append(try Attack.mean(of: seenTogether.map(\.cell), near: home).distance(to: home))
        }
        let ratio = together.median / alone.median
        print("L4: one app \(Int(alone.median)) m, ten \(Int(together.median)) m, ratio \(ratio)")
        #expect(abs(ratio - 1) < 0.02, "\(generator)")
        #expect(different == 0, "\(generator)")
    }
}
