import JSONText
import Records
import SyncInterface

/// Saves and deletions of records of one zone that are put into the copy, and what becomes of each.
struct ZoneChanges {
    let database: Database
    let zone: RecordZone.ID
    let policy: Database.SavePolicy
    let saves: [Record]
    let deletions: [Record.ID]
    /// Whether a field that another program has changed, and whose change is not sent yet, is not replaced. The changes of an engine
    /// replace its own earlier ones, which the app has made from the same version.
    var respectsUnsent = true

    private(set) var saveResults: [Record.ID: Result<Record, RecordError>] = [:]
    private(set) var deleteResults: [Record.ID: Result<Void, RecordError>] = [:]
    /// The revision of the copy after its change that has this record; the hub has not acknowledged the change yet.
    private(set) var revisions: [Record.ID: Int64] = [:]

    init(
        database: Database, zone: RecordZone.ID, policy: Database.SavePolicy, saves: [Record], deletions: [Record.ID]
    ) {
        self.database = database
        self.zone = zone
        self.policy = policy
        self.saves = saves
        self.deletions = deletions
    }

    /// The revision of the copy whose records were compared.
    private var comparedAt: Int64?

    /// A change that is to be made in the copy.
    private enum Step {
        case save(ModifyRecords.Save, then: Record)
        case delete(Record.ID, RecordName)

        var size: Int {
            switch self {
            case .save(let save, _): save.draft.size
            case .delete(_, let name): name.text.utf8.count
            }
        }

        var id: Record.ID {
            switch self {
            case .save(_, let record): record.recordID
            case .delete(let id, _): id
            }
        }
    }

    /// The records of the copy were changed after they were compared.
    private struct CopyChanged: Error {}

    /// How often the records are compared again because they were changed meanwhile.
    private static let mostComparisons = 100

    /// Makes the changes in the copy. They are made only if nobody has changed the records since they were compared with those of
    /// the copy.
    ///
    /// - Throws: An error that does not concern a record, such as that `waymark-sync` is unavailable.
    mutating func submit(atomically: Bool) async throws {
        for _ in 0..<Self.mostComparisons {
            do { return try await submitOnce(atomically: atomically) } catch is CopyChanged {
                // What was made before is found so, and is not made again.
                (saveResults, deleteResults, revisions) = ([:], [:], [:])
            }
        }
        throw RecordError(.serviceUnavailable, "The records are changed all the time by other programs. Try again.")
    }

    private mutating func submitOnce(atomically: Bool) async throws {
        let steps: [Step]
        do {
            steps = try await prepare()
        } catch let error as RecordError where !error.isTemporary {
            return fail((saves.map(\.recordID) + deletions).map { $0 }, error)
        }
        let culprit = failure
        if atomically {
            if let culprit { return failRest(steps, of: culprit) }
            do { try await send(steps) } catch let error as RecordError where !error.isTemporary {
                fail(steps.map(\.id), error)
            }
            return
        }
        var rest = steps[...]
        while !rest.isEmpty {
            let part = Self.fitting(rest)
            try await sendSeparately(Array(part))
            rest = rest.dropFirst(part.count)
        }
    }

    /// Compares the records with those of the copy, and notes the results that are certain already.
    private mutating func prepare() async throws -> [Step] {
        var names = saves.map(\.recordID.recordName)
        names += deletions.map(\.recordName)
        let (present, revision) = try await database.present(Array(Set(names)), in: zone)
        comparedAt = revision
        var steps: [Step] = []
        var added: [(keys: [String], record: Record)] = []
        for record in saves {
            do throws(RecordError) {
                switch try comparison(record, with: present[record.recordID]) {
                case .nothingToDo(let record):
                    saveResults[record.recordID] = .success(record)
                    // The same change was made before, and is not acknowledged yet.
                    if record.isPending { revisions[record.recordID] = 0 }
                case .save(let save, let record):
                    added.append((save.draft.fields.keys.map(\.text), record))
                    steps.append(.save(save, then: record))
                }
            } catch {
                saveResults[record.recordID] = .failure(error)
            }
        }
        for id in deletions {
            guard let name = RecordName(id.recordName) else {
                deleteResults[id] = .failure(
                    RecordError(.invalidArguments, "\(id.recordName) is no name of a record."))
                continue
            }
            guard present[id] != nil else {
                deleteResults[id] = .success(())
                continue
            }
            steps.append(.delete(id, name))
        }
        // The bytes are durable on this machine before the records are.
        for (keys, record) in added {
            do { try await database.addAssets(of: record, keys, in: zone) } catch let error as RecordError
                where !error.isTemporary
            {
                saveResults[record.recordID] = .failure(error)
                steps.removeAll { $0.id == record.recordID }
            }
        }
        return steps
    }

    private enum Comparison {
        case nothingToDo(Record)
        case save(ModifyRecords.Save, Record)
    }

