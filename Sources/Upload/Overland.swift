import JSONText
import Location

/// Overland's batches, https://github.com/aaronpk/Overland-iOS: features whose properties are named as Core Location's.
///
/// Speed is in m/s and course in degrees, negative where unknown; accuracies are in metres, metres a second and degrees,
/// -1 where unknown.
enum Overland {
    /// `{"locations":[…],"current":…}`, the latter where there is a newer position.
    static func writeBatch(
        _ positions: [RecordedPosition], current: RecordedPosition?, device: String, hasFractionalTimes: Bool,
        to writer: inout JSONWriter
    ) {
        let batch = Batch(device: device, hasFractionalTimes: hasFractionalTimes)
        var ids = PositionIDs()
        writer.object { writer in
            writer.array("locations") { writer in
                for position in positions { writeFeature(position, &ids, batch, to: &writer) }
            }
            if let current {
                writer.key("current")
                writeFeature(current, &ids, batch, to: &writer)
            }
        }
    }

    /// What the features of a batch have in common.
    private struct Batch {
        let device: String
        let hasFractionalTimes: Bool
    }

    private static func writeFeature(
        _ recorded: RecordedPosition, _ ids: inout PositionIDs, _ batch: Batch, to writer: inout JSONWriter
    ) {
        let position = recorded.position
        writer.object { writer in
            writer.member("type", "Feature")
            writer.member("id", of: recorded, &ids)
            writer.member("geometry", pointOf: position)
            writer.object("properties") { writer in
                let time = position.timestamp
                writer.member(
                    "timestamp", batch.hasFractionalTimes ? TimeText.iso8601(time) : TimeText.wholeISO8601(time))
                writer.member("altitude", position.altitude)
                writer.member("speed", known(position.speed))
                writer.member("course", known(position.course))
                writer.member("horizontal_accuracy", known(position.horizontalAccuracy))
                writer.member("vertical_accuracy", known(position.verticalAccuracy))
                writer.member("speed_accuracy", known(position.speedAccuracy))
                writer.member("course_accuracy", known(position.courseAccuracy))
                writer.member("motion", [String]())
                if !batch.device.isEmpty { writer.member("device_id", batch.device) }
                writer.member("unique_id", ids.recordingText)
            }
        }
    }

    private static func known(_ number: Double?) -> Double {
        guard let number, number.isFinite else { return -1 }
        return number
    }
}
