import HTTPServing
import JSONText
import Location

/// The reason why a request was not accepted.
struct MalformedArrival: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension ServedRequest {
    /// The body as JSON.
    func json() throws(MalformedArrival) -> JSON {
        do throws(JSONError) { return try JSON.parse(body) } catch { throw MalformedArrival("not JSON: \(error)") }
    }
}

extension ReceivedPoint {
    /// Parses a Feature with a Point (RFC 7946): longitude first. `time` and `accuracy` are the names of the
    /// properties.
    init(_ json: JSON, time: String, accuracy: String) throws(MalformedArrival) {
        guard json["type"]?.stringValue == "Feature", json["geometry"]?["type"]?.stringValue == "Point",
            let longitude = json["geometry"]?["coordinates"]?[0]?.numberValue,
            let latitude = json["geometry"]?["coordinates"]?[1]?.numberValue,
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else { throw MalformedArrival("not a Feature with a Point") }
        self.init(
            id: json["id"]?.stringValue.flatMap(PointID.init), time: json["properties"]?[time]?.stringValue,
            latitude: latitude, longitude: longitude, accuracy: json["properties"]?[accuracy]?.numberValue, sent: json)
    }
}

/// Converts numbers since 1970 to ISO 8601; numbers of years without four digits remain numbers.
enum TimeReading {
    static func text(milliseconds: Int64) -> String {
        guard (0..<253_402_300_800_000).contains(milliseconds) else { return String(milliseconds) }
        return UTCTime(microseconds: milliseconds * 1_000).iso8601(fraction: 3)
    }

    static func text(seconds: Int64) -> String {
        guard (0..<253_402_300_800).contains(seconds) else { return String(seconds) }
        return UTCTime(microseconds: seconds * 1_000_000).iso8601()
    }
}
