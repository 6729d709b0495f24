import TestSupport
import Waymark

/// An app with notes for one test: it has its own copy of the records, as its engine reports them, and stores the engine's state.
package actor NotesApp: SyncEngineDelegate {
    /// The records that the app has, by their IDs.
    package private(set) var records: [Record.ID: Record] = [:]
    /// What was reported, in words.
    package private(set) var reports: [String] = []
    /// The errors of records that were refused.
    package private(set) var failures: [Record.ID: RecordError] = [:]
    /// The state of the latest event.
    package private(set) var stored: [UInt8]?
    /// How often the engine has asked for changes to send.
    package private(set) var requests = 0
    /// The most records of one batch of the engine.
    package private(set) var largestBatch = 0
    private let database: Database
    private let isAutomatic: Bool
    private var engine: SyncEngine?

    package static let zone = RecordZone.ID(zoneName: "notes")

    package init(_ database: Database, isAutomatic: Bool = true) {
        self.database = database
        self.isAutomatic = isAutomatic
    }

    /// Starts an engine with the stored state: the first time, or when the app starts again.
    @discardableResult
    package func start() throws -> SyncEngine {
        let state = try stored.map { bytes in
            guard let state = SyncEngine.State.Serialization(encoded: bytes) else { throw Failure.state }
            return state
        }
        var configuration = SyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = isAutomatic
        let started = SyncEngine(configuration)
        engine = started
        return started
    }

    package enum Failure: Error { case state, noEngine }

    /// Releases the engine.
    package func end() {
        engine = nil
        reports = []
    }

    package func running() throws -> SyncEngine {
        guard let engine else { throw Failure.noEngine }
        return engine
    }

    /// The texts of the notes by their names.
    package var texts: [String: String] {
        records.values.reduce(into: [:]) { texts, record in
            texts[record.recordID.recordName] = record["text", as: String.self]
        }
    }

    /// Changes a note of the app, and adds the change to the engine's state.
    package func write(_ name: String, _ text: String, in zone: RecordZone.ID = NotesApp.zone) throws {
        let id = Record.ID(recordName: name, zoneID: zone)
        var record = records[id] ?? Record(recordType: "Note", recordID: id)
        record["text"] = text
        records[id] = record
        try running().state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    /// Makes so many notes at once.
    package func write(_ count: Int) throws {
        let ids = (0..<count).map { Record.ID(recordName: "m\($0)", zoneID: Self.zone) }
        for id in ids {
            var record = Record(recordType: "Note", recordID: id)
            record["text"] = id.recordName
            records[id] = record
        }
        try running().state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    }

    /// Deletes a note of the app, and adds the change to the engine's state.
    package func remove(_ name: String) throws {
        let id = Record.ID(recordName: name, zoneID: Self.zone)
        records[id] = nil
        try running().state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
    }

    package func makeZone() throws {
        try running().state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: Self.zone))])
    }

    package func forgetReports() { reports = [] }

    package func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        requests += 1
        let pending = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        let batch = await SyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { records[$0] }
        largestBatch = max(largestBatch, batch?.recordsToSave.count ?? 0)
        return batch
    }

    package func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .stateUpdate(let update): stored = update.stateSerialization.encoded()
        case .accountChange(let change):
            switch change.changeType {
            case .signIn(let user): reports.append("signed in as \(user)")
            case .signOut(let user):
                reports.append("signed out of \(user)")
                records = [:]
            case .switchAccounts(let old, let new):
                reports.append("switched from \(old) to \(new)")
                records = [:]
            }
        case .fetchedDatabaseChanges(let changes):
            for (zone, reason) in changes.deletions {
                reports.append("deleted zone \(zone): \(reason)")
                records = records.filter { $0.key.zoneID != zone }
            }
            for zone in changes.modifications { reports.append("new zone \(zone)") }
        case .fetchedRecordZoneChanges(let changes):
            for record in changes.modifications {
                reports.append("fetched \(record.recordID.recordName)")
                records[record.recordID] = record
            }
            for id in changes.deletions {
                reports.append("deleted \(id.recordName)")
                records[id] = nil
            }
        case .sentDatabaseChanges(let sent):
            for zone in sent.savedZones { reports.append("saved zone \(zone.zoneID)") }
            for zone in sent.deletedZoneIDs { reports.append("zone \(zone) is deleted") }
            for (zone, error) in sent.failedZoneSaves { reports.append("zone \(zone.zoneID) failed: \(error.code)") }
            for (zone, error) in sent.failedZoneDeletes { reports.append("zone \(zone) failed: \(error.code)") }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords {
                reports.append("saved \(record.recordID.recordName)")
                records[record.recordID] = record
            }
            for id in sent.deletedRecordIDs { reports.append("\(id.recordName) is deleted") }
            for (id, error) in sent.failedRecordSaves + sent.failedRecordDeletes {
                reports.append("\(id.recordName) failed: \(error.code)")
                failures[id] = error
            }
        case .didReset:
            reports.append("reset")
            records = [:]
        case .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges: break
        }
    }

    /// Waits until a condition about the app is true.
    package func wait(_ condition: @Sendable @escaping (isolated NotesApp) throws -> Bool) async throws {
        let isTrue = try await eventually(within: 60) { () async throws -> Bool in try condition(self) }
        guard isTrue else { throw Surprise(description: "it has \(texts), reports \(reports)") }
    }

    /// Waits until so many changes are in the copy, and were not acknowledged.
    package func waitUntilUnacknowledged(_ count: Int = 1) async throws {
        try await wait { app in
            let state = try app.running().state
            return state.unacknowledgedRecordZoneChanges.count == count && state.pendingRecordZoneChanges.isEmpty
        }
    }

    package struct Surprise: Error, CustomStringConvertible { package let description: String }
}
