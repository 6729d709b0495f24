/// A time-position-velocity report from gpsd, before any check: class `TPV` of gpsd_json(5).
///
/// Values that the report omits are nil. Estimates are gpsd's, and are used as 95 % values.
public struct TPV: Equatable, Sendable {
    /// Whether there is a fix: 0 not known, 1 none, 2 two-dimensional, 3 three-dimensional.
    public var mode: Int
    /// How the receiver obtained the position, gpsd's numbers 0…9; 0 if the report does not contain it.
    public var status: Int
    /// When the receiver was at the position.
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
    /// GPS time minus UTC, in seconds, if the receiver knows it.
    public var leapSeconds: Int?
    /// Degrees by which magnetic north is east of true north, from the receiver or from gpsd's model of the Earth.
    public var magneticVariation: Double?
    /// The receiver, as gpsd names its device; empty if gpsd does not report it.
    public var receiver: String

    /// Creates a report; omitted values are unknown.
    public init(
        mode: Int = 0, status: Int = 0, time: UTCTime? = nil, latitude: Double? = nil, longitude: Double? = nil,
        altitudeHAE: Double? = nil, altitudeMSL: Double? = nil, eph: Double? = nil, epx: Double? = nil,
        epy: Double? = nil, epv: Double? = nil, epd: Double? = nil, eps: Double? = nil, epc: Double? = nil,
        track: Double? = nil, speed: Double? = nil, climb: Double? = nil, leapSeconds: Int? = nil,
        magneticVariation: Double? = nil, receiver: String = ""
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
        self.magneticVariation = magneticVariation
        self.receiver = receiver
    }

    /// This report, completed by a later one of the same epoch: values of the later report replace those of this
    /// report, which remain where the later report has none.
    public func completed(by later: TPV) -> TPV {
        var whole = later
        whole.mode = max(mode, later.mode)
        if later.status == 0 { whole.status = status }
        if later.latitude == nil || later.longitude == nil { (whole.latitude, whole.longitude) = (latitude, longitude) }
        // The horizontal errors are one unit: gpsd derives all of them from the same dilution of precision.
        if later.eph == nil, later.epx == nil, later.epy == nil { (whole.eph, whole.epx, whole.epy) = (eph, epx, epy) }
        whole.altitudeHAE = later.altitudeHAE ?? altitudeHAE
        whole.altitudeMSL = later.altitudeMSL ?? altitudeMSL
        whole.epv = later.epv ?? epv
        whole.epd = later.epd ?? epd
        whole.eps = later.eps ?? eps
        whole.epc = later.epc ?? epc
        whole.track = later.track ?? track
        whole.speed = later.speed ?? speed
        whole.climb = later.climb ?? climb
        whole.leapSeconds = later.leapSeconds ?? leapSeconds
        whole.magneticVariation = later.magneticVariation ?? magneticVariation
        return whole
    }
}
