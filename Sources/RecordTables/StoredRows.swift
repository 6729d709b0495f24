import Location
import Records

// Rows of tables as values. The order of the columns is that of the statements in `TableStatement`.

extension StoredRow {
    func counter(_ column: Int) throws(TableError) -> UInt64 {
        guard let counter = UInt64(exactly: try integer(column)) else {
            throw .damage("read a counter", "a column has a negative counter")
        }
        return counter
    }

    func time(_ column: Int) throws(TableError) -> UTCTime { UTCTime(microseconds: try integer(column)) }

    /// The name of a child, and whether it was deleted.
    package func child() throws(TableError) -> (name: RecordName, isDeleted: Bool) {
        (try RecordName(column: text(0)), !isNull(1))
    }
}

extension DatabaseRow {
    /// The row, nil for a database to which rows refer and that has none of its own, and the number after its columns.
    package static func numbered(_ row: StoredRow) throws(TableError) -> (row: DatabaseRow?, number: Int64) {
        (row.isNull(0) ? nil : try DatabaseRow(row), try row.integer(3))
    }

    package init(_ row: StoredRow) throws(TableError) {
        self.init()
        counter = try row.counter(0)
        removedThrough = try row.counter(1)
        zones = Int(try row.integer(2))
    }

    /// The columns after the key.
    var columns: [StoredValue] { [.counter(counter), .counter(removedThrough), .integer(Int64(zones))] }
}

extension ZoneRow {
    /// The row, nil for a zone to which rows refer and that has none of its own, and the number after its columns.
    package static func numbered(_ row: StoredRow) throws(TableError) -> (row: ZoneRow?, number: Int64) {
        (row.isNull(0) ? nil : try ZoneRow(row), try row.integer(4))
    }

    package init(_ row: StoredRow) throws(TableError) {
        self.init(incarnation: try row.counter(0))
        counter = try row.counter(1)
        removedThrough = try row.counter(2)
        hierarchy = try row.counter(3)
    }

    /// The columns after the key.
    var columns: [StoredValue] {
        [.counter(incarnation), .counter(counter), .counter(removedThrough), .counter(hierarchy)]
    }
}

extension FeedRow {
    package init(_ row: StoredRow, _ container: Container) throws(TableError) {
        self.init(
            try ZoneID(container, owner: try row.text(0), name: try row.text(1)), position: try row.counter(2),
            isPresent: try row.integer(3) != 0, deletion: row.isNull(4) ? nil : try Deletion(row))
    }

    /// The columns after the key.
    var columns: [StoredValue] {
        [
            .counter(position), .integer(isPresent ? 1 : 0), deletion.map { .counter($0.position) } ?? .null,
            StoredValue(deletion?.reason.rawValue), StoredValue(deletion?.time.microseconds),
        ]
    }
}

extension FeedRow.Deletion {
    fileprivate init(_ row: StoredRow) throws(TableError) {
        guard let reason = ZoneDeletionReason(rawValue: try row.text(5)) else {
            throw .damage("read a listed zone", "a column has no known reason of a deletion")
        }
        self.init(position: try row.counter(4), reason, try row.time(6))
    }
}

extension Participant {
    package init(_ row: StoredRow) throws(TableError) {
        guard let permission = Permission(rawValue: try row.text(1)) else {
            throw .damage("read a participant", "a column has no known permission")
        }
        self.init(
            try AccountID(column: try row.text(0)), permission, hasAccepted: try row.integer(2) != 0,
            of: try row.text(3).isEmpty ? nil : try RecordName(column: row.text(3)))
    }

    /// The name of the shared record; empty for the zone.
    var rootColumn: StoredValue { .text(root?.text ?? "") }
}

extension DeviceID {
    /// The name that is the only column.
    package init(_ row: StoredRow) throws(TableError) { self = try DeviceID(column: try row.text(0)) }
}

extension RecordRow {
    /// The row; nil unless the column after those of the row says that it is whole.
    package static func whole(_ row: StoredRow) throws(TableError) -> RecordRow? {
        try row.integer(7) != 0 ? try RecordRow(row) : nil
    }

    /// The name in the columns of a row.
    package static func name(_ row: StoredRow) throws(TableError) -> RecordName {
        try RecordName(column: try row.text(0))
    }

    /// The row of these columns.
    package init(_ row: StoredRow) throws(TableError) {
        let name = try RecordName(column: try row.text(0))
        let counter = try row.counter(1)
        if row.isNull(3) {
            let previous = row.isNull(5) ? nil : try Record(column: try row.bytes(5))
            self.init(name, counter: counter, .record(try Record(column: try row.bytes(4)), previous: previous))
        } else {
            self.init(
                name, counter: counter, .deleted(try RecordType(column: try row.text(2)), try row.time(3)),
                parent: row.isNull(6) ? nil : try RecordName(column: row.text(6)))
        }
    }

    /// The columns after the number of the zone.
    var columns: [StoredValue] {
        let counter = StoredValue.counter(counter)
        let parent = StoredValue(parent?.text)
        return switch content {
        case .record(let record, let previous):
            [
                name.column, counter, record.type.column, .null, .blob(record.json),
                previous.map { .blob($0.json) } ?? .null, parent,
            ]
        case .deleted(let type, let time):
            [name.column, counter, type.column, .integer(time.microseconds), .null, .null, parent]
        }
    }
}

