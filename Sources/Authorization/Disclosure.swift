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
    /// A fix as it is, of full accuracy.
    fileprivate init(_ fix: Fix) {
        self.init(
            timestamp: fix.time.secondsSinceEpoch, coordinate: fix.coordinate,
            horizontalAccuracy: fix.horizontalAccuracy, altitude: fix.altitude,
            ellipsoidalAltitude: fix.ellipsoidalAltitude, verticalAccuracy: fix.verticalAccuracy,
            speed: fix.speed, speedAccuracy: fix.speedAccuracy, course: fix.course,
            courseAccuracy: fix.courseAccuracy, climb: fix.climb, accuracy: .full, isSimulated: fix.isSimulated,
            quality: fix.quality, timestampSource: fix.timestampSource)
    }
}

/// What one requester may see of the sky. Only the gate makes these.
public struct SkyDisclosure: Equatable, Sendable {
    /// The sky as it may be seen.
    public let sky: SkyView

    init(_ sky: SkyView) {
        self.sky = sky
    }
}
