import JSONText
import Location

extension UploadFormat {
    /// OwnTracks' `location`, one a request or message: https://owntracks.org/booklet/tech/json/.
    public static let owntracks = UploadFormat(
        name: "owntracks", summary: "the messages of OwnTracks, over HTTP or MQTT",
        limits: PositionFilter.Limits(distance: 100, stationary: .seconds(300)),
        settings: [.deviceName, .encryption, .battery, .commands, .regions],
        publication: Publication(
            usualTopic: OwnTracks.usualTopic, lastWill: OwnTracks.lastWill, commandTopic: OwnTracksCommands.topic,
            messageTopic: OwnTracksRegions.topic, discovery: HomeAssistantDiscovery.message),
        hasWebhook: true,
        objections: OwnTracks.objections, headers: OwnTracks.headers, write: OwnTracks.write,
        commands: OwnTracksCommands.read)
}

/// OwnTracks' messages, https://owntracks.org/booklet/tech/json/. Members that the booklet calls integers are written
/// as integers: its apps accept nothing else.
private enum OwnTracks {
    static func usualTopic(_ device: UploadConfiguration.Device) -> String { "owntracks/\(device.user)/\(device.name)" }

    /// User and device form the topic, and the device the letters on the map.
    static func objections(_ configuration: UploadConfiguration) -> [ConfigurationObjection] {
        let device = configuration.device
        let isTopicEnough =
            configuration.usesBroker && !configuration.mqtt.topic.isEmpty && !configuration.mqtt.clientID.isEmpty
        var found: [ConfigurationObjection] = []
        if device.user.isEmpty, !isTopicEnough { found.append(.missing("User", for: .owntracks)) }
        if device.name.isEmpty, !isTopicEnough || configuration.trackerID.isEmpty {
            found.append(.missing("Name", for: .owntracks))
        }
        return found
    }

    static func headers(_ configuration: UploadConfiguration) -> [HTTPAnswer.Header] {
        [
            HTTPAnswer.Header("Content-Type", "application/json"),
            HTTPAnswer.Header("X-Limit-U", configuration.device.user),
            HTTPAnswer.Header("X-Limit-D", configuration.device.name),
        ]
    }

    /// A `location` or a message about a region, encrypted if a key is configured. Over MQTT the topic is that of the message and is not repeated
    /// in the body.
    static func write(_ transfer: Transfer, _ context: RequestContext, at now: UTCTime, into body: inout [UInt8]) {
        if let message = transfer.message {
            OwnTracksRegions.write(message, transfer, context, into: &body)
        } else if let position = transfer.positions.first {
            JSONWriter.write(into: &body) { writer in
                writeLocation(
                    position, context, isRequested: transfer.lane == .requested, writtenAt: now, to: &writer)
            }
        }
        guard let seal = context.seal else { return }
        let sealed = seal(body)
        body.removeAll(keepingCapacity: true)
        JSONWriter.write(into: &body) { writer in
            writer.object { writer in
                writer.member("_type", "encrypted")
                writer.member("data", Base64.text(sealed))
            }
        }
    }

    /// A `location`.
    ///
    /// | member | unit | from |
    /// | --- | --- | --- |
    /// | `tst` | whole seconds | the position's time |
    /// | `acc`, `vac`, `alt` | m, rounded; `acc` at least 1, as 0 means unknown | accuracies, altitude above mean sea level |
    /// | `vel` | km/h, rounded | speed in m/s times 3.6 |
    /// | `cog` | °, rounded, 0…359 | course |
    /// | `t` | `r` | only in the response to `reportLocation` |
    /// | `batt` | %, whole | the battery's charge, with positions of the last minute |
    /// | `bs` | 0 unknown, 1 unplugged, 2 charging, 3 full | the battery's state, likewise |
    private static func writeLocation(
        _ recorded: RecordedPosition, _ context: RequestContext, isRequested: Bool, writtenAt now: UTCTime,
        to writer: inout JSONWriter
    ) {
        let position = recorded.position
        // The charge of the present says nothing about a position from a backlog.
        let isPresent = (position.timestamp - now.secondsSinceEpoch).magnitude <= longestAge
        let battery = isPresent ? context.battery : nil
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
            writer.member("t", isRequested ? "r" : nil)
            writer.member("batt", battery?.level)
            writer.member("bs", battery?.state.number)
            writer.member("tid", context.trackerID)
            writer.member("topic", context.configuration.usesBroker ? nil : context.topic)
        }
    }

    /// The greatest difference in seconds between the time of a position and the present at which both have the battery in
    /// common.
    private static let longestAge = 60.0

    /// The last will, published to the base topic.
    static func lastWill(connectedAt now: UTCTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "lwt")
            writer.member("tst", TimeText.wholeSeconds(now.secondsSinceEpoch))
        }
        return writer.bytes
    }

    private static func whole(_ number: Double?) -> Int64? { OwnTracksRegions.whole(number) }
}

extension Battery.State {
    /// The number of `bs`.
    fileprivate var number: Int {
        switch self {
        case .unknown: 0
        case .unplugged: 1
        case .charging: 2
        case .full: 3
        }
    }
}
