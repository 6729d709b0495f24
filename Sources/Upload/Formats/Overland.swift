import JSONText
import Location

extension UploadFormat {
    /// Overland's batches, https://github.com/aaronpk/Overland-iOS.
    public static let overland = UploadFormat(
        name: "overland", summary: "the batches of Overland", batch: .manyWithNewest,
        limits: PositionFilter.Limits(interval: .seconds(1), stationary: .seconds(300)),
        settings: [.deviceName, .fractionalTimes],
        headers: { _ in [HTTPAnswer.Header("Content-Type", "application/json")] }, write: Overland.write,
        classify: Overland.classify)
}

/// Overland's batches, https://github.com/aaronpk/Overland-iOS: features whose properties are named as Core Location's.
///
/// Speed is in m/s and course in degrees, negative where unknown; accuracies are in metres, metres a second and degrees,
/// -1 where unknown.
private enum Overland {
    /// `{"locations":[…],"current":…}`, the latter where there is a newer position.
    static func write(_ transfer: Transfer, _ context: RequestContext, at now: UTCTime, into body: inout [UInt8]) {
        let batch = Batch(
            device: context.configuration.device.name,
            hasFractionalTimes: context.configuration.destination.hasFractionalTimes)
        var ids = PositionIDs()
        JSONWriter.write(into: &body) { writer in
            writer.object { writer in
                writer.array("locations") { writer in
                    for position in transfer.positions { writeFeature(position, &ids, batch, to: &writer) }
                }
                if let current = transfer.current {
                    writer.key("current")
                    writeFeature(current, &ids, batch, to: &writer)
                }
            }
        }
    }

    /// The values that all features of a batch share.
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

    /// Only an object whose `result` is `ok` acknowledges. The text in its `error` is for the operator.
    static func classify(_ answer: HTTPAnswer) -> Verdict? {
        guard (200..<300).contains(answer.status) else { return nil }
        do throws(JSONError) {
            let body = try JSON.parse(answer.body)
            if body["result"]?.stringValue == "ok" { return .acknowledged }
            guard let message = body["error"]?.stringValue else { return .wrong(answer) }
            return .later(.refused(printable(message, limit: 160)), after: nil)
        } catch {
            return .wrong(answer)
        }
    }
}
