import JSONText
import Varlink

/// A user id of which something is stored: the `User` of `io.waymark.Manage`.
public struct KnownUser: Equatable, Sendable {
    /// The number.
    public var uid: UInt32
    /// The account that what is stored belongs to; nil where none had the number then.
    public var name: String?
    /// `present`, `noAccount`, `removed`, `returned`, `renamed`, `replaced` or `erased`. Words this version does not know are
    /// kept.
    public var state: String
    /// The name that the number has now, where it is another one.
    public var otherName: String?
    /// When that was noticed, seconds since 1970.
    public var since: Double?
    /// Seconds until everything is erased; nil where an operator has to decide.
    public var erasedAfter: Double?
    /// How many decisions are stored.
    public var grants = 0
    /// How many questions nobody has answered.
    public var requests = 0
    /// How many recordings there are.
    public var recordings = 0
    /// How many positions are kept in these.
    public var positions: Int64 = 0

    /// A user of whom nothing is counted yet.
    public init(uid: UInt32, name: String?, state: String) {
        self.uid = uid
        self.name = name
        self.state = state
    }

    /// Reads a user; nil where it lacks a number or a state.
    public init?(_ json: JSON) {
        guard let uid = json.userID("uid"), let state = json["state"]?.stringValue else { return nil }
        self.init(uid: uid, name: json["name"]?.stringValue, state: state)
        otherName = json["otherName"]?.stringValue
        since = json["since"]?.numberValue
        erasedAfter = json["erasedAfter"]?.numberValue
        func count(_ name: String) -> Int { json[name]?.integerValue.flatMap(Int.init(exactly:)) ?? 0 }
        (grants, requests, recordings) = (count("grants"), count("requests"), count("recordings"))
        positions = json["positions"]?.integerValue ?? 0
    }

    /// The user as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("uid", uid)
            writer.member("name", name)
            writer.member("state", state)
            writer.member("otherName", otherName)
            writer.member("since", since)
            writer.member("erasedAfter", erasedAfter)
            writer.member("grants", grants)
            writer.member("requests", requests)
            writer.member("recordings", recordings)
            writer.member("positions", positions)
        }
    }
}

/// Which user: the parameters of `EraseUser` and `RestoreUser` of `io.waymark.Manage`.
public struct UserRequest: Equatable, Sendable {
    /// The number.
    public var uid: UInt32

    /// The user of this number.
    public init(uid: UInt32) { self.uid = uid }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        guard let uid = try json.user("uid") else { throw ParameterError("uid") }
        self.uid = uid
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("uid", uid) }
    }
}
