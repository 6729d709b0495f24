import Location

/// The simulated receiver's result of one epoch, from which its sentences are made.
struct Observation: Sendable {
    /// The kind of solution.
    enum Solution: Sendable {
        case nothing, timeOnly, twoDimensional, threeDimensional

        /// Whether there is a position.
        var hasPosition: Bool { self == .twoDimensional || self == .threeDimensional }
    }

    /// A satellite with its signal at this receiver.
    struct TrackedSatellite: Sendable {
        var satellite: Sky.Satellite
        /// The signal-to-noise ratio in whole dB-Hz; nil if the satellite is expected but not received.
        var signal: Int?
        var isUsed: Bool
    }

    /// The standard deviation of each error, in metres.
    struct ErrorEstimate: Sendable {
        /// Of the measured ranges.
        var range: Double
        var east: Double
        var north: Double
        var up: Double
    }

    /// The time according to the receiver.
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
    /// Metres per second.
    var speed: Double
    /// Degrees from true north; nil if the speed is too low for a course.
    var course: Double?
    var satellites: [TrackedSatellite]
    var dilution: DilutionOfPrecision
    var errors: ErrorEstimate

    /// The number of satellites in the solution.
    var usedCount: Int { satellites.count { $0.isUsed } }

    /// The reported position, with errors of 68 % confidence; nil if none is reported.
    func fix(receivedAt: UInt64) -> Fix? {
        guard solution.hasPosition, let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            return nil
        }
        let isThreeDimensional = solution == .threeDimensional
        // For a normal error in a plane, 68 % lie within 1.515 standard deviations.
        let horizontal = 1.515 * max(errors.east, errors.north)
        return Fix(
            time: time, receivedAt: receivedAt, coordinate: coordinate, horizontalAccuracy: horizontal,
            altitude: isThreeDimensional ? altitude : nil,
            ellipsoidalAltitude: isThreeDimensional ? altitude + geoidSeparation : nil,
            verticalAccuracy: isThreeDimensional ? errors.up : nil, speed: speed, course: course, isSimulated: true,
            quality: quality.asFixQuality, receiver: "simulator")
    }
}

/// The quality of the position, with the numbers of GGA's sixth field (NMEA 0183).
enum PositionQuality: Int, Sendable {
    case autonomous = 1
    case differential = 2
    case rtkFixed = 4
    case rtkFloat = 5
    case deadReckoning = 6
    case manual = 7
    case simulated = 8

    /// The quality as Waymark's type.
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

    /// The mode indicator in RMC, VTG and GLL.
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
