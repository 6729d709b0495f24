import Glibc
import Location

/// The fixes of a journey, made without satellites and sentences: fast enough for days at one fix a second.
///
/// The errors are those that make a stay hard to see. They wander slowly (Gauss and Markov's process); a reflected signal
/// displaces all fixes of some ten seconds, which the receiver notices only half of the time; and inside a house the fix is
/// lost for minutes.
public struct JourneyFixes: Sequence, IteratorProtocol, Sendable {
    /// One second of the journey.
    public struct Epoch: Sendable {
        /// Since the start of the journey.
        public var seconds: Double
        /// Nil where the receiver has no fix. Its `receivedAt` counts from the start of the journey.
        public var fix: Fix?
        /// What a perfect receiver would report.
        public var truth: TrueState
    }

    private let journey: Journey
    private let start: UTCTime
    private let interval: Double
    private let plane: LocalPlane
    private var noise: SeededGenerator
    private var index = 0
    /// Errors to the east and north, each with deviation 1.
    private var drift: PlanePoint
    /// How far a reflection displaces the fixes, metres, and until when.
    private var reflection = (offset: PlanePoint(east: 0, north: 0), until: 0.0, isNoticed: false)
    /// Until when there is no fix, and from when the next outage is possible.
    private var outage = (until: 0.0, next: 0.0)

    /// Seconds after which little is left of an error.
    private static let driftMemory = 120.0
    /// Seconds that an outage lasts on average.
    private static let usualOutage = 240.0
    private static let usualReflection = 15.0

    /// The fixes of a journey whose errors the seed decides, at one fix in so many seconds.
    public init(of journey: Journey, seed: UInt64, interval: Double = 1, start: UTCTime = Preset.usualStart) {
        self.journey = journey
        self.start = start
        self.interval = interval
        plane = journey.route.plane
        noise = SeededGenerator(seed: seed, stream: 8)
        drift = PlanePoint(east: noise.normal(), north: noise.normal())
    }

    /// The next epoch; nil at the end of the journey.
    public mutating func next() -> Epoch? {
        let seconds = Double(index) * interval
        guard seconds < journey.duration else { return nil }
        index += 1
        let reception = journey.reception(at: seconds)
        wander()
        reflect(at: seconds, in: reception)
        let truth = journey.route.state(at: seconds)
        let fix = hasFix(at: seconds, in: reception) ? fix(truth, at: seconds, in: reception) : nil
        return Epoch(seconds: seconds, fix: fix, truth: truth)
    }

    private mutating func wander() {
        let retained = exp(-interval / Self.driftMemory)
        let renewed = (1 - retained * retained).squareRoot()
        drift = drift * retained + PlanePoint(east: noise.normal(), north: noise.normal()) * renewed
    }

    private mutating func reflect(at seconds: Double, in reception: Reception) {
        guard seconds >= reflection.until else { return }
        reflection.offset = PlanePoint(east: 0, north: 0)
        guard noise.happens(1 - exp(-reception.reflections * interval)) else { return }
        let distance = reception.reflectionError * (0.5 + noise.unit())
        reflection.offset = PlanePoint(distance: distance, course: 360 * noise.unit())
        reflection.until = seconds + Self.usualReflection * (0.3 + 1.4 * noise.unit())
        reflection.isNoticed = noise.happens(0.5)
    }

    private mutating func hasFix(at seconds: Double, in reception: Reception) -> Bool {
        guard reception.solution.hasPosition else { return false }
        guard reception.outages > 0 else {
            outage = (0, seconds)
            return true
        }
        if seconds >= outage.next {
            let length = Self.usualOutage * (0.3 + 1.4 * noise.unit())
            // The time until the next outage makes the share of outages what it should be.
            outage.until = seconds + length * (outage.until == 0 && noise.happens(0.5) ? 0 : 1)
            outage.next = outage.until + Self.usualOutage * (1 / reception.outages - 1) * 2 * noise.unit()
        }
        return seconds >= outage.until
    }

    private mutating func fix(_ truth: TrueState, at seconds: Double, in reception: Reception) -> Fix? {
        let deviation = reception.rangeError * reception.usualDilution / 2.0.squareRoot() + 0.8
        let white = PlanePoint(east: noise.normal(), north: noise.normal()) * (0.2 * deviation)
        let degrees = plane.degrees(of: truth.point + drift * deviation + white + reflection.offset)
        guard let coordinate = Coordinate(latitude: degrees.latitude, longitude: degrees.longitude) else { return nil }
        let elapsed = Int64((seconds * 1_000_000).rounded())
        let noticed = reflection.isNoticed ? 0.7 * reflection.offset.length : 0
        let speedDeviation = 0.04 * reception.rangeError * reception.usualDilution
        let speed = abs(truth.speed + speedDeviation * noise.normal())
        return Fix(
            time: UTCTime(microseconds: start.microseconds + elapsed), receivedAt: UInt64(elapsed) * 1000,
            coordinate: coordinate, horizontalAccuracy: 1.515 * deviation + noticed, altitude: truth.altitude,
            verticalAccuracy: 2 * deviation, speed: speed, speedAccuracy: speedDeviation,
            course: truth.speed > 0.5 ? truth.course : nil, isSimulated: true, receiver: "simulator")
    }
}
