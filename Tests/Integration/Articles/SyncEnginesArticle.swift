// The examples of SyncEngines.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// A list of an app that is the same on all machines.
actor SyncedList: SyncEngineDelegate {
    private var records: [Record.ID: Record] = [:]
    private var engine: SyncEngine?

    /// Starts with the state that was stored.
    func start(_ stored: [UInt8]?, in database: Database) {
        var configuration = SyncEngine.Configuration(
            database: database, stateSerialization: stored.flatMap { SyncEngine.State.Serialization(encoded: $0) },
            delegate: self)
        configuration.automaticallySync = true
        engine = SyncEngine(configuration)
    }

    /// Changes a record.
    func change(_ record: Record) {
        records[record.recordID] = record
        engine?.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let pending = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        // The app does not have these records any more.
        syncEngine.state.remove(
            pendingRecordZoneChanges: pending.filter { $0 == .saveRecord($0.recordID) && records[$0.recordID] == nil })
        return await SyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { records[$0] }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .stateUpdate(let update): store(update)
        case .accountChange(let change): handle(change)
        case .fetchedDatabaseChanges(let changes): handle(changes)
        case .fetchedRecordZoneChanges(let changes): handle(changes)
        case .sentRecordZoneChanges(let sent): handle(sent, syncEngine)
        case .sentDatabaseChanges(let sent): handle(sent)
        case .didReset: records = [:]
        case .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges: break
        }
    }

    private func handle(_ change: SyncEngine.Event.AccountChange) {
        let type: SyncEngine.Event.AccountChange.ChangeType = change.changeType
        switch type {
        case .signIn(let currentUser): print("signed in as \(currentUser)")
        case .signOut(let previousUser), .switchAccounts(let previousUser, _):
            print("\(previousUser) has left")
            records = [:]
        }
    }

    private func handle(_ changes: SyncEngine.Event.FetchedDatabaseChanges) {
        for zone in changes.modifications { print("\(zone) has appeared") }
        for (zone, _) in changes.deletions { records = records.filter { $0.key.zoneID != zone } }
    }

    private func handle(_ changes: SyncEngine.Event.FetchedRecordZoneChanges) {
        for record in changes.modifications { records[record.recordID] = record }
        for id in changes.deletions { records[id] = nil }
    }

    private func handle(_ sent: SyncEngine.Event.SentDatabaseChanges) {
        for (zone, error) in sent.failedZoneSaves { print("\(zone.zoneID): \(error)") }
        for (zone, error) in sent.failedZoneDeletes { print("\(zone): \(error)") }
        print("\(sent.savedZones.count) made, \(sent.deletedZoneIDs.count) deleted")
    }

    private func handle(_ sent: SyncEngine.Event.SentRecordZoneChanges, _ syncEngine: SyncEngine) {
        for record in sent.savedRecords { records[record.recordID] = record }
        for id in sent.deletedRecordIDs { print("\(id) is deleted everywhere") }
        for (id, error) in sent.failedRecordDeletes { print("\(id) is not deleted: \(error)") }
        for (id, error) in sent.failedRecordSaves where error.code == .serverRecordChanged {
            // The hub's record with the app's own text.
            guard var merged = error.serverRecord else { continue }
            merged["text"] = error.clientRecord?["text"]
            records[id] = merged
            syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
    }

    private func store(_ update: SyncEngine.Event.StateUpdate) {
        let bytes = update.stateSerialization.encoded()
        print("\(bytes.count) bytes to store, and \(records.count) records")
    }
}

/// Sends one zone at once, and fetches.
func hurry(_ engine: SyncEngine, _ zone: RecordZone.ID) async throws {
    do {
        try await engine.sendChanges(SyncEngine.SendChangesOptions(scope: .zoneIDs([zone])))
        try await engine.fetchChanges()
    } catch let error as RecordError where error.code == .networkUnavailable {
        await engine.cancelOperations()
    }
}

/// What an engine has to send.
func describe(_ engine: SyncEngine, show: (String) -> Void) {
    let state: SyncEngine.State = engine.state
    for change: SyncEngine.State.PendingRecordZoneChange in state.pendingRecordZoneChanges {
        switch change {
        case .saveRecord(let id): show("save \(id)")
        case .deleteRecord(let id): show("delete \(id)")
        }
    }
    for change: SyncEngine.State.PendingDatabaseChange in state.pendingDatabaseChanges {
        switch change {
        case .saveZone: show("make \(change.zoneID)")
        case .deleteZone: state.remove(pendingDatabaseChanges: [change])
        }
    }
    show("\(state.unacknowledgedRecordZoneChanges.count) are in the copy, \(engine.database.databaseScope)")
}

/// A batch that an app composes by itself: nothing when the engine sends on its own.
func batch(_ context: SyncEngine.SendChangesContext, _ records: [Record]) -> SyncEngine.RecordZoneChangeBatch? {
    let reason: SyncEngine.SendChangesContext.Reason = context.reason
    guard reason == .manual, reason != .scheduled, context.options.scope == .all else { return nil }
    var batch = SyncEngine.RecordZoneChangeBatch(recordsToSave: records, recordIDsToDelete: [], atomicByZone: true)
    batch.recordsToSave.removeAll { $0.allKeys().isEmpty }
    return batch.recordIDsToDelete.isEmpty && batch.atomicByZone ? batch : nil
}
