import Authorization
import Storage

/// A query for events. An event must meet all given conditions.
public struct EventQuery: Equatable, Sendable {
    /// The most events that one read returns.
    public static let largestLimit = 1_000

    /// Which end of the matching events is returned, and in which order.
    public enum Order: Equatable, Sendable {
        /// The oldest, oldest first.
        case oldestFirst
        /// The newest, newest first.
        case newestFirst
        /// The newest, in ascending order: the events before a follow.
        case last
    }

    /// Only after this sequence number.
    public var after: Int64?
    /// Only before this sequence number: the start of the next page of `newestFirst`.
    public var before: Int64?
    /// Only from this time on, in microseconds since 1970-01-01T00:00:00Z.
    public var sinceMicroseconds: Int64?
    /// Only before this time, in microseconds since 1970-01-01T00:00:00Z.
    public var untilMicroseconds: Int64?
    /// Only these kinds, by their raw values, of which the first 64 are used; empty for all.
    public var kinds: [String] = []
    /// Only about this app.
    public var app: String?
    /// Only about this user.
    public var uid: UInt32?
    /// Only events about this app, as the app itself reads them: `after` and `before` are then numbers among its own
    /// events, and so are those of the page. Nil for a reader of the whole journal.
    public var audience: AppID?
    /// The limit of the page, 1…1,000; a value outside is clamped.
    public var limit = 100
    /// Which end, and in which order.
    public var order = Order.oldestFirst

    /// Every event, the oldest hundred first.
    public init() {}
}

/// The result of a query.
public struct EventPage: Equatable, Sendable {
    /// The events in the requested order.
    public var events: [StoredEvent]
    /// Whether more events match than the limit permits.
    public var hasMore: Bool
    /// The oldest retained sequence number, among the audience's own if the query has one. A reader whose cursor is
    /// smaller than the number before it has missed events.
    public var oldestRetained: Int64
    /// The newest sequence number at the time of the read; 0 if there never was one. The events that `onCommit` reports
    /// after this page continue from here without a gap.
    public var newest: Int64
}

extension EventQuery {
    /// The statement and its values. It requests one row more than the limit to detect whether there are more. An
    /// audience sees nothing below the oldest retained sequence number, so its numbers have no gaps.
    func statement(oldestRetained: Int64) -> (sql: String, values: [SQLValue]) {
        var conditions: [String] = []
        var values: [SQLValue] = []
        func require(_ condition: String, _ value: SQLValue?) {
            guard let value else { return }
            conditions.append(condition)
            values.append(value)
        }
        let number = audience == nil ? "seq" : "appSeq"
        require("\(number) > ?", after.map { .integer($0) })
        require("\(number) < ?", before.map { .integer($0) })
        require("app = ?", audience.map { .text($0.name) })
        require("uid = ?", audience.map { .integer(Int64($0.uid)) })
        if audience != nil { conditions.append("appSeq IS NOT NULL") }
        require("seq >= ?", audience.map { _ in .integer(oldestRetained) })
        require("time >= ?", sinceMicroseconds.map { .integer($0) })
        require("time < ?", untilMicroseconds.map { .integer($0) })
        require("app = ?", app.map { .text($0) })
        require("uid = ?", uid.map { .integer(Int64($0)) })
        if !kinds.isEmpty {
            // Bounded, because each kind is a parameter of the statement.
            let kinds = kinds.prefix(64)
            conditions.append("kind IN (\(Array(repeating: "?", count: kinds.count).joined(separator: ",")))")
            values += kinds.map { .text($0) }
        }
        var sql = "SELECT seq, time, monotonic, boots.boot, kind, app, uid, details, appSeq FROM events"
        sql += " LEFT JOIN boots ON boots.id = events.boot"
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        sql += order == .oldestFirst ? " ORDER BY \(number)" : " ORDER BY \(number) DESC"
        return (sql + " LIMIT \(boundedLimit + 1)", values)
    }

    /// The limit, clamped to its bounds.
    var boundedLimit: Int { min(max(limit, 1), Self.largestLimit) }
}
