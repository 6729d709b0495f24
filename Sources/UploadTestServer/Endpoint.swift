import HTTPServing
import JSONText
import Location

/// A format as the test server parses it, implemented from its documentation and not from the uploader's code: the
/// vectors in Tests/Fixtures/upload test both with the same requests.
struct Endpoint: Sendable {
    /// Every endpoint, in the order in which they are listed for people.
    static let all: [Endpoint] = [.owntracks, .overland, .osmand, .geojson]

    /// The format's name in `Format=`; requests are sent to the path of this name.
    let name: String
    /// The accepted methods.
    let methods: Set<String>
    /// The response that acknowledges a request.
    let acknowledgement: HTTPReply
    /// Parses a request as strictly as the format's documentation specifies.
    let read: @Sendable (ServedRequest) throws(MalformedArrival) -> Arrival

    private init(
        _ name: String, methods: Set<String> = ["POST"], acknowledgement: HTTPReply,
        _ read: @escaping @Sendable (ServedRequest) throws(MalformedArrival) -> Arrival
    ) {
        self.name = name
        self.methods = methods
        self.acknowledgement = acknowledgement
        self.read = read
    }

    /// Their paths, as a list in a sentence.
    static var places: String {
        let places = all.map { "/\($0.name)" }
        return places.dropLast().joined(separator: ", ") + " and " + (places.last ?? "")
    }

    /// The endpoint at a path; `/` belongs to OsmAnd, whose apps are configured with an address without a path.
    static func at(path: String) -> Endpoint? {
        path == "/" ? .osmand : all.first { path == "/\($0.name)" || path == "/\($0.name)/" }
    }
}

extension Endpoint {
    /// An object with `_type`; others than `location`, `transition` and `encrypted` are not stored.
    static let owntracks = Endpoint("owntracks", acknowledgement: HTTPReply(200, json: "[]")) {
        (request) throws(MalformedArrival) in
        let json = try request.json()
        guard let type = json["_type"]?.stringValue else { throw MalformedArrival("no _type") }
        switch type {
        case "location":
            guard let time = json["tst"]?.integerValue, let latitude = json["lat"]?.numberValue,
                let longitude = json["lon"]?.numberValue,
                Coordinate(latitude: latitude, longitude: longitude) != nil
            else { throw MalformedArrival("a location needs lat, lon and tst") }
            return Arrival(points: [
                ReceivedPoint(
                    id: json["_id"]?.stringValue.flatMap(PointID.init), time: TimeReading.text(seconds: time),
                    latitude: latitude, longitude: longitude, accuracy: json["acc"]?.numberValue, sent: json)
            ])
        case "transition":
            guard let time = json["tst"]?.integerValue, json["wtst"]?.integerValue != nil,
                json["acc"]?.numberValue != nil, ["enter", "leave"].contains(json["event"]?.stringValue)
            else { throw MalformedArrival("a transition needs event, acc, tst and wtst") }
            return Arrival(points: [
                ReceivedPoint(
                    time: TimeReading.text(seconds: time), latitude: json["lat"]?.numberValue,
                    longitude: json["lon"]?.numberValue, accuracy: json["acc"]?.numberValue, sent: json)
            ])
        case "waypoint":
            guard json["desc"]?.stringValue != nil, json["tst"]?.integerValue != nil else {
                throw MalformedArrival("a waypoint needs desc and tst")
            }
            return Arrival(points: [])
        case "encrypted":
            guard json["data"]?.stringValue != nil else { throw MalformedArrival("encrypted without data") }
            return Arrival(points: [ReceivedPoint(sent: json)])
        default: return Arrival(points: [])
        }
    }

    /// An array `locations`, and optionally the newest one as `current`.
    static let overland = Endpoint("overland", acknowledgement: HTTPReply(200, json: #"{"result":"ok"}"#)) {
        (request) throws(MalformedArrival) in
        let json = try request.json()
        guard let locations = json["locations"]?.arrayValue else { throw MalformedArrival("no array locations") }
        var points: [ReceivedPoint] = []
        for location in locations {
            points.append(try ReceivedPoint(location, time: "timestamp", accuracy: "horizontal_accuracy"))
        }
        var current: ReceivedPoint?
        if let feature = json["current"], !feature.isNull {
            current = try ReceivedPoint(feature, time: "timestamp", accuracy: "horizontal_accuracy")
        }
        return Arrival(points: points, current: current)
    }

    /// Parameters in the query, in a form, or in both.
    static let osmand = Endpoint("osmand", methods: ["POST", "GET"], acknowledgement: HTTPReply(200)) {
        (request) throws(MalformedArrival) in
        let parameters = request.query + FormText.pairs(request.body)
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        guard let device = value("id") ?? value("deviceid"), !device.isEmpty else { throw MalformedArrival("no id") }
        guard let latitude = value("lat").flatMap({ Double($0) }), let longitude = value("lon").flatMap({ Double($0) }),
            Coordinate(latitude: latitude, longitude: longitude) != nil
        else { throw MalformedArrival("no lat and lon") }
        // Seconds, or milliseconds if the number is too large for seconds of these centuries, as in Traccar.
        let time = value("timestamp").map { text in
            Int64(text).map {
                $0 < 100_000_000_000 ? TimeReading.text(seconds: $0) : TimeReading.text(milliseconds: $0)
            } ?? text
        }
        return Arrival(points: [
            ReceivedPoint(
                id: value("uid").flatMap(PointID.init), time: time, latitude: latitude, longitude: longitude,
                accuracy: value("accuracy").flatMap { Double($0) },
                sent: .object(parameters.map { JSON.Member($0.name, .string($0.value)) }))
        ])
    }

    /// A FeatureCollection or a Feature.
    static let geojson = Endpoint("geojson", acknowledgement: HTTPReply(204)) {
        (request) throws(MalformedArrival) in
        let json = try request.json()
        var points: [ReceivedPoint] = []
        switch json["type"]?.stringValue {
        case "FeatureCollection":
            guard let features = json["features"]?.arrayValue else { throw MalformedArrival("no array features") }
            for feature in features {
                points.append(try ReceivedPoint(feature, time: "time", accuracy: "horizontalAccuracy"))
            }
        case "Feature": points.append(try ReceivedPoint(json, time: "time", accuracy: "horizontalAccuracy"))
        default: throw MalformedArrival("neither a FeatureCollection nor a Feature")
        }
        return Arrival(points: points)
    }
}
