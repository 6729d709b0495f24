import Durations
import Location
import Storage

extension RecordingStore {
    /// The results of one pass of retention.
    struct Pass {
        /// A recording, the reason, and whether dead letters were dropped.
        private struct Loss: Hashable {
            var key: RecordingKey
            var reason: String
            var isOfDeadLetters: Bool

            func precedes(_ other: Loss) -> Bool {
                if key != other.key { return RecordingKey.precedes(key, other.key) }
                return (reason, isOfDeadLetters ? 1 : 0) < (other.reason, other.isOfDeadLetters ? 1 : 0)
            }
        }

        private var losses: [Loss: PendingEvents.Dropped] = [:]

        /// The events that report dropped positions: one for each recording and reason.
        var events: [Event] {
            losses.sorted { $0.key.precedes($1.key) }.map { loss, dropped in
                .dropped(dropped, of: loss.key, reason: loss.reason, deadLetters: loss.isOfDeadLetters)
            }
        }

        /// The number of rows that may still be dropped in this transaction.
        fileprivate(set) var left = RecordingStore.largestPass

        /// Whether rows were dropped because of the size: only the next measurement shows whether they were enough.
        fileprivate(set) var hasShed = false

        /// Whether the pass ended at its bound.
        fileprivate var isFull: Bool { left <= 0 }
        /// Whether another pass is to follow.
        var isPartial: Bool { isFull || hasShed }

        fileprivate mutating func notify(
            _ dropped: PendingEvents.Dropped, of key: RecordingKey, because reason: String, deadLetters: Bool = false
        ) {
            let loss = Loss(key: key, reason: reason, isOfDeadLetters: deadLetters)
            if losses[loss] == nil { losses[loss] = dropped } else { losses[loss]?.add(dropped) }
        }
    }

    /// Drops rows that exceed the age or the size limit, within a transaction, up to the bound of one pass. `excess` is
    /// the number of payload bytes above the limit.
    func expire(
        _ retention: RecordingRetention, excess: Int64, nowMicroseconds now: Int64
    ) throws(StorageError) -> Pass {
        var pass = Pass()
        for row in table.allRows {
            if now >= RecordingMark.firstPlausible {
                let marked = try marking(row, atMicroseconds: now)
                if marked != row { table[row.stored.id] = marked }
            }
            try expireByAge(row.stored.id, retention, nowMicroseconds: now, &pass)
        }
        var excess = excess
        try shedAcknowledged(&excess, &pass)
        try shedDeadLetters(&excess, &pass)
        try shedWaiting(&excess, &pass)
        return pass
    }

    private func expireByAge(
        _ id: RecordingID, _ retention: RecordingRetention, nowMicroseconds now: Int64, _ pass: inout Pass
    ) throws(StorageError) {
        guard let row = table[id] else { return }
        if retention.keepAcknowledged > .zero, row.floor < row.stored.acknowledged,
            let old = try lastNumber(of: row, olderThan: retention.keepAcknowledged, nowMicroseconds: now)
        {
            try erase(of: id, upTo: min(old, row.stored.acknowledged), &pass)
        }
        if let old = try lastNumber(of: row, olderThan: retention.maximumAge, nowMicroseconds: now) {
            try drop(of: id, upTo: old, because: "age", &pass)
        }
        if row.stored.deadLetters > 0 {
            try dropDeadLetters(of: id, olderThan: now.before(retention.maximumAge), because: "age", &pass)
        }
    }

    /// Drops acknowledged positions of all recordings.
    private func shedAcknowledged(_ excess: inout Int64, _ pass: inout Pass) throws(StorageError) {
        for row in table.allRows {
            try shed(row.stored.id, &excess, &pass) { row, count, pass throws(StorageError) in
                let end = min(row.stored.acknowledged, row.floor + count)
                if end > row.floor { try erase(of: row.stored.id, upTo: end, &pass) }
            }
        }
    }

    /// Drops dead letters of the recording that has most of them.
    private func shedDeadLetters(_ excess: inout Int64, _ pass: inout Pass) throws(StorageError) {
        for row in table.allRows.sorted(by: { $0.stored.deadLetters > $1.stored.deadLetters }) {
            try shed(row.stored.id, &excess, &pass) { row, count, pass throws(StorageError) in
                if row.stored.deadLetters == 0 { return }
                try dropDeadLetters(of: row.stored.id, atMost: count, because: "size", &pass)
            }
        }
    }

    /// Drops pending positions, the oldest of all recordings first.
    private func shedWaiting(_ excess: inout Int64, _ pass: inout Pass) throws(StorageError) {
        while excess > 0, !pass.isFull {
            let oldest = table.allRows.filter { $0.stored.waiting > 0 }
                .min { Self.age(of: $0) < Self.age(of: $1) }
            guard let row = oldest else { return }
            let number = min(row.stored.last, row.settled + min(row.count(of: excess), Self.largestStep))
            try drop(of: row.stored.id, upTo: number, because: "size", &pass)
            excess -= row.stored.bytes - (table[row.stored.id]?.stored.bytes ?? 0)
            pass.hasShed = true
        }
    }

