/// The true position and movement, which a perfect receiver would report.
public struct TrueState: Equatable, Sendable {
    /// Degrees north, WGS 84.
    public var latitude: Double
    /// Degrees east, WGS 84.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double
    /// Metres per second over ground.
    public var speed: Double
    /// Degrees from true north, 0 up to but not including 360; the heading when stationary.
    public var course: Double
    /// Metres per second, positive upwards.
    public var climb: Double

    /// The point on the route's plane, to which errors are added.
    var point: PlanePoint
}
