import Records
import SyncInterface

/// Reports what has changed in the copy.
extension SyncEngineWorker {
    private static let changesAtOnce = 200

    /// Reads pages of changes and reports each, until there are no more.
    ///
    /// - Parameter isRequested: Whether the beginning and the end are reported even if nothing has changed.
    func readChanges(isRequested: Bool) async throws {
        var hasBegun = false
        if isRequested { await send(.willFetchChanges) }
        hasBegun = isRequested
        while true {
            try Task.checkCancellation()
            let (place, revision) = state.progress.withLock { ($0.place, $0.revision) }
            guard let place else { return }
            let page = try await database.client.call(
                database.client.changes(since: revision, of: place.copy, limit: Self.changesAtOnce))
            if page.reset {
                guard page.copy == place.copy else {
                    // The account was left, and perhaps joined again, since it was compared.
                    guard try await noteAccount() else { break }
                    continue
                }
                await reset()
                continue
            }
            if !page.changes.isEmpty, !hasBegun {
                hasBegun = true
                await send(.willFetchChanges)
            }
            if page.revision != revision { try await report(page) }
            guard page.moreComing else { break }
        }
        if hasBegun { await send(.didFetchChanges) }
    }

    /// Begins to read everything again, because deletions are not known any more.
    private func reset() async {
        let deleted = state.progress.withLock { progress in
            progress.revision = 0
            progress.known = [:]
            // Their acknowledgements may not be known either. A deletion that is refused appears as a record.
            let deleted = progress.handed.filter(\.value.isDeletion).map(\.key)
            for id in deleted { progress.handed[id] = nil }
            return deleted
        }
        await send(.didReset)
        if !deleted.isEmpty {
            var sent = SyncEngine.Event.SentRecordZoneChanges()
            sent.deletedRecordIDs = deleted
            await send(.sentRecordZoneChanges(sent))
        }
        await sendState()
    }

    private func report(_ page: SyncInterface.GetChanges.Reply) async throws {
        let refusals = try await refusals(of: page)
        var reading = PageReading(state.progress.withLock { $0 }, refusals)
        for change in page.changes where database.includes(owner: change.owner) { try reading.read(change) }
        if !reading.zones.modifications.isEmpty || !reading.zones.deletions.isEmpty {
            await send(.fetchedDatabaseChanges(reading.zones))
        }
        if !reading.records.modifications.isEmpty || !reading.records.deletions.isEmpty {
            await send(.fetchedRecordZoneChanges(reading.records))
        }
        if !reading.sent.isEmpty { await send(.sentRecordZoneChanges(reading.sent)) }
        state.progress.withLock { progress in
            progress.revision = page.revision
            progress.known = reading.known
            for id in reading.settled { progress.handed[id] = nil }
        }
        await sendState()
        // The app has received these errors, and has stored that it has.
        if !reading.refused.isEmpty { try await database.discard(reading.refused, onlyRefused: true) }
    }

    /// The changes that the hub has refused, if the page may have such a change of this engine.
    private func refusals(of page: SyncInterface.GetChanges.Reply) async throws -> [Record.ID: RecordError] {
        let handed = state.progress.withLock { $0.handed }
        let zones = Set(handed.keys.map(\.zoneID))
        let mayHave = page.changes.contains { change in
            let zone = RecordZone.ID(owner: change.owner, name: change.zone)
            guard let name = change.name else { return change.deleted != nil && zones.contains(zone) }
            return !change.pending && !change.local && handed[Record.ID(recordName: name, zoneID: zone)] != nil
        }
        return mayHave ? try await database.refusedChanges() : [:]
    }
}

/// What a page of changes has for the app.
private struct PageReading {
    var zones = SyncEngine.Event.FetchedDatabaseChanges()
    var records = SyncEngine.Event.FetchedRecordZoneChanges()
    var sent = SyncEngine.Event.SentRecordZoneChanges()
    /// The zones that the app knows after the page.
    private(set) var known: [RecordZone.ID: Int64]
    /// The changes of this engine that the hub has acknowledged or refused.
    private(set) var settled: [Record.ID] = []
    /// Those that it has refused, and that are still listed as such.
    private(set) var refused: [Record.ID] = []
    private let handed: [Record.ID: SyncEngineProgress.Handed]
    private let refusals: [Record.ID: RecordError]

    init(_ progress: SyncEngineProgress, _ refusals: [Record.ID: RecordError]) {
        known = progress.known
        handed = progress.handed
        self.refusals = refusals
    }

    mutating func read(_ change: SyncInterface.Change) throws(RecordError) {
        let zone = RecordZone.ID(owner: change.owner, name: change.zone)
        guard let name = change.name else { return readZone(zone, change) }
        let id = Record.ID(recordName: name, zoneID: zone)
        let record = try change.record.map { (json) throws(RecordError) in try Database.record(json, in: zone) }
        guard let own = handed[id] else { return fetched(id, record) }
        if change.pending {
            // This engine's own change; with a greater revision it is one of another program.
            if !change.local || change.revision > own.revision { fetched(id, record) }
            return
        }
        settled.append(id)
        if !change.local, let error = refusals[id] {
            refused.append(id)
            refuse(id, own, error)
            return fetched(id, record)
        }
        if own.isDeletion {
            sent.deletedRecordIDs.append(id)
            if record != nil { fetched(id, record) }
        } else if let record {
            sent.savedRecords.append(record)
            if !change.local { fetched(id, record) }
        } else {
            refuse(id, own, Database.unknown(id))
            fetched(id, nil)
        }
    }

    private mutating func fetched(_ id: Record.ID, _ record: Record?) {
        if let record { records.modifications.append(record) } else { records.deletions.append(id) }
    }

    private mutating func refuse(_ id: Record.ID, _ own: SyncEngineProgress.Handed, _ error: RecordError) {
        if own.isDeletion {
            sent.failedRecordDeletes.append((id, error))
        } else {
            sent.failedRecordSaves.append((id, error))
        }
    }

    private mutating func readZone(_ zone: RecordZone.ID, _ change: SyncInterface.Change) {
        let before = known[zone]
        if change.deleted == ZoneDeletionReason.encryptedDataReset.rawValue {
            // The zone is there, and its records follow.
            known[zone] = change.revision
            zones.deletions.append((zone, .encryptedDataReset))
            zones.modifications.append(zone)
            return
        }
        if let reason = change.deleted {
            known[zone] = nil
            zones.deletions.append((zone, RecordZone.DeletionReason(reason)))
            let code: RecordError.Code = reason == ZoneDeletionReason.purged.rawValue ? .userDeletedZone : .zoneNotFound
            for (id, own) in handed where id.zoneID == zone {
                settled.append(id)
                if refusals[id] != nil { refused.append(id) }
                refuse(id, own, refusals[id] ?? RecordError(code, "The zone \(zone) was deleted."))
            }
            return
        }
        known[zone] = change.revision
        switch before {
        case -1: return
        case let revision? where revision != change.revision: zones.deletions.append((zone, .deleted))
        default: break
        }
        zones.modifications.append(zone)
    }
}
