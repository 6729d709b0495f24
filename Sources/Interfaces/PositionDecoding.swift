import JSONText
import Location
import Varlink

extension Position {
    /// Reads the `Position` of `io.waymark.Location`; nil where a required member is missing or invalid. There is no
    /// counterpart that writes a position: only the result of the daemon's authorization gate can be written.
    public init?(_ json: JSON) {
        guard let timestamp = json["timestamp"]?.numberValue, let latitude = json["latitude"]?.numberValue,
            let longitude = json["longitude"]?.numberValue,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let horizontalAccuracy = json["horizontalAccuracy"]?.numberValue, horizontalAccuracy > 0
        else { return nil }
        self.init(
            timestamp: timestamp, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy,
            altitude: json["altitude"]?.numberValue, ellipsoidalAltitude: json["ellipsoidalAltitude"]?.numberValue,
            verticalAccuracy: json["verticalAccuracy"]?.numberValue, speed: json["speed"]?.numberValue,
            speedAccuracy: json["speedAccuracy"]?.numberValue, course: json["course"]?.numberValue,
            courseAccuracy: json["courseAccuracy"]?.numberValue, climb: json["climb"]?.numberValue,
            accuracy: json["accuracy"]?.stringValue.flatMap(AccuracyAuthorization.init) ?? .full,
            isSimulated: json["isSimulated"]?.boolValue ?? false,
            quality: json["quality"]?.stringValue.flatMap(FixQuality.init),
            timestampSource: json["timestampSource"]?.stringValue.flatMap(TimestampSource.init) ?? .receiver)
    }
}

extension SkyView {
    /// Reads the `Sky` of `io.waymark.Location`; nil without a list of satellites. Satellites without a number are left
    /// out.
    public init?(_ json: JSON) {
        guard let satellites = json["satellites"]?.arrayValue else { return nil }
        self.init(
            time: json["time"]?.numberValue.flatMap(UTCTime.init(secondsSinceEpoch:)),
            satellites: satellites.compactMap(Satellite.init), hdop: json["hdop"]?.numberValue,
            pdop: json["pdop"]?.numberValue)
    }
}

extension Visit {
    /// Reads the `Visit` of `io.waymark.Location`; nil without a place.
    public init?(_ json: JSON) {
        guard let latitude = json["latitude"]?.numberValue, let longitude = json["longitude"]?.numberValue,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let accuracy = json["horizontalAccuracy"]?.numberValue
        else { return nil }
        self.init(
            coordinate: coordinate, horizontalAccuracy: accuracy,
            arrival: json["arrival"]?.numberValue.flatMap(UTCTime.init(secondsSinceEpoch:)),
            departure: json["departure"]?.numberValue.flatMap(UTCTime.init(secondsSinceEpoch:)),
            isSimulated: json["isSimulated"]?.boolValue ?? false)
    }
}

extension Heading {
    /// Reads the `Heading` of `io.waymark.Location`; nil without a time.
    public init?(_ json: JSON) {
        guard let time = json["timestamp"]?.numberValue.flatMap(UTCTime.init(secondsSinceEpoch:)) else { return nil }
        self.init(
            time: time, trueHeading: json["trueHeading"]?.numberValue,
            magneticHeading: json["magneticHeading"]?.numberValue,
            headingAccuracy: json["headingAccuracy"]?.numberValue,
            declination: json["declination"]?.numberValue, pitch: json["pitch"]?.numberValue,
            roll: json["roll"]?.numberValue, isSimulated: json["isSimulated"]?.boolValue ?? false)
    }
}

extension Satellite {
    fileprivate init?(_ json: JSON) {
        guard let number = json["number"]?.integerValue else { return nil }
        self.init(
            number: Int(number),
            constellation: json["constellation"]?.stringValue.flatMap(Constellation.init(rawValue:)) ?? .unknown,
            constellationNumber: json["constellationNumber"]?.integerValue.map(Int.init),
            elevation: json["elevation"]?.numberValue, azimuth: json["azimuth"]?.numberValue,
            signalToNoise: json["signalToNoise"]?.numberValue, isUsed: json["isUsed"]?.boolValue ?? false)
    }
}
