import Records
import SyncInterface

extension Database {
    /// A page of the changes of a database: what `CKDatabase.databaseChanges(since:)` returns.
    public struct DatabaseChanges: Sendable {
        /// The zones in which something was changed, or that were made.
        public internal(set) var modifications: [RecordZone.ID] = []
        /// The zones that were deleted, and why. If such a zone is in `modifications` as well, it was made again.
        public internal(set) var deletions: [(zoneID: RecordZone.ID, reason: RecordZone.DeletionReason)] = []
        /// Where the next page, or the next call, continues.
        public internal(set) var changeToken: ChangeToken
        /// Whether there are further pages.
        public internal(set) var moreComing: Bool
    }

    /// A page of the changes of a zone: what `CKDatabase.recordZoneChanges(inZoneWith:since:)` returns.
    public struct RecordZoneChanges: Sendable {
        /// The records that were changed, each in its latest version.
        public internal(set) var modifications: [Record] = []
        /// The records that were deleted.
        public internal(set) var deletions: [Record.ID] = []
        /// Where the next page, or the next call, continues.
        public internal(set) var changeToken: ChangeToken
        /// Whether there are further pages.
        public internal(set) var moreComing: Bool
    }

    /// Which zones of the copy have changed since a token. Pages can be empty and be continued all the same.
    ///
    /// - Parameters:
    ///   - token: Where to continue; nil for everything.
    ///   - resultsLimit: The most changes that a page examines: 1 to 400.
    /// - Throws: `changeTokenExpired`.
    public func databaseChanges(since token: ChangeToken?, resultsLimit: Int = 400) async throws -> DatabaseChanges {
        let (page, next) = try await changes(since: token, resultsLimit)
        var result = DatabaseChanges(changeToken: next, moreComing: page.moreComing)
        var seen: Set<RecordZone.ID> = []
        for change in page.changes where includes(owner: change.owner) {
            let zone = RecordZone.ID(owner: change.owner, name: change.zone)
            if let reason = change.deleted.map(RecordZone.DeletionReason.init) {
                result.deletions.append((zone, reason))
                // The zone is there, and its records follow.
                if reason == .encryptedDataReset, seen.insert(zone).inserted { result.modifications.append(zone) }
            } else if seen.insert(zone).inserted {
                result.modifications.append(zone)
            }
        }
        return result
    }

    /// Which records of a zone of the copy have changed since a token. Pages can be empty and be continued all the same.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - token: Where to continue; nil for everything.
    ///   - desiredKeys: The fields to read; nil for all.
    ///   - resultsLimit: The most changes that a page examines: 1 to 400.
    /// - Throws: `changeTokenExpired`; `zoneNotFound` or `userDeletedZone` if the zone was deleted since the token.
    public func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken?, desiredKeys: [String]? = nil,
        resultsLimit: Int = 400
    ) async throws -> RecordZoneChanges {
        try require(zoneID)
        let (page, next) = try await changes(since: token, resultsLimit)
        var result = RecordZoneChanges(changeToken: next, moreComing: page.moreComing)
        for change in page.changes where change.owner == zoneID.owner && change.zone == zoneID.zoneName {
            if let reason = change.deleted, reason != ZoneDeletionReason.encryptedDataReset.rawValue {
                guard token != nil else { continue }
                throw RecordError(
                    reason == ZoneDeletionReason.purged.rawValue ? .userDeletedZone : .zoneNotFound,
                    "The zone \(zoneID) was deleted.")
            }
            guard let name = change.name else { continue }
            if let json = change.record {
                result.modifications.append(try Self.record(json, in: zoneID).with(desiredKeys))
            } else {
                result.deletions.append(Record.ID(recordName: name, zoneID: zoneID))
            }
        }
        return result
    }

    private func changes(
        since token: ChangeToken?, _ limit: Int
    ) async throws -> (SyncInterface.GetChanges.Reply, ChangeToken) {
        guard databaseScope != .public else {
            throw RecordError(
                .invalidArguments,
                "The public database lists no changes: query its records, and save a QuerySubscription.")
        }
        let page = try await client.call(client.changes(since: token?.revision ?? 0, of: token?.copy, limit: limit))
        guard !page.reset, let copy = page.copy else {
            throw RecordError(.changeTokenExpired, "The change token has expired: fetch everything without one.")
        }
        return (page, ChangeToken(copy: copy, revision: page.revision))
    }
}
