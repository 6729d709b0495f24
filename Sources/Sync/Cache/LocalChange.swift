import Records

/// A change that a program on this machine has made to a record.
enum LocalChange: Equatable, Sendable {
    case save(ModifyRecords.Save)
    case delete(ModifyRecords.Deletion)

    /// The version that the change is based on; nil if it makes the record, or deletes any version.
    var changeTag: ChangeTag? {
        get {
            switch self {
            case .save(let save): save.draft.changeTag
            case .delete(let deletion): deletion.changeTag
            }
        }
        set {
            switch self {
            case .save(var save):
                save.draft.changeTag = newValue
                self = .save(save)
            case .delete(var deletion):
                deletion.changeTag = newValue
                self = .delete(deletion)
            }
        }
    }

    /// The size that limits count, in bytes.
    var size: Int {
        switch self {
        case .save(let save): save.draft.size
        case .delete(let deletion): deletion.name.text.utf8.count
        }
    }

    /// The request that makes only this change.
    func request(in zone: ZoneID) -> ModifyRecords {
        switch self {
        case .save(let save): ModifyRecords(zone, saves: [save])
        case .delete(let deletion): ModifyRecords(zone, deletions: [deletion])
        }
    }

    /// The only change of a request; nil if it has none or several.
    init?(_ request: ModifyRecords) {
        switch (request.saves.count, request.deletions.count) {
        case (1, 0): self = .save(request.saves[0])
        case (0, 1): self = .delete(request.deletions[0])
        default: return nil
        }
    }

    /// This change and one after it, as one change of the hub's version of the record, `base`.
    func followed(by next: LocalChange, base: Record?) -> LocalChange {
        switch (self, next) {
        case (_, .delete(var deletion)):
            deletion.changeTag = deletion.changeTag ?? changeTag
            return .delete(deletion)
        case (.delete, .save(var save)):
            // The record that the hub still has gets exactly the fields of the new one.
            save.draft.removed.formUnion(Set(base?.fields.keys.map(\.self) ?? []).subtracting(save.draft.fields.keys))
            save.draft.changeTag = save.draft.changeTag ?? changeTag ?? base?.changeTag
            return .save(save)
        case (.save(let earlier), .save(var later)):
            later.draft.changeTag = later.draft.changeTag ?? changeTag
            guard later.policy != .allKeys else { return .save(later) }
            let removed = later.draft.removed
            later.draft.removed.formUnion(earlier.draft.removed.subtracting(later.draft.fields.keys))
            for (name, value) in earlier.draft.fields where !removed.contains(name) && later.draft.fields[name] == nil {
                later.draft.fields[name] = value
            }
            // The stricter policy, because the fields of the earlier change were to be saved under it.
            if earlier.policy != .changedKeys { later.policy = earlier.policy }
            return .save(later)
        }
    }
}
