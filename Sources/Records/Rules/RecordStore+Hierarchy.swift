import Location

// Hierarchies: a record whose field `parent` refers to another record of the zone is below that one. A record is shared with all
// that are below it.

extension RecordStore {
    /// The records of a zone that are shared because they, or records above them, are.
    func part(
        _ roots: [RecordName: Participant.Permission], of zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<SharedPart, Refusal> {
        var part = SharedPart(roots: Set(roots.keys))
        // Where two shared records have the same below them, the one that may be written decides.
        for permission in [Participant.Permission.write, .read] {
            var level = roots.filter { $0.value == permission }.map(\.key).filter { part.insert($0, permission) }
            var deleted: [RecordName] = []
            while !level.isEmpty || !deleted.isEmpty {
                var next: [RecordName] = []
                var nextDeleted: [RecordName] = []
                for child in try transaction.children(of: level, in: zone) {
                    if child.isDeleted {
                        if part.insertDeleted(child.name) { nextDeleted.append(child.name) }
                    } else if part.insert(child.name, permission) {
                        next.append(child.name)
                    }
                }
                for child in try transaction.children(of: deleted, in: zone) where child.isDeleted {
                    if part.insertDeleted(child.name) { nextDeleted.append(child.name) }
                }
                if let refusal = rules.limits.refusal(part.records.count + part.deleted.count, .hierarchy) {
                    return .failure(refusal)
                }
                (level, deleted) = (next, nextDeleted)
            }
        }
        return .success(part)
    }

    /// The part of a zone that an access is about; nil for all of it.
    func part(
        _ access: ZoneAccess, of zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<SharedPart?, Refusal> {
        guard case .part(let roots) = access else { return .success(nil) }
        return try part(roots, of: zone, &transaction).map { $0 }
    }

    /// The part of a zone that an access is about, as far as these records and those above them are in it; nil for all of it. It
    /// costs what is above these records, and not what is below the shared ones. It has no deleted records.
    func part(
        _ access: ZoneAccess, of zone: ZoneID, only names: Set<RecordName>, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<SharedPart?, Refusal> {
        guard case .part(let roots) = access else { return .success(nil) }
        var parents: [RecordName: RecordName] = [:]
        var known = names
        var level = names
        var depth = 0
        while !level.isEmpty {
            depth += 1
            // What is below costs less then.
            guard depth <= Self.mostAncestors else { return try part(roots, of: zone, &transaction).map { $0 } }
            let found = try transaction.parents(of: level.sorted(), in: zone)
            parents.merge(found) { old, _ in old }
            level = Set(found.values).subtracting(known)
            known.formUnion(level)
        }
        var part = SharedPart(roots: Set(roots.keys))
        for name in names {
            var above: Set<RecordName> = []
            var next: RecordName? = name
            while let name = next, above.insert(name).inserted { next = parents[name] }
            // Where several shared records are above one, the one that may be written decides.
            let permissions = above.compactMap { roots[$0] }
            if let permission = permissions.first(where: { $0 == .write }) ?? permissions.first {
                _ = part.insert(name, permission)
            }
        }
        return .success(part)
    }

    /// Changes of records as the databases list them in which the zone is seen, and what has to be different for those who see a
    /// part of it: a record that is deleted is shared no longer. The rows are stored already, the zone's row is not.
    func spread(
        _ rows: [RecordRow], over stored: [RecordName: RecordRow], in zone: ZoneID, _ row: inout ZoneRow,
        at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [DatabaseID: [ZoneChange]] {
        let changes = rows.compactMap { RecordChange(stored[$0.name]?.record, $0.record) }
        let all = ZoneChange(zone, .changed, records: changes)
        guard zone.name != .defaultZone else { return [zone.database: [all]] }
        let participants = try transaction.participants(of: zone)
        let whole = Set(participants.filter { $0.root == nil && $0.hasAccepted }.map(\.account))
        var listed = [zone.database: [all]]
        for account in whole { listed[DatabaseID(zone.container, .shared(account))] = [all] }
        var parts: [AccountID: Set<RecordName>] = [:]
        for participant in participants where participant.hasAccepted {
            if let root = participant.root { parts[participant.account, default: []].insert(root) }
        }
        let deleted = Set(rows.filter { $0.record == nil }.map(\.name))
        for participant in participants {
            guard let root = participant.root, deleted.contains(root) else { continue }
            try transaction.removeParticipant(participant.account, root: root, of: zone)
        }
        guard !parts.isEmpty else { return listed }

        let hasMoved = try hasMoved(rows, over: stored, in: zone, &transaction)
        if hasMoved { row.hierarchy += 1 }
        let ancestors = try ancestors(of: rows, in: zone, &transaction)
        for (account, roots) in parts where !whole.contains(account) {
            let left = roots.subtracting(deleted)
            let database = DatabaseID(zone.container, .shared(account))
            guard !left.isEmpty else {
                listed[database] = [ZoneChange(zone, .deleted(.withdrawn, now))]
                continue
            }
            let own = changes.filter { change in
                ancestors.of[change.record.name].map { !$0.isDisjoint(with: left) } ?? false
            }
            guard hasMoved || !ancestors.isComplete || left != roots || !own.isEmpty else { continue }
            listed[database] = [ZoneChange(zone, .changed, records: own)]
        }
        return listed
    }

    /// Whether records that are not among these rows have become part of a hierarchy, or are no longer, or these have in such a
    /// manner that a client with a token would not learn it.
    private func hasMoved(
        _ rows: [RecordRow], over stored: [RecordName: RecordRow], in zone: ZoneID,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Bool {
        var appeared: [RecordName] = []
        for row in rows {
            let old = stored[row.name]
            if let old, row.record != nil, old.parent != row.parent { return true }
            if (old?.record == nil) != (row.record == nil) { appeared.append(row.name) }
        }
        let changed = Set(rows.map(\.name))
        return try transaction.children(of: appeared, in: zone).contains { !$0.isDeleted && !changed.contains($0.name) }
    }

    /// The most records that are above one, for the purpose of notifying those who share one of them. Of more, all are notified
    /// who share any record of the zone.
    private static var mostAncestors: Int { 1_000 }

    /// These records and those that are above them.
    private func ancestors(
        of rows: [RecordRow], in zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> (of: [RecordName: Set<RecordName>], isComplete: Bool) {
        var parents: [RecordName: RecordName] = [:]
        for row in rows { parents[row.name] = row.parent }
        var known = Set(rows.map(\.name))
        var level = Set(parents.values).subtracting(known)
        var depth = 0
        while !level.isEmpty, depth < Self.mostAncestors {
            depth += 1
            known.formUnion(level)
            let found = try transaction.parents(of: level.sorted(), in: zone)
            parents.merge(found) { old, _ in old }
            level = Set(found.values).subtracting(known)
        }
        var ancestors: [RecordName: Set<RecordName>] = [:]
        for row in rows {
            var above: Set = [row.name]
            var next = row.parent
            while let name = next, above.insert(name).inserted { next = parents[name] }
            ancestors[row.name] = above
        }
        return (ancestors, level.isEmpty)
    }
}
