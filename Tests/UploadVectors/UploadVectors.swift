import JSONText
import Location
import Platform
import TestSupport
import Upload

/// The test vectors of a format, `Tests/Fixtures/upload/FORMAT.txt`: the requests for positions and the meaning of
/// responses. The README beside the folder defines the lines.
///
/// The uploader's writer is tested with them, and so is the test server, which parses each request.
public struct UploadVectors: Sendable {
    /// Positions and the requests made from them.
    public private(set) var vectors: [UploadVector] = []
    /// The meaning of responses where formats differ.
    public private(set) var answers: [Answer] = []

    /// A response of a destination, and the word for its meaning.
    public struct Answer: Sendable {
        /// The HTTP status.
        public var status: Int
        /// `acknowledged`, `rejected`, `unknownDevice`, `wrongAnswer` or `refused`.
        public var meaning: String
        /// The body.
        public var body: [UInt8]
    }

    /// A line that cannot be parsed.
    public struct Misread: Error, CustomStringConvertible {
        /// The line and its file.
        public let description: String
    }

    /// The time at which all requests are written: 2026-06-01T09:00:00Z.
    public static let now = UTCTime(microseconds: 1_780_304_400_000_000)

    /// Reads the vectors of the format with this name in `Format=`.
    public init(_ format: String) throws {
        let known = try Self.positions()
        for line in try Self.lines("\(format).txt") {
            do {
                try parse(line, format, known)
            } catch {
                throw Misread(description: "\(format).txt: \(line): \(error)")
            }
        }
    }

    /// The names of all formats that have vectors.
    public static func formats() throws -> Set<String> {
        let files = DirectoryListing.names(try Products.file("Tests/Fixtures/upload"))
        return Set(files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }).subtracting(["positions"])
    }

    private static func lines(_ file: String) throws -> [String] {
        let path = try Products.file("Tests/Fixtures/upload/\(file)")
        return String(decoding: try BoundedFile.bytes(of: path, limit: 1 << 20), as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    private mutating func parse(_ line: String, _ format: String, _ known: [String: RecordedPosition]) throws {
        let (word, rest) = Self.head(line)
        switch word {
        case "vector": vectors.append(UploadVector(name: rest, format: format))
        case "answer":
            let (status, other) = Self.head(rest)
            let (meaning, body) = Self.head(other)
            guard let status = Int(status) else { throw Misread(description: "no status") }
            answers.append(Answer(status: status, meaning: meaning, body: Array(body.utf8)))
        default:
            guard var vector = vectors.popLast() else { throw Misread(description: "precedes the first vector") }
            try vector.parse(word, rest, known)
            vectors.append(vector)
        }
    }

    /// The first word, and the text after the space that follows it.
    static func head(_ line: String) -> (String, String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    private static func positions() throws -> [String: RecordedPosition] {
        var positions: [String: RecordedPosition] = [:]
        for line in try lines("positions.txt") {
            let (name, rest) = head(line)
            let (number, members) = head(rest)
            let json = try JSON.parse(Array(members.utf8))
            guard let recording = RecordingID("01234567-89ab-4def-8123-456789abcdef"), let sequence = Int64(number),
                let position = Position(vector: json)
            else { throw Misread(description: "positions.txt: \(line)") }
            positions[name] = RecordedPosition(recording: recording, sequence: sequence, position: position)
        }
        return positions
    }
}

extension Position {
    /// Reads the members of a position, named as here; nil if a required one is missing.
    fileprivate init?(vector json: JSON) {
        guard let timestamp = json["timestamp"]?.numberValue, let latitude = json["latitude"]?.numberValue,
            let longitude = json["longitude"]?.numberValue,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let radius = json["horizontalAccuracy"]?.numberValue
        else { return nil }
        self.init(
            timestamp: timestamp, coordinate: coordinate, horizontalAccuracy: radius,
            altitude: json["altitude"]?.numberValue, ellipsoidalAltitude: json["ellipsoidalAltitude"]?.numberValue,
            verticalAccuracy: json["verticalAccuracy"]?.numberValue, speed: json["speed"]?.numberValue,
            speedAccuracy: json["speedAccuracy"]?.numberValue, course: json["course"]?.numberValue,
            courseAccuracy: json["courseAccuracy"]?.numberValue, climb: json["climb"]?.numberValue,
            accuracy: json["accuracy"]?.stringValue.flatMap(AccuracyAuthorization.init(rawValue:)) ?? .full,
            isSimulated: json["isSimulated"]?.boolValue ?? false,
            quality: json["quality"]?.stringValue.flatMap(FixQuality.init(rawValue:)),
            timestampSource: json["timestampSource"]?.stringValue.flatMap(TimestampSource.init(rawValue:))
                ?? .receiver)
    }
}
