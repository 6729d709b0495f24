import Location
import Records

extension TableTransaction {
    /// The rows of these names that exist, in any order.
    public func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        guard let number = try number(of: zone) else { return [] }
        var rows: [RecordRow] = []
        for name in Set(names) {
            let row = try first(.readRecord, [.integer(number), name.column]) {
                (row) throws(TableError) in try RecordRow(row)
            }
            if let row { rows.append(row) }
        }
        return rows
    }

    /// The records whose parents these are, in any order, and those that had them when they were deleted.
    public func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        guard !parents.isEmpty, let number = try number(of: zone) else { return [] }
        var found: [(name: RecordName, isDeleted: Bool)] = []
        for parent in parents {
            found += try all(.readChildren, [.integer(number), parent.column]) { (row) throws(TableError) in
                try row.child()
            }
        }
        return found
    }

    /// The parents of those of these records that exist and have one.
    public func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName] {
        guard let number = try number(of: zone) else { return [:] }
        var found: [RecordName: RecordName] = [:]
        for name in names {
            found[name] = try first(.readParent, [.integer(number), name.column]) {
                (row) throws(TableError) in try RecordName(column: row.text(0))
            }
        }
        return found
    }

    /// Stores rows, each instead of the one with its name.
    public func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure) {
        let number = try numberToWrite(of: zone)
        if let cache {
            for row in rows {
                cache.put(row, in: zone)
                try storePart()
            }
            return
        }
        try run(.storeRecord, each: rows.map { [number] + $0.columns })
    }

    /// Passes the rows of a zone whose counters are greater than this one to the body, in the order of counters, until it
    /// returns false; of deleted records only those whose counters are greater than another one.
    public func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        try run(.readChanges, [.integer(number), .bound(counter), .bound(deletedAfter)]) {
            (row) throws(TableError) in body(try RecordRow(row))
        }
    }

    /// As `forEachChange`, with what a page of changes has of each row.
    public func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        try run(.readWrittenChanges, [.integer(number), .bound(counter), .bound(deletedAfter)]) {
            (row) throws(TableError) in body(try WrittenRow(row))
        }
    }

    /// Removes the rows of deleted records.
    public func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        try run(.removeDeletion, each: names.map { [.integer(number), $0.column] })
        cache?.removeRecords(names, in: zone)
    }

    /// The answer to a request; nil if it was not answered yet, or too long ago.
    public func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow? {
        if let known = cache?.answers[key] { return known }
        return try first(.readAnswer, key.columns) { (row) throws(TableError) in try AnswerRow(row) }
    }

    /// Stores an answer.
    public func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure) {
        if let cache {
            cache.put(row, to: key)
            return try storePart()
        }
        try run(.storeAnswer, key.columns + row.columns)
    }

    /// Records that were deleted before this time, the earliest first.
    public func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)] {
        try all(.readOldDeletions, [.integer(time.microseconds), .integer(Int64(limit))]) {
            (row) throws(TableError) in
            let container = try Container(column: row.text(0))
            return (
                try ZoneID(container, owner: row.text(1), name: row.text(2)), try RecordName(column: row.text(3))
            )
        }
    }

    /// Zones that are not in the database any more, and were deleted before this time.
    public func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)] {
        try all(.readOldListedZones, [.integer(time.microseconds), .integer(Int64(limit))]) {
            (row) throws(TableError) in
            let container = try Container(column: row.text(0))
            return (
                try ZoneID(container, owner: row.text(3), name: row.text(4)),
                try DatabaseID(container, kind: row.integer(1), account: row.text(2))
            )
        }
    }

    /// Removes answers from before this time, and returns how many.
    public func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int {
        try run(.removeOldAnswers, [.integer(time.microseconds), .integer(Int64(limit))]) {
            (_) throws(TableError) in true
        }
    }
}
