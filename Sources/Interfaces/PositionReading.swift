import JSONText
import Location
import Varlink

extension Position {
    /// Reads the `Position` of `io.waymark.Location` or `io.waymark.Recording` straight from the bytes of a reply, as
    /// `init(_:)` reads it from a tree.
    public init(reading reader: inout JSONReader) throws(JSONError) {
        var parts = Parts()
        var last = -1
        try reader.members { (reader) throws(JSONError) in
            guard let index = reader.index(among: Member.names, after: last) else { return try reader.skip() }
            last = index
            try parts.read(Member.all[index], &reader)
        }
        guard let timestamp = parts.timestamp, let latitude = parts.latitude, let longitude = parts.longitude,
            let horizontalAccuracy = parts.horizontalAccuracy, horizontalAccuracy > 0,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw JSONError(reason: .structure, offset: reader.offset) }
        self.init(
            timestamp: timestamp, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy,
            altitude: parts.altitude, ellipsoidalAltitude: parts.ellipsoidalAltitude,
            verticalAccuracy: parts.verticalAccuracy, speed: parts.speed, speedAccuracy: parts.speedAccuracy,
            course: parts.course, courseAccuracy: parts.courseAccuracy, climb: parts.climb,
            accuracy: parts.accuracy, isSimulated: parts.isSimulated, quality: parts.quality,
            timestampSource: parts.timestampSource)
    }

    /// The members, in the order in which the daemon writes them.
    private enum Member: CaseIterable {
        case timestamp, latitude, longitude, horizontalAccuracy, altitude, ellipsoidalAltitude, verticalAccuracy, speed
        case speedAccuracy, course, courseAccuracy, climb, accuracy, isSimulated, quality
        case timestampSource

        static let all = Array(allCases)
        /// Their names, in the same order.
        static let names: [StaticString] = [
            "timestamp", "latitude", "longitude", "horizontalAccuracy", "altitude", "ellipsoidalAltitude",
            "verticalAccuracy", "speed", "speedAccuracy", "course", "courseAccuracy", "climb", "accuracy",
            "isSimulated", "quality", "timestampSource",
        ]
    }

    /// The members read so far.
    private struct Parts {
        var timestamp: Double?
        var latitude: Double?
        var longitude: Double?
        var horizontalAccuracy: Double?
        var altitude: Double?
        var ellipsoidalAltitude: Double?
        var verticalAccuracy: Double?
        var speed: Double?
        var speedAccuracy: Double?
        var course: Double?
        var courseAccuracy: Double?
        var climb: Double?
        var accuracy = AccuracyAuthorization.full
        var isSimulated = false
        var quality: FixQuality?
        var timestampSource = TimestampSource.receiver

        mutating func read(_ member: Member, _ reader: inout JSONReader) throws(JSONError) {
            switch member {
            case .timestamp: timestamp = try reader.number()
            case .latitude: latitude = try reader.number()
            case .longitude: longitude = try reader.number()
            case .horizontalAccuracy: horizontalAccuracy = try reader.number()
            case .altitude: altitude = try reader.optionalNumber()
            case .ellipsoidalAltitude: ellipsoidalAltitude = try reader.optionalNumber()
            case .verticalAccuracy: verticalAccuracy = try reader.optionalNumber()
            case .speed: speed = try reader.optionalNumber()
            case .speedAccuracy: speedAccuracy = try reader.optionalNumber()
            case .course: course = try reader.optionalNumber()
            case .courseAccuracy: courseAccuracy = try reader.optionalNumber()
            case .climb: climb = try reader.optionalNumber()
            case .accuracy:
                // The usual words are compared in place, without making a `String` of them.
                if reader.consumeString("full") { return accuracy = .full }
                accuracy = try reader.optionalString().flatMap(AccuracyAuthorization.init) ?? .full
            case .isSimulated: isSimulated = try reader.optionalBool() ?? false
            case .quality:
                if reader.consumeString("ordinary") { return quality = .ordinary }
                quality = try reader.optionalString().flatMap(FixQuality.init)
            case .timestampSource:
                timestampSource = try reader.optionalString().flatMap(TimestampSource.init) ?? .receiver
            }
        }
    }
}

extension RecordingPage {
    /// Reads the parameters of a reply of `io.waymark.Recording.Read` straight from its bytes, as `init(_:)` reads them
    /// from a tree.
    public init(reading reader: inout JSONReader) throws(JSONError) {
        var id: RecordingID?
        var last: Int64?
        var acknowledged: Int64?
        var points: [RecordedPosition]?
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("points") {
                // The daemon writes the id before the points.
                points = try Self.readPoints(&reader, of: id ?? RecordingID(high: 0, low: 0))
            } else if reader.isNamed("id") {
                id = RecordingID(try reader.string())
            } else if reader.isNamed("last") {
                last = try reader.integer()
            } else if reader.isNamed("acknowledged") {
                acknowledged = try reader.integer()
            } else {
                try reader.skip()
            }
        }
        guard let id, let last, let acknowledged, var points else {
            throw JSONError(reason: .structure, offset: reader.offset)
        }
        if points.first.map({ $0.recording != id }) ?? false {
            for index in points.indices { points[index].recording = id }
        }
        self.id = id
        self.points = points
        self.last = last
        self.acknowledged = acknowledged
    }

    private static func readPoints(
        _ reader: inout JSONReader, of id: RecordingID
    ) throws(JSONError) -> [RecordedPosition] {
        var points: [RecordedPosition] = []
        try reader.elements { (reader) throws(JSONError) in
            var sequence: Int64?
            var position: Position?
            try reader.members { (reader) throws(JSONError) in
                if reader.isNamed("sequence") {
                    sequence = try reader.integer()
                } else if reader.isNamed("position") {
                    position = try Position(reading: &reader)
                } else {
                    try reader.skip()
                }
            }
            guard let sequence, let position, points.count < RecordingPage.mostPositions else {
                throw JSONError(reason: .structure, offset: reader.offset)
            }
            points.append(RecordedPosition(recording: id, sequence: sequence, position: position))
        }
        return points
    }
}
