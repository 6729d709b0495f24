import Location
import Protection
import Storage

/// The classes of recordings.
struct RecordingClasses: Equatable, Sendable {
    /// The class of each recording; a recording that is not in it stays as it is.
    var classes: [RecordingID: ProtectionClass] = [:]
    /// Whether rows of stricter classes are sealed again too: protection is being switched off.
    var lowers = false
}

/// What remains to be sealed: payloads of an earlier release, which are plain, and those of recordings that now have a stricter
/// class; or a lesser one, while protection is being switched off.
struct Resealing {
    /// Whether there may be plain payloads.
    var hasPlain: Bool
    /// The classes of recordings.
    var classes = RecordingClasses()
    /// The first number of the next segment to examine, for each recording and table with a class; absent where none remains.
    var next: [RowPlace: Int64] = [:]

    /// Whether anything may remain that can be sealed at present.
    var isPending: Bool { hasPlain || !next.isEmpty }
}

extension RecordingStore {
    /// The most rows that one transaction seals, which bounds the delay of a commit.
    private static let sealedAtOnce = 2_048

    /// Sets the classes of recordings. Rows of other ones are sealed again, in the following transactions.
    func setClasses(_ classes: RecordingClasses) {
        resealing.classes = classes
        examineAgain()
    }

    /// The keys with which rows are sealed and opened.
    var keys: AvailableKeys { sealer.keys }

    /// Sets the keys. Rows that could not be sealed again are tried with them.
    func setKeys(_ keys: AvailableKeys) {
        sealer.keys = keys
        examineAgain()
    }

    private func examineAgain() {
        sealer.endWriting()
        resealing.next = [:]
        for (id, protection) in resealing.classes.classes {
            guard resealing.classes.lowers || protection > .none, sealer.keys.writing(protection) != nil,
                let row = table[id]
            else { continue }
            for isDeadLetter in [false, true] { resealing.next[row.place(isDeadLetter: isDeadLetter)] = 0 }
        }
    }

    /// Seals some rows, within a transaction. Returns whether more remain that can be sealed at present.
    func sealSome(atMicroseconds now: Int64) throws(StorageError) -> Bool {
        guard resealing.isPending else { return false }
        var left = Self.sealedAtOnce
        if resealing.hasPlain, sealer.keys.machine != nil { try sealPlain(&left, atMicroseconds: now) }
        while left > 0, let (place, first) = resealing.next.first {
            guard let row = table[place.id], let protection = resealing.classes.classes[place.id] else {
                resealing.next[place] = nil
                continue
            }
            try change(row, place, to: protection, from: first, &left, atMicroseconds: now)
        }
        return resealing.isPending && (!resealing.hasPlain || sealer.keys.machine != nil || !resealing.next.isEmpty)
    }

    /// Whether rows remain that are sealed with the keys of the present file, although their recordings have the class none. To
    /// be certain, all rows are examined.
    func remainsSealed() throws(StorageError) -> Bool {
        guard resealing.classes.lowers, !resealing.isPending else { return true }
        let keyFile = SQLValue.blob(sealer.keys.keyFile ?? [])
        var remains = false
        try statements.anySealed.first([keyFile, keyFile]) { remains = $0.integer(0) == 1 }
        // Queued positions may have been stored after their recording was examined.
        if remains { examineAgain() }
        return remains
    }

    /// The segments of other classes than that of a recording, as far as they are to be sealed again.
    private func otherSegments(
        _ values: [SQLValue], _ body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if resealing.classes.lowers {
            try statements.stricterSegments.run(values, row: body)
        } else {
            try statements.lesserSegments.run(values, row: body)
        }
    }

    /// The number of rows that are plain or have a lesser class than their recording, roughly; while protection is being switched
    /// off, of those that have a stricter one.
    func rowsToSeal() throws(StorageError) -> Int64 {
        var rows: Int64 = 0
        for row in table.allRows {
            if resealing.hasPlain { rows += max(row.unsealed - row.floor, 0) }
            guard let protection = resealing.classes.classes[row.stored.id] else { continue }
            try otherSegments([
                .integer(row.row), .integer(0), .integer(0), .integer(Int64(protection.rawValue)), .integer(-1),
            ]) { segment in
                rows += max(segment.integer(2) - max(segment.integer(1), row.floor + 1) + 1, 0)
                return true
            }
        }
        return rows
    }

    // Plain rows

    private func sealPlain(_ left: inout Int, atMicroseconds now: Int64) throws(StorageError) {
        for row in table.allRows {
            if left <= 0 { return }
            try sealPlainPositions(of: row.stored.id, &left, atMicroseconds: now)
            try sealPlainDeadLetters(of: row, &left, atMicroseconds: now)
        }
        if left <= 0 { return }
        // Those of erased recordings are removed like all their rows.
        resealing.hasPlain = false
        try statements.setSealed.run()
    }

    /// From the largest number down, so that one number says what remains.
    private func sealPlainPositions(
        of id: RecordingID, _ left: inout Int, atMicroseconds now: Int64
    ) throws(StorageError) {
        while left > 0, var row = table[id], row.unsealed > 0 {
            let rows = try collect(
                .plainPositions, [.integer(row.row), .integer(row.unsealed), .integer(Int64(Segment.mostRows))],
                of: row)
            if row.unsealed <= row.floor || rows.isEmpty {
                row.unsealed = 0
            } else {
                left -= rows.count
                try reseal(rows.reversed(), in: row.place(), .none, of: &row, atMicroseconds: now)
                row.unsealed = (rows.last?.number ?? 1) - 1
            }
            table[id] = row
        }
    }

