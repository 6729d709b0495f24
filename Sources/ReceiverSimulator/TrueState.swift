/// Where a traveller really is, and how it moves: what a perfect receiver would say.
public struct TrueState: Equatable, Sendable {
    /// Degrees north, WGS 84.
    public var latitude: Double
    /// Degrees east, WGS 84.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double
    /// Metres a second over ground.
    public var speed: Double
    /// Degrees from true north, 0 up to but not including 360; where it stands, the way it faces.
    public var course: Double
    /// Metres a second, positive upwards.
    public var climb: Double

    /// The place on the route's plane, to which errors are added.
    var point: PlanePoint
}
