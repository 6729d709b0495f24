import JSONText
import Varlink

/// The state that an uploader reports: the `Status` of `io.waymark.Uploads`. Never a position, a credential or an
/// address that may contain one.
///
/// Any program may act as an uploader, so the values read are bounded, and control characters of a terminal or of the
/// text direction are removed.
public struct UploadStatus: Equatable, Sendable {
    /// What the uploader does.
    public var state: UploadsInterface.State
    /// The reason for the state.
    public var reason: UploadsInterface.Reason?
    /// The reason and the next step, for a person.
    public var message: String?
    /// The time of the next attempt, in seconds since 1970.
    public var nextAttempt: Double?
    /// Failed attempts since the last success.
    public var attempt = 0
    /// Since when a response of the destination has been outstanding, in seconds since 1970; nil where none is, or for
    /// less than 10 s.
    public var unansweredSince: Double?
    /// `owntracks`, `overland`, `osmand` or `geojson`.
    public var format: String?
    /// The destination's scheme, host and port, such as `https://tracker.example.org`.
    public var destination: String?
    /// Positions that the destination has accepted, since the recording began.
    public var sent: Int64 = 0
    /// Positions that became dead letters, since the uploader started.
    public var rejected: Int64 = 0
    /// Positions that the filter of the destination left out, since the recording began.
    public var filtered: Int64 = 0
    /// Commands of the destination that were performed, since the uploader started.
    public var commands: Int64 = 0
    /// Commands of the destination that were ignored, since the uploader started.
    public var ignoredCommands: Int64 = 0
    /// What the uploader does about the regions of its destination; nil if it has none.
    public var regions: UploadsInterface.RegionMessages?
    /// The status of the last response.
    public var lastStatus: Int?
    /// The time of the last acknowledgement, in seconds since 1970.
    public var lastSuccess: Double?

    /// An uploader in this state.
    public init(state: UploadsInterface.State, reason: UploadsInterface.Reason? = nil) {
        self.state = state
        self.reason = reason
    }

    /// Reads a state; nil without a valid word for it. Other invalid members are left out.
    public init?(_ json: JSON) {
        guard let state = json.plainWord("state") else { return nil }
        self.init(
            state: UploadsInterface.State(rawValue: state),
            reason: json.plainWord("reason").map(UploadsInterface.Reason.init))
        message = json.sentence("message")
        nextAttempt = json.time("nextAttempt")
        attempt = Int(json.count("attempt"))
        unansweredSince = json.time("unansweredSince")
        format = json.plainWord("format")
        destination = json["destination"]?.stringValue.flatMap { Self.isPlainAddress($0) ? $0 : nil }
        sent = json.count("sent")
        rejected = json.count("rejected")
        filtered = json.count("filtered")
        commands = json.count("commands")
        ignoredCommands = json.count("ignoredCommands")
        regions = json["regions"].flatMap(UploadsInterface.RegionMessages.init(bounded:))
        lastStatus = json["lastStatus"]?.integerValue.flatMap { (0...999).contains($0) ? Int($0) : nil }
        lastSuccess = json.time("lastSuccess")
    }

    /// Writes the state for a call or a reply.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("state", state.rawValue)
            writer.member("reason", reason?.rawValue)
            writer.member("message", message)
            writer.member("nextAttempt", nextAttempt)
            writer.member("attempt", attempt)
            writer.member("format", format)
            writer.member("destination", destination)
            writer.member("sent", sent)
            writer.member("rejected", rejected)
            writer.member("filtered", filtered)
            writer.member("commands", commands)
            writer.member("ignoredCommands", ignoredCommands)
            if let regions { writer.object("regions") { regions.writeMembers(to: &$0) } }
            writer.member("lastStatus", lastStatus)
            writer.member("lastSuccess", lastSuccess)
            writer.member("unansweredSince", unansweredSince)
        }
    }

    /// Whether a text is only a scheme, a host and possibly a port: no user, no path, no query.
    private static func isPlainAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 300 else { return false }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
        return parts[0].utf8.allSatisfy(\.isLetterOrDigit)
            && parts[1].utf8.allSatisfy { $0.isLetterOrDigit || "-._:[]%".utf8.contains($0) }
    }
}

extension UploadsInterface.RegionMessages {
    /// Reads the members; nil without a valid word for the state.
    fileprivate init?(bounded json: JSON) {
        guard let state = json.plainWord("state") else { return nil }
        self.init(
            state: UploadsInterface.RegionsState(rawValue: state), message: json.sentence("message"),
            regions: json.count("regions"), sent: json.count("sent"), pending: json.count("pending"),
            skipped: json.count("skipped"), refused: json.count("refused"))
    }
}

extension JSON {
    /// The most characters of a sentence for a person.
    private static let longestSentence = 500
    /// The largest integer that numbers of every language can represent exactly: 2 to the power of 53.
    private static let largestCount: Int64 = 1 << 53
    /// The end of the year 9999, in seconds since 1970.
    private static let latest = 253_402_300_799.0

    /// The text under a name where it is one word of letters and digits.
    fileprivate func plainWord(_ name: String) -> String? {
        guard let text = self[name]?.stringValue, (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isLetterOrDigit)
        else { return nil }
        return text
    }

    /// The beginning of the text under a name, on one line, without invisible characters.
    fileprivate func sentence(_ name: String) -> String? {
        guard let text = self[name]?.stringValue, !text.isEmpty else { return nil }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(Self.longestSentence) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
                result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    fileprivate func count(_ name: String) -> Int64 {
        min(max(0, self[name]?.integerValue ?? 0), Self.largestCount)
    }

    fileprivate func time(_ name: String) -> Double? {
        guard let time = self[name]?.numberValue, (0...Self.latest).contains(time) else { return nil }
        return time
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    var isLetterOrDigit: Bool { (97...122).contains(self | 0x20) || (48...57).contains(self) }
}
