import Containers
import Records
import Storage

/// The tables of the copy within a transaction.
struct CacheTables {
    let statements: PreparedStatements<SyncStatement>
    let alertStatements: PreparedStatements<AlertStatement>
    let assetStatements: PreparedStatements<AssetStatement>
    let limits = Limits()
    let holdings = AssetHoldings()

    init(_ statements: PreparedStatements<SyncStatement>) {
        self.statements = statements
        alertStatements = statements.sharing()
        assetStatements = statements.sharing()
    }

    /// The error for contents that this program never writes.
    static func damaged(_ what: String) -> StorageError { .damage("read the copy", "\(what) in it cannot be read") }

    static func parsed<Value>(
        _ what: String, _ body: () throws(FormatError) -> Value
    ) throws(StorageError) -> Value {
        do throws(FormatError) { return try body() } catch { throw damaged(what) }
    }

    // The account

    func account() throws(StorageError) -> SyncAccount? {
        try statements.first(.readAccount) { (row) throws(StorageError) in
            guard let account = AccountID(row.text(3)), let device = DeviceID(row.text(4)) else {
                throw Self.damaged("the account")
            }
            return SyncAccount(
                hub: row.text(0), pin: row.isNull(1) ? nil : row.withBytes(1) { Array($0) }, token: row.text(2),
                id: AccountDevice(account, device), copy: row.text(6),
                identifierKey: row.withBytes(7) { Array($0) }, isRemoved: row.integer(5) != 0)
        }
    }

    /// Stores the account and nothing else: the copy of another one is removed.
    func join(_ account: SyncAccount) throws(StorageError) {
        try wipe()
        try statements.run(
            .storeAccount,
            [
                .text(account.hub), account.pin.map { .blob($0) } ?? .null, .text(account.token),
                .text(account.id.account.text), .text(account.id.device.text), .text(account.copy),
                .blob(account.identifierKey),
            ])
    }

    /// Notes that an app receives the identifier of a container in an hour, in microseconds since 1970.
    func noteReader(_ app: String, _ container: ContainerName, hour: Int64) throws(StorageError) {
        try statements.run(.noteReader, [.text(app), .text(container.text), .integer(hour)])
    }

    /// The apps that have received an identifier: with the container, and the first and the last hour.
    func readers() throws(StorageError) -> [(app: String, container: String, first: Int64, last: Int64)] {
        try statements.all(.readReaders) { row in (row.text(0), row.text(1), row.integer(2), row.integer(3)) }
    }

    func markRemoved() throws(StorageError) { try statements.run(.markRemoved) }

    /// Removes the account and the copy. The bytes of assets, which nobody finds any more, are removed by `removePiece`.
    func wipe() throws(StorageError) {
        try statements.run(.removeRequest)
        try assetStatements.run(.addLeftContainer)
        try assetStatements.run(.addLeftZone)
        try assetStatements.run(.discardAllAssets)
        try statements.run(.removeContainers)
        try statements.run(.removeReaders)
        try statements.run(.removeDeviceKey)
        try statements.run(.removeAccountKeys)
        try statements.run(.removeGenerations)
        try statements.run(.removeAccount)
    }

    // Containers

    /// The container, which is made with its first use.
    func open(_ container: Container) throws(StorageError) -> ContainerRow {
        if let found = try find(container) { return found }
        try statements.run(.addContainer, Self.key(container))
        guard let made = try find(container) else { throw Self.damaged("a container") }
        for scope in DatabaseScope.copied {
            try statements.run(.addDatabase, [.integer(made.id), .integer(scope.number)])
        }
        return made
    }

    func find(_ container: Container) throws(StorageError) -> ContainerRow? {
        try statements.first(.findContainer, Self.key(container)) { (row) throws(StorageError) in
            try Self.container(row)
        }
    }

    func containers() throws(StorageError) -> [ContainerRow] {
        try statements.all(.readContainers) { (row) throws(StorageError) in try Self.container(row) }
    }

    private static func key(_ container: Container) -> [SQLValue] {
        [.text(container.environment.rawValue), .text(container.name.text)]
    }

    private static func container(_ row: borrowing Row) throws(StorageError) -> ContainerRow {
        guard let environment = ContainerEnvironment(rawValue: row.text(1)), let name = ContainerName(row.text(2))
        else { throw damaged("a container") }
        return ContainerRow(
            id: row.integer(0), container: Container(name, environment), isRegistered: row.integer(3) != 0,
            revision: row.integer(4), forgottenThrough: row.integer(5), staleAlerts: row.integer(6))
    }

    func markRegistered(_ container: Int64) throws(StorageError) {
        try statements.run(.markRegistered, [.integer(container)])
    }

    /// The number of the next change of a container.
    func nextRevision(_ container: Int64) throws(StorageError) -> Int64 {
        let revision = try statements.first(.advanceRevision, [.integer(container)]) { row in row.integer(0) }
        guard let revision else { throw Self.damaged("a container") }
        return revision
    }

