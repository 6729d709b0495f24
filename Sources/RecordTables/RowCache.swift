import Location
import Records

/// What a transaction knows of its rows without reading them, because it has read them ahead or has written them, and what it
/// has written and not stored yet.
///
/// A row is known from when the transaction has the lock that protects it until it ends, so that nobody else can change it
/// meanwhile. An inner optional is a row that does not exist.
public final class RowCache {
    /// Devices, by the digests of their tokens.
    package var devices: [[UInt8]: DeviceRow?] = [:]
    /// Types. They are read without a lock as a rule, and so are forgotten whenever a lock is acquired.
    package var types: [ReadAhead.TypeName: TypeDefinition?] = [:]
    /// Whether containers have types, which is forgotten with them.
    package var containers: [Container: Bool] = [:]
    /// Zones.
    package var zones = NumberedRows<ZoneID>()
    /// Databases.
    package var databases = NumberedRows<DatabaseID>()
    /// The participants of zones.
    package var participants: [ZoneID: [Participant]] = [:]
    /// The subscriptions in databases.
    package var subscriptions: [DatabaseID: [Subscription]] = [:]
    /// The devices that get pushes, by the private databases of their accounts.
    package var targets: [DatabaseID: [DeviceID]] = [:]
    private(set) package var answers: [AnswerRow.Key: AnswerRow?] = [:]
    private(set) package var listings: [ReadAhead.Listing: FeedRow?] = [:]
    private(set) package var records: [ZoneID: [RecordName: RecordRow?]] = [:]
    /// The rows that are not stored yet.
    private(set) var unstored = UnstoredRows()
    /// How often a row was written.
    private(set) package var writes = 0

    /// How many bytes of records and answers are not stored before they are: each time twice as many. They are stored earlier
    /// than at the end so that the server works while the next request is performed, and rarely, because each statement takes
    /// the server some time.
    private var mostUnstoredBytes = RowCache.bytesOfFirstPart

    private static let bytesOfFirstPart = 4 << 10
    private static let bytesOfLargestPart = 64 << 10

    /// No rows.
    package init() {}

    /// Forgets everything, before another transaction.
    package func clear() {
        devices = [:]
        types = [:]
        containers = [:]
        zones = NumberedRows()
        databases = NumberedRows()
        participants = [:]
        subscriptions = [:]
        targets = [:]
        answers = [:]
        listings = [:]
        records = [:]
        unstored = UnstoredRows()
        mostUnstoredBytes = Self.bytesOfFirstPart
        writes = 0
    }

    /// Forgets what others may have changed before the transaction has acquired a further lock.
    package func forgetUnlocked() {
        types = [:]
        containers = [:]
    }

    /// Whether rows are to be stored yet.
    package var hasUnstored: Bool { !unstored.isEmpty || zones.hasUnstored || databases.hasUnstored }

    /// The records, listed zones and answers that are to be stored, which they are then.
    func removeUnstored() -> UnstoredRows {
        defer { unstored = UnstoredRows() }
        return unstored
    }

    /// The records and answers that are to be stored if they have many bytes, which they are then; nil otherwise.
    func removePart() -> UnstoredRows? {
        guard unstored.bytes > mostUnstoredBytes else { return nil }
        mostUnstoredBytes = min(2 * mostUnstoredBytes, Self.bytesOfLargestPart)
        var part = removeUnstored()
        swap(&part.listings, &unstored.listings)
        return part
    }

    // What was read

    package func add(_ row: AnswerRow?, to key: AnswerRow.Key) { answers[key] = .some(row) }
    package func add(_ row: ZoneRow?, number: Int64?, of zone: ZoneID) {
        zones.add(row, number: number, of: zone)
    }
    package func add(_ row: DatabaseRow?, number: Int64?, of database: DatabaseID) {
        databases.add(row, number: number, of: database)
    }
    package func add(_ row: FeedRow?, of listing: ReadAhead.Listing) { listings[listing] = .some(row) }
    package func add(_ rows: [RecordName: RecordRow?], in zone: ZoneID) {
        records[zone, default: [:]].merge(rows) { known, _ in known }
    }

    // What is written

    func put(_ row: AnswerRow, to key: AnswerRow.Key) {
        answers[key] = .some(row)
        unstored.answers.insert(key)
        unstored.bytes += 128 + row.answer.count
        writes += 1
    }

    /// Whether the row of the zone or the database is stored later.
    func put<Key: NumberedKey>(_ row: Key.Row, of key: Key) -> Bool {
        guard Key.known(in: self, { $0.put(row, of: key) }) else { return false }
        writes += 1
        return true
    }

    func put(_ row: FeedRow, of listing: ReadAhead.Listing) {
        listings[listing] = .some(row)
        unstored.listings.insert(listing)
        writes += 1
    }

    func remove(_ listing: ReadAhead.Listing) { listings[listing] = .some(nil) }

    func put(_ row: RecordRow, in zone: ZoneID) {
        records[zone, default: [:]][row.name] = .some(row)
        unstored.records[zone, default: []].insert(row.name)
        unstored.bytes += row.size
        writes += 1
    }

    func removeRecords(_ names: [RecordName], in zone: ZoneID) {
        for name in names { records[zone]?.removeValue(forKey: name) }
    }

    /// Everything of the zone was removed.
    func removeZone(_ zone: ZoneID) {
        zones.remove(zone)
        participants[zone] = []
        records.removeValue(forKey: zone)
    }

    /// The account may have other devices, or others that get pushes.
    func forgetDevices(of account: AccountID) {
        devices = [:]
        targets = targets.filter { $0.key.scope != .privately(account) }
    }
}

/// The keys of records, listed zones and answers that a transaction has written and that are to be stored.
struct UnstoredRows {
    var answers: Set<AnswerRow.Key> = []
    var listings: Set<ReadAhead.Listing> = []
    var records: [ZoneID: Set<RecordName>] = [:]
    /// About the bytes of the records and answers.
    var bytes = 0

    var isEmpty: Bool { answers.isEmpty && listings.isEmpty && records.isEmpty }
}

extension RecordRow {
    /// About how many bytes it has.
    fileprivate var size: Int {
        guard case .record(let record, let previous) = content else { return 128 }
        return 128 + record.size + (previous?.size ?? 0)
    }
}
