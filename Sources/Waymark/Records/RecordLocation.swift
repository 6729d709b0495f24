import Location
import Records

/// A location as a record stores it: what `CLLocation` is in a `CKRecord`.
public struct RecordLocation: Hashable, Sendable {
    /// The place, degrees of WGS 84.
    public var coordinate: Coordinate
    /// Metres above the WGS 84 ellipsoid; nil if it is not known.
    public var altitude: Double?
    /// Metres, the radius within which the machine was; nil if it is not known.
    public var horizontalAccuracy: Double?
    /// When the machine was there; nil if it is not known.
    public var timestamp: UTCTime?

    /// A location of these parts.
    public init(
        coordinate: Coordinate, altitude: Double? = nil, horizontalAccuracy: Double? = nil, timestamp: UTCTime? = nil
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.timestamp = timestamp
    }

    /// The place, altitude, accuracy and time of a position.
    public init(_ position: Position) {
        self.init(
            coordinate: position.coordinate, altitude: position.ellipsoidalAltitude,
            horizontalAccuracy: position.horizontalAccuracy,
            timestamp: UTCTime(secondsSinceEpoch: position.timestamp))
    }
}

extension RecordLocation: RecordListElement {
    /// The location. Altitude and accuracy are omitted unless they are finite.
    public var recordValue: RecordValue {
        RecordValue(
            .location(
                StoredPlace(
                    coordinate, altitude: altitude.flatMap(FiniteDouble.init),
                    horizontalAccuracy: horizontalAccuracy.flatMap { $0 < 0 ? nil : FiniteDouble($0) }, time: timestamp)
            ))
    }

    /// The location.
    public init?(_ value: RecordValue) {
        guard case .location(let place) = value.field else { return nil }
        self.init(
            coordinate: place.coordinate, altitude: place.altitude?.value,
            horizontalAccuracy: place.horizontalAccuracy?.value, timestamp: place.time)
    }

    /// Locations.
    public static func recordValue(of list: [RecordLocation]) -> RecordValue { stored(.location, list) }
}
