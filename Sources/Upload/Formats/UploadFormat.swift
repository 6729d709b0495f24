import Location

/// What a destination wants positions to look like: everything in which formats differ.
///
/// Each format is a value in a file of its own in this folder, and a line of ``all``. Settings, their documentation, the
/// objections to a configuration, the writer of requests and the judge of answers use these members and know no format
/// by its name. Its test vectors are `Tests/Fixtures/upload/NAME.txt`.
///
/// It is an object that never changes, so that configurations, which are copied with each answer, hold a reference alone.
public final class UploadFormat: Sendable {
    /// Every format, in the order in which they are listed for people.
    public static let all: [UploadFormat] = [.owntracks, .overland, .osmand, .geojson]

    /// How many positions a request has.
    enum Batch: Sendable {
        /// One alone.
        case one
        /// As many as the queue's settings allow.
        case many
        /// The same, and the newest position of the recording beside them, so that it need not be sent before its turn.
        case manyWithNewest
    }

    /// Where in a request stands what a format writes.
    enum Placement: Equatable, Sendable {
        /// In the body of a POST, or of a message.
        case body
        /// In the query of the address, as parameters.
        case query(UploadRequest.Method)
    }

    /// Settings that only some formats read.
    public struct Settings: OptionSet, Sendable {
        /// One bit for each.
        public let rawValue: UInt8
        /// Those of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// `[Device] Name=`.
        public static let deviceName = Settings(rawValue: 1)
        /// `[Destination] FractionalTimes=`.
        public static let fractionalTimes = Settings(rawValue: 2)
        /// `[Credential] Encryption=`: `write` seals what it writes.
        public static let encryption = Settings(rawValue: 4)
    }

    /// What a format needs to be published to brokers.
    public struct Publication: Sendable {
        /// The topic where `[MQTT] Topic=` names none.
        let usualTopic: @Sendable (UploadConfiguration.Device) -> String
        /// The message that a broker publishes when the connection ends without a word, with QoS 0, by when it began.
        public let lastWill: @Sendable (UTCTime) -> [UInt8]
    }

    /// The word for it in `Format=`.
    public let name: String
    /// What it is, for a person who has to choose one.
    public let summary: String
    /// How many positions a request has.
    let batch: Batch
    /// Which of the settings that only some formats read it reads.
    let settings: Settings
    /// What it needs to be published to brokers; nil where it is sent over HTTP alone.
    public let publication: Publication?
    /// What it needs of a configuration and does not find there.
    let objections: @Sendable (UploadConfiguration) -> [ConfigurationObjection]
    /// The header fields of every request.
    let headers: @Sendable (UploadConfiguration) -> [HTTPAnswer.Header]
    /// Where in a request stands what `write` writes.
    let placement: @Sendable (UploadConfiguration) -> Placement
    /// Appends what a transfer's request says to an empty buffer. One that sends a position a request finds it as the
    /// transfer's first.
    let write: @Sendable (Transfer, RequestContext, UTCTime, inout [UInt8]) -> Void
    /// What an answer means that is no portal's page; nil where it means what it does in every format: that 2xx
    /// acknowledges, above all.
    let classify: @Sendable (HTTPAnswer) -> Verdict?

    /// A format of one position a request in the body of a POST, acknowledged by any 2xx, but for what is said here.
    init(
        name: String, summary: String, batch: Batch = .one, settings: Settings = [], publication: Publication? = nil,
        objections: @escaping @Sendable (UploadConfiguration) -> [ConfigurationObjection] = { _ in [] },
        headers: @escaping @Sendable (UploadConfiguration) -> [HTTPAnswer.Header],
        placement: @escaping @Sendable (UploadConfiguration) -> Placement = { _ in .body },
        write: @escaping @Sendable (Transfer, RequestContext, UTCTime, inout [UInt8]) -> Void,
        classify: @escaping @Sendable (HTTPAnswer) -> Verdict? = { _ in nil }
    ) {
        self.name = name
        self.summary = summary
        self.batch = batch
        self.settings = settings
        self.publication = publication
        self.objections = objections
        self.headers = headers
        self.placement = placement
        self.write = write
        self.classify = classify
    }

    /// The format of this name; nil where there is none.
    public static func named(_ name: String) -> UploadFormat? { all.first { $0.name == name } }

    /// Each format and what it is, as a sentence lists what there is to choose from.
    public static var choice: String { list(all.map { "\($0.name) (\($0.summary))" }, "or") }
    /// The names of the formats that read these settings, as a sentence lists them.
    public static func names(reading settings: Settings) -> String { list(reading(settings).map(\.name)) }

    /// The formats that read these settings.
    static func reading(_ settings: Settings) -> [UploadFormat] { all.filter { $0.settings.contains(settings) } }

    /// The formats that are published to brokers.
    static var published: [UploadFormat] { all.filter { $0.publication != nil } }

    /// Words as a sentence lists them: `owntracks, overland and osmand`.
    static func list(_ words: [String], _ conjunction: String = "and") -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// Whether a request may carry more than one position.
    public var acceptsBatches: Bool { batch != .one }

    /// Whether a request reports the newest position apart from those that it hands over.
    var reportsNewestApart: Bool { batch == .manyWithNewest }
}

extension UploadFormat: Equatable {
    /// Whether both have the same name: no two formats do.
    public static func == (one: UploadFormat, other: UploadFormat) -> Bool { one.name == other.name }
}

extension UploadFormat: CustomStringConvertible {
    /// Its name.
    public var description: String { name }
}
