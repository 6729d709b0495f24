import Location
import Storage

extension RecordingStore {
    /// Restores recordings from a database that was set aside under this name, within a transaction, without their
    /// positions and dead letters, which `restorePositions` restores.
    func adopt(_ rows: [RecordingRow], _ segments: [[SQLValue]], from source: String) throws(StorageError) {
        let known = Set(rows.map(\.row))
        for segment in segments {
            if case .integer(let row) = segment[1], known.contains(row) { try statements.insertSegment.run(segment) }
        }
        for row in rows {
            var row = row
            // Plain rows are sealed when they are restored.
            row.unsealed = 0
            (row.retained, row.stored.waiting, row.stored.deadLetters, row.stored.bytes) = (0, 0, 0, 0)
            (row.stored.oldestWaiting, row.mark) = (nil, nil)
            try statements.adoptRecording.run([.integer(row.row)] + row.identity + row.settings + row.counts)
            try statements.writeSalvage.run([
                .integer(row.row), .text(source), .integer(0), .integer(row.stored.last),
            ])
            table[row.stored.id] = row
        }
    }
}

extension RecordingStore {
    /// Whether rows of an earlier release remain to be sealed, here or in a file that was set aside.
    func needsMachineSecret() throws(StorageError) -> Bool {
        if resealing.hasPlain { return true }
        for row in table.allRows where try salvageSource(of: row) != nil { return true }
        return false
    }
}

extension EventStore {
    /// The number of rows in one transaction.
    private static let restoredAtOnce = 5_000

    /// Restores the readable positions and dead letters from databases that were set aside into this one, in separate
    /// transactions. After a crash the next call continues. Returns the events that report losses.
    func restorePositions(from folder: String) throws(StorageError) -> [Event] {
        var events: [Event] = []
        for row in recordings.table.allRows {
            guard let (source, next) = try recordings.salvageSource(of: row) else { continue }
            let lost = try restore(row.stored.id, from: "\(folder)/\(source)", next: next)
            if lost > 0 { events.append(.damaged(lost, of: row.stored.key)) }
        }
        return events
    }

    private func restore(_ id: RecordingID, from path: String, next: Int64) throws(StorageError) -> Int64 {
        // An error in the other file is no reason to doubt this one.
        guard RecordingSalvage.canRead(path) else {
            return try commit { () throws(StorageError) in try recordings.giveUp(id) }
        }
        return try RecordingSalvage.reading(path) { salvage throws(StorageError) in
            try restore(id, from: salvage, next: next)
        }
    }

    private func restore(
        _ id: RecordingID, from salvage: borrowing RecordingSalvage, next: Int64
    ) throws(StorageError) -> Int64 {
        guard let row = recordings.table[id] else { return 0 }
        if next == 0 {
            var progress = RecordingSalvage.Progress(1, row.stored.last)
            while !progress.isDone {
                let letters = salvage.rows(.deadLetters, of: row.row, &progress, atMost: Self.restoredAtOnce)
                try commit { () throws(StorageError) in try recordings.restoreDeadLetters(letters, of: id) }
            }
        }
        let gaps = salvage.gaps(of: row.row)
        var progress = RecordingSalvage.Progress(max(next, row.floor + 1), row.stored.last)
        var lost: Int64 = 0
        repeat {
            let expected = progress.next
            let positions = salvage.rows(.positions, of: row.row, &progress, atMost: Self.restoredAtOnce)
            lost += try commit { () throws(StorageError) in
                try recordings.restorePositions(positions, of: id, expected..<progress.next, knownGaps: gaps)
            }
        } while !progress.isDone
        return lost
    }
}

extension RecordingStore {
    /// The file from which the positions of a recording are still to be restored, and the next number.
    fileprivate func salvageSource(of row: RecordingRow) throws(StorageError) -> (name: String, next: Int64)? {
        var found: (name: String, next: Int64)?
        try statements.salvage.first([.integer(row.row)]) { found = ($0.text(0), $0.integer(1)) }
        return found
    }

