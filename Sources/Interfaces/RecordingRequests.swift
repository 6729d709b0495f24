import JSONText
import Location
import Varlink

/// Under which identifier, and how: the parameters of `io.waymark.Recording.Start`.
public struct StartRecordingRequest: Equatable, Sendable {
    /// The app's own name for the recording; whether it is one, `RecordingIdentifier` tells.
    public var identifier: String
    /// What is recorded.
    public var options: RecordingOptions

    /// A request to record under an identifier.
    public init(identifier: String, options: RecordingOptions = RecordingOptions()) {
        self.identifier = identifier
        self.options = options
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        options = RecordingOptions()
        guard let members = json["options"], !members.isNull else { return }
        do throws(ParameterError) { options = try RecordingOptions(request: members) } catch {
            throw ParameterError("options.\(error.name)")
        }
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.key("options")
            options.write(to: &writer)
        }
    }
}

/// Which recording of the caller's: the parameters of `io.waymark.Recording.Stop`.
public struct RecordingRequest: Equatable, Sendable {
    /// Its identifier.
    public var identifier: String

    /// The recording of this identifier.
    public init(identifier: String) { self.identifier = identifier }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) { identifier = try json.identifier() }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("identifier", identifier) }
    }
}

/// Which recording, an operator's choice among everybody's: the parameters of `io.waymark.Recording.Erase`.
public struct EraseRecordingRequest: Equatable, Sendable {
    /// Its identifier.
    public var identifier: String
    /// The name of its app; nil for the caller's own, or the only one there is.
    public var app: String?
    /// The user whose app it is.
    public var uid: UInt32?

    /// A request to forget a recording.
    public init(identifier: String, app: String? = nil, uid: UInt32? = nil) {
        self.identifier = identifier
        self.app = app
        self.uid = uid
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        app = try json.string("app")
        uid = try json.user("uid")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("app", app)
            writer.member("uid", uid)
        }
    }
}

/// Which positions: the parameters of `io.waymark.Recording.Read`.
public struct ReadRecordingRequest: Equatable, Sendable {
    /// The most positions in one reply.
    public static let mostInOneReply = 1_000

    /// The recording's identifier.
    public var identifier: String
    /// Only positions with larger numbers.
    public var after: Int64
    /// The most positions in one reply.
    public var limit: Int
    /// Whether to wait where there is none.
    public var waits: Bool

    /// A request for what comes after a number.
    public init(identifier: String, after: Int64 = 0, limit: Int = 200, waits: Bool = false) {
        self.identifier = identifier
        self.after = after
        self.limit = limit
        self.waits = waits
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        after = try json.sequence("after", from: 0)
        limit = Int(try json.integer("limit", in: 1...Int64(Self.mostInOneReply)) ?? 200)
        waits = try json.bool("wait") ?? false
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("after", after)
            writer.member("limit", limit)
            if waits { writer.member("wait", true) }
        }
    }
}

/// Up to where: the parameters of `io.waymark.Recording.Acknowledge`.
public struct AcknowledgeRequest: Equatable, Sendable {
    /// The recording's identifier.
    public var identifier: String
    /// The number of the last position that has arrived.
    public var upTo: Int64

    /// Everything up to this number has arrived.
    public init(identifier: String, upTo: Int64) {
        self.identifier = identifier
        self.upTo = upTo
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        upTo = try json.sequence("upTo", from: 0)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("upTo", upTo)
        }
    }
}

/// Which position, and what the destination said of it: the parameters of `io.waymark.Recording.Reject`.
public struct RejectRequest: Equatable, Sendable {
    /// The most bytes of a message that are kept; what is longer is cut.
    public static let longestMessage = 1_024

    /// The recording's identifier.
    public var identifier: String
    /// The position's number.
    public var sequence: Int64
    /// The destination's status.
    public var status: Int
    /// The beginning of its answer, which may repeat the position.
    public var message: String

