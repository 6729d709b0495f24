import JSONText
import Records
import SyncInterface

extension Database {
    /// Saves a record, which is durable on this machine when the call returns, and sent to the hub later. If the hub refuses it
    /// because another machine was faster, it is among `refusedChanges()`, and a `SyncEngine` reports it.
    ///
    /// - Returns: The record as the copy has it now. Change this one further.
    /// - Throws: `serverRecordChanged` if the copy has another version than the one that the app has read.
    @discardableResult
    public func save(_ record: Record) async throws -> Record {
        let results = try await modifyRecords(saving: [record], deleting: [])
        guard let result = results.saveResults[record.recordID] else { throw Self.unknown(record.recordID) }
        return try result.get()
    }

    /// Deletes a record, whichever version the copy has. One that does not exist is no error.
    ///
    /// - Returns: Its ID.
    @discardableResult
    public func deleteRecord(withID recordID: Record.ID) async throws -> Record.ID {
        let results = try await modifyRecords(saving: [], deleting: [recordID])
        try results.deleteResults[recordID]?.get()
        return recordID
    }

    /// Saves and deletes records, zone by zone.
    ///
    /// - Parameters:
    ///   - saving: The records to save, each once.
    ///   - deleting: The records to delete, which are not among those to save.
    ///   - savePolicy: What happens to a record that was changed elsewhere.
    ///   - atomically: Whether the changes of a zone are made together or not at all; at most 400 of a zone then, and 2 MiB. If one is
    ///     refused, the result of the others is `batchRequestFailed`. In the public database each is made on its own.
    /// - Returns: The result of each record.
    /// - Throws: An error of the call as a whole, such as `notAuthenticated`. Changes of zones before that may have been made.
    public func modifyRecords(
        saving: [Record], deleting: [Record.ID], savePolicy: SavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [Record.ID: Result<Record, RecordError>], deleteResults: [Record.ID: Result<Void, RecordError>]
    ) {
        var saved: [Record.ID: Result<Record, RecordError>] = [:]
        var deleted: [Record.ID: Result<Void, RecordError>] = [:]
        let saves = Dictionary(grouping: saving, by: \.recordID.zoneID)
        let deletions = Dictionary(grouping: deleting, by: \.zoneID)
        for zone in Set(saves.keys).union(deletions.keys) {
            guard databaseScope != .public else {
                var changes = PublicChanges(database: self, policy: savePolicy)
                try await changes.submit(saves[zone] ?? [], deletions[zone] ?? [], in: zone)
                saved.merge(changes.saveResults) { $1 }
                deleted.merge(changes.deleteResults) { $1 }
                continue
            }
            var changes = ZoneChanges(
                database: self, zone: zone, policy: savePolicy, saves: saves[zone] ?? [],
                deletions: deletions[zone] ?? [])
            try await changes.submit(atomically: atomically)
            saved.merge(changes.saveResults) { $1 }
            deleted.merge(changes.deleteResults) { $1 }
        }
        return (saved, deleted)
    }

    // Refused changes

    /// The changes of records that the hub has refused. The copy has the hub's records, until the app saves these records again or
    /// discards the changes. A `SyncEngine` reports those that it has sent, and discards them.
    public func refusedChanges() async throws -> [Record.ID: RecordError] {
        guard databaseScope != .public else { return [:] }
        var found: [Record.ID: RecordError] = [:]
        var last: Int64?
        var count = Self.readAtOnce
        while true {
            do {
                let reply = try await client.call(
                    SyncInterface.ListRefusedChanges(
                        container: client.container, environment: client.environment, after: last, limit: Int64(count)))
                for change in reply.refused where includes(owner: change.owner) {
                    let zone = RecordZone.ID(owner: change.owner, name: change.zone)
                    found[Record.ID(recordName: change.name, zoneID: zone)] = RecordError(change)
                }
                last = reply.next
                if last == nil { return found }
            } catch let error as RecordError where error.code == .incompatibleVersion && count > 1 {
                count = max(1, count / 4)
            }
        }
    }

    /// Discards the changes of records that are not sent yet, or that the hub has refused: the copy has the hub's records again.
    public func discardChanges(of recordIDs: [Record.ID]) async throws {
        try await discard(recordIDs, onlyRefused: false)
    }

    /// Discards changes. With `onlyRefused` one that was made since the refusal stays.
    func discard(_ recordIDs: [Record.ID], onlyRefused: Bool) async throws {
        for (zone, ids) in Dictionary(grouping: recordIDs, by: \.zoneID) {
            try require(zone)
            guard databaseScope != .public else { continue }
            _ = try await client.call(
                SyncInterface.DiscardChanges(
                    container: client.container, environment: client.environment, owner: zone.owner,
                    zone: zone.zoneName, names: ids.map(\.recordName), refused: onlyRefused))
        }
    }
}
