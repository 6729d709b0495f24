/// A position as a client receives it: the `Position` of `io.waymark.Location`.
public struct Position: Equatable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var timestamp: Double
    /// The place, degrees of WGS 84.
    public var coordinate: Coordinate
    /// Metres, radius of 68 % confidence.
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
    /// Whether it has full or reduced accuracy.
    public var accuracy: AccuracyAuthorization
    /// Whether it comes from a replay or a simulator.
    public var isSimulated: Bool
    /// How the receiver obtained the position, if it reports that.
    public var quality: FixQuality?
    /// The clock that the timestamp is from.
    public var timestampSource: TimestampSource

    /// Creates a position; omitted values are unknown.
    public init(
        timestamp: Double, coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double? = nil,
        ellipsoidalAltitude: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
        speedAccuracy: Double? = nil, course: Double? = nil, courseAccuracy: Double? = nil, climb: Double? = nil,
        accuracy: AccuracyAuthorization = .full, isSimulated: Bool = false, quality: FixQuality? = nil,
        timestampSource: TimestampSource = .receiver
    ) {
        self.timestamp = timestamp
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
        self.accuracy = accuracy
        self.isSimulated = isSimulated
        self.quality = quality
        self.timestampSource = timestampSource
    }
}
