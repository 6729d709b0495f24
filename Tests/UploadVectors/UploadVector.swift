import Destinations
import Location
import Upload

/// Positions and settings, the request made from them, and the points that a parser finds in the request.
public struct UploadVector: Sendable {
    /// The subject of the vector.
    public let name: String
    /// The positions, ascending.
    public private(set) var positions: [RecordedPosition] = []
    /// The newest position of the recording, if it is reported beside them.
    public private(set) var current: RecordedPosition?
    /// The message about a region, if the request is one.
    public private(set) var message: RegionMessage?
    /// Whether no newer position was sent before.
    public private(set) var isRetained = false
    /// The battery at the time of the request.
    public private(set) var battery: Battery?
    /// The request, a line for each part of it, as `lines(of:_:)` writes them.
    public private(set) var request: [String] = []
    /// The points that a parser finds, one per line: `point` or `current`, number, time, latitude, longitude and
    /// radius.
    public private(set) var points: [String] = []

    private let format: String
    private var settings: [(section: String, line: String)] = []

    init(name: String, format: String) {
        self.name = name
        self.format = format
    }

    mutating func parse(_ word: String, _ rest: String, _ known: [String: RecordedPosition]) throws {
        switch word {
        case "set":
            let (section, line) = UploadVectors.head(rest)
            settings.append((section, line))
        case "position", "newest":
            guard let position = known[rest] else { throw UploadVectors.Misread(description: "no such position") }
            if word == "newest" { current = position } else { positions.append(position) }
        case "retained": isRetained = true
        case "waypoint": message = .waypoint(try Self.waypoint(rest), queued: UploadVectors.now)
        case "transition": message = .transition(try Self.transition(rest))
        case "battery":
            let (level, state) = UploadVectors.head(rest)
            let states: [String: Battery.State] = [
                "unknown": .unknown, "unplugged": .unplugged, "charging": .charging, "full": .full,
            ]
            guard let level = Int(level), let state = states[state] else {
                throw UploadVectors.Misread(description: "no battery")
            }
            battery = Battery(level: level, state: state)
        case "post", "get", "publish", "retain", "header", "key", "body", "bytes", "will":
            request.append(rest.isEmpty ? word : "\(word) \(rest)")
        case "point", "current": points.append("\(word) \(rest)")
        default: throw UploadVectors.Misread(description: "no such word")
        }
    }

    /// A waypoint: the time of creation, latitude, longitude, radius and name.
    private static func waypoint(_ text: String) throws -> Waypoint {
        let words = text.split(separator: " ", maxSplits: 4).map(String.init)
        guard words.count == 5, let created = Int64(words[0]), let radius = Double(words[3]),
            let center = coordinate(words[1], words[2])
        else { throw UploadVectors.Misread(description: "no waypoint") }
        return Waypoint(
            name: words[4], created: created, circle: Waypoint.Circle(center: center, radius: radius))
    }

    /// A transition: direction, number, time, latitude, longitude and accuracy, the region's time of creation and name.
    private static func transition(_ text: String) throws -> Transition {
        let words = text.split(separator: " ", maxSplits: 7).map(String.init)
        guard words.count == 8, let direction = Transition.Direction(rawValue: words[0]),
            let sequence = Int64(words[1]), let time = Double(words[2]).flatMap({ UTCTime(secondsSinceEpoch: $0) }),
            let place = coordinate(words[3], words[4]), let accuracy = Double(words[5]), let created = Int64(words[6])
        else { throw UploadVectors.Misread(description: "no transition") }
        return Transition(
            sequence: sequence, direction: direction, waypoint: Waypoint(name: words[7], created: created, circle: nil),
            time: time, place: BorderEvent.Place(place, horizontalAccuracy: accuracy))
    }

    private static func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The settings, parsed like those of a file.
    public func configuration() throws -> UploadConfiguration {
        var text = "[Destination]\nFormat=\(format)\n"
        if !settings.contains(where: { $0.line.hasPrefix("URL=") }) { text += "URL=https://tracker.example.org/in\n" }
        for (section, line) in settings { text += "[\(section)]\n\(line)\n" }
        let file = DestinationFile(reading: Array(text.utf8), as: name)
        guard file.problems.isEmpty else { throw UploadVectors.Misread(description: "\(name): \(file.problems)") }
        return file.configuration
    }

    /// The text after a word of the request; nil if it has no such line.
    public func part(_ word: String) -> String? {
        request.lazy.map(UploadVectors.head).first { $0.0 == word }?.1
    }

    /// The body: the body lines of the vector, or its hexadecimal digits.
    public var body: [UInt8] {
        if let digits = part("bytes") {
            return digits.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
        return Array(request.map(UploadVectors.head).filter { $0.0 == "body" }.map(\.1).joined(separator: "\n").utf8)
    }

    /// The encryption of messages if the settings name a key: the bytes are reversed.
    public static let seal: RequestWriter.Seal = { $0.reversed() }

    /// A request in the lines of a vector: method and address or topic, header fields, key, body.
    public static func lines(of request: UploadRequest?, _ body: [UInt8]) -> [String] {
        var lines: [String] = []
        switch request {
        case .http(let method, let url, let headers, let key):
            lines = ["\(method.rawValue.lowercased()) \(url)"]
            lines += headers.map { "header \($0.name): \($0.value)" }
            lines.append("key \(key)")
        case .publish(let topic, let isRetained): lines = ["\(isRetained ? "retain" : "publish") \(topic)"]
        case nil: break
        }
        if body.isEmpty { return lines }
        guard let text = String(validating: body, as: UTF8.self) else {
            return lines + ["bytes " + body.map { String($0, radix: 16) }.joined(separator: " ")]
        }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines + parts.map { $0.isEmpty ? "body" : "body \($0)" }
    }
}
