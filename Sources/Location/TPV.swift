/// A time-position-velocity report as gpsd gives it, before anybody believed it: class `TPV` of gpsd_json(5).
///
/// What the report leaves out is nil. Estimates are gpsd's, taken as 95 % figures.
public struct TPV: Equatable, Sendable {
    /// Whether there is a fix: 0 not known, 1 none, 2 two-dimensional, 3 three-dimensional.
    public var mode: Int
    /// How the receiver came by it, gpsd's numbers 0…9; 0 where the report does not say.
    public var status: Int
    /// When the receiver was there.
    public var time: UTCTime?
    /// Degrees north.
    public var latitude: Double?
    /// Degrees east.
    public var longitude: Double?
    /// Metres above the WGS 84 ellipsoid.
    public var altitudeHAE: Double?
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Metres, horizontal error in two dimensions.
    public var eph: Double?
    /// Metres, error of longitude.
    public var epx: Double?
    /// Metres, error of latitude.
    public var epy: Double?
    /// Metres, vertical error.
    public var epv: Double?
    /// Degrees, error of the track.
    public var epd: Double?
    /// Metres a second, error of the speed.
    public var eps: Double?
    /// Metres a second, error of the climb.
    public var epc: Double?
    /// Degrees from true north.
    public var track: Double?
    /// Metres a second over ground.
    public var speed: Double?
    /// Metres a second, positive upwards.
    public var climb: Double?
    /// GPS time minus UTC, in seconds, where the receiver knows it.
    public var leapSeconds: Int?
    /// The receiver, as gpsd names its device; empty where gpsd does not say.
    public var receiver: String

    /// A report of these parts; what is left out is unknown.
    public init(
        mode: Int = 0, status: Int = 0, time: UTCTime? = nil, latitude: Double? = nil, longitude: Double? = nil,
        altitudeHAE: Double? = nil, altitudeMSL: Double? = nil, eph: Double? = nil, epx: Double? = nil,
        epy: Double? = nil, epv: Double? = nil, epd: Double? = nil, eps: Double? = nil, epc: Double? = nil,
        track: Double? = nil, speed: Double? = nil, climb: Double? = nil, leapSeconds: Int? = nil,
        receiver: String = ""
    ) {
        self.mode = mode
        self.status = status
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.altitudeHAE = altitudeHAE
        self.altitudeMSL = altitudeMSL
        self.eph = eph
        self.epx = epx
        self.epy = epy
        self.epv = epv
        self.epd = epd
        self.eps = eps
        self.epc = epc
        self.track = track
        self.speed = speed
        self.climb = climb
        self.leapSeconds = leapSeconds
        self.receiver = receiver
    }
}
