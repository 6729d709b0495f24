import Configuration
import Upload

extension UploadConfiguration: SettingValues {
    /// The limits that the formats have by default, as a sentence.
    private static func usual<Value: Equatable & Sendable>(
        _ limit: KeyPath<UploadFormat, Value?>, _ text: (Value) -> String
    ) -> String {
        var groups: [(text: String, formats: [String])] = []
        for format in UploadFormat.all {
            let text = format[keyPath: limit].map(text) ?? "none"
            if let place = groups.firstIndex(where: { $0.text == text }) {
                groups[place].formats.append(format.name)
            } else {
                groups.append((text, [format.name]))
            }
        }
        guard groups.count > 1 else { return "If empty, \(groups.first?.text ?? "none")." }
        return "If empty, "
            + groups.map { "\($0.text) for \($0.formats.joined(separator: " and "))" }.joined(separator: ", ") + "."
    }

    /// Every setting of a destination.
    public static let table = SettingTable<UploadConfiguration>([
        Setting(
            "Destination", "URL", \.destination.url, .optional(.destinationURL), .atReload,
            "The address of the destination. Required."),
        Setting(
            "Destination", "Format", \.destination.format, .optional(.uploadFormat), .atReload,
            "The format of the requests: \(UploadFormat.choice). Required."),
        Setting(
            "Destination", "Unencrypted", \.destination.allowsUnencrypted, .boolean, .atReload,
            "Whether URL may begin with http:// or mqtt:// although it names another machine: everyone on the path"
                + " can then read the positions."),
        Setting(
            "Destination", "CAFile", \.destination.authorityFile, .absolutePath, .atReload,
            "The certificates of the authorities, in PEM, that are trusted instead of the system's."),
        Setting(
            "Destination", "Timeout", \.destination.timeout, .duration(.seconds(1), to: .seconds(600)), .atReload,
            "The time limit for a response."),
        Setting(
            "Destination", "FractionalTimes", \.destination.hasFractionalTimes, .boolean, .atReload,
            "Whether the times of \(UploadFormat.names(reading: .fractionalTimes)) have fractions of a second,"
                + " which many servers do not read."
                + " Positions of the same second have distinct ids and remain in order without them."
        ),

        Setting(
            "Credential", "Kind", \.credential.kind, .word("kind of credential"), .atReload,
            "How the sender authenticates: a user and a password separated by a colon, a token, or a certificate"
                + " with its key in PEM."),
        Setting(
            "Credential", "Name", \.credential.name, .credentialName, .atReload,
            "The name of that credential of the service."),
        Setting(
            "Credential", "Secret", \.credential.secret, .credentialName, .atReload,
            "The credential of the service whose text replaces {secret} in URL, as in a webhook's address."
        ),
        Setting(
            "Credential", "Encryption", \.credential.encryption, .credentialName, .atReload,
            "The credential of the service that holds the encryption key"
                + " of \(UploadFormat.names(reading: .encryption)) messages."
        ),

        Setting(
            "Device", "User", \.device.user, .deviceName, .atReload, "OwnTracks' user."),
        Setting(
            "Device", "Name", \.device.name, .deviceName, .atReload,
            "The name of this device at the destination, for \(UploadFormat.names(reading: .deviceName))."),
        Setting(
            "Device", "TrackerID", \.device.trackerID, .trackerID, .atReload,
            "The characters that OwnTracks shows on the map; if empty, the last two of Name."),

        Setting(
            "Filter", "Distance", \.filter.distance, .filterMetres(1...1_000_000), .atReload,
            "The shortest distance from the last position that was chosen. \(usual(\.limits.distance) { String(Int($0)) })"
        ),
        Setting(
            "Filter", "Interval", \.filter.interval, .filterDuration(.milliseconds(100), to: .seconds(30 * 86_400)),
            .atReload,
            "The shortest time since the last position that was chosen. \(usual(\.limits.interval, ValueType.durationText))"
        ),
        Setting(
            "Filter", "Accuracy", \.filter.accuracy, .filterMetres(1...1_000_000), .atReload,
            "The largest accuracy of a position: less accurate ones are left out. \(usual(\.limits.accuracy) { String(Int($0)) })"
        ),
        Setting(
            "Filter", "Stationary", \.filter.stationary, .filterDuration(.seconds(1), to: .seconds(30 * 86_400)),
            .atReload,
            "The time between positions while the device moves no farther than Distance and the accuracy of its"
                + " position. \(usual(\.limits.stationary, ValueType.durationText))"),

        Setting(
            "Queue", "Order", \.queue.order, .word("order"), .atReload, "Which pending positions are sent first."),
        Setting(
            "Queue", "Expensive", \.queue.expensive, .word("rule"), .atReload,
            "Whether positions are sent or deferred on a path that costs money."),
        Setting(
            "Queue", "Constrained", \.queue.constrained, .word("rule"), .atReload,
            "Whether positions are sent or deferred on a path in data saving mode."),
        Setting(
            "Queue", "DeferAtMost", \.queue.deferAtMost, .duration(.zero, to: .seconds(30 * 86_400)), .atReload,
            "The greatest age of a deferred position; then all pending positions are sent."),
        Setting(
            "Queue", "BatchLimit", \.queue.batchLimit, .integer(1...1_000), .atReload,
            "The most positions in a request, if the format allows more than one."),
        Setting(
            "Queue", "BatchBytes", \.queue.batchBytes, .size((4 << 10)...(1 << 20)), .atReload,
            "The most bytes in the body of a request."),

        Setting(
            "MQTT", "Version", \.mqtt.version, .word("version"), .atReload,
            "The MQTT version. A broker of 3.1.1 cannot report that its rules forbid a message:"
                + " it confirms and drops it, or disconnects."
        ),
        Setting(
            "MQTT", "ClientID", \.mqtt.clientID, .clientID, .atReload,
            "The client identifier of the session; if empty, derived from User and Name."),
        Setting(
            "MQTT", "Topic", \.mqtt.topic, .topic, .atReload,
            "The topic to publish to; if empty, owntracks/USER/NAME."),
        Setting(
            "MQTT", "KeepAlive", \.mqtt.keepAlive, .duration(.seconds(5), to: .seconds(65_535)), .atReload,
            "The interval of pings on an idle connection."),
        Setting(
            "MQTT", "Window", \.mqtt.window, .integer(1...1_000), .atReload,
            "The most messages in flight at once."),
        Setting(
            "MQTT", "HomeAssistantDiscovery", \.mqtt.hasDiscovery, .boolean, .atReload,
            "Whether a retained message lets Home Assistant create a device tracker for this device by itself."),
        Setting(
            "MQTT", "DiscoveryPrefix", \.mqtt.discoveryPrefix, .topic, .atReload,
            "The discovery prefix that is set in Home Assistant."),

        Setting(
            "OwnTracks", "Battery", \.owntracks.hasBattery, .boolean, .atReload,
            "Whether messages have the charge and the state of this machine's battery, where UPower reports one."),
        Setting(
            "OwnTracks", "ReportLocation", \.owntracks.reportsLocation, .boolean, .atReload,
            "Whether the command reportLocation is performed: the newest position is sent at once, at most every 10 s."
                + " Whoever may publish to TOPIC/cmd can then request it."),
        Setting(
            "OwnTracks", "Regions", \.owntracks.regionsFile, .absolutePath, .atReload,
            "A GeoJSON file with the regions of this destination, at most \(WaypointFile.mostRegions): their circles are sent"
                + " as waypoints, and a transition when the machine enters or leaves one. Needs full accuracy."),

        Setting(
            "OsmAnd", "Method", \.osmand.method, .word("method"), .atReload,
            "How parameters are sent: post and get have them in the address, which servers may log; form has them in the body,"
                + " which Home Assistant does not read."),
    ])
}
