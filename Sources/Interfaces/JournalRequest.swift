import JSONText
import Varlink

/// What a caller of `io.waymark.Journal.Read` asks for.
public struct JournalRequest: Equatable, Sendable {
    /// The most events in one reply.
    public static let mostInOneReply = 1_000
    /// The most kinds one request may name.
    static let mostKinds = 64

    /// Only events after this sequence.
    public var after: Int64?
    /// Only events of this time or later, seconds since 1970.
    public var since: Double?
    /// Only events before this time, seconds since 1970.
    public var until: Double?
    /// Only events of these kinds; empty means all.
    public var kinds: [String]
    /// Only events about this app.
    public var app: String?
    /// The most events in one reply.
    public var limit: Int
    /// Only so many of the latest.
    public var newest: Int?
    /// Whether to go on with what comes.
    public var follow: Bool

    /// A request for everything there is, or for less.
    public init(
        after: Int64? = nil, since: Double? = nil, until: Double? = nil, kinds: [String] = [], app: String? = nil,
        limit: Int = mostInOneReply, newest: Int? = nil, follow: Bool = false
    ) {
        self.after = after
        self.since = since
        self.until = until
        self.kinds = kinds
        self.app = app
        self.limit = limit
        self.newest = newest
        self.follow = follow
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        after = try json.integer("after", in: 0...Int64.max)
        // Four thousand years either way keep the arithmetic in microseconds exact enough and far from overflow.
        since = try json.number("since", in: -126e9...126e9)
        until = try json.number("until", in: -126e9...126e9)
        app = try json.string("app")
        limit = Int(try json.integer("limit", in: 1...Int64(Self.mostInOneReply)) ?? Int64(Self.mostInOneReply))
        newest = try json.integer("newest", in: 1...Int64(Self.mostInOneReply)).map(Int.init)
        follow = try json.bool("follow") ?? false
        kinds = []
        guard let list = json["kinds"], !list.isNull else { return }
        guard let values = list.arrayValue, values.count <= Self.mostKinds else { throw ParameterError("kinds") }
        for value in values {
            guard let kind = value.stringValue else { throw ParameterError("kinds") }
            kinds.append(kind)
        }
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("after", after)
            writer.member("since", since)
            writer.member("until", until)
            if !kinds.isEmpty { writer.member("kinds", kinds) }
            writer.member("app", app)
            writer.member("limit", limit)
            writer.member("newest", newest)
            if follow { writer.member("follow", true) }
        }
    }
}
