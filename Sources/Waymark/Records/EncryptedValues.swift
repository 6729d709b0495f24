import Records

extension Record {
    /// The encrypted fields of a record: `waymark-sync` seals their values before they leave the machine, so that the hub can neither
    /// read nor query them, and opens them on the account's other machines. What `CKRecord.encryptedValues` is in CloudKit.
    ///
    /// A field is encrypted or not, for good: the schema says so, and its name is one of the record's names in both cases. The subscript
    /// of the record does not have the values of encrypted fields.
    public struct EncryptedValues: Sendable {
        fileprivate var values: [String: RecordValue]

        /// The value of an encrypted field, of the Swift type of its kind; nil if the record does not have the field, or if it cannot be
        /// read here: `unavailable` says so. Setting nil removes the field. References and assets cannot be encrypted: saving fails.
        public subscript(key: String) -> (any RecordValueConvertible)? {
            get { opened(key)?.content }
            set { values[key] = newValue.map { Self.encrypted($0.recordValue) } }
        }

        /// The value of an encrypted field as this type; nil also if it has another kind.
        public subscript<Value: RecordValueConvertible>(key: String, as type: Value.Type) -> Value? {
            get { opened(key).flatMap { Value($0) } }
            set { values[key] = newValue.map { Self.encrypted($0.recordValue) } }
        }

        /// The names of the encrypted fields, in their order, whether or not they can be read here.
        public func allKeys() -> [String] { values.filter { $0.value.isEncrypted }.keys.sorted() }

        /// Why fields cannot be read here: the error `encryptedDataUnavailable`, whose message says what a person types. Nil if all
        /// can be. A record with such fields can be changed and saved; they stay as they are.
        public var unavailable: RecordError? {
            let sealed = values.filter { $0.value.isSealed }.keys.sorted()
            guard let first = sealed.first else { return nil }
            return RecordError(
                .encryptedDataUnavailable,
                "The encrypted field \(first) cannot be read here. If it is of this account, `waymark sync devices` says how this"
                    + " machine gets the key.")
        }

        private func opened(_ key: String) -> RecordValue? {
            guard case .encrypted(let value)? = values[key]?.field else { return nil }
            return RecordValue(value.value)
        }

        private static func encrypted(_ value: RecordValue) -> RecordValue {
            RecordValue(value.field.flatMap(EncryptedValue.init).map(FieldValue.encrypted))
        }

        fileprivate init(_ values: [String: RecordValue]) { self.values = values }
    }

    /// The encrypted fields.
    public var encryptedValues: EncryptedValues {
        get { EncryptedValues(values) }
        set { values = newValue.values }
    }
}

extension RecordValue {
    /// Whether it is the value of an encrypted field.
    fileprivate var isEncrypted: Bool { field?.shape.isEncrypted ?? false }

    /// Whether it is one that cannot be read here.
    fileprivate var isSealed: Bool { if case .sealed? = field { true } else { false } }
}
