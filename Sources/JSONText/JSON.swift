/// A JSON value (RFC 8259), with integers separate from other numbers.
public enum JSON: Equatable, Sendable {
    /// One name and its value within an object.
    public struct Member: Equatable, Sendable, NamedJSONValue {
        /// The name, unique within its object.
        public var key: String
        /// The value.
        public var value: JSON

        /// A member of these two.
        public init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent.
    case integer(Int64)
    /// Any other number; always finite if it was parsed.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Members in the order in which they were written.
    case object([Member])

    /// An object without members.
    public static let emptyObject = JSON.object([])

    /// Whether it is `null`.
    public var isNull: Bool { self == .null }

    /// The value of a `bool`, else nil.
    public var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The value of an integer, also of one that a peer wrote as `3.0` or `1e6`; else nil.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The value of either kind of number, else nil.
    public var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value of a string, else nil.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The values of an array, else nil.
    public var arrayValue: [JSON]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    /// The members of an object, else nil.
    public var objectValue: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The value under a name; nil if this is no object or has no such member.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The value at an index; nil if this is no array or is shorter.
    public subscript(index: Int) -> JSON? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A `bool`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// An object.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member($0.0, $0.1) }) }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text on one line.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as JSON text, UTF-8.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
