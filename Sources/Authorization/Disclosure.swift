import Location

/// What one requester may see of one fix. Only the gate makes disclosures, and only disclosures can be encoded: a
/// coordinate that did not pass the gate has no way out.
///
/// There are two ways to make one, and no third: a fix becomes a disclosure of full accuracy, a reduced fix one of reduced
/// accuracy. That a fix is shown as if it were reduced cannot be written down.
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
            quality: fix.quality)
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
