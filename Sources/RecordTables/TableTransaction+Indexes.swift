import Records

extension TableTransaction {
    /// Removes entries from indexes, and adds others. An entry that is there already, or not there, stays so.
    public func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure) {
        let number = try numberToWrite(of: zone)
        if !removing.isEmpty { try run(.removeEntry, each: removing.map { [number] + $0.columns }) }
        if !adding.isEmpty { try run(.addEntry, each: adding.map { [number] + $0.columns }) }
    }

    /// Removes all entries of an index in a container's zones.
    public func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure) {
        try run(.removeIndex, [.text(index.name), container.column])
    }

    /// Passes the records of an index after a place to the body with their keys, in the order of keys and names, until it
    /// returns false or a key is not before the end; or in the opposite order, until a key is before the end.
    ///
    /// They are read in parts of about a mebibyte, because libpq has the whole result of a statement in memory, and the first
    /// part is small, because a page of a query may need few.
    public func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        let statement: TableStatement = descending ? .readEntriesBackwards : .readEntries
        var (key, record) = (start.key, start.record?.text ?? "")
        var limit = EntryParts.first
        var isMore = true
        while isMore {
            var (count, bytes) = (0, 0)
            let values: [StoredValue] = [
                .integer(number), .text(index.name), .blob(key.bytes), .text(record), .blob(end.bytes),
                .integer(Int64(limit)),
            ]
            var isEnded = false
            try run(statement, values) { (row) throws(TableError) in
                count += 1
                key = IndexKey(bytes: try row.bytes(0))
                record = try row.text(1)
                // The entries of a record that was deleted are deleted too.
                guard !row.isNull(2) else { return true }
                let content = try row.bytes(2)
                bytes += content.count
                isEnded = !body(key, try Record(column: content))
                return !isEnded
            }
            isMore = count == limit && !isEnded
            limit = min(max(EntryParts.bytes / max(bytes / max(count, 1), 1), 1), EntryParts.most)
        }
    }
}

/// How many entries are read at a time.
private enum EntryParts {
    static let first = 32
    static let most = 1_024
    static let bytes = 1 << 20
}

extension IndexEntry {
    /// The columns after the number of the zone.
    fileprivate var columns: [StoredValue] { [.text(index.name), .blob(key.bytes), record.column] }
}
