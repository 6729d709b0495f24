/// The attitude of a vehicle as measured by its sensors: class `ATT` of gpsd_json(5), degrees.
public struct ATT: Equatable, Sendable {
    /// When it was measured.
    public var time: UTCTime?
    /// Degrees from true north: the heading of the vehicle, which is not its direction of movement.
    public var heading: Double?
    /// Degrees, nose up positive.
    public var pitch: Double?
    /// Degrees, right side down positive.
    public var roll: Double?
    /// Degrees.
    public var yaw: Double?
    /// The sensor, as gpsd names its device; empty if gpsd does not report it.
    public var receiver: String

    /// Creates an attitude; omitted values are unknown.
    public init(
        time: UTCTime? = nil, heading: Double? = nil, pitch: Double? = nil, roll: Double? = nil, yaw: Double? = nil,
        receiver: String = ""
    ) {
        self.time = time
        self.heading = heading
        self.pitch = pitch
        self.roll = roll
        self.yaw = yaw
        self.receiver = receiver
    }
}