    /// A request to make a position a dead letter.
    public init(identifier: String, sequence: Int64, status: Int, message: String) {
        self.identifier = identifier
        self.sequence = sequence
        self.status = status
        self.message = message
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        sequence = try json.sequence("sequence", from: 1)
        guard let status = try json.integer("status", in: -999_999...999_999) else { throw ParameterError("status") }
        self.status = Int(status)
        message = try json.required("message") { $0.beginning(bytes: Self.longestMessage) }
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("sequence", sequence)
            writer.member("status", status)
            writer.member("message", message.beginning(bytes: Self.longestMessage))
        }
    }
}

/// Which dead letters: the parameters of `io.waymark.Recording.ReadRejected`.
public struct ReadRejectedRequest: Equatable, Sendable {
    /// The most dead letters in one reply.
    public static let mostInOneReply = 200

    /// The recording's identifier.
    public var identifier: String
    /// Only dead letters with larger numbers.
    public var after: Int64
    /// The most dead letters in one reply.
    public var limit: Int
    /// The name of its app; nil for the caller's own, or the only one there is.
    public var app: String?
    /// The user whose app it is.
    public var uid: UInt32?

    /// A request for what comes after a number.
    public init(
        identifier: String, after: Int64 = 0, limit: Int = 16, app: String? = nil, uid: UInt32? = nil
    ) {
        self.identifier = identifier
        self.after = after
        self.limit = limit
        self.app = app
        self.uid = uid
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        after = try json.sequence("after", from: 0)
        limit = Int(try json.integer("limit", in: 1...Int64(Self.mostInOneReply)) ?? 16)
        app = try json.string("app")
        uid = try json.user("uid")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("after", after)
            writer.member("limit", limit)
            writer.member("app", app)
            writer.member("uid", uid)
        }
    }
}

/// Which dead letter: the parameters of `io.waymark.Recording.Revive`.
public struct ReviveRequest: Equatable, Sendable {
    /// The recording's identifier.
    public var identifier: String
    /// The dead letter's number.
    public var sequence: Int64

    /// A request to forget a dead letter that was taken after all.
    public init(identifier: String, sequence: Int64) {
        self.identifier = identifier
        self.sequence = sequence
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        identifier = try json.identifier()
        sequence = try json.sequence("sequence", from: 1)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("sequence", sequence)
        }
    }
}

/// What a recording may be called.
public enum RecordingIdentifier {
    /// Whether it is 1 to 128 letters and digits of ASCII, dots, underscores and hyphens, and begins with no dot.
    public static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension RecordingOptions {
    /// Reads the options of a request.
    init(request json: JSON) throws(ParameterError) {
        self.init()
        desiredAccuracy = try json.number("desiredAccuracy", in: 0...40_000_000)
        distanceFilter = try json.number("distanceFilter", in: 0...40_000_000)
        interval = try json.number("interval", in: 0...86_400)
        onRevoke = try json.word("onRevoke", RecordingOptions.OnRevoke.init) ?? .erase
    }

    /// Reads the `Options` of a reply. What is no such value is left out.
    init(reply json: JSON) {
        self.init()
        desiredAccuracy = json["desiredAccuracy"]?.numberValue
        distanceFilter = json["distanceFilter"]?.numberValue
        interval = json["interval"]?.numberValue
        onRevoke = json["onRevoke"]?.stringValue.flatMap(RecordingOptions.OnRevoke.init) ?? .erase
    }

    /// Writes the `Options` of `io.waymark.Recording`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("desiredAccuracy", desiredAccuracy)
            writer.member("distanceFilter", distanceFilter)
            writer.member("interval", interval)
            writer.member("onRevoke", onRevoke.rawValue)
        }
    }
}

extension JSON {
    fileprivate func identifier() throws(ParameterError) -> String { try required("identifier") { $0 } }

    fileprivate func sequence(_ name: String, from least: Int64) throws(ParameterError) -> Int64 {
        guard let number = try integer(name, in: least...Int64.max) else { throw ParameterError(name) }
        return number
    }
}

extension String {
    /// As many of its characters as so many bytes of UTF-8 hold.
    fileprivate func beginning(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
