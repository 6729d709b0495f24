import Location

/// The part of a fix that one requester may receive. Only the gate creates disclosures, and only disclosures can be
/// encoded, so a coordinate cannot leave the daemon without passing the gate.
///
/// A fix becomes a disclosure of full accuracy, a reduced fix one of reduced accuracy; the types do not permit a fix in
/// place of a reduced fix. The third initializer is for a stored row of a recording, which was a disclosure when it was
/// recorded. Only a `RecordedDecision` makes it one again.
public struct Disclosure: Equatable, Sendable {
    /// The disclosed position.
    public let position: Position

    /// The disclosure of a fix, with full accuracy.
    init(_ fix: Fix) {
        position = Position(fix)
    }

    /// The disclosure of a reduced fix: its cell, its tick, and whether the receiver is simulated.
    init(_ reduced: ReducedFix) {
        position = Position(reduced)
    }

    /// The disclosure of a stored row of a recording.
    init(recorded position: Position) {
        self.position = position
    }
}

extension Position {
    /// The position of a fix, with full accuracy. Lengths, speeds and angles are rounded to three decimals, as gpsd's
    /// are, so that calculated values do not suggest a higher precision.
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

    /// A course that rounds to 360° becomes 0°.
    private static func course(_ value: Double) -> Double {
        let rounded = thousandth(value)
        return rounded < 360 ? rounded : 0
    }

    private static func thousandth(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

    /// At least 0.001, because an accuracy of 0 would mean that the value is exact.
    private static func accuracy(_ value: Double) -> Double { max(thousandth(value), 0.001) }
}

/// A visit that one requester may receive. Only the gate creates these.
public struct VisitDisclosure: Equatable, Sendable {
    /// The disclosed visit.
    public let visit: Visit

    init(_ visit: Visit) {
        self.visit = visit
    }
}

/// A heading that one requester may receive. Only the gate creates these.
public struct HeadingDisclosure: Equatable, Sendable {
    /// The disclosed heading.
    public let heading: Heading

    init(_ heading: Heading) {
        self.heading = heading
    }
}

/// The satellites that one requester may receive. Only the gate creates these.
public struct SkyDisclosure: Equatable, Sendable {
    /// The disclosed satellites.
    public let sky: SkyView

    init(_ sky: SkyView) {
        self.sky = sky
    }
}
