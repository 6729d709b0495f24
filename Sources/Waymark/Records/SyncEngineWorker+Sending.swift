import SyncInterface

/// Puts the changes of the app into the copy.
extension SyncEngineWorker {
    func sendChanges(_ context: SyncEngine.SendChangesContext) async throws {
        let pending = state.progress.withLock { progress in
            (
                zones: progress.zones.changes,
                hasRecords: progress.records.changes.contains(where: context.options.scope.contains)
            )
        }
        guard !pending.zones.isEmpty || pending.hasRecords else { return }
        await send(.willSendChanges)
        try await send(pending.zones)
        while true {
            try Task.checkCancellation()
            let (hasPending, latest) = state.progress.withLock { progress in
                (progress.records.changes.contains(where: context.options.scope.contains), progress.records.latest)
            }
            guard hasPending, let batch = await nextBatch(context),
                !batch.recordsToSave.isEmpty || !batch.recordIDsToDelete.isEmpty
            else { break }
            try await send(batch, addedUpTo: latest)
        }
        await send(.didSendChanges)
    }

    // Zones

    private static let zonesAtOnce = 200

    private func send(_ changes: [SyncEngine.State.PendingDatabaseChange]) async throws {
        var sent = SyncEngine.Event.SentDatabaseChanges()
        var rest = changes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.zonesAtOnce))
            rest = rest.dropFirst(part.count)
            do { try await put(part, &sent) } catch let error as RecordError where !error.isTemporary {
                guard part.count > 1 else {
                    refuse(part, error, &sent)
                    continue
                }
                for change in part {
                    do { try await put([change], &sent) } catch let error as RecordError where !error.isTemporary {
                        refuse([change], error, &sent)
                    }
                }
            }
        }
        guard !changes.isEmpty else { return }
        await send(.sentDatabaseChanges(sent))
        await sendState()
    }

    private func put(
        _ changes: [SyncEngine.State.PendingDatabaseChange], _ sent: inout SyncEngine.Event.SentDatabaseChanges
    ) async throws {
        var saves: [RecordZone] = []
        var deletions: [RecordZone.ID] = []
        for change in changes {
            switch change {
            case .saveZone(let zone): saves.append(zone)
            case .deleteZone(let id): deletions.append(id)
            }
        }
        try await database.modifyRecordZones(saving: saves, deleting: deletions)
        sent.savedZones += saves
        sent.deletedZoneIDs += deletions
        state.progress.withLock { progress in
            for change in changes { progress.zones.remove(change, for: change.zoneID) }
            for zone in saves where progress.known[zone.zoneID] == nil { progress.known[zone.zoneID] = -1 }
            for zone in deletions { progress.known[zone] = nil }
        }
    }

    private func refuse(
        _ changes: [SyncEngine.State.PendingDatabaseChange], _ error: RecordError,
        _ sent: inout SyncEngine.Event.SentDatabaseChanges
    ) {
        for change in changes {
            switch change {
            case .saveZone(let zone): sent.failedZoneSaves.append((zone, error))
            case .deleteZone(let id): sent.failedZoneDeletes.append((id, error))
            }
        }
        state.progress.withLock { progress in
            for change in changes { progress.zones.remove(change, for: change.zoneID) }
        }
    }

    // Records

    /// Puts a batch into the copy. A change of a record that the app adds meanwhile stays pending.
    private func send(_ batch: SyncEngine.RecordZoneChangeBatch, addedUpTo latest: UInt64) async throws {
        var sent = SyncEngine.Event.SentRecordZoneChanges()
        let saves = Dictionary(grouping: batch.recordsToSave, by: \.recordID.zoneID)
        let deletions = Dictionary(grouping: batch.recordIDsToDelete, by: \.zoneID)
        var interruption: (any Error)?
        for zone in Set(saves.keys).union(deletions.keys) {
            var changes = ZoneChanges(
                database: database, zone: zone, policy: .ifServerRecordUnchanged, saves: saves[zone] ?? [],
                deletions: deletions[zone] ?? [])
            changes.respectsUnsent = false
            do { try await changes.submit(atomically: batch.atomicByZone) } catch { interruption = error }
            note(changes, addedUpTo: latest, &sent)
            if interruption != nil { break }
        }
        if !sent.isEmpty { await send(.sentRecordZoneChanges(sent)) }
        await sendState()
        if let interruption { throw interruption }
    }

    private func note(
        _ changes: ZoneChanges, addedUpTo latest: UInt64, _ sent: inout SyncEngine.Event.SentRecordZoneChanges
    ) {
        state.progress.withLock { progress in
            for (id, result) in changes.saveResults {
                progress.records.remove(id, addedUpTo: latest)
                switch result {
                case .success(let record):
                    if let revision = changes.revisions[id] {
                        progress.handed[id] = .init(isDeletion: false, revision: revision)
                    } else {
                        sent.savedRecords.append(record)
                    }
                case .failure(let error): sent.failedRecordSaves.append((id, error))
                }
            }
            for (id, result) in changes.deleteResults {
                progress.records.remove(id, addedUpTo: latest)
                switch result {
                case .success:
                    if let revision = changes.revisions[id] {
                        progress.handed[id] = .init(isDeletion: true, revision: revision)
                    } else {
                        sent.deletedRecordIDs.append(id)
                    }
                case .failure(let error): sent.failedRecordDeletes.append((id, error))
                }
            }
        }
    }
}

extension SyncEngine.Event.SentRecordZoneChanges {
    var isEmpty: Bool {
        savedRecords.isEmpty && failedRecordSaves.isEmpty && deletedRecordIDs.isEmpty && failedRecordDeletes.isEmpty
    }
}
