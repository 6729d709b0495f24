import Journal
import Location
import Records

// Rows of tables as values. The order of the columns is that of the statements in `RecordStatement`.

extension SQLValue {
    /// A counter to store. SQLite has no integers without a sign, and no counter becomes this large.
    static func counter(_ counter: UInt64) throws(JournalError) -> SQLValue {
        guard let integer = Int64(exactly: counter) else {
            throw JournalError("store a counter", .tooLarge, "it is greater than 9223372036854775807")
        }
        return .integer(integer)
    }

    /// A counter to compare with: no stored one is greater than the largest.
    static func bound(_ counter: UInt64) -> SQLValue { .integer(Int64(clamping: counter)) }
}

extension Row {
    func counter(_ column: Int32) throws(JournalError) -> UInt64 {
        guard let counter = UInt64(exactly: integer(column)) else {
            throw .damage("read a counter", "a column has a negative counter")
        }
        return counter
    }

    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

    func time(_ column: Int32) -> UTCTime { UTCTime(microseconds: integer(column)) }
}

extension DatabaseRow {
    init(_ row: borrowing Row) throws(JournalError) {
        self.init()
        counter = try row.counter(0)
        removedThrough = try row.counter(1)
        zones = Int(row.integer(2))
    }
}

extension ZoneRow {
    init(_ row: borrowing Row) throws(JournalError) {
        self.init(incarnation: try row.counter(0))
        counter = try row.counter(1)
        removedThrough = try row.counter(2)
    }
}

extension FeedRow {
    init(_ row: borrowing Row, _ container: Container) throws(JournalError) {
        self.init(
            try ZoneID(container, owner: row.text(0), name: row.text(1)), position: try row.counter(2),
            isPresent: row.integer(3) != 0, deletion: row.isNull(4) ? nil : try Deletion(row))
    }

    /// The columns after the key.
    func columns() throws(JournalError) -> [SQLValue] {
        let deletedAt: SQLValue = if let deletion { try .counter(deletion.position) } else { .null }
        return [
            try .counter(position), .integer(isPresent ? 1 : 0), deletedAt, SQLValue(deletion?.reason.rawValue),
            SQLValue(deletion?.time.microseconds),
        ]
    }
}

extension FeedRow.Deletion {
    fileprivate init(_ row: borrowing Row) throws(JournalError) {
        guard let reason = ZoneDeletionReason(rawValue: row.text(5)) else {
            throw .damage("read a listed zone", "a column has no known reason of a deletion")
        }
        self.init(position: try row.counter(4), reason, row.time(6))
    }
}

extension Participant {
    init(_ row: borrowing Row) throws(JournalError) {
        guard let permission = Permission(rawValue: row.text(1)) else {
            throw .damage("read a participant", "a column has no known permission")
        }
        self.init(try AccountID(column: row.text(0)), permission, hasAccepted: row.integer(2) != 0)
    }
}

extension RecordRow {
    init(_ row: borrowing Row) throws(JournalError) {
        let name = try RecordName(column: row.text(0))
        let counter = try row.counter(1)
        if row.isNull(3) {
            let previous = row.isNull(5) ? nil : try Record(column: row.bytes(5))
            self.init(name, counter: counter, .record(try Record(column: row.bytes(4)), previous: previous))
        } else {
            self.init(name, counter: counter, .deleted(try RecordType(column: row.text(2)), row.time(3)))
        }
    }

    /// The columns after the number of the zone.
    func columns() throws(JournalError) -> [SQLValue] {
        let counter = try SQLValue.counter(counter)
        return switch content {
        case .record(let record, let previous):
            [
                name.column, counter, record.type.column, .null, .blob(record.json),
                previous.map { .blob($0.json) } ?? .null,
            ]
        case .deleted(let type, let time):
            [name.column, counter, type.column, .integer(time.microseconds), .null, .null]
        }
    }
}

extension Record {
    fileprivate init(column: [UInt8]) throws(JournalError) {
        do throws(FormatError) {
            self = try Record(json: column)
        } catch {
            throw .damage("read a record", "\(error)")
        }
    }
}

extension AnswerRow {
    init(_ row: borrowing Row) {
        self.init(digest: row.bytes(0), answer: row.bytes(1), row.time(2))
    }
}

extension DeviceRow {
    init(_ row: borrowing Row) throws(JournalError) {
        self.init(try AccountDevice(row), token: row.bytes(2), joined: row.time(3))
    }
}

extension InvitationRow {
    init(_ row: borrowing Row) throws(JournalError) {
        self.init(try AccountDevice(row), code: row.bytes(2), expires: row.time(3))
    }
}

extension Subscription {
    init(_ row: borrowing Row, _ container: Container) throws(JournalError) {
        let subject: Subject =
            row.isNull(2) ? .database : .zone(try ZoneID(container, owner: row.text(1), name: row.text(2)))
        self.init(try SubscriptionName(column: row.text(0)), subject)
    }

    /// The columns after the number of the database.
    var columns: [SQLValue] {
        switch subject {
        case .database: [name.column, .null, .null]
        case .zone(let zone): [name.column] + zone.nameColumns
        }
    }
}

extension Push {
    init(_ row: borrowing Row, to target: PushTarget) throws(JournalError) {
        self.init(
            target, try DatabaseID(target.container, kind: row.integer(2), account: row.text(3)),
            try ZoneID(target.container, owner: row.text(0), name: row.text(1)), try row.counter(4))
    }
}