    fileprivate func restoreDeadLetters(_ letters: [RecordingSalvage.RetainedRow], of id: RecordingID)
        throws(StorageError)
    {
        guard var row = table[id] else { return }
        for letter in letters {
            let (payload, segment) = try sealed(letter, in: row.place(isDeadLetter: true))
            try statements.insertDeadLetter.run([
                .integer(row.row), .integer(letter.number), .integer(letter.status), .integer(letter.rejectedAt),
                .blob(payload), .integer(letter.protection), .integer(segment),
            ])
        }
        // Counted, because some of them may have been restored before a crash.
        try statements.sizeOfDeadLetters.first([.integer(row.row), .integer(.max), .integer(.max)]) { sizes in
            row.stored.deadLetters = sizes.integer(0)
            row.stored.bytes = sizes.integer(1)
        }
        table[id] = row
        try writeCounts()
    }

    /// Stores the readable positions of these numbers and a gap for the others; returns how many are lost.
    fileprivate func restorePositions(
        _ positions: [RecordingSalvage.RetainedRow], of id: RecordingID, _ numbers: Range<Int64>,
        knownGaps: [ClosedRange<Int64>]
    ) throws(StorageError) -> Int64 {
        guard var row = table[id] else { return 0 }
        var expected = numbers.lowerBound
        var lost: Int64 = 0
        for position in positions {
            // A dead letter that was made from a position is in one table only.
            if try isDeadLetter(position.number, of: row) { continue }
            lost += try leaveGap(from: expected, to: position.number - 1, of: row, knownGaps)
            let (payload, segment) = try sealed(position, in: row.place())
            try statements.insertPosition.run(
                row.row, position.number, payload.span.bytes, position.protection, segment)
            row.retained += 1
            row.stored.bytes += Int64(payload.count)
            if position.number > row.settled { row.stored.waiting += 1 }
            expected = position.number + 1
        }
        lost += try leaveGap(from: expected, to: numbers.upperBound - 1, of: row, knownGaps)
        row.stored.dropped += lost
        table[id] = try withOldestWaiting(row)
        if numbers.upperBound > row.stored.last {
            try statements.endSalvage.run([.integer(row.row)])
        } else {
            try statements.continueSalvage.run([.integer(numbers.upperBound), .integer(row.row)])
        }
        settled.insert(id)
        try writeCounts()
        return lost
    }

    /// A row as it is stored in this file: a plain one of an earlier release is sealed.
    private func sealed(
        _ row: RecordingSalvage.RetainedRow, in place: RowPlace
    ) throws(StorageError) -> (payload: [UInt8], segment: Int64) {
        if let segment = row.segment { return (row.payload, segment) }
        let segment = try sealer.seal(row.payload, number: row.number, in: place, .none, atMicroseconds: 0)
        guard let segment else { throw .protected("restore a recording", .noMachineSecret) }
        return (sealer.sealed, segment)
    }

    /// Ends a restoration: everything that is still missing is lost.
    fileprivate func giveUp(_ id: RecordingID) throws(StorageError) -> Int64 {
        guard let row = table[id], let (_, next) = try salvageSource(of: row) else { return 0 }
        return try restorePositions(
            [], of: id, max(next, row.floor + 1)..<(row.stored.last + 1), knownGaps: [])
    }

    private func isDeadLetter(_ number: Int64, of row: RecordingRow) throws(StorageError) -> Bool {
        var isThere = false
        try statements.deadLetter.first([.integer(row.row), .integer(number)]) { _ in isThere = true }
        return isThere
    }

    /// Stores a gap for these numbers, except for dead letters, and returns how many of them were not acknowledged.
    private func leaveGap(
        from first: Int64, to last: Int64, of row: RecordingRow, _ knownGaps: [ClosedRange<Int64>]
    ) throws(StorageError) -> Int64 {
        if last < first { return 0 }
        var lost: Int64 = 0
        var start = first
        func leave(upTo end: Int64) throws(StorageError) {
            if end >= start {
                try statements.insertGap.run([.integer(row.row), .integer(start), .integer(end)])
                let unacknowledged = max(start, row.stored.acknowledged + 1)
                lost += max(end - unacknowledged + 1, 0)
                for gap in knownGaps {
                    lost -= max(min(end, gap.upperBound) - max(unacknowledged, gap.lowerBound) + 1, 0)
                }
            }
        }
        var letters: [Int64] = []
        try statements.deadLetterNumbers.run([.integer(row.row), .integer(first), .integer(last)]) { letter in
            letters.append(letter.integer(0))
            return true
        }
        for letter in letters {
            try leave(upTo: letter - 1)
            start = letter + 1
        }
        try leave(upTo: last)
        return lost
    }
}
