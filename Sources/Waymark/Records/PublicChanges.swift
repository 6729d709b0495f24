import JSONText
import Records
import SyncInterface

/// Saves and deletions of records of the public database, which the hub makes, and what becomes of each.
struct PublicChanges {
    private let database: Database
    private let policy: Database.SavePolicy

    private(set) var saveResults: [Record.ID: Result<Record, RecordError>] = [:]
    private(set) var deleteResults: [Record.ID: Result<Void, RecordError>] = [:]

    init(database: Database, policy: Database.SavePolicy) {
        self.database = database
        self.policy = policy
    }

    /// What is sent of a change.
    private enum Step {
        case save(ModifyRecords.Save, Record)
        case delete(ModifyRecords.Deletion, Record.ID)

        var size: Int {
            switch self {
            case .save(let save, _): save.draft.size
            case .delete(let deletion, _): deletion.name.text.utf8.count
            }
        }
    }

    /// Has the hub make the changes, in as many requests as they need.
    ///
    /// - Throws: An error that does not concern a record. Changes of requests before that were made.
    mutating func submit(_ saves: [Record], _ deletions: [Record.ID], in zone: RecordZone.ID) async throws {
        try database.require(zone)
        var rest = try await steps(saves, deletions, in: zone)[...]
        let limits = Limits()
        while !rest.isEmpty {
            var size = 0
            let part = rest.prefix(limits.records).prefix { step in
                defer { size += step.size }
                return size == 0 || size + step.size <= limits.requestBytes
            }
            try await send(Array(part), in: zone)
            rest = rest.dropFirst(part.count)
        }
    }

    /// What is to be sent, once the hub has the bytes of the assets.
    private mutating func steps(
        _ saves: [Record], _ deletions: [Record.ID], in zone: RecordZone.ID
    ) async throws -> [Step] {
        var steps: [Step] = []
        for record in saves {
            do {
                let keys = policy == .allKeys ? record.allKeys() : record.changedKeys()
                var draft = try record.draft(keys)
                draft.changeTag = record.known?.system?.changeTag
                try await database.addAssets(of: record, keys, in: zone)
                steps.append(.save(ModifyRecords.Save(draft, policy.stored), record))
            } catch let error as RecordError where !error.isTemporary {
                saveResults[record.recordID] = .failure(error)
            }
        }
        for id in deletions {
            guard let name = RecordName(id.recordName) else {
                deleteResults[id] = .failure(
                    RecordError(.invalidArguments, "\(id.recordName) is no name of a record."))
                continue
            }
            steps.append(.delete(ModifyRecords.Deletion(name), id))
        }
        return steps
    }

    private mutating func send(_ steps: [Step], in zone: RecordZone.ID) async throws {
        // Only the records are in the body, and not the zone.
        guard let name = ContainerName("zone") else { return }
        var body = ModifyRecords(ZoneID(Records.Container(name, .production), owner: nil, .defaultZone))
        for step in steps {
            switch step {
            case .save(let save, _): body.saves.append(save)
            case .delete(let deletion, _): body.deletions.append(deletion)
            }
        }
        let client = database.client
        let reply: SyncInterface.ModifyPublicRecords.Reply
        do {
            reply = try await client.call(
                SyncInterface.ModifyPublicRecords(
                    container: client.container, environment: client.environment,
                    request: try JSON.parse(body.json, maximumValues: .max)))
        } catch let error as RecordError where !error.isTemporary {
            return fail(steps, error)
        }
        // The hub answers for the saves before it does for the deletions; the steps are in this order.
        for (step, outcome) in zip(steps, reply.outcomes) { note(outcome, of: step) }
    }

    private mutating func note(_ outcome: JSON, of step: Step) {
        switch step {
        case .delete(_, let id):
            deleteResults[id] =
                outcome["deleted"]?.boolValue == true ? .success(()) : .failure(RecordError(outcome, id))
        case .save(_, let record):
            guard outcome["saved"] != nil else {
                var error = RecordError(outcome, record.recordID)
                if error.code == .serverRecordChanged { error.clientRecord = record }
                saveResults[record.recordID] = .failure(error)
                return
            }
            guard let saved = SavedRecord(outcome: outcome) else {
                saveResults[record.recordID] = .failure(
                    RecordError(
                        .incompatibleVersion, "waymark-sync has a record that this release of the library cannot read.")
                )
                return
            }
            var record = record
            // What an app has read in part is known in part.
            let values = record.known.map { $0.values == nil ? nil : record.values } ?? record.values
            record.known = KnownRecord(system: saved, values: values, isPending: false)
            saveResults[record.recordID] = .success(record)
        }
    }

    private mutating func fail(_ steps: [Step], _ error: RecordError) {
        for step in steps {
            switch step {
            case .save(_, let record): saveResults[record.recordID] = .failure(error)
            case .delete(_, let id): deleteResults[id] = .failure(error)
            }
        }
    }
}

extension SavedRecord {
    /// The system fields in the outcome of a save; nil if they cannot be read.
    fileprivate init?(outcome: JSON) {
        guard case .saved(let saved)? = try? RecordOutcome(json: outcome.bytes) else { return nil }
        self = saved
    }
}