    /// The number of the latest change of a container.
    func revision(of container: Int64) throws(StorageError) -> Int64 {
        guard let revision = try statements.first(.readRevision, [.integer(container)], { row in row.integer(0) })
        else {
            throw Self.damaged("a container")
        }
        return revision
    }

    /// Stores the numbers that were drawn.
    func store(_ revisions: DrawnRevisions, of container: Int64) throws(StorageError) {
        try statements.run(
            .storeRevisions,
            [.integer(revisions.latest), .integer(revisions.latestFromHub), .integer(container)])
    }

    /// How many zones and records programs see, how many changes there are, and how many of those were refused.
    func counts(
        _ container: Int64
    ) throws(StorageError) -> (zones: Int64, records: Int64, changes: Int64, refused: Int64) {
        let key: [SQLValue] = [.integer(container)]
        let zones = try statements.first(.countZones, key) { row in row.integer(0) } ?? 0
        let records = try statements.first(.countRecords, key) { row in row.integer(0) } ?? 0
        let changes = try statements.first(.countChanges, key) { row in (row.integer(0), row.integer(1)) } ?? (0, 0)
        return (zones, records, changes.0, changes.1)
    }

    // Databases

    /// Stores up to where the list of zones was fetched.
    /// - Parameters:
    ///   - moreComing: Whether the rest of the list is to be fetched, which leaves the database marked.
    ///   - marks: The marks that the database had when the fetch began. Later ones leave it marked.
    func store(
        token: [UInt8]?, moreComing: Bool, marks: Int64, of scope: DatabaseScope, in container: Int64
    ) throws(StorageError) {
        try statements.run(
            .storeDatabase,
            [
                token.map { .blob($0) } ?? .null, Self.flag(moreComing), .integer(marks), .integer(container),
                .integer(scope.number),
            ])
    }

    /// Notes that something may have changed in a database, also while it is being fetched.
    func markStale(_ scope: DatabaseScope, in container: Int64) throws(StorageError) {
        try statements.run(.markDatabaseStale, [.integer(container), .integer(scope.number)])
    }

    /// Notes that something may have changed everywhere, also while it is being fetched.
    func markAllStale() throws(StorageError) {
        try statements.run(.markAllStale)
        try alertStatements.run(.markAllAlertsStale)
    }

    static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    // Zones

    func find(_ zone: ZoneID, in container: ContainerRow) throws(StorageError) -> ZoneRow? {
        try statements.first(
            .findZone, [.integer(container.id), .text(zone.owner?.text ?? ""), .text(zone.name.text)]
        ) { (row) throws(StorageError) in try Self.zone(row, in: container.container) }
    }

    /// The zone's row, which is made without being present.
    func open(_ zone: ZoneID, in container: ContainerRow) throws(StorageError) -> ZoneRow {
        if let found = try find(zone, in: container) { return found }
        try statements.run(
            .addZone, [.integer(container.id), .text(zone.owner?.text ?? ""), .text(zone.name.text)])
        guard let made = try find(zone, in: container) else { throw Self.damaged("a zone") }
        return made
    }

    func zone(_ id: Int64, in container: ContainerRow) throws(StorageError) -> ZoneRow? {
        try statements.first(.readZone, [.integer(id)]) { (row) throws(StorageError) in
            try Self.zone(row, in: container.container)
        }
    }

    /// Zones that one of the statements about zones finds.
    func zones(
        _ statement: SyncStatement, in container: ContainerRow, _ further: [SQLValue] = []
    ) throws(StorageError) -> [ZoneRow] {
        try statements.all(statement, [.integer(container.id)] + further) { (row) throws(StorageError) in
            try Self.zone(row, in: container.container)
        }
    }

    func store(_ zone: ZoneRow) throws(StorageError) {
        try statements.run(
            .storeZone,
            [
                Self.flag(zone.isPresent), Self.flag(zone.mustMake), Self.flag(zone.mustDelete),
                SQLValue(zone.reason?.rawValue), Self.flag(zone.isLocal), zone.token.map { .blob($0) } ?? .null,
                Self.flag(zone.isStale), .integer(zone.pass), .integer(zone.revision), Self.flag(zone.isNew),
                .integer(zone.id),
            ])
    }

    private static func zone(_ row: borrowing Row, in container: Container) throws(StorageError) -> ZoneRow {
        guard let name = ZoneName(stored: row.text(3)), let owner = AccountID(row.text(2)) else {
            throw damaged("a zone")
        }
        var zone = ZoneRow(id: row.integer(0), container: row.integer(1), zone: ZoneID(container, owner: owner, name))
        zone.isPresent = row.integer(4) != 0
        zone.mustMake = row.integer(5) != 0
        zone.mustDelete = row.integer(6) != 0
        zone.reason = row.optionalText(7).flatMap(ZoneDeletionReason.init)
        zone.isLocal = row.integer(8) != 0
        zone.token = row.isNull(9) ? nil : row.withBytes(9) { Array($0) }
        zone.isStale = row.integer(10) != 0
        zone.pass = row.integer(11)
        zone.revision = row.integer(12)
        zone.isNew = row.integer(13) != 0
        return zone
    }

    // Records and changes