extension WrittenRow {
    /// The row of these columns.
    package init(_ row: StoredRow) throws(TableError) {
        let name = try RecordName(column: try row.text(0))
        let counter = try row.counter(1)
        guard row.isNull(3) else {
            self.init(name, counter: counter, .deleted(try RecordType(column: try row.text(2))))
            return
        }
        let text = try row.bytes(4)
        do throws(FormatError) {
            self.init(name, counter: counter, .record(try WrittenRecord(json: text)))
        } catch {
            throw .damage("read a record", "\(error)")
        }
    }
}

extension Record {
    init(column: [UInt8]) throws(TableError) {
        do throws(FormatError) {
            self = try Record(json: column)
        } catch {
            throw .damage("read a record", "\(error)")
        }
    }
}

extension TypeDefinition {
    package init(_ row: StoredRow) throws(TableError) {
        let column = try row.bytes(0)
        do throws(FormatError) {
            self = try TypeDefinition(json: column)
        } catch {
            throw .damage("read a type", "\(error)")
        }
        guard !row.isNull(1) else { return }
        unfilled = Set(try row.text(1).split(separator: ",").compactMap { FieldName(ofAnyField: String($0)) })
    }

    /// The names of the fields whose indexes are not filled, with commas between them; NULL for none.
    var unfilledColumn: StoredValue {
        unfilled.isEmpty ? .null : .text(unfilled.sorted().map(\.text).joined(separator: ","))
    }
}

extension TeamMember {
    package init(_ row: StoredRow) throws(TableError) {
        var rights: Set<TeamRight> = []
        for word in try row.text(1).split(separator: ",") {
            guard let right = TeamRight(rawValue: String(word)) else {
                throw .damage("read a member of a team", "a column has no known right")
            }
            rights.insert(right)
        }
        self.init(try AccountID(column: row.text(0)), rights, isAgent: try row.integer(2) != 0)
    }

    /// The rights, with commas between them.
    var rightsColumn: StoredValue { .text(rights.sorted().map(\.rawValue).joined(separator: ",")) }
}

extension AnswerRow {
    /// The number before the columns, and the row.
    package static func numbered(_ row: StoredRow) throws(TableError) -> (number: Int, row: AnswerRow) {
        (Int(try row.integer(0)), try AnswerRow(row.dropping(1)))
    }

    package init(_ row: StoredRow) throws(TableError) {
        self.init(digest: try row.bytes(0), answer: try row.bytes(1), try row.time(2))
    }

    /// The columns after the key.
    var columns: [StoredValue] { [.blob(digest), .blob(answer), .integer(time.microseconds)] }
}

extension DeviceRow {
    package init(_ row: StoredRow) throws(TableError) {
        self.init(try AccountDevice(row), token: try row.bytes(2), joined: try row.time(3))
    }
}

extension InvitationRow {
    init(_ row: StoredRow) throws(TableError) {
        self.init(try AccountDevice(row), code: try row.bytes(2), expires: try row.time(3))
    }
}

extension Subscription {
    package init(_ row: StoredRow, _ container: Container, _ parsed: ParsedSubjects? = nil) throws(TableError) {
        let name = try SubscriptionName(column: try row.text(0))
        guard row.isNull(3) else {
            let query = try row.bytes(3)
            do throws(FormatError) {
                if let parsed {
                    self.init(name, try parsed.subject(query, in: container))
                } else {
                    self.init(name, try Subject(container, json: query))
                }
            } catch {
                throw .damage("read a subscription", "\(error)")
            }
            return
        }
        self.init(
            name,
            row.isNull(2) ? .database : .zone(try ZoneID(container, owner: try row.text(1), name: try row.text(2))))
    }

    /// The columns after the number of the database.
    var columns: [StoredValue] {
        switch subject {
        case .database: [name.column, .null, .null, .null]
        case .zone(let zone): [name.column] + zone.nameColumns + [.null]
        case .query: [name.column, .null, .null, .blob(subject.json)]
        }
    }
}

extension Push {
    init(_ row: StoredRow, to target: PushTarget) throws(TableError) {
        self.init(
            target, try DatabaseID(target.container, kind: try row.integer(2), account: try row.text(3)),
            try ZoneID(target.container, owner: try row.text(0), name: try row.text(1)),
            try row.text(5).isEmpty ? nil : try SubscriptionName(pushColumn: row.text(5)), try row.counter(4))
    }

    /// The name of the subscription; empty for none.
    var subscriptionColumn: StoredValue { .text(subscription?.text ?? "") }
}

extension AssetRow {
    package init(_ row: StoredRow) throws(TableError) {
        guard let asset = Asset(digest: try row.bytes(1), size: try row.integer(2)) else {
            throw .damage("read an asset", "a column has no digest or size of an asset")
        }
        let account = try row.text(3)
        self.init(
            asset, of: account.isEmpty ? nil : try AccountID(column: account), number: try row.integer(0),
            received: try row.integer(4), state: row.isNull(5) ? nil : try row.bytes(5), try row.time(6))
    }

    /// The columns that change.
    var columns: [StoredValue] {
        [
            .text(account?.text ?? ""), .integer(received), state.map { .blob($0) } ?? .null,
            .integer(time.microseconds),
        ]
    }
}
