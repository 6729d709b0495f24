import Location
import Varlink

extension Position {
    /// Reads the `Position` of `io.waymark.Location` or `io.waymark.Recording` straight from the bytes of a reply, as
    /// `init(_:)` reads it from a tree.
    public init(reading reader: inout JSONReader) throws(JSONError) {
        var timestamp: Double?
        var latitude: Double?
        var longitude: Double?
        var horizontalAccuracy: Double?
        var optional = Optionals()
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("timestamp") {
                timestamp = try reader.number()
            } else if reader.isNamed("latitude") {
                latitude = try reader.number()
            } else if reader.isNamed("longitude") {
                longitude = try reader.number()
            } else if reader.isNamed("horizontalAccuracy") {
                horizontalAccuracy = try reader.number()
            } else {
                try optional.take(&reader)
            }
        }
        guard let timestamp, let latitude, let longitude, let horizontalAccuracy, horizontalAccuracy > 0,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw JSONError(reason: .structure, offset: reader.offset) }
        self.init(
            timestamp: timestamp, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy,
            altitude: optional.altitude, ellipsoidalAltitude: optional.ellipsoidalAltitude,
            verticalAccuracy: optional.verticalAccuracy, speed: optional.speed, speedAccuracy: optional.speedAccuracy,
            course: optional.course, courseAccuracy: optional.courseAccuracy, climb: optional.climb,
            accuracy: optional.accuracy, isSimulated: optional.isSimulated, quality: optional.quality)
    }

    /// What a position may lack.
    private struct Optionals {
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

        mutating func take(_ reader: inout JSONReader) throws(JSONError) {
            if reader.isNamed("altitude") {
                altitude = try reader.optionalNumber()
            } else if reader.isNamed("ellipsoidalAltitude") {
                ellipsoidalAltitude = try reader.optionalNumber()
            } else if reader.isNamed("verticalAccuracy") {
                verticalAccuracy = try reader.optionalNumber()
            } else if reader.isNamed("speed") {
                speed = try reader.optionalNumber()
            } else if reader.isNamed("speedAccuracy") {
                speedAccuracy = try reader.optionalNumber()
            } else if reader.isNamed("course") {
                course = try reader.optionalNumber()
            } else if reader.isNamed("courseAccuracy") {
                courseAccuracy = try reader.optionalNumber()
            } else if reader.isNamed("climb") {
                climb = try reader.optionalNumber()
            } else if reader.isNamed("accuracy") {
                accuracy = try reader.optionalString().flatMap(AccuracyAuthorization.init) ?? .full
            } else if reader.isNamed("isSimulated") {
                isSimulated = try reader.optionalBool() ?? false
            } else if reader.isNamed("quality") {
                quality = try reader.optionalString().flatMap(FixQuality.init)
            } else {
                try reader.skip()
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
        var rows: [(Int64, Position)]?
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("points") {
                rows = try Self.readPoints(&reader)
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
        guard let id, let last, let acknowledged, let rows else {
            throw JSONError(reason: .structure, offset: reader.offset)
        }
        self.id = id
        self.points = rows.map { RecordedPosition(recording: id, sequence: $0, position: $1) }
        self.last = last
        self.acknowledged = acknowledged
    }

    private static func readPoints(_ reader: inout JSONReader) throws(JSONError) -> [(Int64, Position)] {
        var rows: [(Int64, Position)] = []
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
            guard let sequence, let position, rows.count < ReadRecordingRequest.mostInOneReply else {
                throw JSONError(reason: .structure, offset: reader.offset)
            }
            rows.append((sequence, position))
        }
        return rows
    }
}