    func record(_ name: RecordName, in zone: ZoneRow) throws(StorageError) -> RecordRow? {
        try statements.first(.readRecord, [.integer(zone.id), .text(name.text)]) { (row) throws(StorageError) in
            RecordRow(
                base: try row.optionalText(1).map { (text) throws(StorageError) in try Self.record(text) },
                isPresent: row.integer(2) != 0, revision: row.integer(3), isLocal: row.integer(4) != 0,
                pass: row.integer(5))
        }
    }

    /// Stores the row of a record.
    /// - Parameter text: The hub's version as the hub has written it; nil to write it.
    func store(
        _ record: RecordRow, _ name: RecordName, in zone: ZoneRow, text: ArraySlice<UInt8>? = nil
    ) throws(StorageError) {
        let base = record.base.map { base in
            text.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: base.json, as: UTF8.self)
        }
        try statements.run(
            .storeRecord,
            [
                .integer(zone.container), .integer(zone.id), .text(name.text),
                SQLValue(base), Self.flag(record.isPresent),
                .integer(record.revision), Self.flag(record.isLocal), .integer(record.pass),
            ])
        try noteAssets(record.base?.assets ?? [], of: name, in: zone)
    }

    func change(_ name: RecordName, in zone: ZoneRow) throws(StorageError) -> ChangeRow? {
        try statements.first(.readChange, [.integer(zone.id), .text(name.text)]) { (row) throws(StorageError) in
            try Self.change(row, 0, zone.zone)
        }
    }

    func store(_ change: ChangeRow, _ name: RecordName, in zone: ZoneRow) throws(StorageError) {
        try noteAssets(of: change, name, in: zone)
        guard !change.isEmpty else {
            return try statements.run(.removeChange, [.integer(zone.id), .text(name.text)])
        }
        func text(_ change: LocalChange?) -> SQLValue {
            SQLValue(change.map { String(decoding: $0.request(in: zone.zone).json, as: UTF8.self) })
        }
        try statements.run(
            .storeChange,
            [
                .integer(zone.id), .text(name.text), text(change.sent), text(change.pending),
                SQLValue(change.error.map { String(decoding: $0, as: UTF8.self) }), text(change.restoration),
            ])
    }

    /// A change whose columns begin at this one: `sent`, `pending`, `error`, `restoration`.
    static func change(
        _ row: borrowing Row, _ column: Int32, _ zone: ZoneID
    ) throws(StorageError) -> ChangeRow {
        ChangeRow(
            sent: try change(row.optionalText(column), zone), pending: try change(row.optionalText(column + 1), zone),
            error: row.optionalText(column + 2).map { Array($0.utf8) },
            restoration: try change(row.optionalText(column + 3), zone))
    }

    static func change(_ text: String?, _ zone: ZoneID) throws(StorageError) -> LocalChange? {
        guard let text else { return nil }
        let request = try parsed("a change") { () throws(FormatError) in
            try ModifyRecords(zone, json: Array(text.utf8))
        }
        guard let change = LocalChange(request) else { throw damaged("a change") }
        return change
    }

    static func record(_ text: String) throws(StorageError) -> Record {
        try parsed("a record") { () throws(FormatError) in try Record(json: Array(text.utf8)) }
    }

    static func name(_ text: String) throws(StorageError) -> RecordName {
        guard let name = RecordName(text) else { throw damaged("the name of a record") }
        return name
    }

    /// Stores what a record has become, and notes the change where programs see something else than before: other
    /// contents, another version, or that a change was sent.
    /// - Parameters:
    ///   - text: The hub's version as the hub has written it; nil to write it.
    ///   - revisions: Those that are stored after several records; nil to store each at once.
    func settle(
        _ record: RecordRow, _ change: ChangeRow?, _ name: RecordName, in zone: ZoneRow,
        before: SeenRecord, isLocal: Bool, _ text: ArraySlice<UInt8>? = nil, _ revisions: DrawnRevisions? = nil
    ) throws(StorageError) {
        var record = record
        let after = SeenRecord(change, of: record.base)
        record.isPresent = after.record != nil
        if before != after {
            // That the hub has acknowledged a change of this machine is nothing that an app is woken for.
            let isFromHub = !isLocal && !LocalRecord.haveSameContents(before.record, after.record)
            if let revisions {
                record.revision = revisions.draw(isFromHub: isFromHub)
            } else {
                record.revision = try isFromHub ? nextRevisionFromHub(zone.container) : nextRevision(zone.container)
            }
            record.isLocal = isLocal
        }
        if record.revision == 0 {
            // Programs have never seen it, and nothing is left of it.
            if record.base == nil, change?.isEmpty ?? true {
                try noteAssets([], of: name, in: zone)
                return try statements.run(.removeRecord, [.integer(zone.id), .text(name.text)])
            }
        }
        try store(record, name, in: zone, text: text)
    }
}

extension ZoneName {
    /// The zone with this name, which may be the default one.
    init?(stored text: String) {
        if text == ZoneName.defaultZone.text { self = .defaultZone } else { self.init(text) }
    }
}
