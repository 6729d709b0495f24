import Location

/// A receiver or another sensor of gpsd: class `DEVICE` of gpsd_json(5).
public struct Device: Equatable, Sendable {
    /// Its name, usually a path below /dev; `device` in reports.
    public var path: String
    /// The driver that gpsd selected; empty while there is none.
    public var driver: String
    /// Whether gpsd has the device. gpsd reports `"activated":0` for one that it has just closed.
    public var isPresent: Bool
    /// When gpsd opened it; nil while it is closed.
    public var activated: UTCTime?
    /// Seconds between reports; nil if gpsd does not report it.
    public var cycleSeconds: Double?

    /// A device of these parts.
    public init(
        path: String, driver: String = "", isPresent: Bool = true, activated: UTCTime? = nil,
        cycleSeconds: Double? = nil
    ) {
        self.path = path
        self.driver = driver
        self.isPresent = isPresent
        self.activated = activated
        self.cycleSeconds = cycleSeconds
    }
}
