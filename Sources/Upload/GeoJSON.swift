import JSONText
import Location

/// A FeatureCollection of RFC 7946, its properties named as in `io.waymark.Location`.
enum GeoJSON {
    static func writeCollection(_ positions: [RecordedPosition], to writer: inout JSONWriter) {
        var ids = PositionIDs()
        writer.object { writer in
            writer.member("type", "FeatureCollection")
            writer.array("features") { writer in
                for position in positions { writeFeature(position, &ids, to: &writer) }
            }
        }
    }

    private static func writeFeature(
        _ recorded: RecordedPosition, _ ids: inout PositionIDs, to writer: inout JSONWriter
    ) {
        let position = recorded.position
        writer.object { writer in
            writer.member("type", "Feature")
            writer.member("id", of: recorded, &ids)
            writer.member("geometry", pointOf: position, height: position.ellipsoidalAltitude)
            writer.object("properties") { writer in
                writer.member("time", TimeText.iso8601(position.timestamp))
                writer.member("horizontalAccuracy", position.horizontalAccuracy)
                writer.member("altitude", position.altitude)
                writer.member("verticalAccuracy", position.verticalAccuracy)
                writer.member("speed", position.speed)
                writer.member("speedAccuracy", position.speedAccuracy)
                writer.member("course", position.course)
                writer.member("courseAccuracy", position.courseAccuracy)
                writer.member("climb", position.climb)
                writer.member("accuracy", position.accuracy.rawValue)
                writer.member("isSimulated", position.isSimulated)
                writer.member("quality", position.quality?.rawValue)
                if position.timestampSource != .receiver {
                    writer.member("timestampSource", position.timestampSource.rawValue)
                }
            }
        }
    }
}

extension JSONWriter {
    /// A Point of RFC 7946, with its height above the ellipsoid in metres where one is given (section 3.1.1).
    mutating func member(_ name: String, pointOf position: Position, height: Double? = nil) {
        object(name) { writer in
            writer.member("type", "Point")
            writer.array("coordinates") { writer in
                writer.number(position.coordinate.longitude)
                writer.number(position.coordinate.latitude)
                if let height, height.isFinite { writer.number(height) }
            }
        }
    }
}
