import Location

/// The recordings in memory, as in the database; a failed transaction restores the previous state.
struct RecordingTable {
    private var rows: [RecordingID: RecordingRow] = [:]
    private var ids: [RecordingKey: RecordingID] = [:]
    private var order: [RecordingID] = []
    /// The previous state of each recording that the running transaction has changed; nil for a new one.
    private var before: [RecordingID: RecordingRow?] = [:]

    /// The recording with this key.
    subscript(key: RecordingKey) -> RecordingRow? { ids[key].flatMap { rows[$0] } }

    /// The recording; a change belongs to the running transaction.
    subscript(id: RecordingID) -> RecordingRow? {
        get { rows[id] }
        set {
            if before[id] == nil { before.updateValue(rows[id], forKey: id) }
            set(newValue, at: id)
        }
    }

    /// The number of recordings.
    var count: Int { rows.count }

    /// All recordings, by user, app and identifier.
    var all: [StoredRecording] { order.compactMap { rows[$0]?.stored } }

    /// All recordings, with the storage thread's part.
    var allRows: [RecordingRow] { order.compactMap { rows[$0] } }

    /// The recordings that the running transaction has changed and not removed.
    var changed: [RecordingRow] { before.keys.compactMap { rows[$0] } }

    /// Whether the running transaction has changed or removed a recording.
    var isChanged: Bool { !before.isEmpty }

    /// Confirms the changes, which are durable.
    mutating func commit() {
        before.removeAll(keepingCapacity: true)
    }

    /// Restores the state before the transaction.
    mutating func rollback() {
        for (id, row) in before { set(row, at: id) }
        before.removeAll(keepingCapacity: true)
    }

    private mutating func set(_ row: RecordingRow?, at id: RecordingID) {
        let old = rows.updateValue(row, at: id)
        guard (old == nil) != (row == nil) else { return }
        if let row {
            ids[row.stored.key] = id
            let place = order.firstIndex { other in
                rows[other].map { RecordingKey.precedes(row.stored.key, $0.stored.key) } ?? false
            }
            order.insert(id, at: place ?? order.endIndex)
        } else if let old {
            if ids[old.stored.key] == id { ids[old.stored.key] = nil }
            order.removeAll { $0 == id }
        }
    }
}

extension Dictionary {
    /// Sets or removes a value, and returns the previous one.
    fileprivate mutating func updateValue(_ value: Value?, at key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
