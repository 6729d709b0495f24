import JSONText
import Location

/// OwnTracks' messages about regions, https://owntracks.org/booklet/tech/json/: `waypoint` says where one is, `transition` that
/// the machine has entered or left it.
enum OwnTracksRegions {
    /// The topic of a message: those of OwnTracks' apps, https://owntracks.org/booklet/tech/json/#topics.
    static func topic(_ topic: String, _ message: RegionMessage) -> String {
        switch message {
        case .waypoint: topic + "/waypoint"
        case .transition: topic + "/event"
        }
    }

    static func write(
        _ message: RegionMessage, _ transfer: Transfer, _ context: RequestContext, into body: inout [UInt8]
    ) {
        let topic = context.configuration.usesBroker ? nil : topic(context.topic, message)
        JSONWriter.write(into: &body) { writer in
            writer.object { writer in
                switch message {
                case .waypoint(let waypoint, _): writeMembers(of: waypoint, to: &writer)
                case .transition(let transition):
                    writeMembers(of: transition, transfer.messageID, context.trackerID, to: &writer)
                }
                writer.member("topic", topic)
            }
        }
    }

    /// | member | unit | from |
    /// | --- | --- | --- |
    /// | `desc` | | the region's name |
    /// | `rad` | m, rounded, at least 1 | the radius |
    /// | `tst` | whole seconds | the time of creation, which identifies the waypoint |
    private static func writeMembers(of waypoint: Waypoint, to writer: inout JSONWriter) {
        writer.member("_type", "waypoint")
        writer.member("desc", waypoint.name)
        writer.member("lat", waypoint.circle?.center.latitude)
        writer.member("lon", waypoint.circle?.center.longitude)
        writer.member("rad", whole(waypoint.circle?.radius).map { max(1, $0) })
        writer.member("tst", waypoint.created)
    }

    /// | member | unit | from |
    /// | --- | --- | --- |
    /// | `event` | `enter`, `leave` | the direction |
    /// | `lat`, `lon`, `acc` | °, m, rounded, at least 1 | the fix that decided |
    /// | `tst` | whole seconds | the time of that fix |
    /// | `wtst` | whole seconds | the waypoint's `tst` |
    /// | `t` | `c` | OwnTracks' word for a region on the map |
    private static func writeMembers(
        of transition: Transition, _ id: String, _ trackerID: String, to writer: inout JSONWriter
    ) {
        writer.member("_type", "transition")
        writer.member("_id", id)
        writer.member("event", transition.direction.rawValue)
        writer.member("desc", transition.waypoint.name)
        writer.member("lat", transition.place.coordinate.latitude)
        writer.member("lon", transition.place.coordinate.longitude)
        writer.member("acc", whole(transition.place.horizontalAccuracy).map { max(1, $0) })
        writer.member("tst", TimeText.wholeSeconds(transition.time.secondsSinceEpoch))
        writer.member("wtst", transition.waypoint.created)
        writer.member("tid", trackerID)
        writer.member("t", "c")
    }

    /// The nearest whole number; nil if the number has none in the range of the type.
    static func whole(_ number: Double?) -> Int64? {
        guard let number, number.magnitude < 1e15 else { return nil }
        return Int64(number.rounded())
    }
}
