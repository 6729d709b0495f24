/// The attitude of a vehicle as its sensors give it: class `ATT` of gpsd_json(5), degrees.
public struct ATT: Equatable, Sendable {
    /// When it was measured.
    public var time: UTCTime?
    /// Degrees from true north: where the vehicle points, which is not where it goes.
    public var heading: Double?
    /// Degrees, nose up positive.
    public var pitch: Double?
    /// Degrees, right side down positive.
    public var roll: Double?
    /// Degrees.
    public var yaw: Double?
    /// The sensor, as gpsd names its device; empty where gpsd does not say.
    public var receiver: String

    /// An attitude of these parts; what is left out is unknown.
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
