import JSONText
import Varlink

/// One event of the journal: the `Event` of `io.waymark.Journal`.
public struct JournalEntry: Equatable, Sendable {
    /// 1, 2, 3 … without gaps.
    public var sequence: Int64
    /// Seconds since 1970.
    public var time: Double
    /// Seconds since the machine started.
    public var monotonic: Double
    /// The machine's boot, as the kernel names it.
    public var boot: String
    /// What happened.
    public var kind: String
    /// The app it is about.
    public var app: String?
    /// The user it is about.
    public var user: Int64?
    /// What else is to be said, in the order written.
    public var details: [JSON.Member]

    /// An event of these parts.
    public init(
        sequence: Int64, time: Double, monotonic: Double, boot: String, kind: String, app: String? = nil,
        user: Int64? = nil, details: [JSON.Member] = []
    ) {
        self.sequence = sequence
        self.time = time
        self.monotonic = monotonic
        self.boot = boot
        self.kind = kind
        self.app = app
        self.user = user
        self.details = details
    }

    /// Reads an event; nil where a required member is missing.
    public init?(_ json: JSON) {
        guard let sequence = json["sequence"]?.integerValue, let time = json["time"]?.numberValue,
            let kind = json["kind"]?.stringValue
        else { return nil }
        self.init(
            sequence: sequence, time: time, monotonic: json["monotonic"]?.numberValue ?? 0,
            boot: json["boot"]?.stringValue ?? "", kind: kind, app: json["app"]?.stringValue,
            user: json["user"]?.integerValue, details: json["details"]?.objectValue ?? [])
    }
}

/// What a check of the journal found: the `Verification` of `io.waymark.Journal`.
public struct JournalVerification: Equatable, Sendable {
    /// Whether nothing is wrong.
    public var isSound: Bool
    /// How many events there are.
    public var events: Int64
    /// The first sequence still kept.
    public var oldest: Int64?
    /// The last sequence.
    public var newest: Int64?
    /// What is wrong, each in a sentence.
    public var findings: [String]

    /// A result of these parts.
    public init(isSound: Bool, events: Int64, oldest: Int64?, newest: Int64?, findings: [String]) {
        self.isSound = isSound
        self.events = events
        self.oldest = oldest
        self.newest = newest
        self.findings = findings
    }

    /// Reads a result; nil where a required member is missing.
    public init?(_ json: JSON) {
        guard let isSound = json["isSound"]?.boolValue, let events = json["events"]?.integerValue else { return nil }
        self.init(
            isSound: isSound, events: events, oldest: json["oldest"]?.integerValue,
            newest: json["newest"]?.integerValue,
            findings: json["findings"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The result as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("isSound", isSound)
            writer.member("events", events)
            writer.member("oldest", oldest)
            writer.member("newest", newest)
            writer.member("findings", findings)
        }
    }
}
