import Glibc
import Location
import Regions
import TestSupport
import Testing

/// What a fix costs. `WAYMARK_REGION_COSTS=1 swift test -c release --filter CostTests` prints the figures of
/// Documentation/measurements.md; without it, only the number of evaluations is checked.
struct CostTests {
    private let field = Field()
    private let prints = getenv("WAYMARK_REGION_COSTS") != nil

    /// Nanoseconds of this thread's processor time for each repetition.
    private func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        let start = ThreadTime.nanoseconds
        for index in 0..<count { body(index) }
        return Double(ThreadTime.nanoseconds - start) / Double(count)
    }

    @Test func `a fix that changes nothing is compared with one number, however many regions there are`() throws {
        var monitor = RegionMonitor()
        for number in 0..<1_000 {
            let center = field.coordinate(20_000 + Double(number) * 200, 0)
            monitor.insert(
                MonitoredRegion(number: Int64(number), region: try .circle(center, radius: 80), state: .outside))
        }
        _ = monitor.receive(field.fix(0, 0))
        let fixes = (1...1_000).map { field.fix(Double($0), Double($0 % 100)) }
        let rounds = prints ? 1_000 : 1
        let cost = nanoseconds(rounds) { _ in for fix in fixes { _ = monitor.receive(fix) } } / 1_000
        #expect(monitor.quietFixes == 1_000 * rounds)
        if prints { print("a fix that changes nothing: \(cost) ns") }
    }

    @Test func `distances to large regions look at a part of their points`() throws {
        let count = 10_000
        let ring = (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            return field.coordinate(5_000 * cos(angle), 5_000 * sin(angle))
        }
        let polygon = try Region(.polygon(rings: [ring]))
        let circle = try Region.circle(field.coordinate(0, 0), radius: 80)
        let corridor = try Region(.corridor(line: Array(ring.dropLast(2_000)), halfWidth: 30))
        let here = SurfacePoint(field.coordinate(5_100, 30))
        var sum = 0.0
        let rounds = prints ? 2_000 : 1
        let costs = [circle, corridor, polygon].map { region in
            nanoseconds(rounds) { _ in sum += region.signedDistance(to: here) }
        }
        #expect(abs(polygon.signedDistance(to: here) - 100) < 1)
        #expect(sum != 0)
        guard prints else { return }
        print("a distance to a circle, a corridor of 8,000 points, a polygon of 10,000: \(costs) ns")
        let validation = nanoseconds(20) { _ in
            do throws(RegionError) { sum += Double(try Region(.polygon(rings: [ring])).pointCount) } catch {
                sum = .nan
            }
        }
        print("the validation of a polygon of 10,000 points: \(validation) ns; \(sum.isFinite)")
    }
}
