/// A position as the receiver gave it, believed by the filter. Only the daemon holds one.
///
/// A fix has no encoding of any kind: what a client may see of it is a `Disclosure`, and only the authorization gate
/// makes those.
public struct Fix: Equatable, Sendable {
    /// When the receiver was there.
    public var time: UTCTime
    /// Which clock told that.
    public var timestampSource: TimestampSource
    /// When the report reached the daemon, in nanoseconds of CLOCK_MONOTONIC.
    public var receivedAt: UInt64
    /// Where it was.
    public var coordinate: Coordinate
    /// Metres, radius of 68 % confidence; always more than 0.
    public var horizontalAccuracy: Double
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the WGS 84 ellipsoid.
    public var ellipsoidalAltitude: Double?
    /// Metres, 68 %.
    public var verticalAccuracy: Double?
    /// Metres a second over ground.
    public var speed: Double?
    /// Metres a second, 68 %.
    public var speedAccuracy: Double?
    /// Degrees from true north, 0 up to but not including 360.
    public var course: Double?
    /// Degrees, 68 %.
    public var courseAccuracy: Double?
    /// Metres a second, positive upwards.
    public var climb: Double?
    /// Whether it comes from a replay or a simulator.
    public var isSimulated: Bool
    /// How the receiver came by it, where it says so.
    public var quality: FixQuality?
    /// The receiver, as gpsd names its device; empty where gpsd does not say.
    public var receiver: String

    /// A fix of these parts; what is left out is unknown.
    public init(
        time: UTCTime, receivedAt: UInt64, coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double? = nil,
        ellipsoidalAltitude: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
        speedAccuracy: Double? = nil, course: Double? = nil, courseAccuracy: Double? = nil, climb: Double? = nil,
        isSimulated: Bool = false, quality: FixQuality? = nil, receiver: String = "",
        timestampSource: TimestampSource = .receiver
    ) {
        self.time = time
        self.timestampSource = timestampSource
        self.receivedAt = receivedAt
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
        self.ellipsoidalAltitude = ellipsoidalAltitude
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.climb = climb
        self.isSimulated = isSimulated
        self.quality = quality
        self.receiver = receiver
    }
}
