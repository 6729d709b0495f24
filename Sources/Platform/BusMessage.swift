import CSystemd

/// A value in a D-Bus message, limited to the types that Waymark uses.
public enum BusValue: Equatable, Sendable {
    /// `s`.
    case string(String)
    /// `u`.
    case uint32(UInt32)
    /// `t`; received only.
    case uint64(UInt64)
    /// `i`.
    case int32(Int32)
    /// `y`.
    case byte(UInt8)
    /// `b`.
    case bool(Bool)
    /// `d`; received only.
    case double(Double)
    /// `o`, the path of an object.
    case path(String)
    /// `as`.
    case strings([String])
    /// `ao`; received only.
    case paths([String])
    /// `a{sv}`, with values of these types.
    case options([String: BusValue])
    /// A structure of strings, numbers and paths, such as `(uo)`; received only.
    case structure([BusValue])
    /// An array of such structures; received only.
    case structures([[BusValue]])
    /// A received value of any other type.
    case other

    /// The text of a `string`, else nil.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The number of a `uint32`, else nil.
    public var uint32: UInt32? {
        guard case .uint32(let value) = self else { return nil }
        return value
    }

    /// The number of a `uint64`, else nil.
    public var uint64: UInt64? {
        guard case .uint64(let value) = self else { return nil }
        return value
    }

    /// The path of a `path`, else nil.
    public var path: String? {
        guard case .path(let value) = self else { return nil }
        return value
    }

    /// The value of a `bool`, else nil.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The values of a `structure`, else nil.
    public var structure: [BusValue]? {
        guard case .structure(let values) = self else { return nil }
        return values
    }

    /// The values of `structures`, else nil.
    public var structures: [[BusValue]]? {
        guard case .structures(let values) = self else { return nil }
        return values
    }

    /// The texts of a `strings` or `paths`, else nil.
    public var strings: [String]? {
        switch self {
        case .strings(let values), .paths(let values): values
        default: nil
        }
    }

    /// The values of `options`, else nil.
    public var options: [String: BusValue]? {
        guard case .options(let values) = self else { return nil }
        return values
    }

    /// Its type in the signatures of D-Bus.
    var signature: String {
        switch self {
        case .string, .other: "s"
        case .uint32: "u"
        case .uint64: "t"
        case .int32: "i"
        case .byte: "y"
        case .bool: "b"
        case .double: "d"
        case .path: "o"
        case .strings: "as"
        case .paths: "ao"
        case .options: "a{sv}"
        case .structure: "(s)"
        case .structures: "a(s)"
        }
    }
}

/// A message of D-Bus that was received.
public struct BusMessage: Equatable, Sendable {
    /// The kind of a message.
    public enum Kind: Equatable, Sendable {
        /// A signal: its interface and name, such as `org.freedesktop.Notifications.ActionInvoked`.
        case signal(String)
        /// The reply to the call of this number.
        case answer(to: UInt64)
        /// The call of this number failed, with the error's name and message.
        case failure(to: UInt64, name: String, message: String)
        /// Any other message.
        case other
    }

    /// The kind of the message.
    public let kind: Kind
    /// The unique name of the sender, which the bus guarantees; empty if the message was made by libsystemd itself.
    public let sender: String
    /// The path of the object that a signal is about; empty if there is none.
    public let path: String
    /// The message's values.
    public let values: [BusValue]

    /// The most values that are read from a message.
    private static let mostValues = 16
    /// The most strings that are read from an array, and the most options.
    private static let mostStrings = 256

