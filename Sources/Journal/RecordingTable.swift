import Location

/// The recordings in memory, as the database has them; a transaction that fails takes its changes back.
struct RecordingTable {
    private var rows: [RecordingID: RecordingRow] = [:]
    private var ids: [RecordingKey: RecordingID] = [:]
    private var order: [RecordingID] = []
    /// What was before the transaction under way of each recording that it changed; nil where there was none.
    private var before: [RecordingID: RecordingRow?] = [:]

    /// The recording of this name.
    subscript(key: RecordingKey) -> RecordingRow? { ids[key].flatMap { rows[$0] } }

    /// The recording; a change of it belongs to the transaction under way.
    subscript(id: RecordingID) -> RecordingRow? {
        get { rows[id] }
        set {
            if before[id] == nil { before.updateValue(rows[id], forKey: id) }
            set(newValue, at: id)
        }
    }

    /// How many there are.
    var count: Int { rows.count }

    /// All of them, by user, app and identifier.
    var all: [StoredRecording] { order.compactMap { rows[$0]?.stored } }

    /// All of them, with what only the storage thread knows.
    var allRows: [RecordingRow] { order.compactMap { rows[$0] } }

    /// Those that the transaction under way has changed and not forgotten.
    var changed: [RecordingRow] { before.keys.compactMap { rows[$0] } }

    /// Whether the transaction under way has changed or forgotten any.
    var isChanged: Bool { !before.isEmpty }

    /// What was changed is durable.
    mutating func commit() {
        before.removeAll(keepingCapacity: true)
    }

    /// What was changed is as it was before.
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
    /// Sets or removes a value, and returns the one before.
    fileprivate mutating func updateValue(_ value: Value?, at key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
