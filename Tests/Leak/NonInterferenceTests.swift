import Location
import TestSupport
import TestTraits
import Testing
import Tracking

/// L1: nothing of a fix except its cell has any effect on what a client sees.
@Suite(.computes) struct NonInterferenceTests {
    /// The bytes received by a client that calls every 100 s.
    private func answers(
        _ device: Device, _ fixes: [(fix: Fix, at: Double)], restartingEvery restart: Int? = nil
    ) -> [UInt8] {
        var accuracy = ReducedAccuracy(field: device.field, at: Device.instant(0))
        var text = ""
        var next = 50.0
        func ask(until end: Double) {
            while next < end {
                text += accuracy.current.map { String(reflecting: Position($0)) } ?? "no position"
                text += "\n"
                next += 100
            }
        }
        for (index, (fix, at)) in fixes.enumerated() {
            ask(until: at)
            if let reduced = accuracy.reduce(fix, at: Device.instant(at)) { text += "new \(Position(reduced))\n" }
            if let restart, index % restart == 0 {
                accuracy = ReducedAccuracy(field: device.field, restoring: accuracy.state, at: Device.instant(at))
            }
        }
        ask(until: 20_000)
        return Array(text.utf8)
    }

    @Test func `two traces of the same cells and ticks are the same bytes to a client`() throws {
        var generator = SeededGenerator()
        var compared = 0
        for _ in 0..<scaled(100) {
            let device = try Device(using: &generator)
            var place = try Coordinate.random(using: &generator)
            var (one, two): ([(Fix, Double)], [(Fix, Double)]) = ([], [])
            for second in stride(from: 0.0, to: 12 * 1_200, by: 60) {
                place = try place.scattered(by: 500, using: &generator)
                let other = try device.stranger(to: place, using: &generator)
                one.append((Device.arbitraryFix(at: place, using: &generator), second + 0.01))
                let delay = Double.random(in: 0.02...40, using: &generator)
                two.append((Device.arbitraryFix(at: other, using: &generator), second + delay))
            }
            let seen = answers(device, one)
            // Compared outside the expectation, which would print all of it.
            let isSame = seen == answers(device, two)
            let isSameAfterRestarts = seen == answers(device, two, restartingEvery: 7)
            #expect(isSame, "\(generator)")
            #expect(isSameAfterRestarts, "\(generator)")
            compared += seen.count
        }
        print("L1: \(compared) bytes of replies compared")
    }

    @Test func `a saved state is the same whatever the fix held besides its cell`() throws {
        var generator = SeededGenerator()
        for _ in 0..<scaled(1_000) {
            var device = try Device(using: &generator)
            let place = try Coordinate.random(using: &generator)
            var other = device
            _ = device.accuracy.reduce(Device.arbitraryFix(at: place, using: &generator), at: Device.instant(3))
            let elsewhere = try other.stranger(to: place, using: &generator)
            _ = other.accuracy.reduce(Device.arbitraryFix(at: elsewhere, using: &generator), at: Device.instant(40))
            #expect(device.accuracy.state == other.accuracy.state, "\(generator)")
        }
    }
}
