import Cryptography
import Platform
import Records

// The records of the zone of keys. Documentation/sync.md describes them, `keys of an account`.

extension KeyGeneration {
    /// The generation that a record has; nil for anything else.
    init?(_ record: Record) {
        guard case .string(let text)? = record.fields[.statement], case .bytes(let wrapped)? = record.fields[.wrapped]
        else { return nil }
        self.init(text: Array(text.utf8), wrapped: wrapped)
    }

    /// The fields of its record.
    var fields: [FieldName: FieldValue] {
        [.statement: .string(String(decoding: text, as: UTF8.self)), .wrapped: .bytes(wrapped.flatMap { $0 })]
    }
}

extension KeyGeneration.Member {
    /// The machine whose key a record has, whose name begins with `device-`; nil for anything else.
    init?(_ record: Record) {
        guard case .bytes(let bytes)? = record.fields[.key], let key = SealingKeyPair.PublicKey(bytes),
            let name = DeviceID(String(record.name.text.dropFirst("device-".utf8.count)))
        else { return nil }
        self.init(name, key)
    }
}

/// A key from before a reset, which a machine passes on to the others.
struct FormerKey {
    /// The key of a generation with which it is sealed.
    let sealedBy: AccountKey.Name
    private let wrapped: [UInt8]
    private let record: RecordName

    /// Seals a key for a record.
    init(_ record: RecordName, _ key: SymmetricKey, sealedBy other: SymmetricKey, named name: AccountKey.Name) {
        self.record = record
        sealedBy = name
        wrapped = other.wrap(key, context: Self.context(record))
    }

    /// The key that a record has; nil for anything else.
    init?(_ record: Record) {
        guard case .bytes(let bytes)? = record.fields[.sealedBy], let name = AccountKey.Name(bytes),
            case .bytes(let wrapped)? = record.fields[.wrapped]
        else { return nil }
        self.record = record.name
        sealedBy = name
        self.wrapped = wrapped
    }

    /// The fields of its record.
    var fields: [FieldName: FieldValue] { [.sealedBy: .bytes(sealedBy.bytes), .wrapped: .bytes(wrapped)] }

    /// Opens it with the key `sealedBy`; nil if it was not sealed with that key for this record.
    func open(with key: SymmetricKey) throws(SystemError) -> SymmetricKey? {
        try key.unwrap(wrapped, context: Self.context(record))
    }

    private static func context(_ record: RecordName) -> [UInt8] { Array("waymark old key 1 \(record)".utf8) }
}

extension FieldName {
    static let key = named("key")
    static let proof = named("proof")
    fileprivate static let statement = named("statement")
    fileprivate static let wrapped = named("wrapped")
    fileprivate static let sealedBy = named("sealedBy")
}

extension RecordType {
    static let device = named("Device")
    static let generation = named("Generation")
    static let formerKey = named("FormerKey")
}

extension Name {
    fileprivate static func named(_ text: String) -> Name {
        guard let name = Name(text) else { preconditionFailure("\(text) follows the rule") }
        return name
    }
}