    private func comparison(_ record: Record, with present: Record?) throws(RecordError) -> Comparison {
        if present == nil, record.recordChangeTag != nil { throw Database.unknown(record.recordID) }
        if let present, present.recordType != record.recordType {
            throw RecordError(
                .invalidArguments,
                "The record \(record.recordID) has the type \(present.recordType), which never changes.")
        }
        let keys = policy == .allKeys ? record.allKeys() : record.changedKeys()
        var draft = try record.draft(keys)
        var after = present ?? record
        if policy == .allKeys { after.values = record.values }
        for key in keys { after.values[key] = record.values[key] }
        if let present, after.values == present.values { return .nothingToDo(present) }
        let replacesUnsent = respectsUnsent && present.map { record.replacesUnsent(keys, of: $0) } ?? false
        if policy == .ifServerRecordUnchanged, let present, replacesUnsent || !record.isBased(on: present) {
            throw .conflict(record, ancestor: record.ancestor, server: present)
        }
        // The version of a record with a change that is not sent yet has no tag; the next change joins that one.
        if let present, !present.isPending, let tag = present.known?.system?.changeTag { draft.changeTag = tag }
        after.known = KnownRecord(system: present?.known?.system, values: after.values, isPending: true)
        return .save(ModifyRecords.Save(draft, policy.stored), after)
    }

    // Sending

    private static func fitting(_ steps: ArraySlice<Step>) -> ArraySlice<Step> {
        let limits = Limits()
        var size = 0
        var count = 0
        for step in steps.prefix(limits.records) {
            size += step.size
            guard count == 0 || size <= limits.requestBytes else { break }
            count += 1
        }
        return steps.prefix(count)
    }

    /// Makes changes together, or, if that is refused, one by one.
    private mutating func sendSeparately(_ steps: [Step]) async throws {
        do { return try await send(steps) } catch let error as RecordError where !error.isTemporary {
            guard steps.count > 1, error.code != .zoneNotFound else { return fail(steps.map(\.id), error) }
        }
        for step in steps {
            do { try await send([step]) } catch let error as RecordError where !error.isTemporary {
                fail([step.id], error)
            }
        }
    }

    private mutating func send(_ steps: [Step]) async throws {
        guard !steps.isEmpty else { return }
        // Only the records are in the body, and not the zone.
        guard let name = ContainerName("zone"), let owner = AccountID("zone") else { return }
        var body = ModifyRecords(ZoneID(Records.Container(name, .production), owner: owner, .defaultZone))
        for step in steps {
            switch step {
            case .save(let save, _): body.saves.append(save)
            case .delete(_, let name): body.deletions.append(ModifyRecords.Deletion(name))
            }
        }
        let client = database.client
        let reply: SyncInterface.ModifyRecords.Reply
        do {
            reply = try await client.call(
                SyncInterface.ModifyRecords(
                    container: client.container, environment: client.environment, owner: zone.owner,
                    zone: zone.zoneName, request: try JSON.parse(body.json, maximumValues: .max),
                    unchangedSince: comparedAt))
        } catch let error as RecordError where error.code == .serverRecordChanged { throw CopyChanged() }
        for step in steps {
            revisions[step.id] = reply.revision
            switch step {
            case .save(_, let record): saveResults[record.recordID] = .success(record)
            case .delete(let id, _): deleteResults[id] = .success(())
            }
        }
    }

    // Results

    private var failure: Record.ID? {
        for (id, result) in saveResults { if case .failure = result { return id } }
        for (id, result) in deleteResults { if case .failure = result { return id } }
        return nil
    }

    private mutating func failRest(_ steps: [Step], of culprit: Record.ID) {
        let error = RecordError(
            .batchRequestFailed, "Nothing of the request was changed, because the record \(culprit) was refused.")
        fail(steps.map(\.id), error)
    }

    private mutating func fail(_ ids: [Record.ID], _ error: RecordError) {
        let saved = Set(saves.map(\.recordID))
        for id in ids {
            if saved.contains(id) { saveResults[id] = .failure(error) } else { deleteResults[id] = .failure(error) }
        }
    }
}

extension Record {
    /// Whether nobody has changed the copy's record since the app has read it: it has the same tag, or still the same values.
    /// A change of this machine gets its tag later, when the hub has acknowledged it.
    fileprivate func isBased(on present: Record) -> Bool {
        guard let known else { return present.recordChangeTag == nil }
        return present.recordChangeTag == known.system?.changeTag.text || present.values == known.values
    }

    /// Whether one of these fields has a change in the copy that is not sent yet, and that the app has not read. The tag of such a
    /// version is that of the hub's one, so that it shows nothing.
    fileprivate func replacesUnsent(_ keys: [String], of present: Record) -> Bool {
        guard present.isPending else { return false }
        let read: [String: RecordValue]
        switch known {
        case nil: read = [:]
        case let known?:
            // Of a version that was read in part nothing can be said.
            guard let values = known.values else { return false }
            read = values
        }
        return keys.contains { present.values[$0] != read[$0] && present.values[$0] != values[$0] }
    }

    /// The version that the app has read, if all of its values are known.
    fileprivate var ancestor: Record? {
        guard let known, let values = known.values else { return nil }
        var record = self
        record.values = values
        return record
    }
}

extension Database.SavePolicy {
    var stored: Records.SavePolicy {
        switch self {
        case .ifServerRecordUnchanged: .ifServerRecordUnchanged
        case .changedKeys: .changedKeys
        case .allKeys: .allKeys
        }
    }
}
