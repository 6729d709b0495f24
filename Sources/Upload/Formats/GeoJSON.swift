import JSONText
import Location

extension UploadFormat {
    /// A FeatureCollection of RFC 7946.
    public static let geojson = UploadFormat(
        name: "geojson", summary: "a FeatureCollection of RFC 7946", batch: .many,
        limits: PositionFilter.Limits(interval: .seconds(1), stationary: .seconds(300)),
        headers: { _ in [HTTPAnswer.Header("Content-Type", "application/geo+json")] }, write: GeoJSON.write)
}

/// A FeatureCollection of RFC 7946, its properties named as in `io.waymark.Location`.
private enum GeoJSON {
    static func write(_ transfer: Transfer, _ context: RequestContext, at now: UTCTime, into body: inout [UInt8]) {
        var ids = PositionIDs()
        JSONWriter.write(into: &body) { writer in
            writer.object { writer in
                writer.member("type", "FeatureCollection")
                writer.array("features") { writer in
                    for position in transfer.positions { writeFeature(position, &ids, to: &writer) }
                }
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
