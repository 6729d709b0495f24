import Location

/// The machine's current heading, from reports of compasses: pure.
///
/// One compass is used at a time, until it has been silent for `patience` or is removed. A report with an alarm of the
/// compass, without a usable heading or with an impossible date is rejected.
public struct Compass {
    /// Nanoseconds after which a heading is no longer current, and another compass is used.
    public var patience: UInt64

    private let dates: DateValidator
    private var latest: (heading: Heading, device: String, receivedAt: UInt64)?
    private var declination: (degrees: Double, at: UInt64)?

    /// Nanoseconds for which a declination is used: an hour, in which an airliner changes it by a few degrees.
    private static let declinationMemory: UInt64 = 3_600_000_000_000

    /// A compass that has reported nothing.
    public init(patience: UInt64 = 5_000_000_000, built: UTCTime = FixFilter.Limits().built) {
        self.patience = patience
        dates = DateValidator(built: built)
    }

    /// The heading, if it is current.
    public func current(at now: UInt64) -> Heading? {
        guard let latest, now - min(now, latest.receivedAt) < patience else { return nil }
        return latest.heading
    }

    /// Remembers the magnetic variation of an accepted report of a position.
    public mutating func note(_ tpv: TPV, at instant: Instant) {
        guard let degrees = tpv.magneticVariation, abs(degrees) <= 180 else { return }
        declination = (degrees, instant.monotonicNanoseconds)
    }

    /// Handles a report of a compass. Returns the heading, or nil if the report is not used.
    /// `isSimulated` says whether the positions of this device, or all of them, are simulated.
    public mutating func receive(_ att: ATT, isSimulated: Bool, at instant: Instant) -> Heading? {
        let now = instant.monotonicNanoseconds
        if let latest, latest.device != att.receiver, now - min(now, latest.receivedAt) < patience { return nil }
        guard !att.hasAlarm, var heading = dated(att, isSimulated: isSimulated, at: instant) else { return nil }
        heading.trueHeading = Self.direction(att.heading)
        heading.magneticHeading = Self.direction(att.magneticHeading)
        guard heading.trueHeading != nil || heading.magneticHeading != nil else { return nil }
        if let declination, now - min(now, declination.at) < Self.declinationMemory {
            let degrees = declination.degrees
            heading.declination = degrees
            heading.trueHeading = heading.trueHeading ?? heading.magneticHeading.map { Self.normalized($0 + degrees) }
            heading.magneticHeading =
                heading.magneticHeading ?? heading.trueHeading.map { Self.normalized($0 - degrees) }
        }
        heading.pitch = att.pitch.flatMap { abs($0) <= 90 ? $0 : nil }
        heading.roll = att.roll.flatMap { abs($0) <= 180 ? $0 : nil }
        latest = (heading, att.receiver, now)
        return heading
    }

    /// A device was removed.
    public mutating func forget(device: String) {
        if latest?.device == device { latest = nil }
    }

    /// Nothing that was reported before counts any more.
    public mutating func forget() {
        (latest, declination) = (nil, nil)
    }

    /// A heading with its time alone; nil if the date is impossible.
    private func dated(_ att: ATT, isSimulated: Bool, at instant: Instant) -> Heading? {
        guard let time = att.time else { return Heading(time: instant.utc, isSimulated: isSimulated) }
        switch dates.validate(time, from: att.receiver, isSimulated: isSimulated, at: instant) {
        case .plausible(let time): return Heading(time: time, isSimulated: isSimulated)
        case .replayed(let time): return Heading(time: time, isSimulated: true)
        case .impossible: return nil
        }
    }

    /// A direction of a compass, of which some report −180° to 180°; nil if it is none.
    private static func direction(_ degrees: Double?) -> Double? {
        guard let degrees, (-180...360).contains(degrees) else { return nil }
        return normalized(degrees)
    }

    /// An angle from −360° to 720° as one from 0° up to but not including 360°.
    private static func normalized(_ degrees: Double) -> Double {
        let positive = degrees < 0 ? degrees + 360 : degrees
        return positive < 360 ? positive : positive - 360
    }
}
