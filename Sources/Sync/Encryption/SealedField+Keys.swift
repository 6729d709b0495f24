import Cryptography
import Records

/// How a value of an encrypted field is sealed. Documentation/sync.md describes the format, `sealed values`.
extension SealedField {
    /// What is in a sealed value.
    enum Content: Equatable {
        case value(EncryptedValue)
        /// This machine does not have the key.
        case keyMissing
        /// The hub has changed it, or it belongs to another place.
        case damaged
    }

    private static let version: UInt8 = 1
    private static let headerSize = 1 + AccountKey.Name.size

    /// Seals a value for a place.
    init(_ value: EncryptedValue, at place: FieldPlace, with key: AccountKey) {
        let header = [Self.version] + key.name.bytes
        var sealed = header
        key.key.seal(value.value.json.span, context: place.context(header).span, appendingTo: &sealed)
        guard let field = SealedField(value.shape.kind, isList: value.shape.isList, sealed) else {
            preconditionFailure("an encrypted value has a kind that can be sealed")
        }
        self = field
    }

    /// The name of the key with which it was sealed; nil for bytes of another format.
    var keyName: AccountKey.Name? {
        guard bytes.count >= Self.headerSize, bytes[0] == Self.version else { return nil }
        return AccountKey.Name(bytes[1..<Self.headerSize])
    }

    /// Opens a value with one of these keys.
    func open(at place: FieldPlace, with keys: [AccountKey.Name: SymmetricKey]) -> Content {
        guard let name = keyName else { return .damaged }
        guard let key = keys[name] else { return .keyMissing }
        let context = place.context(Array(bytes[..<Self.headerSize]))
        guard let text = key.open(bytes.span.extracting(Self.headerSize...), context: context.span),
            let value = (try? FieldValue(json: text)).flatMap(EncryptedValue.init), value.shape == shape
        else { return .damaged }
        return .value(value)
    }
}
