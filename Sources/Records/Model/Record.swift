import Location

/// A record as the hub has it.
public struct Record: Equatable, Sendable {
    /// Who did something and when, by the hub's clock.
    public struct Stamp: Equatable, Sendable {
        /// The time.
        public var time: UTCTime
        /// The account.
        public var account: AccountID
        /// The device.
        public var device: DeviceID

        /// A stamp of these parts.
        public init(_ time: UTCTime, _ account: AccountID, _ device: DeviceID) {
            self.time = time
            self.account = account
            self.device = device
        }
    }

    /// The name, unique in the zone.
    public var name: RecordName
    /// The type, which never changes.
    public var type: RecordType
    /// The values.
    public var fields: [FieldName: FieldValue]
    /// The version.
    public var changeTag: ChangeTag
    /// When and by whom it was made.
    public var created: Stamp
    /// When and by whom this version was made.
    public var modified: Stamp

    /// A record of these parts.
    public init(
        _ name: RecordName, _ type: RecordType, _ fields: [FieldName: FieldValue], changeTag: ChangeTag,
        created: Stamp, modified: Stamp
    ) {
        self.name = name
        self.type = type
        self.fields = fields
        self.changeTag = changeTag
        self.created = created
        self.modified = modified
    }

    /// The record of the same zone whose child this one is: what its field `parent` refers to. Whether it exists is not checked.
    public var parent: RecordName? { Self.parent(in: fields) }

    /// The parent of a record with these fields.
    static func parent(in fields: [FieldName: FieldValue]) -> RecordName? {
        if case .reference(let name)? = fields[.parent] { name } else { nil }
    }

    /// What a field adds to the size besides its name and value, in bytes.
    static let fieldOverhead = 32

    /// The size that limits count, in bytes: names, type and values, without assets and system fields.
    public var size: Int { Self.size(name, type, fields) }

    /// The size of a record with this content.
    static func size(_ name: RecordName, _ type: RecordType, _ fields: [FieldName: FieldValue]) -> Int {
        fields.reduce(name.text.utf8.count + type.text.utf8.count) { sum, field in
            sum + field.key.text.utf8.count + field.value.size + fieldOverhead
        }
    }
}

/// What a client wants a record to be.
public struct RecordDraft: Equatable, Sendable {
    /// The name.
    public var name: RecordName
    /// The type.
    public var type: RecordType
    /// The values of the fields that are set.
    public var fields: [FieldName: FieldValue]
    /// The fields that are removed; `allKeys` removes each field without a value anyway.
    public var removed: Set<FieldName>
    /// The version that the client has changed; nil if it has none, because it makes the record.
    public var changeTag: ChangeTag?

    /// A draft of these parts.
    public init(
        _ name: RecordName, _ type: RecordType, _ fields: [FieldName: FieldValue],
        removing removed: Set<FieldName> = [],
        changeTag: ChangeTag? = nil
    ) {
        self.name = name
        self.type = type
        self.fields = fields
        self.removed = removed
        self.changeTag = changeTag
    }

    /// The size that limits count, in bytes.
    public var size: Int { Record.size(name, type, fields) }
}
