/// A position from the receiver that has passed the filter. Only the daemon holds one.
///
/// A fix has no encoding of any kind: a client receives a `Disclosure` of it, which only the authorization gate can
/// make.
public struct Fix: Equatable, Sendable {
    /// When the receiver was there.
    public var time: UTCTime
    /// The clock that `time` is from.
    public var timestampSource: TimestampSource
    /// When the report reached the daemon, in nanoseconds of CLOCK_MONOTONIC.
    public var receivedAt: UInt64
    /// The position at that time.
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
    /// How the receiver obtained the position, if it reports that.
    public var quality: FixQuality?
    /// The receiver, as gpsd names its device; empty if gpsd does not report it.
    public var receiver: String

    /// Creates a fix; omitted values are unknown.
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
