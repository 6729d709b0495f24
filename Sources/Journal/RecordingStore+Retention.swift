import Location

extension RecordingStore {
    /// What one pass of retention did.
    struct Pass {
        /// What tells of positions that were dropped.
        var events: [Event] = []
        /// How many rows may still go in this transaction.
        fileprivate(set) var left = RecordingStore.largestPass

        /// Whether it ended at its bound, with more to do.
        var isPartial: Bool { left <= 0 }
    }

    /// Drops what is too old, and what is too much, within a transaction, as much as one may. `excess` is how many of
    /// the payloads' bytes are over the limit.
    func expire(
        _ retention: RecordingRetention, excess: Int64, nowMicroseconds now: Int64
    ) throws(JournalError) -> Pass {
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
    ) throws(JournalError) {
        guard let row = table[id] else { return }
        if retention.keepAcknowledged > .zero, row.floor < row.stored.acknowledged,
            let old = try lastNumber(of: row, olderThan: retention.keepAcknowledged, nowMicroseconds: now)
        {
            try erase(of: id, upTo: min(old, row.stored.acknowledged), &pass)
        }
        if let old = try lastNumber(of: row, olderThan: retention.maximumAge, nowMicroseconds: now) {
            try drop(of: id, upTo: old, because: "age", &pass)
        }
        if row.stored.deadLetters > 0, let cut = retention.maximumAge.microseconds(before: now) {
            try dropDeadLetters(of: id, olderThan: cut, because: "age", &pass)
        }
    }

    /// What is acknowledged, of every recording.
    private func shedAcknowledged(_ excess: inout Int64, _ pass: inout Pass) throws(JournalError) {
        for row in table.allRows where excess > 0 && !pass.isPartial && row.floor < row.stored.acknowledged {
            try erase(of: row.stored.id, upTo: row.stored.acknowledged, &pass)
            excess -= row.stored.bytes - (table[row.stored.id]?.stored.bytes ?? 0)
        }
    }

    /// Dead letters, where there are most.
    private func shedDeadLetters(_ excess: inout Int64, _ pass: inout Pass) throws(JournalError) {
        let rows = table.allRows.filter { $0.stored.deadLetters > 0 }
        for row in rows.sorted(by: { $0.stored.deadLetters > $1.stored.deadLetters }) {
            if excess <= 0 || pass.isPartial { return }
            // As many as are probably needed, and one more.
            let each = max(row.stored.bytes / max(row.kept + row.stored.deadLetters, 1), 1)
            try dropDeadLetters(of: row.stored.id, atMost: excess / each + 1, because: "size", &pass)
            excess -= row.stored.bytes - (table[row.stored.id]?.stored.bytes ?? 0)
        }
    }

    /// What waits, the oldest of all first.
    private func shedWaiting(_ excess: inout Int64, _ pass: inout Pass) throws(JournalError) {
        while excess > 0, !pass.isPartial {
            let oldest = table.allRows.filter { $0.stored.waiting > 0 }
                .min { Self.age(of: $0) < Self.age(of: $1) }
            guard let row = oldest else { return }
            let each = max(row.stored.bytes / max(row.kept + row.stored.deadLetters, 1), 1)
            let number = min(row.stored.last, row.settled + min(excess / each + 1, Self.largestStep))
            try drop(of: row.stored.id, upTo: number, because: "size", &pass)
            excess -= row.stored.bytes - (table[row.stored.id]?.stored.bytes ?? 0)
        }
    }

    /// What is dropped of one recording before it is looked whether another has what is older.
    private static let largestStep: Int64 = 2_500

    private static func age(of row: RecordingRow) -> Int64 { row.stored.oldestWaiting?.microseconds ?? .min }

    /// Erases what is acknowledged.
    private func erase(of id: RecordingID, upTo number: Int64, _ pass: inout Pass) throws(JournalError) {
        guard let row = table[id], number > row.floor, !pass.isPartial else { return }
        let end = min(number, row.floor + pass.left)
        pass.left -= end - row.floor
        table[id] = try erasing(row, upTo: end)
    }

    /// Drops what there is up to a number, acknowledged or not, and tells of what was not.
    private func drop(
        of id: RecordingID, upTo number: Int64, because reason: String, _ pass: inout Pass
    ) throws(JournalError) {
        guard var row = table[id], number > row.floor, !pass.isPartial else { return }
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
        pass.tell(.dropped(dropped, of: row.stored.key, reason: reason))
    }

    private func dropDeadLetters(
        of id: RecordingID, olderThan cut: Int64 = .max, atMost most: Int64 = .max, because reason: String,
        _ pass: inout Pass
    ) throws(JournalError) {
        guard var row = table[id], !pass.isPartial else { return }
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
        row.stored.deadLetters -= dropped.count
        row.stored.dropped += dropped.count
        row.stored.bytes -= bytes
        table[id] = row
        pass.left -= dropped.count
        pass.tell(.dropped(dropped, of: row.stored.key, reason: reason, deadLetters: true))
    }

    /// The numbers of dead letters that go are nothing from then on.
    private func leaveGaps(of row: RecordingRow, upTo end: Int64, olderThan cut: Int64) throws(JournalError) {
        try statements.gapsOfDeadLetters.run([
            .integer(row.row), .integer(row.floor), .integer(end), .integer(cut),
        ])
    }

    private func lastNumber(
        of row: RecordingRow, olderThan age: Duration, nowMicroseconds now: Int64
    ) throws(JournalError) -> Int64? {
        guard let cut = age.microseconds(before: now) else { return nil }
        var number: Int64?
        try statements.lastMarkBefore.first([.integer(row.row), .integer(cut)]) { number = $0.integer(0) }
        return number.map { min($0, row.stored.last) }
    }

    private func timeOfLast(of row: RecordingRow, upTo number: Int64) throws(JournalError) -> Int64? {
        var time: UTCTime?
        try statements.lastPosition.first([.integer(row.row), .integer(number)]) { row in
            do throws(PayloadError) {
                time = UTCTime(secondsSinceEpoch: try row.withBytes(0, PositionPayload.timestamp))
            } catch {
                // Then the event says when the first was, which is enough.
                time = nil
            }
        }
        return time?.microseconds
    }
}

extension RecordingStore.Pass {
    fileprivate mutating func tell(_ event: Event) { events.append(event) }
}

extension Duration {
    /// The moment so long before another, in microseconds; nil for one that cannot be expressed.
    fileprivate func microseconds(before now: Int64) -> Int64? {
        let (age, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : now - age
    }
}
