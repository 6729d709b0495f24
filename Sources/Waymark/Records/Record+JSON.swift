import JSONText
import Records

/// Records in the form of `io.waymark.Sync`, which Documentation/sync.md describes.
extension Record {
    /// A record of the copy or of the hub; nil if it is none.
    init?(_ json: JSON, in zone: RecordZone.ID) {
        guard let draft = try? RecordDraft(json: json.bytes) else { return nil }
        self.init(recordType: draft.type.text, recordID: ID(recordName: draft.name.text, zoneID: zone))
        values = Self.values(draft)
        let system = draft.changeTag == nil ? nil : (try? Records.Record(json: json.bytes)).map(SavedRecord.init)
        known = KnownRecord(system: system, values: values, isPending: json["pending"]?.boolValue ?? false)
    }

    /// The record that a refused change would have made of another one.
    init?(_ json: JSON, in zone: RecordZone.ID, changing base: Record?) {
        guard let draft = try? RecordDraft(json: json.bytes) else { return nil }
        self.init(recordType: draft.type.text, recordID: ID(recordName: draft.name.text, zoneID: zone))
        known = base?.known
        values = base?.values ?? [:]
        for name in draft.removed { values[name.text] = nil }
        values.merge(Self.values(draft)) { _, new in new }
    }

    private static func values(_ draft: RecordDraft) -> [String: RecordValue] {
        var values: [String: RecordValue] = [:]
        for (name, value) in draft.fields { values[name.text] = RecordValue(value) }
        return values
    }

    /// The record with some of its fields only.
    func with(_ keys: [String]?) -> Record {
        guard let keys else { return self }
        var record = self
        record.values = values.filter { keys.contains($0.key) }
        record.known?.values = nil
        return record
    }

    /// What of the record is sent.
    ///
    /// - Parameter keys: The fields to set or remove.
    func draft(_ keys: [String]) throws(RecordError) -> RecordDraft {
        guard let name = RecordName(recordID.recordName) else {
            throw RecordError(.invalidArguments, "\(recordID.recordName) is no name of a record.")
        }
        guard let type = RecordType(recordType) else {
            throw RecordError(.invalidArguments, "\(recordType) is no type of a record.")
        }
        var draft = RecordDraft(name, type, [:])
        for key in keys {
            guard let field = FieldName(key) else {
                throw RecordError(.invalidArguments, "\(key) is no name of a field.")
            }
            guard let value = values[key] else {
                draft.removed.insert(field)
                continue
            }
            guard let content = value.field else {
                throw RecordError(.invalidArguments, "The field \(key) of \(name) has a value that no record can have.")
            }
            draft.fields[field] = content
        }
        return draft
    }

    // The record as bytes

    /// The record as bytes, with its system fields, its values and the version from which its changes began: for the app's own
    /// storage. In CloudKit, `encodeSystemFields(with:)` has a part of this.
    ///
    /// - Throws: `invalidArguments` if the record has a name or value that cannot be stored.
    public func encoded() throws(RecordError) -> [UInt8] {
        var writer = JSONWriter()
        let present = try draft(allKeys()).json
        var version: [UInt8]?
        if let known {
            var old = self
            if let oldValues = known.values { old.values = oldValues }
            let draft = try old.draft(old.allKeys())
            version =
                known.system.map { system in
                    Records.Record(
                        draft.name, draft.type, draft.fields, changeTag: system.changeTag, created: system.created,
                        modified: system.modified
                    ).json
                } ?? draft.json
        }
        writer.object { writer in
            writer.member("owner", recordID.zoneID.owner)
            writer.member("zone", recordID.zoneID.zoneName)
            writer.key("record")
            writer.raw(present)
            guard let version else { return }
            writer.key("known")
            writer.raw(version)
            writer.member("isPending", isPending)
            writer.member("isPartial", known?.values == nil)
        }
        return writer.bytes
    }

    /// The record of these bytes; nil if they are not those of `encoded()`.
    public init?(encoded bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, maximumDepth: 14, maximumValues: .max),
            let name = json["zone"]?.stringValue, let present = json["record"]
        else { return nil }
        let zone = RecordZone.ID(owner: json["owner"]?.stringValue, name: name)
        guard let record = Record(present, in: zone) else { return nil }
        self = record
        known = nil
        guard let version = json["known"] else { return }
        guard let old = Record(version, in: zone) else { return nil }
        known = old.known
        known?.isPending = json["isPending"]?.boolValue ?? false
        if json["isPartial"]?.boolValue == true { known?.values = nil }
    }
}
