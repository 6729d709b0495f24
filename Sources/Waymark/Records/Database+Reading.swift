import JSONText
import Records
import SyncInterface

extension Database {
    /// A record.
    ///
    /// - Throws: `unknownItem` if there is none with this ID, and `zoneNotFound`.
    public func record(for recordID: Record.ID) async throws -> Record {
        guard let record = try await present([recordID.recordName], in: recordID.zoneID).records[recordID] else {
            throw Self.unknown(recordID)
        }
        return record
    }

    /// Several records, each with its own error: `unknownItem` and `zoneNotFound`.
    ///
    /// - Parameters:
    ///   - recordIDs: Their IDs.
    ///   - desiredKeys: The fields to read; nil for all.
    public func records(
        for recordIDs: [Record.ID], desiredKeys: [String]? = nil
    ) async throws -> [Record.ID: Result<Record, RecordError>] {
        var results: [Record.ID: Result<Record, RecordError>] = [:]
        for (zone, ids) in Dictionary(grouping: recordIDs, by: \.zoneID) {
            do {
                let found = try await present(ids.map(\.recordName), in: zone).records
                for id in ids {
                    results[id] = found[id].map { .success($0.with(desiredKeys)) } ?? .failure(Self.unknown(id))
                }
            } catch let error as RecordError where !error.isTemporary {
                for id in ids { results[id] = .failure(error) }
            }
        }
        return results
    }

    static func unknown(_ id: Record.ID) -> RecordError { RecordError(.unknownItem, "There is no record \(id).") }

    /// The most records that are requested at once. Fewer are, where they are so large that the reply would be too long.
    static let readAtOnce = 100

    /// The records of the copy with these names, and a revision of the copy since which they may have been changed again.
    func present(
        _ names: [String], in zone: RecordZone.ID
    ) async throws -> (records: [Record.ID: Record], revision: Int64?) {
        try require(zone)
        var found: [Record.ID: Record] = [:]
        var revision: Int64?
        var rest = names[...]
        var count = Self.readAtOnce
        while !rest.isEmpty {
            let part = Array(rest.prefix(count))
            do {
                let (stored, now) = try await stored(part, in: zone)
                revision = revision ?? now
                for record in try stored.map({ (json) throws in try Self.record(json, in: zone) }) {
                    found[record.recordID] = record
                }
                rest = rest.dropFirst(part.count)
            } catch let error as RecordError where error.code == .incompatibleVersion && count > 1 {
                count = max(1, count / 4)
            }
        }
        return (found, revision)
    }

    private func stored(
        _ names: [String], in zone: RecordZone.ID
    ) async throws -> (records: [JSON], revision: Int64?) {
        guard databaseScope != .public else {
            let reply = try await client.call(
                SyncInterface.GetPublicRecords(
                    container: client.container, environment: client.environment, names: names))
            return (reply.records, nil)
        }
        let reply = try await client.call(
            SyncInterface.GetRecords(
                container: client.container, environment: client.environment, owner: zone.owner,
                zone: zone.zoneName, names: names))
        return (reply.records, reply.revision)
    }

    static func record(_ json: JSON, in zone: RecordZone.ID) throws(RecordError) -> Record {
        guard let record = Record(json, in: zone) else {
            throw RecordError(
                .incompatibleVersion, "waymark-sync has a record that this release of the library cannot read.")
        }
        return record
    }

    // Queries

    /// Where a query continues: what `CKQueryOperation.Cursor` is in CloudKit.
    public struct QueryCursor: Equatable, Sendable {
        let query: RecordQuery?
        let zoneID: RecordZone.ID
        let name: String
    }

    /// The records of a zone that a query finds, in its order or in that of their names, a page at a time. A page can have fewer records
    /// than the limit, or none, and be continued all the same.
    ///
    /// - Parameters:
    ///   - query: Which records; nil for all. In the public database it has a type, and needs indexes as the hub's schema
    ///     declares them.
    ///   - zoneID: The zone.
    ///   - desiredKeys: The fields to read; nil for all.
    ///   - resultsLimit: The most records of the page: 1 to 400.
    /// - Returns: The records, and where the next page begins; nil at the end.
    public func records(
        matching query: RecordQuery?, inZoneWith zoneID: RecordZone.ID = .default, desiredKeys: [String]? = nil,
        resultsLimit: Int = 100
    ) async throws -> (matchResults: [Record], queryCursor: QueryCursor?) {
        try await page(QueryCursor(query: query, zoneID: zoneID, name: ""), desiredKeys, resultsLimit)
    }

    /// The next page of a query. A record that is deleted or made meanwhile is listed or not; no other is omitted.
    public func records(
        continuingMatchFrom queryCursor: QueryCursor, desiredKeys: [String]? = nil, resultsLimit: Int = 100
    ) async throws -> (matchResults: [Record], queryCursor: QueryCursor?) {
        try await page(queryCursor, desiredKeys, resultsLimit)
    }

    private func page(
        _ cursor: QueryCursor, _ desiredKeys: [String]?, _ limit: Int
    ) async throws -> (matchResults: [Record], queryCursor: QueryCursor?) {
        let zone = cursor.zoneID
        try require(zone)
        let query = try cursor.query?.query()
        guard databaseScope != .public else {
            guard let query else {
                throw RecordError(.invalidArguments, "A query of the public database has a type of records.")
            }
            let reply = try await client.call(
                SyncInterface.QueryPublicRecords(
                    container: client.container, environment: client.environment, query: try JSON.parse(query.json),
                    cursor: cursor.name.isEmpty ? nil : cursor.name, limit: Int64(limit)))
            let records = try reply.records.map { json in try Self.record(json, in: zone).with(desiredKeys) }
            return (records, reply.cursor.map { QueryCursor(query: cursor.query, zoneID: zone, name: $0) })
        }
        let reply = try await client.call(
            SyncInterface.ListRecords(
                container: client.container, environment: client.environment, owner: zone.owner, zone: zone.zoneName,
                query: try query.map { try JSON.parse($0.json) }, after: cursor.name.isEmpty ? nil : cursor.name,
                limit: Int64(limit)))
        let records = try reply.records.map { json in try Self.record(json, in: zone).with(desiredKeys) }
        return (records, reply.next.map { QueryCursor(query: cursor.query, zoneID: zone, name: $0) })
    }
}
