/// A type whose values can be saved: `Bool`, `Int`, `Double`, `String`, `UInt8`, optionals and arrays of these, and
/// enumerations whose raw values are of such a type and that declare the conformance.
///
/// Only what describes the app's own state belongs into a store. Objects of the model are referred to by their
/// identifiers, because they can have changed or be deleted when the state is restored.
public protocol StateValue {
    /// The value in stored form.
    var stored: StoredValue { get }
    /// The value of this stored form; nil if that is of another type.
    init?(stored: StoredValue)
    /// The stored form of several values: a list, except for bytes.
    static func stored(list: [Self]) -> StoredValue
    /// The values of this stored form; nil if that is of another type.
    static func list(stored: StoredValue) -> [Self]?
}

extension StateValue {
    /// A list of the stored values.
    public static func stored(list: [Self]) -> StoredValue { .list(list.map(\.stored)) }

    /// The values of a list; nil if it is none, or one of its values is of another type.
    public static func list(stored: StoredValue) -> [Self]? {
        guard case .list(let values) = stored else { return nil }
        var list: [Self] = []
        list.reserveCapacity(values.count)
        for value in values {
            guard let element = Self(stored: value) else { return nil }
            list.append(element)
        }
        return list
    }
}

extension Bool: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { .bool(self) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .bool(let value) = stored else { return nil }
        self = value
    }
}

extension Int: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { .integer(Int64(self)) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
}

extension Double: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { .number(self) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .number(let value) = stored else { return nil }
        self = value
    }
}

extension String: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { .text(self) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .text(let value) = stored else { return nil }
        self = value
    }
}

extension UInt8: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { .integer(Int64(self)) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
    /// Bytes are stored together.
    public static func stored(list: [UInt8]) -> StoredValue { .bytes(list) }
    /// The bytes of this stored form; nil if that is of another type.
    public static func list(stored: StoredValue) -> [UInt8]? {
        guard case .bytes(let bytes) = stored else { return nil }
        return bytes
    }
}

extension Array: StateValue where Element: StateValue {
    /// The value in stored form.
    public var stored: StoredValue { Element.stored(list: self) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard let list = Element.list(stored: stored) else { return nil }
        self = list
    }
}

extension Optional: StateValue where Wrapped: StateValue {
    /// A list of one value or none, so that an optional of an optional is restored as it was.
    public var stored: StoredValue { .list(map { [$0.stored] } ?? []) }
    /// The value of this stored form; nil if that is of another type.
    public init?(stored: StoredValue) {
        guard case .list(let values) = stored, values.count <= 1 else { return nil }
        guard let value = values.first else {
            self = .none
            return
        }
        guard let wrapped = Wrapped(stored: value) else { return nil }
        self = .some(wrapped)
    }
}

extension StateValue where Self: RawRepresentable, RawValue: StateValue {
    /// The raw value in stored form.
    public var stored: StoredValue { rawValue.stored }
    /// The value of this stored form; nil if no value has this raw value.
    public init?(stored: StoredValue) {
        guard let rawValue = RawValue(stored: stored) else { return nil }
        self.init(rawValue: rawValue)
    }
}
