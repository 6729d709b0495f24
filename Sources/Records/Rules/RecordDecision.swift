import Location

/// Decides what becomes of one record of a request, from the row that is stored. It changes nothing.
struct RecordDecision {
    /// What is to be stored.
    enum Change: Equatable {
        /// A record with its tag, and its version before.
        case save(Record, previous: Record?)
        /// The record is deleted.
        case delete(Record)
    }

    /// The outcome, and what is to be stored; nil for nothing.
    typealias Verdict = (outcome: RecordOutcome, change: Change?)

    let access: ZoneAccess
    let caller: Caller
    let stamp: Record.Stamp
    let rules: SyncRules
    /// The roles of the public database.
    let schema: SchemaView
    /// The part of the zone that is open to the caller, with what the request makes in it; nil for all of it.
    var part: SharedPart?
    /// The assets that a record of the request can have, besides those that it has already.
    var assets: Set<Asset> = []

    /// Decides about a save. If it is done, the record has this tag.
    func decide(_ save: ModifyRecords.Save, _ row: RecordRow?, tag: ChangeTag) -> Verdict {
        let draft = save.draft
        guard case .record(let current, let previous)? = row?.content else {
            // A draft with a tag was made from a record that exists no more: saving it would undo the deletion.
            guard draft.changeTag == nil else { return (.unknownItem, nil) }
            guard may(.create, draft.type, nil), part?.mayMove(draft.name, below: draft.parent) ?? true else {
                return (.notPermitted, nil)
            }
            return stored(draft, draft.fields, created: stamp, tag, previous: nil)
        }
        guard may(.write, current.type, current), part?.mayWrite(current.name) ?? true else {
            return (.notPermitted, nil)
        }
        guard draft.type == current.type else { return (.typeDiffers(current.type), nil) }
        if save.policy == .ifServerRecordUnchanged, draft.changeTag != current.changeTag {
            return (conflict(current, previous, draft.changeTag), nil)
        }
        var fields = draft.fields
        if save.policy != .allKeys {
            fields = current.fields.merging(draft.fields) { _, new in new }
            for name in draft.removed { fields[name] = nil }
        }
        let parent = Record.parent(in: fields)
        if let part, parent != current.parent, !part.mayMove(current.name, below: parent) {
            return (.notPermitted, nil)
        }
        return stored(draft, fields, created: current.created, tag, previous: current)
    }

    /// Decides about a deletion.
    func decide(_ deletion: ModifyRecords.Deletion, _ row: RecordRow?) -> Verdict {
        guard case .record(let current, let previous)? = row?.content else { return (.deleted, nil) }
        guard may(.write, current.type, current), part?.mayDelete(current.name) ?? true else {
            return (.notPermitted, nil)
        }
        if let tag = deletion.changeTag, tag != current.changeTag {
            return (conflict(current, previous, tag), nil)
        }
        return (.deleted, .delete(current))
    }

    /// A record may only be changed by who may do this. What a conflict shows, only who may read it sees.
    private func may(_ right: RecordRoles.Rights, _ type: RecordType, _ record: Record?) -> Bool {
        switch access {
        case .owner, .write, .part: true
        case .read: false
        case .roles: schema.roles(of: type).rights(of: caller, creator: record?.created.account).contains(right)
        }
    }

    private func stored(
        _ draft: RecordDraft, _ fields: [FieldName: FieldValue], created: Record.Stamp, _ tag: ChangeTag,
        previous: Record?
    ) -> Verdict {
        if let (subject, most) = exceeded(draft, fields) { return (.limitExceeded(subject, most: most), nil) }
        let record = Record(
            draft.name, draft.type, fields, changeTag: tag, created: created, modified: stamp)
        return (.saved(SavedRecord(record)), .save(record, previous: previous))
    }

    private func exceeded(_ draft: RecordDraft, _ fields: [FieldName: FieldValue]) -> (Limits.Subject, Int)? {
        if fields.count > rules.limits.fields { return (.fields, rules.limits.fields) }
        if Record.size(draft.name, draft.type, fields) > rules.limits.recordBytes {
            return (.recordBytes, rules.limits.recordBytes)
        }
        return nil
    }

    /// An asset of a draft that the record cannot have, because its bytes are not there; the first one, if there are several.
    func missingAsset(of draft: RecordDraft, _ row: RecordRow?) -> Asset? {
        let wanted = draft.assets.subtracting(assets)
        guard !wanted.isEmpty else { return nil }
        // Of a record that the caller may write and not read, it does not learn what it has.
        let known = row?.record.flatMap { mayRead($0) ? $0.assets : nil } ?? []
        let missing = wanted.subtracting(known)
        return missing.min { $0.digest.lexicographicallyPrecedes($1.digest) }
    }

    private func mayRead(_ record: Record) -> Bool { access != .roles || may(.read, record.type, record) }

    private func conflict(_ current: Record, _ previous: Record?, _ tag: ChangeTag?) -> RecordOutcome {
        let mayRead = mayRead(current)
        // The version before may be from before the record was shared, or was put below a shared one.
        let mayReadPrevious = mayRead && (access == .owner || access == .roles)
        return .conflict(
            Conflict(
                serverChangeTag: current.changeTag, server: mayRead ? current : nil,
                ancestor: mayReadPrevious && previous?.changeTag == tag ? previous : nil))
    }
}