    /// Reads a message, which remains the property of its owner.
    init(_ message: OpaquePointer) {
        var type: UInt8 = 0
        sd_bus_message_get_type(message, &type)
        var answered: UInt64 = 0
        sd_bus_message_get_reply_cookie(message, &answered)
        switch Int(type) {
        case SD_BUS_MESSAGE_SIGNAL:
            kind = .signal(
                Self.text(sd_bus_message_get_interface(message)) + "." + Self.text(sd_bus_message_get_member(message)))
        case SD_BUS_MESSAGE_METHOD_RETURN: kind = .answer(to: answered)
        case SD_BUS_MESSAGE_METHOD_ERROR:
            let error = sd_bus_message_get_error(message)
            kind = .failure(
                to: answered, name: Self.text(error?.pointee.name), message: Self.text(error?.pointee.message))
        default: kind = .other
        }
        sender = Self.text(sd_bus_message_get_sender(message))
        path = Self.text(sd_bus_message_get_path(message))
        values = Self.values(of: message)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    private static func values(of message: OpaquePointer) -> [BusValue] {
        var values: [BusValue] = []
        while values.count < mostValues, sd_bus_message_at_end(message, 0) == 0 {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { break }
            guard let value = value(of: message, UInt8(bitPattern: type), text(contents)) else { break }
            values.append(value)
        }
        return values
    }

    /// The next value; nil if it cannot be read. sd_bus_message_read_basic(3).
    private static func value(of message: OpaquePointer, _ type: UInt8, _ contents: String) -> BusValue? {
        func read<Value: BitwiseCopyable>(_ empty: Value) -> Value? {
            var value = empty
            return sd_bus_message_read_basic(message, CChar(bitPattern: type), &value) > 0 ? value : nil
        }
        switch type {
        case UInt8(ascii: "s"):
            return read(UnsafePointer<CChar>?.none).map { .string(text($0)) }
        case UInt8(ascii: "u"): return read(UInt32(0)).map(BusValue.uint32)
        case UInt8(ascii: "t"): return read(UInt64(0)).map(BusValue.uint64)
        case UInt8(ascii: "i"): return read(Int32(0)).map(BusValue.int32)
        case UInt8(ascii: "y"): return read(UInt8(0)).map(BusValue.byte)
        case UInt8(ascii: "b"): return read(Int32(0)).map { .bool($0 != 0) }
        case UInt8(ascii: "d"): return read(Double(0)).map(BusValue.double)
        case UInt8(ascii: "o"):
            return read(UnsafePointer<CChar>?.none).map { .path(text($0)) }
        case UInt8(ascii: "v"): return variant(of: message)
        case UInt8(ascii: "a") where contents == "s": return strings(of: message, "s").map(BusValue.strings)
        case UInt8(ascii: "a") where contents == "o": return strings(of: message, "o").map(BusValue.paths)
        case UInt8(ascii: "a") where contents == "{sv}": return options(of: message)
        case UInt8(ascii: "r") where isFlat(contents): return structure(of: message, contents).map(BusValue.structure)
        case UInt8(ascii: "a") where contents.first == "(" && isFlat(contents.dropFirst().dropLast()):
            return structures(of: message, contents)
        default: return sd_bus_message_skip(message, nil) >= 0 ? .other : nil
        }
    }

    private static func strings(of message: OpaquePointer, _ type: Unicode.Scalar) -> [String]? {
        let type = CChar(UInt8(ascii: type))
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), [type, 0]) > 0 else { return nil }
        var strings: [String] = []
        var pointer: UnsafePointer<CChar>?
        while sd_bus_message_read_basic(message, type, &pointer) > 0 {
            if strings.count < mostStrings { strings.append(text(pointer)) }
        }
        return sd_bus_message_exit_container(message) >= 0 ? strings : nil
    }

    /// Whether a structure has only members that contain no others.
    private static func isFlat(_ contents: some StringProtocol) -> Bool {
        !contents.isEmpty && contents.utf8.allSatisfy { "sutiybdo".utf8.contains($0) }
    }

    private static func structure(of message: OpaquePointer, _ contents: String) -> [BusValue]? {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "r")), contents) > 0 else { return nil }
        let members = values(of: message)
        return sd_bus_message_exit_container(message) >= 0 ? members : nil
    }

    /// Structures; those beyond the limit are ignored.
    private static func structures(of message: OpaquePointer, _ contents: String) -> BusValue? {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), contents) > 0 else { return nil }
        var structures: [[BusValue]] = []
        let members = String(contents.dropFirst().dropLast())
        while sd_bus_message_at_end(message, 0) == 0 {
            guard let structure = structure(of: message, members) else { return nil }
            if structures.count < mostStrings { structures.append(structure) }
        }
        return sd_bus_message_exit_container(message) >= 0 ? .structures(structures) : nil
    }

    /// Names and values; those beyond the limit are ignored.
    private static func options(of message: OpaquePointer) -> BusValue? {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "{sv}") > 0 else { return nil }
        var options: [String: BusValue] = [:]
        while sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), "sv") > 0 {
            var name: UnsafePointer<CChar>?
            guard sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &name) > 0,
                let value = variant(of: message), sd_bus_message_exit_container(message) >= 0
            else { return nil }
            if options.count < mostStrings { options[text(name)] = value }
        }
        return sd_bus_message_exit_container(message) >= 0 ? .options(options) : nil
    }

    /// A value that contains its own type. A value of an unknown type may be nested to any depth and is skipped as a
    /// whole.
    private static func variant(of message: OpaquePointer) -> BusValue? {
        var type: CChar = 0
        var signature: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &type, &signature) > 0, type == CChar(UInt8(ascii: "v")) else {
            return nil
        }
        let contained = text(signature)
        guard known.contains(contained) || contained.first == "(" && isFlat(contained.dropFirst().dropLast()) else {
            return sd_bus_message_skip(message, "v") >= 0 ? .other : nil
        }
        guard sd_bus_message_enter_container(message, type, signature) > 0 else { return nil }
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &type, &contents) > 0,
            let value = value(of: message, UInt8(bitPattern: type), text(contents)),
            sd_bus_message_exit_container(message) >= 0
        else { return nil }
        return value
    }

    private static let known: Set<String> = ["s", "u", "t", "i", "y", "b", "d", "o", "as", "ao"]
}
