import JSONText

extension StoredValue {
    /// The value in JSON, where each kind of value has a form of its own.
    var json: JSON {
        switch self {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return value.isFinite ? .number(value) : ["number": .string("\(value)")]
        case .text(let value): return .string(value)
        case .bytes(let bytes): return ["bytes": .string(HexText.text(bytes))]
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
                guard let bytes = HexText.bytes(of: text) else { return nil }
                self = .bytes(bytes)
            default: return nil
            }
        }
    }
}
