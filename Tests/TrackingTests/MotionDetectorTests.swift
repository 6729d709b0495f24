import Location
import ReceiverSimulator
import Testing

@testable import Tracking

struct MotionDetectorTests {
    private var detector = MotionDetector()

    /// Feeds one fix a second.
    private mutating func feed(_ seconds: ClosedRange<Int>, _ fix: (Double) throws -> Fix) rethrows {
        for second in seconds { detector.receive(try fix(Double(second))) }
    }

    private mutating func park() throws {
        try feed(0...60) { try fix($0, speed: 0.1, speedAccuracy: 0.2) }
        #expect(detector.state == .stationary(since: time(0)))
    }

    @Test func `before a minute nothing is known of a machine that stands`() throws {
        var detector = MotionDetector()
        for second in 0..<60 { #expect(!detector.receive(try fix(Double(second), speed: 0, speedAccuracy: 0.2))) }
        #expect(detector.state == .unknown)
        #expect(detector.receive(try fix(60, speed: 0, speedAccuracy: 0.2)))
        #expect(detector.isStationary)
    }

    @Test mutating func `a parked car is stationary since it stopped`() throws {
        try feed(0...20) { try fix($0, north: 10 * $0, speed: 10, speedAccuracy: 0.2) }
        #expect(detector.state == .moving)
        try feed(21...81) { try fix($0, north: 200, speed: 0.1, speedAccuracy: 0.2) }
        #expect(detector.state == .stationary(since: time(21)))
    }

    @Test mutating func `a red light of 50 s is not stationary`() throws {
        try feed(0...20) { try fix($0, north: 10 * $0, speed: 10, speedAccuracy: 0.2) }
        try feed(21...70) { try fix($0, north: 200, speed: 0, speedAccuracy: 0.2) }
        try feed(71...80) { try fix($0, north: 200 + 5 * ($0 - 70), speed: 5, speedAccuracy: 0.2) }
        #expect(detector.state == .moving)
    }

    @Test mutating func `a car that drives off is moving after three fixes`() throws {
        try park()
        detector.receive(try fix(61, north: 1, speed: 2, speedAccuracy: 0.2))
        detector.receive(try fix(62, north: 4, speed: 4, speedAccuracy: 0.2))
        #expect(detector.isStationary)
        #expect(detector.receive(try fix(63, north: 9, speed: 6, speedAccuracy: 0.2)))
        #expect(detector.state == .moving)
    }

    @Test mutating func `a speed within its error is no movement`() throws {
        try park()
        try feed(61...200) { try fix($0, speed: 3, speedAccuracy: 1) }
        #expect(detector.isStationary)
    }

    @Test mutating func `a displacement of nine seconds by a reflected signal is no movement`() throws {
        try park()
        try feed(61...70) { try fix($0, north: 80, speed: 0.1, speedAccuracy: 0.2) }
        try feed(71...90) { try fix($0, speed: 0.1, speedAccuracy: 0.2) }
        #expect(detector.isStationary)
    }

    @Test mutating func `a displacement that lasts is movement, also without a speed`() throws {
        try feed(0...60) { try fix($0) }
        #expect(detector.isStationary)
        try feed(61...70) { try fix($0, north: 80) }
        #expect(detector.isStationary)
        try feed(71...71) { try fix($0, north: 80) }
        #expect(detector.state == .moving)
    }

    @Test mutating func `a displacement within the error is no movement`() throws {
        try park()
        try feed(61...200) { try fix($0, north: 80, accuracy: 40) }
        #expect(detector.isStationary)
    }

    @Test mutating func `a boat that drifts slowly is moving`() throws {
        try feed(0...600) { try fix($0, north: 0.4 * $0, speed: 0.4, speedAccuracy: 0.3) }
        #expect(detector.state == .moving)
    }

    @Test mutating func `a loss of the fix changes nothing`() throws {
        try park()
        detector.receive(try fix(8000, speed: 0.1, speedAccuracy: 0.2))
        #expect(detector.isStationary)
    }

    @Test mutating func `the restart of a replay begins anew`() throws {
        try feed(1000...1060) { try fix($0, speed: 0.1, speedAccuracy: 0.2) }
        #expect(detector.isStationary)
        #expect(detector.receive(try fix(500)))
        #expect(detector.state == .unknown)
    }

    /// Prints how long it took to notice each change.
    @Test func `on simulated journeys the state is that of the truth, but for the time to notice`() {
        var wrong = 0
        var total = 0
        for seed: UInt64 in 1...6 {
            var detector = MotionDetector()
            var since = 0.0
            var wasMoving = false
            for epoch in JourneyFixes(of: .random(seed: seed), seed: seed) {
                // A boat that swings moves, and a person in a shop, but neither travels.
                let isMoving = epoch.truth.speed > 0.7
                if isMoving != wasMoving { (wasMoving, since) = (isMoving, epoch.seconds) }
                guard let fix = epoch.fix else { continue }
                detector.receive(fix)
                guard epoch.seconds - since > 90 else { continue }
                total += 1
                if isMoving == detector.isStationary { wrong += 1 }
            }
        }
        let share = Double(wrong) / Double(total)
        print("motion: \(total) s observed 90 s after a change, share of wrong states \(share)")
        #expect(share < 0.08)
    }
}
