import Configuration
import Upload

extension UploadConfiguration: SettingValues {
    /// Every setting of a destination.
    public static let table = SettingTable<UploadConfiguration>([
        Setting(
            "Destination", "URL", \.destination.url, .optional(.destinationURL), .atReload,
            "Where to send. Has to be set."),
        Setting(
            "Destination", "Format", \.destination.format, .optional(.uploadFormat), .atReload,
            "What the destination understands: \(UploadFormat.choice). Has to be set."),
        Setting(
            "Destination", "Unencrypted", \.destination.allowsUnencrypted, .boolean, .atReload,
            "Whether URL may begin with http:// or mqtt:// although it names another machine: everybody on the way can then"
                + " read what is sent."),
        Setting(
            "Destination", "CAFile", \.destination.authorityFile, .absolutePath, .atReload,
            "The certificates of the authorities, in PEM, that are trusted instead of the system's."),
        Setting(
            "Destination", "Timeout", \.destination.timeout, .duration(.seconds(1), to: .seconds(600)), .atReload,
            "How long the destination may take to answer."),
        Setting(
            "Destination", "FractionalTimes", \.destination.hasFractionalTimes, .boolean, .atReload,
            "Whether the times of \(UploadFormat.names(reading: .fractionalTimes)) have fractions of a second, which many receivers do not read. The positions"
                + " of one second are told apart by their ids and their order without them."),

        Setting(
            "Credential", "Kind", \.credential.kind, .word("kind of credential"), .atReload,
            "By what the destination knows who sends: a user and a password with a colon between, a token, or a certificate"
                + " with its key in PEM."),
        Setting(
            "Credential", "Name", \.credential.name, .credentialName, .atReload,
            "The credential of the service that holds it."),
        Setting(
            "Credential", "Secret", \.credential.secret, .credentialName, .atReload,
            "The credential of the service that holds what stands in URL in place of {secret}, as in a webhook's address."
        ),
        Setting(
            "Credential", "Encryption", \.credential.encryption, .credentialName, .atReload,
            "The credential of the service that holds the key with which the messages of \(UploadFormat.names(reading: .encryption)) are sealed."
        ),

        Setting(
            "Device", "User", \.device.user, .deviceName, .atReload, "OwnTracks' user."),
        Setting(
            "Device", "Name", \.device.name, .deviceName, .atReload,
            "What the destination calls this device, in \(UploadFormat.names(reading: .deviceName))."),
        Setting(
            "Device", "TrackerID", \.device.trackerID, .trackerID, .atReload,
            "What OwnTracks shows on the map; the last two characters of Name where it is not set."),

        Setting(
            "Queue", "Order", \.queue.order, .word("order"), .atReload, "Which of what waits is sent first."),
        Setting(
            "Queue", "Expensive", \.queue.expensive, .word("rule"), .atReload,
            "Whether positions are sent or wait where sending costs money."),
        Setting(
            "Queue", "Constrained", \.queue.constrained, .word("rule"), .atReload,
            "Whether positions are sent or wait where as little as possible is to be sent."),
        Setting(
            "Queue", "DeferAtMost", \.queue.deferAtMost, .duration(.zero, to: .seconds(30 * 86_400)), .atReload,
            "How old the oldest position may become that waits for a better way; then all that waits is sent."),
        Setting(
            "Queue", "BatchLimit", \.queue.batchLimit, .integer(1...1_000), .atReload,
            "How many positions a request may have, where the format takes more than one."),
        Setting(
            "Queue", "BatchBytes", \.queue.batchBytes, .size((4 << 10)...(1 << 20)), .atReload,
            "How many bytes the body of a request may have."),

        Setting(
            "MQTT", "Version", \.mqtt.version, .word("version"), .atReload,
            "Which MQTT is spoken. A broker of 3.1.1 cannot say that its rules forbid a message: it confirms and drops it, or ends the connection."
        ),
        Setting(
            "MQTT", "ClientID", \.mqtt.clientID, .clientID, .atReload,
            "What the broker knows the session by; made of User and Name where it is not set."),
        Setting(
            "MQTT", "Topic", \.mqtt.topic, .topic, .atReload,
            "Where to publish; owntracks/USER/NAME where it is not set."),
        Setting(
            "MQTT", "KeepAlive", \.mqtt.keepAlive, .duration(.seconds(5), to: .seconds(65_535)), .atReload,
            "How often a silent connection is tried."),
        Setting(
            "MQTT", "Window", \.mqtt.window, .integer(1...1_000), .atReload,
            "How many messages may be under way at once."),

        Setting(
            "OsmAnd", "Method", \.osmand.method, .word("method"), .atReload,
            "How parameters are sent: post and get have them in the address, which servers may log; form has them in the body,"
                + " which Home Assistant does not read."),
    ])
}
