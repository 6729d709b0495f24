import Location

/// The format of a destination's requests: everything in which formats differ.
///
/// Each format is a value in its own file in this folder, and an element of ``all``. Settings, their documentation, the
/// objections to a configuration, the writer of requests and the classification of responses use these members and
/// refer to no format by its name. The test vectors of a format are in `Tests/Fixtures/upload/NAME.txt`.
///
/// The type is an immutable object, so that configurations, which are copied with each response, contain only a
/// reference.
public final class UploadFormat: Sendable {
    /// Every format, in the order in which they are listed for people.
    public static let all: [UploadFormat] = [.owntracks, .overland, .osmand, .geojson]

    /// The number of positions in a request.
    enum Batch: Sendable {
        /// One position.
        case one
        /// As many as the queue's settings allow.
        case many
        /// The same, with the newest position of the recording beside them, so that it need not be sent ahead of the
        /// order.
        case manyWithNewest
    }

    /// The part of a request that a format writes.
    enum Placement: Equatable, Sendable {
        /// The body of a POST or of a message.
        case body
        /// The query of the URL, as parameters.
        case query(UploadRequest.Method)
    }

    /// Settings that only some formats read.
    public struct Settings: OptionSet, Sendable {
        /// One bit for each setting.
        public let rawValue: UInt8
        /// The settings of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// `[Device] Name=`.
        public static let deviceName = Settings(rawValue: 1)
        /// `[Destination] FractionalTimes=`.
        public static let fractionalTimes = Settings(rawValue: 2)
        /// `[Credential] Encryption=`: `write` encrypts its output.
        public static let encryption = Settings(rawValue: 4)
        /// `[OwnTracks] Battery=`.
        public static let battery = Settings(rawValue: 8)
        /// `[OwnTracks] ReportLocation=`: `commands` reads the destination's commands.
        public static let commands = Settings(rawValue: 16)
        /// `[OwnTracks] Regions=`: `write` writes messages about regions.
        public static let regions = Settings(rawValue: 32)
    }

    /// The properties of a format that is published to brokers.
    public struct Publication: Sendable {
        /// The topic if `[MQTT] Topic=` names none.
        let usualTopic: @Sendable (UploadConfiguration.Device) -> String
        /// The message that a broker publishes with QoS 0 when the connection ends unexpectedly, for the time of the
        /// connection.
        public let lastWill: @Sendable (UTCTime) -> [UInt8]
        /// The topic of commands for a client that publishes to this topic.
        let commandTopic: @Sendable (String) -> String
        /// The topic of a message about a region for a client that publishes positions to this topic.
        let messageTopic: @Sendable (String, RegionMessage) -> String
        /// The message by which Home Assistant discovers the device.
        let discovery: @Sendable (UploadConfiguration) -> RetainedMessage
    }

    /// The name of the format in `Format=`.
    public let name: String
    /// A description for people who choose a format.
    public let summary: String
    /// The number of positions in a request.
    let batch: Batch
    /// The limits of the filter where the configuration sets no others.
    public let limits: PositionFilter.Limits
    /// The settings that the format reads, of those that not all formats read.
    let settings: Settings
    /// The properties for brokers; nil for a format that is sent over HTTP alone.
    public let publication: Publication?
    /// Whether Home Assistant has an integration for the format that receives it at a webhook and replies with a text.
    let hasWebhook: Bool
    /// The settings that the format needs and that a configuration lacks.
    let objections: @Sendable (UploadConfiguration) -> [ConfigurationObjection]
    /// The header fields of every request.
    let headers: @Sendable (UploadConfiguration) -> [HTTPAnswer.Header]
    /// The part of a request that `write` writes.
    let placement: @Sendable (UploadConfiguration) -> Placement
    /// Appends the contents of a transfer's request to an empty buffer. A format of one position a request writes the
    /// first position of the transfer. A transfer of a message about a region has no position.
    let write: @Sendable (Transfer, RequestContext, UTCTime, inout [UInt8]) -> Void
    /// Classifies a response that is not a portal's page; nil if the rules that all formats share apply, foremost that
    /// 2xx acknowledges.
    let classify: @Sendable (HTTPAnswer) -> Verdict?
    /// Finds the destination's commands in a response or message, with what decrypts them if messages are encrypted.
    public let commands: @Sendable ([UInt8], RequestWriter.Open?) -> RemoteCommands

    /// A format of one position a request in the body of a POST, acknowledged by any 2xx, unless the parameters say
    /// otherwise.
    init(
        name: String, summary: String, batch: Batch = .one, limits: PositionFilter.Limits, settings: Settings = [],
        publication: Publication? = nil, hasWebhook: Bool = false,
        objections: @escaping @Sendable (UploadConfiguration) -> [ConfigurationObjection] = { _ in [] },
        headers: @escaping @Sendable (UploadConfiguration) -> [HTTPAnswer.Header],
        placement: @escaping @Sendable (UploadConfiguration) -> Placement = { _ in .body },
        write: @escaping @Sendable (Transfer, RequestContext, UTCTime, inout [UInt8]) -> Void,
        classify: @escaping @Sendable (HTTPAnswer) -> Verdict? = { _ in nil },
        commands: @escaping @Sendable ([UInt8], RequestWriter.Open?) -> RemoteCommands = { _, _ in RemoteCommands() }
    ) {
        self.name = name
        self.summary = summary
        self.batch = batch
        self.limits = limits
        self.settings = settings
        self.publication = publication
        self.hasWebhook = hasWebhook
        self.objections = objections
        self.headers = headers
        self.placement = placement
        self.write = write
        self.classify = classify
        self.commands = commands
    }

    /// The format of this name; nil if there is none.
    public static func named(_ name: String) -> UploadFormat? { all.first { $0.name == name } }

    /// Each format with its description, as a list in a sentence.
    public static var choice: String { list(all.map { "\($0.name) (\($0.summary))" }, "or") }
    /// The names of the formats that read these settings, as a list in a sentence.
    public static func names(reading settings: Settings) -> String { list(reading(settings).map(\.name)) }

    /// The formats that read these settings.
    static func reading(_ settings: Settings) -> [UploadFormat] { all.filter { $0.settings.contains(settings) } }

    /// The formats that are published to brokers.
    static var published: [UploadFormat] { all.filter { $0.publication != nil } }

    /// Words as a list in a sentence: `owntracks, overland and osmand`.
    static func list(_ words: [String], _ conjunction: String = "and") -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// Whether a request may carry more than one position.
    public var acceptsBatches: Bool { batch != .one }

    /// Whether a request reports the newest position apart from those that it uploads.
    var reportsNewestApart: Bool { batch == .manyWithNewest }
}

extension UploadFormat: Equatable {
    /// Whether both have the same name; names are unique.
    public static func == (one: UploadFormat, other: UploadFormat) -> Bool { one.name == other.name }
}

extension UploadFormat: CustomStringConvertible {
    /// Its name.
    public var description: String { name }
}
