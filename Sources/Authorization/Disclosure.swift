import Location

/// What one requester may see of one fix. Only the gate makes disclosures, and only disclosures can be encoded: a
/// coordinate that did not pass the gate has no way out.
///
/// A fix becomes a disclosure of full accuracy, a reduced fix one of reduced accuracy: that a fix is shown as if it were
/// reduced cannot be written down. The third initializer is for a stored row of a recording, which was a disclosure when it
/// was recorded and is one again by a `RecordedDecision` only.
public struct Disclosure: Equatable, Sendable {
    /// The position as it may be seen.
    public let position: Position

    /// A fix as it is.
    init(_ fix: Fix) {
        position = Position(fix)
    }

    /// A cell and a tick, and whether the receiver is simulated.
    init(_ reduced: ReducedFix) {
        position = Position(reduced)
    }

    /// A stored row of a recording.
    init(recorded position: Position) {
        self.position = position
    }
}

extension Position {
    /// A fix as it is, of full accuracy. Lengths, speeds and angles have three digits behind the point, as gpsd's own have:
    /// those that were calculated promise no more than those that were measured.
    fileprivate init(_ fix: Fix) {
        self.init(
            timestamp: fix.time.secondsSinceEpoch, coordinate: fix.coordinate,
            horizontalAccuracy: Self.accuracy(fix.horizontalAccuracy), altitude: fix.altitude.map(Self.thousandth),
            ellipsoidalAltitude: fix.ellipsoidalAltitude.map(Self.thousandth),
            verticalAccuracy: fix.verticalAccuracy.map(Self.accuracy), speed: fix.speed.map(Self.thousandth),
            speedAccuracy: fix.speedAccuracy.map(Self.accuracy), course: fix.course.map(Self.course),
            courseAccuracy: fix.courseAccuracy.map(Self.accuracy), climb: fix.climb.map(Self.thousandth),
            accuracy: .full, isSimulated: fix.isSimulated, quality: fix.quality,
            timestampSource: fix.timestampSource)
    }

    /// What rounds to a full circle is north: a course is less than 360°.
    private static func course(_ value: Double) -> Double {
        let rounded = thousandth(value)
        return rounded < 360 ? rounded : 0
    }

    private static func thousandth(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

    /// An accuracy of 0 would mean that the value is exact.
    private static func accuracy(_ value: Double) -> Double { max(thousandth(value), 0.001) }
}

/// What one requester may see of the sky. Only the gate makes these.
public struct SkyDisclosure: Equatable, Sendable {
    /// The sky as it may be seen.
    public let sky: SkyView

    init(_ sky: SkyView) {
        self.sky = sky
    }
}
