/// The attitude of a vehicle as measured by its sensors: class `ATT` of gpsd_json(5), degrees.
public struct ATT: Equatable, Sendable {
    /// When it was measured.
    public var time: UTCTime?
    /// Degrees from true north: the heading of the vehicle, which is not its direction of movement.
    public var heading: Double?
    /// Degrees from magnetic north; gpsd reports it since 3.23.
    public var magneticHeading: Double?
    /// Degrees, nose up positive.
    public var pitch: Double?
    /// Degrees, right side down positive.
    public var roll: Double?
    /// Degrees.
    public var yaw: Double?
    /// Whether the compass itself says that its heading is wrong.
    public var hasAlarm: Bool
    /// The sensor, as gpsd names its device; empty if gpsd does not report it.
    public var receiver: String

    /// The values of `mag_st` that are alarms: calibration, low, high, voltage. The others are warnings.
    public static let alarms = Array("CLPV".utf8)

    /// Creates an attitude; omitted values are unknown.
    public init(
        time: UTCTime? = nil, heading: Double? = nil, magneticHeading: Double? = nil, pitch: Double? = nil,
        roll: Double? = nil, yaw: Double? = nil, hasAlarm: Bool = false, receiver: String = ""
    ) {
        self.time = time
        self.heading = heading
        self.magneticHeading = magneticHeading
        self.pitch = pitch
        self.roll = roll
        self.yaw = yaw
        self.hasAlarm = hasAlarm
        self.receiver = receiver
    }
}
