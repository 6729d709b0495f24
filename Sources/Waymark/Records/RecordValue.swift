import Location
import Records

/// A value as a record stores it: a string, bytes, an integer of 64 bits, a double, a date, a location, a reference, an asset,
/// or a list of values of one kind. Apps use Swift's types, which are converted by `RecordValueConvertible`.
public struct RecordValue: Equatable, Sendable {
    /// Nil for a value that no record can have, such as a number that is not finite. Saving fails then.
    let field: FieldValue?
    /// Its assets whose bytes the app has and `waymark-sync` may not have yet.
    let addedAssets: [Record.Asset]

    init(_ field: FieldValue?, _ addedAssets: [Record.Asset] = []) {
        self.field = field
        self.addedAssets = addedAssets
    }

    /// Whether two values are the same for a record, wherever the bytes of their assets are.
    public static func == (left: Self, right: Self) -> Bool { left.field == right.field }
}

/// A type whose values a record can have: `String`, `[UInt8]`, the integers `Int` and `Int64`, `Bool`, `Double`, `UTCTime`,
/// `RecordLocation`, `Coordinate`, `Record.Reference`, `Record.Asset`, and arrays of these without `Bool`.
public protocol RecordValueConvertible: Sendable {
    /// The value as a record stores it.
    var recordValue: RecordValue { get }
    /// The value of this type; nil if the stored one is of another kind.
    init?(_ value: RecordValue)
}

/// A type of which a record can have lists.
public protocol RecordListElement: RecordValueConvertible {
    /// The list as a record stores it.
    static func recordValue(of list: [Self]) -> RecordValue
    /// The list; nil if the stored value is of another kind.
    static func list(_ value: RecordValue) -> [Self]?
}

extension RecordListElement {
    /// A list whose values are stored one by one. An empty one is a list of strings: a type that is stored as another kind
    /// converts its lists itself.
    public static func recordValue(of list: [Self]) -> RecordValue {
        stored(list.first?.recordValue.field?.kind ?? .string, list)
    }

    /// A list of values of a kind. An empty list has a kind as well, because the schema of the container does.
    static func stored(_ kind: FieldKind, _ list: [Self]) -> RecordValue {
        let values = list.compactMap(\.recordValue.field)
        return RecordValue(values.count == list.count ? FieldList(kind, values).map(FieldValue.list) : nil)
    }

    /// A list whose values are stored one by one.
    public static func list(_ value: RecordValue) -> [Self]? {
        guard case .list(let list) = value.field else { return nil }
        let values = list.values.compactMap { Self(RecordValue($0)) }
        return values.count == list.values.count ? values : nil
    }
}

extension Array: RecordValueConvertible where Element: RecordListElement {
    /// The list as a record stores it; an array of `UInt8` is stored as bytes.
    public var recordValue: RecordValue { Element.recordValue(of: self) }

    /// The list; nil if the value is no list of this kind.
    public init?(_ value: RecordValue) {
        guard let list = Element.list(value) else { return nil }
        self = list
    }
}

extension UInt8: RecordListElement {
    /// A byte by itself is stored as an integer.
    public var recordValue: RecordValue { RecordValue(.integer(Int64(self))) }

    /// The integer, if it is a byte.
    public init?(_ value: RecordValue) {
        guard case .integer(let number) = value.field, let byte = UInt8(exactly: number) else { return nil }
        self = byte
    }

    /// Bytes.
    public static func recordValue(of list: [UInt8]) -> RecordValue { RecordValue(.bytes(list)) }

    /// Bytes.
    public static func list(_ value: RecordValue) -> [UInt8]? {
        guard case .bytes(let bytes) = value.field else { return nil }
        return bytes
    }
}

extension String: RecordListElement {
    /// The text.
    public var recordValue: RecordValue { RecordValue(.string(self)) }

    /// The text.
    public init?(_ value: RecordValue) {
        guard case .string(let text) = value.field else { return nil }
        self = text
    }
}

extension Int64: RecordListElement {
    /// The integer.
    public var recordValue: RecordValue { RecordValue(.integer(self)) }

    /// The integer.
    public init?(_ value: RecordValue) {
        guard case .integer(let number) = value.field else { return nil }
        self = number
    }

    /// Integers.
    public static func recordValue(of list: [Int64]) -> RecordValue { stored(.integer, list) }
}

extension Int: RecordListElement {
    /// The integer.
    public var recordValue: RecordValue { RecordValue(.integer(Int64(self))) }

    /// The integer.
    public init?(_ value: RecordValue) {
        guard let number = Int64(value) else { return nil }
        self.init(exactly: number)
    }

    /// Integers.
    public static func recordValue(of list: [Int]) -> RecordValue { stored(.integer, list) }
}

extension Bool: RecordValueConvertible {
    /// Stored as the integer 1 or 0.
    public var recordValue: RecordValue { RecordValue(.integer(self ? 1 : 0)) }

    /// Whether the stored integer is not 0.
    public init?(_ value: RecordValue) {
        guard let number = Int64(value) else { return nil }
        self = number != 0
    }
}

extension Double: RecordListElement {
    /// The number, which has to be finite.
    public var recordValue: RecordValue { RecordValue(FiniteDouble(self).map(FieldValue.double)) }

    /// The number.
    public init?(_ value: RecordValue) {
        guard case .double(let number) = value.field else { return nil }
        self = number.value
    }

    /// Numbers.
    public static func recordValue(of list: [Double]) -> RecordValue { stored(.double, list) }
}

extension UTCTime: RecordListElement {
    /// A date, to the microsecond.
    public var recordValue: RecordValue { RecordValue(.date(self)) }

    /// The date.
    public init?(_ value: RecordValue) {
        guard case .date(let time) = value.field else { return nil }
        self = time
    }

    /// Dates.
    public static func recordValue(of list: [UTCTime]) -> RecordValue { stored(.date, list) }
}

extension Coordinate: RecordListElement {
    /// A location without altitude, accuracy and time.
    public var recordValue: RecordValue { RecordLocation(coordinate: self).recordValue }

    /// The place of a location.
    public init?(_ value: RecordValue) {
        guard let location = RecordLocation(value) else { return nil }
        self = location.coordinate
    }

    /// Locations.
    public static func recordValue(of list: [Coordinate]) -> RecordValue { stored(.location, list) }
}

extension RecordValue {
    /// The value as the Swift type of its kind: what the untyped subscript of a record returns.
    var content: (any RecordValueConvertible)? {
        guard let field else { return nil }
        // `encryptedValues` has those of encrypted fields, whose kind is nil.
        guard case .list(let list) = field else { return Self.type(field.kind)?.init(self) }
        return Self.listType(list.kind)?.init(self)
    }

    private static func type(_ kind: FieldKind?) -> (any RecordValueConvertible.Type)? {
        switch kind {
        case .string: String.self
        case .bytes: [UInt8].self
        case .integer: Int.self
        case .double: Double.self
        case .date: UTCTime.self
        case .location: RecordLocation.self
        case .reference: Record.Reference.self
        case .asset: Record.Asset.self
        case nil: nil
        }
    }

    private static func listType(_ kind: FieldKind) -> (any RecordValueConvertible.Type)? {
        switch kind {
        case .string: [String].self
        case .bytes: nil
        case .integer: [Int].self
        case .double: [Double].self
        case .date: [UTCTime].self
        case .location: [RecordLocation].self
        case .reference: [Record.Reference].self
        case .asset: [Record.Asset].self
        }
    }
}
