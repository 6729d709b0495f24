import Location
import Records

@testable import RecordTables

/// Reads all rows of an engine with tables, as the engine in memory would have them.
enum StoredTables {
    /// Reads the rows of queries. Rows that nothing can refer to are errors.
    /// - Parameter each: Runs a query, and passes each row to a closure.
    static func read(
        _ each: (String, (StoredRow) throws(TableError) -> Void) throws -> Void
    ) throws -> MemoryEngine.Tables {
        var tables = MemoryEngine.Tables()
        let database = "JOIN databases AS d ON d.number = t.database"
        let zone = "JOIN zones AS z ON z.number = t.zone"
        try each(
            "SELECT counter, removedThrough, zones, container, kind, account FROM databases WHERE counter IS NOT NULL"
        ) { (row) throws(TableError) in
            tables.databases[try row.database(3)] = try DatabaseRow(row)
        }
        try each("SELECT definition, unfilled, container FROM recordTypes") { (row) throws(TableError) in
            let type = try TypeDefinition(row)
            tables.types[try Container(column: row.text(2)), default: [:]][type.name] = type
        }
        try each("SELECT account, rights, isAgent, container FROM teams") { (row) throws(TableError) in
            let member = try TeamMember(row)
            tables.teams[try ContainerName(column: row.text(3)), default: [:]][member.account] = member
        }
        try each("SELECT account, device, token, joined FROM accountDevices") {
            (row) throws(TableError) in
            let device = try DeviceRow(row)
            tables.accountDevices[device.id] = device
        }
        try each("SELECT account, device, code, expires FROM invitations") { (row) throws(TableError) in
            let invitation = try InvitationRow(row)
            tables.invitations[invitation.id] = invitation
        }
        try each(
            "SELECT incarnation, counter, removedThrough, hierarchy, container, owner, name FROM zones"
        ) { (row) throws(TableError) in
            guard !row.isNull(0) else { throw .damage("read all tables", "a zone has no counters") }
            tables.zones[try row.zone(4)] = try ZoneRow(row)
        }
        try each(
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime, d.container, d.kind, d.account
            FROM feed AS t LEFT \(database)
            """
        ) { (row) throws(TableError) in
            let database = try row.database(7)
            let feed = try FeedRow(row, database.container)
            tables.feed[MemoryEngine.Tables.Place(database: database, zone: feed.zone)] = feed
        }
        try each(
            """
            SELECT t.name, t.counter, t.type, t.deleted, t.content, t.previous, t.parent, z.container, z.owner, z.name
            FROM records AS t LEFT \(zone)
            """
        ) { (row) throws(TableError) in
            let record = try RecordRow(row)
            tables.records[try row.zone(7), default: [:]][record.name] = record
        }
        try each(
            "SELECT account, permission, hasAccepted, record, container, owner, name FROM participants AS t LEFT \(zone)"
        ) { (row) throws(TableError) in
            let participant = try Participant(row)
            let key = MemoryEngine.Tables.ShareKey(participant)
            tables.participants[try row.zone(4), default: [:]][key] = participant
        }
        try each(
            "SELECT digest, answer, time, request, container, account, device FROM answers"
        ) { (row) throws(TableError) in
            let key = AnswerRow.Key(try row.target(4), try RequestKey(column: row.text(3)))
            tables.answers[key] = try AnswerRow(row)
        }
        try each(
            "SELECT t.name, t.owner, t.zone, t.query, d.container, d.kind, d.account FROM subscriptions AS t LEFT \(database)"
        ) { (row) throws(TableError) in
            let database = try row.database(4)
            let subscription = try Subscription(row, database.container)
            tables.subscriptions[database, default: [:]][subscription.name] = subscription
        }
        try each("SELECT name, NULL, NULL, query, container, account FROM publicSubscriptions") {
            (row) throws(TableError) in
            let container = try Container(column: row.text(4))
            let subscription = try Subscription(row, container)
            let key = MemoryEngine.Tables.SubscriberKey(
                container: container, account: try AccountID(column: row.text(5)), name: subscription.name)
            tables.publicSubscriptions[key] = subscription
        }
        try each("SELECT container, account, device FROM devices") { (row) throws(TableError) in
            tables.devices.insert(try row.target(0))
        }
        try each(
            "SELECT owner, zone, kind, holder, position, subscription, container, account, device FROM pushes"
        ) { (row) throws(TableError) in
            let push = try Push(row, to: try row.target(6))
            tables.pushes[MemoryEngine.Tables.PushKey(push)] = push
        }
        try each(
            "SELECT t.field, t.key, t.record, z.container, z.owner, z.name FROM entries AS t LEFT \(zone)"
        ) { (row) throws(TableError) in
            let entry = IndexEntry(
                try row.index(0), IndexKey(bytes: try row.bytes(1)), try RecordName(column: row.text(2)))
            tables.entries[try row.zone(3), default: []].insert(entry)
        }
        try each(
            """
            SELECT t.number, digest, size, account, received, state, time, container, owner, name
            FROM assets AS t LEFT \(zone)
            """
        ) { (row) throws(TableError) in
            let asset = try AssetRow(row)
            guard !row.isNull(7) else {
                tables.discarded[asset.number] = asset
                return
            }
            let key = MemoryEngine.Tables.AssetKey(
                zone: try row.zone(7), digest: asset.asset.digest, account: asset.account)
            tables.assets[key] = asset
        }
        try each(
            "SELECT digest, record, container, owner, name FROM assetUses AS t LEFT \(zone)"
        ) { (row) throws(TableError) in
            let use = AssetUse(try row.bytes(0), by: try RecordName(column: row.text(1)))
            tables.assetUses[try row.zone(2), default: []].insert(use)
        }
        return tables
    }
}

extension StoredRow {
    fileprivate func database(_ first: Int) throws(TableError) -> DatabaseID {
        try DatabaseID(Container(column: try text(first)), kind: try integer(first + 1), account: try text(first + 2))
    }

    fileprivate func zone(_ first: Int) throws(TableError) -> ZoneID {
        try ZoneID(Container(column: try text(first)), owner: try text(first + 1), name: try text(first + 2))
    }

    fileprivate func index(_ column: Int) throws(TableError) -> RecordIndex {
        let parts = try text(column).split(separator: "/")
        let names = parts[0].split(separator: ".")
        guard let field = FieldName(ofAnyField: String(names[1])) else { throw .damage("read an index", "no field") }
        return RecordIndex(
            try RecordType(column: String(names[0])), field,
            parts.count > 1 ? .words : .values)
    }

    fileprivate func target(_ first: Int) throws(TableError) -> PushTarget {
        PushTarget(
            try Container(column: try text(first)), try AccountID(column: try text(first + 1)),
            try DeviceID(column: try text(first + 2)))
    }
}
