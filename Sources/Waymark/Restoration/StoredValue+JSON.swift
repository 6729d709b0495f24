import JSONText

extension StoredValue {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The value in JSON, where each kind of value has a form of its own.
    var json: JSON {
        switch self {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return value.isFinite ? .number(value) : ["number": .string("\(value)")]
        case .text(let value): return .string(value)
        case .bytes(let bytes):
            var text: [UInt8] = []
            text.reserveCapacity(2 * bytes.count)
            for byte in bytes { text += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]] }
            return ["bytes": .string(String(decoding: text, as: UTF8.self))]
        case .list(let values): return .array(values.map(\.json))
        }
    }

    /// The value of this JSON; nil if that is none.
    init?(_ json: JSON) {
        switch json {
        case .null: return nil
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .array(let elements):
            let values = elements.compactMap { StoredValue($0) }
            guard values.count == elements.count else { return nil }
            self = .list(values)
        case .object(let members):
            guard members.count == 1, let text = members[0].value.stringValue else { return nil }
            switch members[0].key {
            case "number":
                guard let value = Double(text), !value.isFinite else { return nil }
                self = .number(value)
            case "bytes":
                guard let bytes = Self.bytes(of: text) else { return nil }
                self = .bytes(bytes)
            default: return nil
            }
        }
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digit in digits.firstIndex(of: digit) }
        guard values.count == text.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
