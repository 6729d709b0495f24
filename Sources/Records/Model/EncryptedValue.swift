/// The value of an encrypted field as an app sees it. It is sealed on the machine, and never reaches a hub.
public struct EncryptedValue: Hashable, Sendable {
    /// The value, neither encrypted nor sealed itself.
    public let value: FieldValue

    /// Nil for a value that cannot be encrypted: a reference or an asset, which a hub has to know, or lists of them.
    public init?(_ value: FieldValue) {
        guard Self.accepts(value.shape) else { return nil }
        self.value = value
    }

    /// What the value is.
    public var shape: FieldDefinition.Shape {
        FieldDefinition.Shape(value.shape.kind, isList: value.shape.isList, isEncrypted: true)
    }

    /// Whether values of this shape can be encrypted.
    static func accepts(_ shape: FieldDefinition.Shape) -> Bool {
        !shape.isEncrypted && shape.kind != .reference && shape.kind != .asset
    }
}

/// The value of an encrypted field as machines and hubs store it. Which key opens it, only machines know.
public struct SealedField: Hashable, Sendable {
    /// What the value is. The hub has to know it because the schema does.
    public let shape: FieldDefinition.Shape
    /// The sealed value.
    public let bytes: [UInt8]

    /// What a value becomes longer by when it is sealed: the version, the name of the key, the nonce and the tag.
    public static let overhead = 49

    /// Nil for a kind that is not encrypted.
    public init?(_ kind: FieldKind, isList: Bool, _ bytes: [UInt8]) {
        guard EncryptedValue.accepts(FieldDefinition.Shape(kind)) else { return nil }
        shape = FieldDefinition.Shape(kind, isList: isList, isEncrypted: true)
        self.bytes = bytes
    }
}
