import Records
import Storage

/// What programs on this machine see.
extension CacheTables {
    /// The record that programs see; nil if there is none.
    func seen(_ name: RecordName, in zone: ZoneRow) throws(StorageError) -> LocalRecord? {
        guard let record = try record(name, in: zone), record.isPresent else { return nil }
        return LocalRecord.after(try change(name, in: zone)?.seen ?? [], of: record.base)
    }

    /// Records in the order of their names, after one, and the name after which there are more; nil if there are none. Together
    /// they have a limited size, which only a single record may exceed.
    func list(
        _ zone: ZoneRow, after name: String, limit: Int, matching query: Query?
    ) throws(StorageError) -> (records: [LocalRecord], last: String?) {
        var records: [LocalRecord] = []
        var (examined, size) = (0, 0)
        var last: String?
        var isMore = false
        // One more than a page, to find out whether there is another one.
        let most = query == nil ? limit : Self.examinedAtOnce
        try statements.run(
            .readRecords, [.integer(zone.id), .text(name), .integer(Int64(most) + 1)]
        ) { (row) throws(StorageError) in
            isMore = true
            guard examined < most, records.count < limit else { return false }
            let base = try row.optionalText(1).map { (text) throws(StorageError) in try Self.record(text) }
            let change = try Self.change(row, 2, zone.zone)
            if let record = LocalRecord.after(change.seen, of: base), query.map(record.matches) ?? true {
                guard records.isEmpty || size + record.size <= Self.pageBytes else { return false }
                size += record.size
                records.append(record)
            }
            examined += 1
            last = row.text(0)
            isMore = false
            return true
        }
        return (records, isMore ? last : nil)
    }

    /// Records that a query finds, in its order, from where the page before has ended.
    func sort(
        _ zone: ZoneRow, after start: String?, limit: Int, matching query: Query
    ) throws(StorageError) -> Result<(records: [LocalRecord], last: String?), SortProblem> {
        guard
            var page = SortedPage<LocalRecord>(
                query.order, continuing: start, limit: limit, bytes: Self.pageBytes)
        else { return .failure(.unknownStart) }
        let most = Limits().sortedRecords
        var examined = 0
        try statements.run(
            .readRecords, [.integer(zone.id), .text(""), .integer(Int64(most) + 1)]
        ) { (row) throws(StorageError) in
            examined += 1
            let base = try row.optionalText(1).map { (text) throws(StorageError) in try Self.record(text) }
            let change = try Self.change(row, 2, zone.zone)
            if let record = LocalRecord.after(change.seen, of: base), record.matches(query) {
                page.insert(record, record.name, size: record.size, record.value)
            }
            return true
        }
        return examined > most ? .failure(.tooMany(most)) : .success((page.items, page.continuation))
    }

    /// Why records are not sorted.
    enum SortProblem: Error, Equatable {
        /// The page does not begin where another one has ended.
        case unknownStart
        /// The zone has more records than this.
        case tooMany(Int)
    }

    private static let examinedAtOnce = 4_096
    /// The size of the records of a page, in bytes.
    static let pageBytes = 1 << 20

    /// A change that programs see.
    struct SeenChange: Equatable {
        var owner: String
        var zone: String
        /// Nil for a zone.
        var name: String?
        /// Nil for a record or zone that was deleted.
        var record: LocalRecord?
        var reason: ZoneDeletionReason?
        var isLocal: Bool
        /// Whether it is not sent yet.
        var isPending = false
        var revision: Int64
    }

    /// What has changed after a revision, in the order of the revisions, and whether there is more.
    func changes(
        in container: ContainerRow, since revision: Int64, limit: Int
    ) throws(StorageError) -> (changes: [SeenChange], moreComing: Bool) {
        let most = Int64(limit) + 1
        var found = try zones(.readZoneRevisions, in: container, [.integer(revision), .integer(most)]).map { zone in
            SeenChange(
                owner: zone.zone.owner?.text ?? "", zone: zone.zone.name.text, name: nil, record: nil,
                reason: zone.isPresent && zone.reason != .encryptedDataReset ? nil : zone.reason ?? .deleted,
                isLocal: zone.isLocal,
                isPending: zone.mustMake || zone.mustDelete, revision: zone.revision)
        }
        try statements.run(
            .readRevisions, [.integer(container.id), .integer(revision), .integer(most)]
        ) { (row) throws(StorageError) in
            var change = SeenChange(
                owner: row.text(0), zone: row.text(1), name: row.text(2), record: nil, reason: nil,
                isLocal: row.integer(10) != 0, revision: row.integer(9))
            if let owner = AccountID(change.owner), let name = ZoneName(stored: change.zone) {
                let base = try row.optionalText(3).map { (text) throws(StorageError) in try Self.record(text) }
                let zone = ZoneID(container.container, owner: owner, name)
                let seen = SeenRecord(try Self.change(row, 4, zone), of: base)
                (change.record, change.isPending) = (seen.record, seen.isPending)
            }
            found.append(change)
            return true
        }
        found.sort { $0.revision < $1.revision }
        var size = 0
        let page = found.prefix(limit).prefix { change in
            size += change.record?.size ?? 0
            return size <= Self.pageBytes || size == change.record?.size
        }
        return (Array(page), page.count < found.count)
    }

    /// A refused change.
    struct RefusedChange: Equatable {
        var owner: String
        var zone: String
        var name: String
        /// The JSON of a request with this change only.
        var change: String
        /// The JSON of the outcome.
        var outcome: String
        /// The number of the change, in the order in which changes were made.
        var number: Int64
    }

    func refused(
        in container: ContainerRow, after number: Int64, limit: Int64
    ) throws(StorageError) -> [RefusedChange] {
        try statements.all(.readRefused, [.integer(container.id), .integer(number), .integer(limit)]) { row in
            RefusedChange(
                owner: row.text(0), zone: row.text(1), name: row.text(2), change: row.text(3), outcome: row.text(4),
                number: row.integer(5))
        }
    }

    /// The most deletions that are remembered for programs that have not read changes for a while.
    static let rememberedDeletions = 10_000

    /// Forgets the oldest deletions.
    func forgetOldDeletions() throws(StorageError) {
        for container in try containers() {
            let last = try statements.first(
                .readOldDeletion, [.integer(container.id), .integer(Int64(Self.rememberedDeletions))]
            ) { row in row.integer(0) }
            guard let last else { continue }
            try statements.run(.removeOldDeletions, [.integer(container.id), .integer(last)])
            try statements.run(.noteRemoved, [.integer(last), .integer(container.id)])
        }
    }
}
