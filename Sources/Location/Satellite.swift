/// One satellite as a receiver sees it.
public struct Satellite: Equatable, Hashable, Sendable {
    /// gpsd's number for it, unique over constellations (gpsd_json(5), `PRN`).
    public var number: Int
    /// Its constellation.
    public var constellation: Constellation
    /// Its number within the constellation, if the receiver reports it.
    public var constellationNumber: Int?
    /// Degrees above the horizon, -90…90.
    public var elevation: Double?
    /// Degrees from true north, 0 up to but not including 360.
    public var azimuth: Double?
    /// Signal to noise, dB-Hz.
    public var signalToNoise: Double?
    /// Whether the present fix uses it.
    public var isUsed: Bool

    /// Creates a satellite; omitted values are unknown.
    public init(
        number: Int, constellation: Constellation, constellationNumber: Int? = nil, elevation: Double? = nil,
        azimuth: Double? = nil, signalToNoise: Double? = nil, isUsed: Bool = false
    ) {
        self.number = number
        self.constellation = constellation
        self.constellationNumber = constellationNumber
        self.elevation = elevation
        self.azimuth = azimuth
        self.signalToNoise = signalToNoise
        self.isUsed = isUsed
    }
}

/// A satellite navigation system, numbered as u-blox and gpsd number them (`gnssid` 0…7).
public enum Constellation: String, CaseIterable, Sendable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic, unknown

    /// The system with this `gnssid` of gpsd.
    public init(gnssID: Int) {
        let byNumber: [Constellation] = [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic]
        self = byNumber.indices.contains(gnssID) ? byNumber[gnssID] : .unknown
    }
}

/// A receiver's view of the sky at one time. The satellites in view at a known time reveal a place, so a view is
/// disclosed only through the authorization gate, as a fix is.
public struct SkyView: Equatable, Sendable {
    /// When the view was measured, if the receiver reports that.
    public var time: UTCTime?
    /// The satellites, in the receiver's order.
    public var satellites: [Satellite]
    /// Whether the report listed satellites at all: newer gpsd sends some views with the dilutions only.
    public var listsSatellites: Bool
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Position dilution of precision.
    public var pdop: Double?
    /// The receiver, as gpsd names its device.
    public var receiver: String
    /// When it arrived, in nanoseconds of CLOCK_MONOTONIC.
    public var receivedAt: UInt64

    /// Creates a view.
    public init(
        time: UTCTime? = nil, satellites: [Satellite] = [], listsSatellites: Bool = true, hdop: Double? = nil,
        pdop: Double? = nil, receiver: String = "", receivedAt: UInt64 = 0
    ) {
        self.receivedAt = receivedAt
        self.time = time
        self.satellites = satellites
        self.listsSatellites = listsSatellites
        self.hdop = hdop
        self.pdop = pdop
        self.receiver = receiver
    }
}
