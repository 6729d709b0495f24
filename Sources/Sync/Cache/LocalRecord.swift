import JSONText
import Records

/// What programs on this machine see of a record. Whenever it becomes another one, that is a change of the copy.
struct SeenRecord: Equatable, Sendable {
    /// The record; nil if there is none.
    var record: LocalRecord?
    /// Whether there is a change that is not sent yet, which may be a deletion.
    var isPending: Bool

    /// What programs see of the hub's version and a change.
    init(_ change: ChangeRow?, of base: Record?) {
        let seen = change?.seen ?? []
        record = LocalRecord.after(seen, of: base)
        isPending = !seen.isEmpty
    }
}

/// A record as programs on this machine see it: the hub's version with the changes that are not sent yet.
struct LocalRecord: Equatable, Sendable {
    var name: RecordName
    var type: RecordType
    var fields: [FieldName: FieldValue]
    /// The system fields of the version that the hub has; nil if it has none yet.
    var system: SavedRecord?
    /// Whether there is a change that is not sent yet.
    var isPending = false

    /// The record of the hub.
    init(_ record: Record) {
        name = record.name
        type = record.type
        fields = record.fields
        system = SavedRecord(record)
    }

    /// A record that a draft makes.
    init(_ draft: RecordDraft) {
        name = draft.name
        type = draft.type
        fields = draft.fields
        isPending = true
    }

    /// The hub's version with these changes, one after the other; nil if there is no record then.
    static func after(_ changes: [LocalChange], of base: Record?) -> LocalRecord? {
        changes.reduce(base.map(LocalRecord.init)) { record, change in
            switch change {
            case .delete: return nil
            case .save(let save):
                guard var record else {
                    // A save with a tag never makes a record.
                    return save.draft.changeTag == nil ? LocalRecord(save.draft) : nil
                }
                if save.policy == .allKeys { record.fields = [:] }
                for name in save.draft.removed { record.fields[name] = nil }
                record.fields.merge(save.draft.fields) { _, new in new }
                record.isPending = true
                return record
            }
        }
    }

    /// Whether two records have the same type and fields, or neither exists.
    static func haveSameContents(_ left: LocalRecord?, _ right: LocalRecord?) -> Bool {
        left?.type == right?.type && left?.fields == right?.fields
    }

    /// The value of a field, also of one that the hub maintains; nil without one, as before the hub has the record.
    func value(of field: FieldName) -> FieldValue? {
        switch field.systemField {
        case .created: system.map { .date($0.created.time) }
        case .modified: system.map { .date($0.modified.time) }
        case .name: .string(name.text)
        case nil: fields[field]
        }
    }

    /// The size that limits count, in bytes.
    var size: Int { RecordDraft(name, type, fields).size }

    /// The record as JSON, as the hub writes it, without system fields if it has none, and with `pending`.
    var json: JSON {
        let bytes: [UInt8]
        if let system {
            bytes =
                Record(
                    name, type, fields, changeTag: system.changeTag, created: system.created, modified: system.modified
                ).json
        } else {
            bytes = RecordDraft(name, type, fields).json
        }
        guard case .object(var members)? = try? JSON.parse(bytes, maximumDepth: 12, maximumValues: .max) else {
            preconditionFailure("a record is written as an object")
        }
        if isPending { members.append(JSON.Member("pending", true)) }
        return .object(members)
    }

    /// The record for a query, which uses type and fields only; nil if the hub has no version of it, because a query of the
    /// hub would not find it either.
    func matches(_ query: Query) -> Bool { query.matches(type, fields) }
}
