import Glibc
import Location
import Regions
import TestSupport
import TestTraits
import Testing

/// Random regions and walks: the monitor that skips what cannot change reports what one reports that evaluates each
/// region at each fix.
@Suite(.computes) struct OracleTests {
    private static let origins = [
        Field(), Field(latitude: 0, longitude: 180), Field(latitude: 89.999, longitude: 12),
        Field(latitude: -89.9995, longitude: -120), Field(latitude: -17, longitude: -179.999),
    ]

    @Test(arguments: 0..<40)
    func `a monitor that skips fixes reports the same events`(_ number: Int) throws {
        var generator = SeededGenerator(sample: 7_000 + UInt64(number))
        let field = Self.origins[number % Self.origins.count]
        var monitor = RegionMonitor()
        var reference = RegionMonitor(isExhaustive: true)
        for index in 0..<Int.random(in: 1...30, using: &generator) {
            let region = MonitoredRegion(
                number: Int64(index), region: try Self.region(field, &generator),
                dwell: index % 5 == 0 ? 20 : 0, loitering: index % 7 == 0 ? 40 : nil)
            monitor.insert(region)
            reference.insert(region)
        }
        var (east, north, speed, heading, seconds) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var count = 0
        for _ in 0..<2_500 {
            speed = max(0, min(60, speed + Double.random(in: -4...4, using: &generator)))
            heading += Double.random(in: -0.4...0.4, using: &generator)
            let gap =
                Int.random(in: 0..<50, using: &generator) == 0 ? 45.0 : Double.random(in: 0.2...8, using: &generator)
            seconds += gap
            (east, north) = (east + speed * gap * cos(heading), north + speed * gap * sin(heading))
            if hypot(east, north) > 4_000 { heading = atan2(-north, -east) }
            let fix = field.fix(
                seconds, east, north, accuracy: Double.random(in: 1...40, using: &generator))
            let events = monitor.receive(fix)
            #expect(events == reference.receive(fix), "\(generator)")
            count += events.count
            if Int.random(in: 0..<400, using: &generator) == 0 {
                #expect(monitor.lose(.fixLost, at: fix.time) == reference.lose(.fixLost, at: fix.time))
            }
        }
        #expect(count > 0)
        #expect(reference.quietFixes == 0)
    }

    private static func region(_ field: Field, _ generator: inout SeededGenerator) throws -> Region {
        let east = Double.random(in: -3_000...3_000, using: &generator)
        let north = Double.random(in: -3_000...3_000, using: &generator)
        let size = Double.random(in: 5...600, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: return try .circle(field.coordinate(east, north), radius: size)
        case 1:
            let line = (0..<4).map { field.coordinate(east + Double($0) * size, north + Double($0 % 2) * size) }
            return try Region(.corridor(line: line, halfWidth: 20))
        default:
            let corners = [(-1.0, -1.0), (1, -1), (1.5, 1), (0, 0.2), (-1, 1)]
            return try Region(
                .polygon(rings: [corners.map { field.coordinate(east + $0.0 * size, north + $0.1 * size) }]))
        }
    }
}
