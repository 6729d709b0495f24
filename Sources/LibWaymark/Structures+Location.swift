import CWaymark
import Interfaces
import Location

// The structures of `waymark.h` about positions and authorization, made from the types of the interface.

extension waymark_position {
    init(_ position: Position) {
        self.init(
            timestamp: position.timestamp, latitude: position.coordinate.latitude,
            longitude: position.coordinate.longitude, horizontal_accuracy: position.horizontalAccuracy,
            altitude: position.altitude ?? .nan, ellipsoidal_altitude: position.ellipsoidalAltitude ?? .nan,
            vertical_accuracy: position.verticalAccuracy ?? .nan, speed: position.speed ?? .nan,
            speed_accuracy: position.speedAccuracy ?? .nan, course: position.course ?? .nan,
            course_accuracy: position.courseAccuracy ?? .nan, climb: position.climb ?? .nan,
            accuracy: position.accuracy.number, quality: Self.number(position.quality),
            timestamp_source: Self.number(position.timestampSource), is_simulated: position.isSimulated)
    }

    private static func number(_ quality: FixQuality?) -> Int32 {
        let number =
            switch quality {
            case nil: WAYMARK_QUALITY_UNKNOWN
            case .ordinary: WAYMARK_QUALITY_ORDINARY
            case .dgps: WAYMARK_QUALITY_DGPS
            case .rtkFixed: WAYMARK_QUALITY_RTK_FIXED
            case .rtkFloat: WAYMARK_QUALITY_RTK_FLOAT
            case .deadReckoning: WAYMARK_QUALITY_DEAD_RECKONING
            case .surveyed: WAYMARK_QUALITY_SURVEYED
            }
        return Int32(number.rawValue)
    }

    private static func number(_ source: TimestampSource) -> Int32 {
        let number =
            switch source {
            case .receiver: WAYMARK_TIMESTAMP_RECEIVER
            case .systemClock: WAYMARK_TIMESTAMP_SYSTEM_CLOCK
            }
        return Int32(number.rawValue)
    }
}

extension waymark_update {
    init(_ update: LocationUpdate, _ memory: EventMemory) {
        self.init(
            authorization_status: update.authorizationStatus.number, accuracy: update.accuracyAuthorization.number,
            diagnostics: DiagnosticBits.bits(of: update.diagnostics),
            diagnostic_words: memory.texts(update.diagnostics.map(\.rawValue)),
            dropped: UInt64(clamping: update.dropped), is_stationary: update.stationary)
    }
}

extension waymark_authorization {
    init(_ authorization: AppAuthorization, _ memory: EventMemory) {
        self.init(
            status: authorization.status.number, accuracy: authorization.accuracy.number,
            diagnostics: DiagnosticBits.bits(of: authorization.diagnostics),
            diagnostic_words: memory.texts(authorization.diagnostics.map(\.rawValue)),
            app: memory.text(authorization.app), assurance: memory.text(authorization.assurance),
            is_in_use: authorization.isInUse)
    }
}

extension waymark_heading {
    init(_ heading: Heading) {
        self.init(
            timestamp: heading.time.secondsSinceEpoch, true_heading: heading.trueHeading ?? .nan,
            magnetic_heading: heading.magneticHeading ?? .nan, accuracy: heading.headingAccuracy ?? .nan,
            declination: heading.declination ?? .nan, pitch: heading.pitch ?? .nan, roll: heading.roll ?? .nan,
            is_simulated: heading.isSimulated)
    }
}

extension waymark_visit {
    init(_ visit: Visit) {
        self.init(
            latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude,
            horizontal_accuracy: visit.horizontalAccuracy, arrival: visit.arrival?.secondsSinceEpoch ?? .nan,
            departure: visit.departure?.secondsSinceEpoch ?? .nan, is_simulated: visit.isSimulated)
    }
}

extension AuthorizationStatus {
    /// The value in `enum waymark_authorization_status`.
    var number: Int32 {
        let number =
            switch self {
            case .notDetermined: WAYMARK_AUTHORIZATION_NOT_DETERMINED
            case .restricted: WAYMARK_AUTHORIZATION_RESTRICTED
            case .denied: WAYMARK_AUTHORIZATION_DENIED
            case .authorizedWhenInUse: WAYMARK_AUTHORIZATION_WHEN_IN_USE
            case .authorizedAlways: WAYMARK_AUTHORIZATION_ALWAYS
            }
        return Int32(number.rawValue)
    }
}

extension AccuracyAuthorization {
    /// The value in `enum waymark_accuracy`.
    var number: Int32 {
        switch self {
        case .full: Int32(WAYMARK_ACCURACY_FULL.rawValue)
        case .reduced: Int32(WAYMARK_ACCURACY_REDUCED.rawValue)
        }
    }
}
