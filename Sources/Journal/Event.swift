import JSONText
import Location

/// Something that happened, as it goes into the journal. Never with a coordinate.
public struct Event: Equatable, Sendable {
    /// What it tells of.
    public var kind: EventKind
    /// The app it is about, by name.
    public var app: String?
    /// The user it is about.
    public var uid: UInt32?
    /// The rest, in order.
    public var details: EventDetails

    /// An event of these parts.
    public init(_ kind: EventKind, app: String? = nil, uid: UInt32? = nil, details: EventDetails = [:]) {
        self.kind = kind
        self.app = app
        self.uid = uid
        self.details = details
    }
}

extension Event {
    /// What tells that so many events are missing, of an app or user where it is theirs, from when to when, and why.
    public static func dropped(
        _ count: Int64, from: UTCTime, to: UTCTime, app: String? = nil, uid: UInt32? = nil, reason: String
    ) -> Event {
        Event(
            .eventsDropped, app: app, uid: uid,
            details: [
                "reason": .text(reason), "count": .integer(count),
                "from": .text(from.iso8601(fraction: 6)),
                "to": .text(to.iso8601(fraction: 6)),
            ])
    }
}

/// Named values in the order they were given, stored as one compact JSON object.
public struct EventDetails: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One name and its value.
    public struct Entry: Equatable, Sendable {
        /// The name, with its unit where it has one.
        public var name: String
        /// The value.
        public var value: EventValue
    }

    /// The entries, in order.
    public private(set) var entries: [Entry] = []

    /// These names and values.
    public init(dictionaryLiteral elements: (String, EventValue)...) {
        entries = elements.map { Entry(name: $0.0, value: $0.1) }
    }

    /// Adds one more at the end.
    public mutating func append(_ name: String, _ value: EventValue) {
        entries.append(Entry(name: name, value: value))
    }

    /// The JSON object, RFC 8259, without spaces.
    public var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            for entry in entries {
                writer.key(entry.name)
                entry.value.write(to: &writer)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// One value of an event's details.
public enum EventValue: Equatable, Sendable {
    /// Text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A number; one that is not finite is stored as null.
    case real(Double)
    /// Yes or no.
    case bool(Bool)

    func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let value): writer.string(value)
        case .integer(let value): writer.integer(value)
        case .real(let value): writer.number(value)
        case .bool(let value): writer.bool(value)
        }
    }
}

extension EventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
