/// Pseudorange noise statistics from a receiver: class `GST` of gpsd_json(5), all one standard deviation.
public struct GST: Equatable, Sendable {
    /// The epoch they belong to.
    public var time: UTCTime?
    /// Metres, of latitude.
    public var latitudeDeviation: Double?
    /// Metres, of longitude.
    public var longitudeDeviation: Double?
    /// Metres, of altitude.
    public var altitudeDeviation: Double?
    /// Metres, semi-major axis of the error ellipse.
    public var majorDeviation: Double?
    /// Metres, semi-minor axis of the error ellipse.
    public var minorDeviation: Double?
    /// The receiver, as gpsd names its device; empty if gpsd does not report it.
    public var receiver: String

    /// Creates statistics; omitted values are unknown.
    public init(
        time: UTCTime? = nil, latitudeDeviation: Double? = nil, longitudeDeviation: Double? = nil,
        altitudeDeviation: Double? = nil, majorDeviation: Double? = nil, minorDeviation: Double? = nil,
        receiver: String = ""
    ) {
        self.time = time
        self.latitudeDeviation = latitudeDeviation
        self.longitudeDeviation = longitudeDeviation
        self.altitudeDeviation = altitudeDeviation
        self.majorDeviation = majorDeviation
        self.minorDeviation = minorDeviation
        self.receiver = receiver
    }
}
