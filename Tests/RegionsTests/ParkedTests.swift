import Glibc
import Location
import Regions
import TestSupport
import Testing

/// A machine that is parked outside a region, near its border, with a receiver whose errors are correlated and that is
/// misled by reflections now and then.
///
/// `WAYMARK_PARKED_DAYS=30 swift test -c release --filter ParkedTests` prints the figures of Documentation/measurements.md.
struct ParkedTests {
    private let days = getenv("WAYMARK_PARKED_DAYS").flatMap { Double(String(cString: $0)) } ?? 0.05

    /// False events: the machine never moves.
    private struct Counts {
        var ours = 0
        var unknown = 0
        var peer = 0
    }

    @Test func `a machine parked farther from a border than its fixes are accurate is never reported inside`() throws {
        for metres in [1.0, 2, 5, 10, 15, 20] {
            let counts = try park(metres)
            print("parked \(metres) m: \(days) days, \(counts)")
            if metres >= 5 { #expect(counts.ours == 0) }
        }
    }

    private func park(_ metres: Double) throws -> Counts {
        var generator = SeededGenerator(sample: 31_000 + UInt64(metres))
        let field = Field()
        var monitor = RegionMonitor()
        monitor.insert(MonitoredRegion(number: 1, region: try field.circle(radius: 80).region, state: .outside))
        var receiver = NoisyReceiver()
        var peer = BufferRule()
        var counts = Counts()
        for second in 0..<Int(days * 86_400) {
            receiver.advance(&generator)
            let fix = field.fix(
                Double(second), 80 + metres + receiver.east, receiver.north, accuracy: receiver.accuracy,
                speed: receiver.speed, speedAccuracy: receiver.speedAccuracy)
            for event in monitor.receive(fix) {
                switch event.kind {
                case .unknown: counts.unknown += 1
                case .determined(.outside), .loitered: break
                default: counts.ours += 1
                }
            }
            let distance = hypot(80 + metres + receiver.east, receiver.north) - 80
            if peer.changes(distance: distance, accuracy: receiver.accuracy, second: second) { counts.peer += 1 }
        }
        return counts
    }
}

/// The rule that Core Location documents: a change counts after 20 s on the other side, beyond a buffer. The buffer's
/// size is not documented; here it is the accuracy of the fix.
private struct BufferRule {
    private var isInside = false
    private var since: Int?

    mutating func changes(distance: Double, accuracy: Double, second: Int) -> Bool {
        guard isInside ? distance > accuracy : distance < -accuracy else {
            since = nil
            return false
        }
        let start = since ?? second
        since = start
        guard second - start >= 20 else { return false }
        isInside.toggle()
        since = nil
        return true
    }
}
