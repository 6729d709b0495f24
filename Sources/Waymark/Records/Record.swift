import JSONText
import Location
import Records

/// A record: named values of an app, which are the same on all machines of an account. What `CKRecord` is in CloudKit, but a
/// value: a copy of it changes for itself.
///
///     var note = Record(recordType: "Note", recordID: Record.ID(recordName: "n1", zoneID: notes))
///     note["text"] = "milk"
///     note = try await database.save(note)
public struct Record: Equatable, Sendable {
    /// The name of a record, and its zone.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The name, unique in the zone: 1 to 255 bytes of visible ASCII, without an underscore at the beginning.
        public let recordName: String
        /// The zone.
        public let zoneID: RecordZone.ID

        /// The ID of a record. Without a name it gets a random one.
        public init(recordName: String? = nil, zoneID: RecordZone.ID = .default) {
            self.recordName = recordName ?? Self.randomName()
            self.zoneID = zoneID
        }

        /// The name and the zone, with a slash between them.
        public var description: String { "\(zoneID)/\(recordName)" }
    }

    /// A record of the same zone, by its name. Whether it exists is not checked.
    public struct Reference: Hashable, Sendable {
        /// The name of the record.
        public let recordName: String

        /// A reference to a record of the same zone.
        public init(recordName: String) { self.recordName = recordName }
    }

    /// Which record it is.
    public let recordID: ID
    /// The type, which never changes: a letter, and then letters, digits and underscores.
    public let recordType: String
    /// The version that the app has read or saved last; nil for a record that the app makes.
    var known: KnownRecord?
    var values: [String: RecordValue] = [:]

    /// A record that the app makes.
    ///
    /// - Parameters:
    ///   - recordType: Its type.
    ///   - recordID: Its ID; without one it gets a random name in the default zone.
    public init(recordType: String, recordID: ID = ID()) {
        self.recordType = recordType
        self.recordID = recordID
    }

    // Values

    /// The value of a field, of the Swift type of its kind: `String`, `[UInt8]`, `Int`, `Double`, `UTCTime`, `RecordLocation`,
    /// `Record.Reference`, `Record.Asset`, or an array; nil if the record does not have the field. Setting nil removes it.
    public subscript(key: String) -> (any RecordValueConvertible)? {
        get { values[key]?.content }
        set { values[key] = newValue?.recordValue }
    }

    /// The value of a field as this type; nil if the record does not have the field, or with a value of another kind.
    public subscript<Value: RecordValueConvertible>(key: String, as type: Value.Type) -> Value? {
        get { values[key].flatMap { Value($0) } }
        set { values[key] = newValue?.recordValue }
    }

    /// The record of the same zone below which this one is, as in CloudKit: it is shared with that one (see `Share`). It is the
    /// field `parent`. Nothing is deleted with the record that it names.
    public var parent: Reference? {
        get { self[FieldName.parent.text, as: Reference.self] }
        set { self[FieldName.parent.text] = newValue }
    }

    /// Puts the record below another one of its zone; nil takes it out again.
    public mutating func setParent(_ record: Record?) {
        parent = record.map { Reference(recordName: $0.recordID.recordName) }
    }

    /// The names of the fields that have values, in their order.
    public func allKeys() -> [String] { values.keys.sorted() }

    /// The names of the fields that were set or removed since the record was read or saved, in their order.
    public func changedKeys() -> [String] {
        guard let old = known?.values else { return allKeys() }
        return Set(old.keys).union(values.keys).filter { old[$0] != values[$0] }.sorted()
    }

    // System fields: nil until the hub has the record.

    /// The version that the hub has given the record.
    public var recordChangeTag: String? { known?.system?.changeTag.text }
    /// When the record was made, by the hub's clock.
    public var creationDate: UTCTime? { known?.system?.created.time }
    /// When this version was made, by the hub's clock.
    public var modificationDate: UTCTime? { known?.system?.modified.time }
    /// The account that has made the record.
    public var creatorUserName: String? { known?.system?.created.account.text }
    /// The account that has made this version.
    public var lastModifiedUserName: String? { known?.system?.modified.account.text }
    /// The device that has made the record.
    public var creatorDevice: String? { known?.system?.created.device.text }
    /// The device that has made this version.
    public var modifiedByDevice: String? { known?.system?.modified.device.text }
    /// Whether the record had a change that was not sent yet when it was read.
    public var isPending: Bool { known?.isPending ?? false }
}

/// The version of a record that an app knows.
struct KnownRecord: Equatable, Sendable {
    /// The system fields; nil if the hub does not have the record yet.
    var system: SavedRecord?
    /// Its values; nil if the app has read only some of them.
    var values: [String: RecordValue]?
    var isPending: Bool
}

extension Record.ID {
    private static func randomName() -> String {
        HexText.text((0..<16).map { _ in UInt8.random(in: 0...255) })
    }
}

extension Record.Reference: RecordListElement {
    /// The reference. A name that no record can have cannot be stored.
    public var recordValue: RecordValue { RecordValue(RecordName(recordName).map(FieldValue.reference)) }

    /// The reference.
    public init?(_ value: RecordValue) {
        guard case .reference(let name) = value.field else { return nil }
        self.init(recordName: name.text)
    }

    /// References.
    public static func recordValue(of list: [Record.Reference]) -> RecordValue { stored(.reference, list) }
}