    /// Drops rows of one recording while it has suitable ones and the size limit is exceeded.
    private func shed(
        _ id: RecordingID, _ excess: inout Int64, _ pass: inout Pass,
        _ apply: (RecordingRow, Int64, inout Pass) throws(StorageError) -> Void
    ) throws(StorageError) {
        while excess > 0, !pass.isFull, let row = table[id] {
            try apply(row, row.count(of: excess), &pass)
            let freed = row.stored.bytes - (table[id]?.stored.bytes ?? 0)
            if freed <= 0 { return }
            excess -= freed
            pass.hasShed = true
        }
    }

    /// The most rows dropped of one recording before the ages of all recordings are compared again.
    private static let largestStep: Int64 = 2_500

    private static func age(of row: RecordingRow) -> Int64 { row.stored.oldestWaiting?.microseconds ?? .min }

    /// Erases acknowledged positions.
    private func erase(of id: RecordingID, upTo number: Int64, _ pass: inout Pass) throws(StorageError) {
        guard let row = table[id], number > row.floor, !pass.isFull else { return }
        let end = min(number, row.floor + pass.left)
        pass.left -= end - row.floor
        table[id] = try erasing(row, upTo: end)
    }

    /// Drops positions up to a number, acknowledged or not, and reports the ones that were not.
    private func drop(
        of id: RecordingID, upTo number: Int64, because reason: String, _ pass: inout Pass
    ) throws(StorageError) {
        guard var row = table[id], number > row.floor, !pass.isFull else { return }
        let end = min(number, row.floor + pass.left)
        pass.left -= end - row.floor
        let lost = try positions(of: row, after: row.settled, upTo: end)
        let first = row.stored.oldestWaiting?.microseconds ?? 0
        let last = try timeOfLast(of: row, upTo: end) ?? first
        row = try erasing(row, upTo: end)
        row.stored.waiting -= lost
        row.stored.dropped += lost
        table[id] = try withOldestWaiting(row)
        if lost == 0 { return }
        let dropped = PendingEvents.Dropped(
            count: lost, fromMicroseconds: min(first, last), toMicroseconds: max(first, last))
        pass.notify(dropped, of: row.stored.key, because: reason)
    }

    private func dropDeadLetters(
        of id: RecordingID, olderThan cut: Int64 = .max, atMost most: Int64 = .max, because reason: String,
        _ pass: inout Pass
    ) throws(StorageError) {
        guard var row = table[id], !pass.isFull else { return }
        let count = min(most, pass.left, row.stored.deadLetters)
        var end = Int64.max
        try statements.nthDeadLetter.first([.integer(row.row), .integer(count - 1)]) { end = $0.integer(0) }
        let range: [SQLValue] = [.integer(row.row), .integer(end), .integer(cut)]
        var dropped = PendingEvents.Dropped(count: 0, fromMicroseconds: 0, toMicroseconds: 0)
        var bytes: Int64 = 0
        try statements.sizeOfDeadLetters.first(range) { sizes in
            dropped.count = sizes.integer(0)
            bytes = sizes.integer(1)
            dropped.fromMicroseconds = sizes.integer(2)
            dropped.toMicroseconds = sizes.integer(3)
        }
        if dropped.count == 0 { return }
        try leaveGaps(of: row, upTo: end, olderThan: cut)
        try statements.deleteOldDeadLetters.run(range)
        try eraseSegmentsOfDeadLetters(of: row)
        row.stored.deadLetters -= dropped.count
        row.stored.dropped += dropped.count
        row.stored.bytes -= bytes
        table[id] = row
        pass.left -= dropped.count
        pass.notify(dropped, of: row.stored.key, because: reason, deadLetters: true)
    }

    /// Stores gaps for the numbers of dropped dead letters.
    private func leaveGaps(of row: RecordingRow, upTo end: Int64, olderThan cut: Int64) throws(StorageError) {
        try statements.gapsOfDeadLetters.run([
            .integer(row.row), .integer(row.floor), .integer(end), .integer(cut),
        ])
    }

    private func lastNumber(
        of row: RecordingRow, olderThan age: Duration, nowMicroseconds now: Int64
    ) throws(StorageError) -> Int64? {
        var number: Int64?
        try statements.lastMarkBefore.first([.integer(row.row), .integer(now.before(age))]) { number = $0.integer(0) }
        return number.map { min($0, row.stored.last) }
    }

    private func timeOfLast(of row: RecordingRow, upTo number: Int64) throws(StorageError) -> Int64? {
        var time: UTCTime?
        // Without a time the event contains only that of the first, which is sufficient.
        try statements.lastPosition.run([.integer(row.row), .integer(number)]) { columns throws(StorageError) in
            time = try self.time(of: columns, of: row)
            return false
        }
        return time?.microseconds
    }
}

extension RecordingRow {
    /// The estimated number of its rows that fit into so many bytes, plus one.
    fileprivate func count(of bytes: Int64) -> Int64 {
        // A dead letter may be ten times as large as a position.
        bytes / max(stored.bytes / max(retained + stored.deadLetters, 1), 64) + 1
    }
}
