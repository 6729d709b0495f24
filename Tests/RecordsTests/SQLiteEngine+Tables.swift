import Journal
import Location
import Records

@testable import RecordsSQLite

extension SQLiteEngine {
    /// All rows of the file, as the engine in memory would have them. Rows that nothing can refer to are errors.
    func tables() throws -> MemoryEngine.Tables {
        var tables = MemoryEngine.Tables()
        let reopened = connection == nil
        if reopened { try read { (_) throws(EngineFailure) in () } }
        guard let connection else { throw EngineFailure("read all tables", reason: "the file is not open") }
        let database = "JOIN databases AS d ON d.number = t.database"
        let zone = "JOIN zones AS z ON z.number = t.zone"
        try connection.each(
            "SELECT counter, removedThrough, zones, container, kind, account FROM databases WHERE counter IS NOT NULL"
        ) { (row) throws(JournalError) in
            tables.databases[try row.database(3)] = try DatabaseRow(row)
        }
        try connection.each("SELECT account, device, token, joined FROM accountDevices") {
            (row) throws(JournalError) in
            let device = try DeviceRow(row)
            tables.accountDevices[device.id] = device
        }
        try connection.each("SELECT account, device, code, expires FROM invitations") { (row) throws(JournalError) in
            let invitation = try InvitationRow(row)
            tables.invitations[invitation.id] = invitation
        }
        try connection.each(
            "SELECT incarnation, counter, removedThrough, container, owner, name FROM zones"
        ) { (row) throws(JournalError) in
            guard !row.isNull(0) else { throw .damage("read all tables", "a zone has no counters") }
            tables.zones[try row.zone(3)] = try ZoneRow(row)
        }
        try connection.each(
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime, d.container, d.kind, d.account
            FROM feed AS t LEFT \(database)
            """
        ) { (row) throws(JournalError) in
            let database = try row.database(7)
            let feed = try FeedRow(row, database.container)
            tables.feed[MemoryEngine.Tables.Place(database: database, zone: feed.zone)] = feed
        }
        try connection.each(
            """
            SELECT t.name, t.counter, t.type, t.deleted, t.content, t.previous, z.container, z.owner, z.name
            FROM records AS t LEFT \(zone)
            """
        ) { (row) throws(JournalError) in
            let record = try RecordRow(row)
            tables.records[try row.zone(6), default: [:]][record.name] = record
        }
        try connection.each(
            "SELECT account, permission, hasAccepted, container, owner, name FROM participants AS t LEFT \(zone)"
        ) { (row) throws(JournalError) in
            let participant = try Participant(row)
            tables.participants[try row.zone(3), default: [:]][participant.account] = participant
        }
        try connection.each(
            "SELECT digest, answer, time, request, container, account, device FROM answers"
        ) { (row) throws(JournalError) in
            let key = AnswerRow.Key(try row.target(4), try RequestKey(column: row.text(3)))
            tables.answers[key] = AnswerRow(row)
        }
        try connection.each(
            "SELECT t.name, t.owner, t.zone, d.container, d.kind, d.account FROM subscriptions AS t LEFT \(database)"
        ) { (row) throws(JournalError) in
            let database = try row.database(3)
            let subscription = try Subscription(row, database.container)
            tables.subscriptions[database, default: [:]][subscription.name] = subscription
        }
        try connection.each("SELECT container, account, device FROM devices") { (row) throws(JournalError) in
            tables.devices.insert(try row.target(0))
        }
        try connection.each(
            "SELECT owner, zone, kind, holder, position, container, account, device FROM pushes"
        ) { (row) throws(JournalError) in
            let push = try Push(row, to: try row.target(5))
            tables.pushes[MemoryEngine.Tables.PushKey(target: push.target, zone: push.zone)] = push
        }
        return tables
    }
}

extension RecordConnection {
    /// Runs a query of a test.
    func each(_ sql: String, _ body: (borrowing Row) throws(JournalError) -> Void) throws(JournalError) {
        let statement = try Statement(database, sql, as: "read all tables")
        try statement.run { (row) throws(JournalError) in
            try body(row)
            return true
        }
    }
}

extension Row {
    fileprivate func database(_ first: Int32) throws(JournalError) -> DatabaseID {
        try DatabaseID(Container(column: text(first)), kind: integer(first + 1), account: text(first + 2))
    }

    fileprivate func zone(_ first: Int32) throws(JournalError) -> ZoneID {
        try ZoneID(Container(column: text(first)), owner: text(first + 1), name: text(first + 2))
    }

    fileprivate func target(_ first: Int32) throws(JournalError) -> PushTarget {
        PushTarget(
            try Container(column: text(first)), try AccountID(column: text(first + 1)),
            try DeviceID(column: text(first + 2)))
    }
}
