/// The direction in which the machine points, from a compass.
///
/// In the daemon it is a value before the gate has decided who may know it.
public struct Heading: Equatable, Sendable {
    /// When it was measured, or was reported where the compass gives no time.
    public var time: UTCTime
    /// Degrees from true north, 0 up to but not including 360; nil where the declination is not known.
    public var trueHeading: Double?
    /// Degrees from magnetic north, 0 up to but not including 360; nil where only the true heading is reported and the
    /// declination is not known.
    public var magneticHeading: Double?
    /// Degrees, of 68 % confidence; nil where it is not known.
    public var headingAccuracy: Double?
    /// Degrees by which magnetic north is east of true north, where the machine is.
    public var declination: Double?
    /// Degrees, positive with the bow up.
    public var pitch: Double?
    /// Degrees, positive with the right side down.
    public var roll: Double?
    /// Whether it is from a replay or a simulator.
    public var isSimulated: Bool

    /// Creates a heading; omitted values are unknown.
    public init(
        time: UTCTime, trueHeading: Double? = nil, magneticHeading: Double? = nil, headingAccuracy: Double? = nil,
        declination: Double? = nil, pitch: Double? = nil, roll: Double? = nil, isSimulated: Bool = false
    ) {
        self.time = time
        self.trueHeading = trueHeading
        self.magneticHeading = magneticHeading
        self.headingAccuracy = headingAccuracy
        self.declination = declination
        self.pitch = pitch
        self.roll = roll
        self.isSimulated = isSimulated
    }
}
