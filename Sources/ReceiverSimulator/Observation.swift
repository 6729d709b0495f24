import Location

/// What a receiver found in one epoch, from which its sentences are made.
struct Observation: Sendable {
    /// How far the receiver came.
    enum Solution: Sendable {
        case nothing, timeOnly, twoDimensional, threeDimensional

        /// Whether there is a position.
        var hasPosition: Bool { self == .twoDimensional || self == .threeDimensional }
    }

    /// A satellite as this receiver hears it.
    struct TrackedSatellite: Sendable {
        var satellite: Sky.Satellite
        /// Signal to noise, whole dB-Hz; nil where it is expected but not heard.
        var signal: Int?
        var isUsed: Bool
    }

    /// One deviation of each error, in metres.
    struct ErrorEstimate: Sendable {
        /// Of the distances measured.
        var range: Double
        var east: Double
        var north: Double
        var up: Double
    }

    /// What the receiver takes for the time.
    var time: UTCTime
    var solution: Solution
    var quality: PositionQuality
    /// Degrees.
    var latitude: Double
    /// Degrees.
    var longitude: Double
    /// Metres above mean sea level.
    var altitude: Double
    /// Metres from the ellipsoid up to mean sea level.
    var geoidSeparation: Double
    /// Metres a second.
    var speed: Double
    /// Degrees from true north; nil where it moves too slowly to have one.
    var course: Double?
    var satellites: [TrackedSatellite]
    var dilution: DilutionOfPrecision
    var errors: ErrorEstimate

    /// How many satellites the solution uses.
    var usedCount: Int { satellites.count { $0.isUsed } }

    /// The reported position, with errors of 68 % confidence; nil where it reports none.
    func fix(receivedAt: UInt64) -> Fix? {
        guard solution.hasPosition, let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            return nil
        }
        let isThreeDimensional = solution == .threeDimensional
        // Of a normal error in a plane, 68 % lie within 1.515 deviations.
        let horizontal = 1.515 * max(errors.east, errors.north)
        return Fix(
            time: time, receivedAt: receivedAt, coordinate: coordinate, horizontalAccuracy: horizontal,
            altitude: isThreeDimensional ? altitude : nil,
            ellipsoidalAltitude: isThreeDimensional ? altitude + geoidSeparation : nil,
            verticalAccuracy: isThreeDimensional ? errors.up : nil, speed: speed, course: course, isSimulated: true,
            quality: quality.asFixQuality, receiver: "simulator")
    }
}

/// How the position came about, as GGA's sixth field numbers it (NMEA 0183).
enum PositionQuality: Int, Sendable {
    case autonomous = 1
    case differential = 2
    case rtkFixed = 4
    case rtkFloat = 5
    case deadReckoning = 6
    case manual = 7
    case simulated = 8

    /// The same, as the rest of Waymark calls it.
    var asFixQuality: FixQuality {
        switch self {
        case .autonomous, .simulated: .ordinary
        case .differential: .dgps
        case .rtkFixed: .rtkFixed
        case .rtkFloat: .rtkFloat
        case .deadReckoning: .deadReckoning
        case .manual: .surveyed
        }
    }

    /// The mode indicator of RMC, VTG and GLL.
    var modeIndicator: String {
        switch self {
        case .autonomous: "A"
        case .differential: "D"
        case .rtkFixed: "R"
        case .rtkFloat: "F"
        case .deadReckoning: "E"
        case .manual: "M"
        case .simulated: "S"
        }
    }
}
