import Location

/// A receiver or another sensor as gpsd knows it: class `DEVICE` of gpsd_json(5).
public struct Device: Equatable, Sendable {
    /// Its name, mostly a path below /dev; what reports call `device`.
    public var path: String
    /// The driver that gpsd chose; empty as long as it has none.
    public var driver: String
    /// Whether it is there. gpsd says `"activated":0` of a device that it has just let go.
    public var isPresent: Bool
    /// When gpsd opened it, nil while it is closed.
    public var activated: UTCTime?
    /// Seconds from one report to the next, where gpsd knows.
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
