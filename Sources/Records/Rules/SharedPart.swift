/// The records of a zone that an account may use because they, or records above them, are shared with it.
struct SharedPart: Equatable {
    /// The records that are shared themselves.
    let roots: Set<RecordName>
    /// They and all that are below them, with what the account may do.
    private(set) var records: [RecordName: Participant.Permission] = [:]
    /// The deleted records that were below them. Below a deleted record are only other deleted ones.
    private(set) var deleted: Set<RecordName> = []

    init(roots: Set<RecordName>) { self.roots = roots }

    func mayRead(_ name: RecordName) -> Bool { records[name] != nil }
    func mayWrite(_ name: RecordName) -> Bool { records[name] == .write }

    /// Whether a record may be given this parent. The place of a shared record itself is its owner's decision.
    func mayMove(_ name: RecordName, below parent: RecordName?) -> Bool {
        guard let parent, parent != name, !roots.contains(name) else { return false }
        return mayWrite(parent)
    }

    /// Whether a record may be deleted. A shared record itself is deleted by those who have all of the zone.
    func mayDelete(_ name: RecordName) -> Bool { mayWrite(name) && !roots.contains(name) }

    /// Adds a record; false if it was there already.
    mutating func insert(_ name: RecordName, _ permission: Participant.Permission) -> Bool {
        guard records[name] == nil else { return false }
        records[name] = permission
        return true
    }

    /// Adds a deleted record; false if it was there already.
    mutating func insertDeleted(_ name: RecordName) -> Bool { deleted.insert(name).inserted }

    /// Adds the records that a request makes below others, in whichever order it has them.
    mutating func insert(madeBy saves: [ModifyRecords.Save], _ stored: [RecordName: RecordRow]) {
        var made = saves.map(\.draft).filter { stored[$0.name]?.record == nil }
        while true {
            let count = made.count
            made.removeAll { draft in
                guard let parent = draft.parent, mayWrite(parent) else { return false }
                _ = insert(draft.name, .write)
                return true
            }
            if made.count == count { return }
        }
    }
}

extension RecordDraft {
    /// The parent that the draft sets; nil if it sets none.
    var parent: RecordName? { Record.parent(in: fields) }
}
