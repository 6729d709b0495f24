import JSONText
import Location

/// OwnTracks' messages, https://owntracks.org/booklet/tech/json/. What the booklet calls an integer is one: its apps read
/// nothing else there.
public enum OwnTracks {
    /// A `location`.
    ///
    /// | member | unit | from |
    /// | --- | --- | --- |
    /// | `tst` | whole seconds | the position's time |
    /// | `acc`, `vac`, `alt` | m, rounded; `acc` at least 1, as 0 means unknown | accuracies, altitude above mean sea level |
    /// | `vel` | km/h, rounded | speed in m/s times 3.6 |
    /// | `cog` | °, rounded, 0…359 | course |
    static func writeLocation(
        _ recorded: RecordedPosition, trackerID: String, topic: String?, writtenAt now: UTCTime,
        to writer: inout JSONWriter
    ) {
        let position = recorded.position
        let time = TimeText.wholeSeconds(position.timestamp)
        writer.object { writer in
            writer.member("_type", "location")
            writer.member("_id", recorded.id)
            writer.member("lat", position.coordinate.latitude)
            writer.member("lon", position.coordinate.longitude)
            writer.member("tst", time)
            let created = TimeText.wholeSeconds(now.secondsSinceEpoch)
            writer.member("created_at", created == time ? nil : created)
            writer.member("acc", whole(position.horizontalAccuracy).map { max(1, $0) })
            writer.member("alt", whole(position.altitude))
            writer.member("vac", whole(position.verticalAccuracy))
            writer.member("vel", whole(position.speed.map { $0 * 3.6 }))
            writer.member("cog", whole(position.course).map { $0 % 360 })
            writer.member("tid", trackerID)
            writer.member("topic", topic)
        }
    }

    /// The message that a broker publishes when the connection ends without a word, for the base topic, with QoS 0.
    public static func lastWill(connectedAt now: UTCTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "lwt")
            writer.member("tst", TimeText.wholeSeconds(now.secondsSinceEpoch))
        }
        return writer.bytes
    }

    /// The envelope of a message that was sealed.
    static func writeEncrypted(_ sealed: [UInt8], to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("_type", "encrypted")
            writer.member("data", Base64.text(sealed))
        }
    }

    /// The nearest whole number; nil for what has none that is of this world.
    private static func whole(_ number: Double?) -> Int64? {
        guard let number, number.magnitude < 1e15 else { return nil }
        return Int64(number.rounded())
    }
}
