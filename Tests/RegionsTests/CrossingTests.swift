import Glibc
import Location
import Regions
import TestSupport
import Testing

/// A machine that is parked, drives over a border to a place on the other side, and is parked there, again and again.
///
/// `WAYMARK_CROSSINGS=10000 swift test -c release --filter CrossingTests` prints the figures of Documentation/measurements.md.
struct CrossingTests {
    private let crossings = getenv("WAYMARK_CROSSINGS").flatMap { Int(String(cString: $0)) } ?? 40

    @Test
    func
        `a machine that was parked and drives over a border is reported once, soon after it is farther beyond than a fix is accurate`()
        throws
    {
        var generator = SeededGenerator(sample: 32_000)
        let field = Field()
        var monitor = RegionMonitor()
        monitor.insert(MonitoredRegion(number: 1, region: try field.circle(radius: 200).region, state: .outside))
        var receiver = NoisyReceiver()
        var (place, second) = (260.0, 0)
        var delays: [Int] = []
        var others = 0
        for crossing in 0..<crossings {
            let goal =
                crossing.isMultiple(of: 2)
                ? Double.random(in: 0...170, using: &generator)
                : Double.random(in: 230...400, using: &generator)
            let start = second + Int.random(in: 100...900, using: &generator)
            let fastest = Double.random(in: 1.2...30, using: &generator)
            var speed = 0.0
            // When the machine was farther beyond the border than the radius of the fix.
            var beyond: Int?
            while true {
                second += 1
                if second > start, place != goal {
                    // It brakes in time: the speed from which 2 m/s² stop it at its goal.
                    let left = abs(goal - place)
                    speed = min(fastest, speed + 2, max(0.5, (4 * left).squareRoot() - 1))
                    place = left <= speed ? goal : place + (goal > place ? speed : -speed)
                } else {
                    speed = 0
                }
                receiver.advance(&generator)
                let fix = field.fix(
                    Double(second), place + receiver.east, receiver.north, accuracy: receiver.accuracy,
                    speed: abs(speed + receiver.speed), speedAccuracy: receiver.speedAccuracy)
                if beyond == nil, abs(goal - place) < abs(goal - 200) - receiver.accuracy { beyond = second }
                let events = monitor.receive(fix)
                if events.map(\.kind) == [goal < 200 ? .entered : .left] {
                    delays.append(max(0, second - (beyond ?? second)))
                    break
                }
                others += events.count
                try #require(second < start + 2_000, "the crossing to \(goal) m is not reported")
            }
            place = goal
        }
        delays.sort()
        print(
            "crossings: \(delays.count), seconds: median \(delays[delays.count / 2]),",
            "99 % \(delays[delays.count * 99 / 100]), at most \(delays.last ?? 0); other events: \(others)")
        #expect(others == 0)
        #expect(delays[delays.count / 2] <= 1)
    }
}
