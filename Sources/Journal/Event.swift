import Events
import JSONText
import Location

/// An event for the journal. It never contains a coordinate.
public struct Event: Equatable, Sendable {
    /// The kind of the event.
    public var kind: EventKind
    /// The name of the app that the event is about.
    public var app: String?
    /// The user that the event is about.
    public var uid: UInt32?
    /// Further details, in order.
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
    /// The event that reports missing events: their number, their period, the reason, and the app or user if all
    /// belonged to it.
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
        /// The name, including the unit if there is one.
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

    /// Appends an entry.
    public mutating func append(_ name: String, _ value: EventValue) {
        entries.append(Entry(name: name, value: value))
    }

    /// The JSON object (RFC 8259), without spaces.
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

/// A value in an event's details.
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
