import JSONText
import Location

/// What is wrong with what was sent.
struct MalformedArrival: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Arrival {
    /// Reads what a request brings. Every format is read as strictly as its documentation is written.
    init(_ request: HTTPRequest, at endpoint: Endpoint) throws(MalformedArrival) {
        switch endpoint {
        case .owntracks: self = try Self.ownTracks(try Self.json(request.body))
        case .overland: self = try Self.overland(try Self.json(request.body))
        case .geojson: self = try Self.geoJSON(try Self.json(request.body))
        case .osmand: self = try Self.osmAnd(request.query + FormText.pairs(request.body))
        }
    }

    private static func json(_ body: [UInt8]) throws(MalformedArrival) -> JSON {
        do throws(JSONError) { return try JSON.parse(body) } catch { throw MalformedArrival("not JSON: \(error)") }
    }

    /// An object with `_type`; of others than `location` and `encrypted` nothing is kept.
    private static func ownTracks(_ json: JSON) throws(MalformedArrival) -> Arrival {
        guard let type = json["_type"]?.stringValue else { throw MalformedArrival("no _type") }
        switch type {
        case "location":
            let time = json["tst"]?.integerValue
            guard let time, let latitude = json["lat"]?.numberValue, let longitude = json["lon"]?.numberValue,
                Coordinate(latitude: latitude, longitude: longitude) != nil
            else { throw MalformedArrival("a location needs lat, lon and tst") }
            return Arrival(points: [
                ReceivedPoint(
                    id: json["_id"]?.stringValue.flatMap(PointID.init), time: timeText(seconds: time),
                    latitude: latitude, longitude: longitude, accuracy: json["acc"]?.numberValue, sent: json)
            ])
        case "encrypted":
            guard json["data"]?.stringValue != nil else { throw MalformedArrival("encrypted without data") }
            return Arrival(points: [ReceivedPoint(sent: json)])
        default: return Arrival(points: [])
        }
    }

    private static func overland(_ json: JSON) throws(MalformedArrival) -> Arrival {
        guard let locations = json["locations"]?.arrayValue else { throw MalformedArrival("no array locations") }
        var points: [ReceivedPoint] = []
        for location in locations {
            points.append(try feature(location, time: "timestamp", accuracy: "horizontal_accuracy"))
        }
        var current: ReceivedPoint?
        if let feature = json["current"], !feature.isNull {
            current = try Self.feature(feature, time: "timestamp", accuracy: "horizontal_accuracy")
        }
        return Arrival(points: points, current: current)
    }

    private static func geoJSON(_ json: JSON) throws(MalformedArrival) -> Arrival {
        var points: [ReceivedPoint] = []
        switch json["type"]?.stringValue {
        case "FeatureCollection":
            guard let features = json["features"]?.arrayValue else { throw MalformedArrival("no array features") }
            for feature in features {
                points.append(try Self.feature(feature, time: "time", accuracy: "horizontalAccuracy"))
            }
        case "Feature": points.append(try feature(json, time: "time", accuracy: "horizontalAccuracy"))
        default: throw MalformedArrival("neither a FeatureCollection nor a Feature")
        }
        return Arrival(points: points)
    }

    /// A point of RFC 7946: longitude first.
    private static func feature(
        _ json: JSON, time: String, accuracy: String
    ) throws(MalformedArrival) -> ReceivedPoint {
        guard json["type"]?.stringValue == "Feature", json["geometry"]?["type"]?.stringValue == "Point",
            let longitude = json["geometry"]?["coordinates"]?[0]?.numberValue,
            let latitude = json["geometry"]?["coordinates"]?[1]?.numberValue,
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else { throw MalformedArrival("not a Feature with a Point") }
        return ReceivedPoint(
            id: json["id"]?.stringValue.flatMap(PointID.init), time: json["properties"]?[time]?.stringValue,
            latitude: latitude, longitude: longitude, accuracy: json["properties"]?[accuracy]?.numberValue, sent: json)
    }

    private static func osmAnd(_ parameters: [(name: String, value: String)]) throws(MalformedArrival) -> Arrival {
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        guard let device = value("id") ?? value("deviceid"), !device.isEmpty else { throw MalformedArrival("no id") }
        guard let latitude = value("lat").flatMap({ Double($0) }), let longitude = value("lon").flatMap({ Double($0) }),
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else { throw MalformedArrival("no lat and lon") }
        // Seconds, or milliseconds where the number is too large for seconds of these centuries, as Traccar has it.
        let time = value("timestamp").map { text in
            Int64(text).map { $0 < 100_000_000_000 ? timeText(seconds: $0) : timeText(milliseconds: $0) } ?? text
        }
        return Arrival(points: [
            ReceivedPoint(
                id: value("uid").flatMap(PointID.init), time: time, latitude: latitude, longitude: longitude,
                accuracy: value("accuracy").flatMap { Double($0) },
                sent: .object(parameters.map { JSON.Member($0.name, .string($0.value)) }))
        ])
    }

    private static func timeText(milliseconds: Int64) -> String {
        guard (0..<253_402_300_800_000).contains(milliseconds) else { return String(milliseconds) }
        return UTCTime(microseconds: milliseconds * 1_000).iso8601(fraction: 3)
    }

    /// Whole seconds since 1970 as ISO 8601; years without four digits stay the number.
    private static func timeText(seconds: Int64) -> String {
        guard (0..<253_402_300_800).contains(seconds) else { return String(seconds) }
        return UTCTime(microseconds: seconds * 1_000_000).iso8601()
    }
}