    private func sealPlainDeadLetters(
        of row: RecordingRow, _ left: inout Int, atMicroseconds now: Int64
    ) throws(StorageError) {
        var row = row.stored.deadLetters > 0 ? table[row.stored.id] ?? row : row
        while left > 0, row.stored.deadLetters > 0 {
            let rows = try collect(
                .plainDeadLetters, [.integer(row.row), .integer(Int64(Segment.mostRows))], of: row,
                isDeadLetter: true)
            if rows.isEmpty { return }
            left -= rows.count
            try reseal(rows, in: row.place(isDeadLetter: true), .none, of: &row, atMicroseconds: now)
            table[row.stored.id] = row
        }
    }

    // Classes

    /// Seals the rows of some segments with the present class of their recording. A segment that is locked stays as it is until
    /// the keys change.
    private func change(
        _ row: RecordingRow, _ place: RowPlace, to protection: ProtectionClass, from first: Int64, _ left: inout Int,
        atMicroseconds now: Int64
    ) throws(StorageError) {
        var row = row
        var segments: [(number: Int64, first: Int64, last: Int64)] = []
        try otherSegments([
            .integer(row.row), .integer(place.isDeadLetter ? 1 : 0), .integer(first),
            .integer(Int64(protection.rawValue)), .integer(1),
        ]) { segment in
            segments.append((segment.integer(0), segment.integer(1), segment.integer(2)))
            return true
        }
        guard let segment = segments.first else {
            resealing.next[place] = nil
            return
        }
        let rows: [Plain]
        do throws(RowFailure) {
            rows = try collectUnlocked(
                place.isDeadLetter ? .deadLettersOfSegment : .positionsOfSegment,
                [.integer(row.row), .integer(segment.first), .integer(segment.last), .integer(segment.number)], of: row,
                isDeadLetter: place.isDeadLetter)
        } catch {
            if case .journal(let error) = error { throw error }
            resealing.next[place] = segment.first + 1
            return
        }
        left -= max(rows.count, 1)
        try reseal(rows, in: place, protection, of: &row, atMicroseconds: now)
        table[place.id] = row
        // Damaged rows stay in it until the next transaction removes them.
        if rows.allSatisfy({ !$0.isDamaged }) { try statements.deleteSegment.run([.integer(segment.number)]) }
        resealing.next[place] = rows.contains(where: \.isDamaged) ? segment.first + 1 : segment.first
    }

    // Rows

    /// A row that is to be sealed again.
    private struct Plain {
        let number: Int64
        let size: Int
        let payload: [UInt8]
        let isDamaged: Bool
    }

    /// Rows whose payloads need no key.
    private func collect(
        _ selection: RecordingStatements.Rows, _ values: [SQLValue], of row: RecordingRow, isDeadLetter: Bool = false
    ) throws(StorageError) -> [Plain] {
        do throws(RowFailure) {
            return try collectUnlocked(selection, values, of: row, isDeadLetter: isDeadLetter)
        } catch { throw error.error ?? .damage("seal positions", "a row cannot be read") }
    }

    private func collectUnlocked(
        _ selection: RecordingStatements.Rows, _ values: [SQLValue], of row: RecordingRow, isDeadLetter: Bool
    ) throws(RowFailure) -> [Plain] {
        var rows: [Plain] = []
        var locked: RowFailure?
        do throws(StorageError) {
            try statements.rows(selection, values) { columns throws(StorageError) in
                let (number, size) = (columns.integer(0), columns.withBytes(1) { $0.count })
                do throws(RowFailure) {
                    let payload = try payload(columns, of: row, isDeadLetter: isDeadLetter)
                    rows.append(Plain(number: number, size: size, payload: payload, isDamaged: false))
                } catch {
                    switch error {
                    case .damaged:
                        rows.append(Plain(number: number, size: size, payload: [], isDamaged: true))
                        note(Unreadable(recording: row.stored.id, number: number))
                    case .locked: locked = error
                    case .journal(let error): throw error
                    }
                }
                return locked == nil
            }
        } catch { throw .journal(error) }
        if let locked { throw locked }
        return rows
    }

    /// Stores rows sealed in a segment of their own.
    private func reseal(
        _ rows: [Plain], in place: RowPlace, _ protection: ProtectionClass, of row: inout RecordingRow,
        atMicroseconds now: Int64
    ) throws(StorageError) {
        guard let first = rows.first(where: { !$0.isDamaged }) else { return }
        guard var segment = try sealer.begin(place, protection, first: first.number, atMicroseconds: now) else {
            throw .protected("seal positions", .locked)
        }
        for one in rows where !one.isDamaged {
            sealer.seal(one.payload, one.payload.indices, number: one.number, in: &segment)
            try statements.seal(
                [
                    .blob(sealer.sealed), .integer(Int64(protection.rawValue)), .integer(segment.number),
                    .integer(place.recording), .integer(one.number),
                ], isDeadLetter: place.isDeadLetter)
            row.stored.bytes += Int64(sealer.sealed.count - one.size)
        }
        try sealer.extend(segment)
    }
}
