import Location
import Protection
import Storage

/// The classes of recordings.
struct RecordingClasses: Equatable, Sendable {
    /// The class of each recording; a recording that is not in it stays as it is.
    var classes: [RecordingID: ProtectionClass] = [:]
    /// Whether nothing is to remain sealed with the machine's keys: protection is being switched off.
    var lowers = false
}

/// What remains to be sealed: payloads of an earlier release, which are plain, those of recordings that now have a stricter
/// class, and those that are sealed with keys of which nothing is to remain: the machine's where their user has own keys, and
/// those of whose protection is being switched off.
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
    var keys: Keyring { sealer.keys }

    /// Sets the keys, of which those of a user, or of the machine, have changed. Rows that could not be sealed again are tried
    /// with them.
    func setKeys(_ keys: Keyring, changedOf user: UInt32? = nil) {
        sealer.use(keys, changedOf: user)
        examineAgain(of: user)
    }

    /// Examines the recordings of a user again, or all.
    private func examineAgain(of user: UInt32? = nil) {
        if user == nil { sealer.endWriting() }
        resealing.next = resealing.next.filter { user != nil && $0.key.user != user }
        for (id, protection) in resealing.classes.classes {
            guard let row = table[id], user == nil || row.stored.key.app.uid == user,
                protection > .none || !leaving(row).isEmpty, canSealAgain(row, protection)
            else { continue }
            for isDeadLetter in [false, true] { resealing.next[row.place(isDeadLetter: isDeadLetter)] = 0 }
        }
    }

    /// The files of keys with which no row of a recording is to remain sealed, two at most.
    private func leaving(_ row: RecordingRow) -> [[UInt8]] {
        var files = sealer.keys.leaving(of: row.stored.key.app.uid)
        if resealing.classes.lowers, let file = sealer.keys.machine.keyFile, !files.contains(file) {
            files.append(file)
        }
        return files
    }

    /// Seals some rows, within a transaction. Returns whether more remain that can be sealed at present.
    func sealSome(atMicroseconds now: Int64) throws(StorageError) -> Bool {
        let canSealPlain = resealing.hasPlain && sealer.keys.machine.machine != nil
        guard canSealPlain || !resealing.next.isEmpty else { return false }
        // Where a segment that is being written ends is in memory only: sealed again up to the stored end, it would
        // lose its key while later rows need it.
        try sealer.writeEnds()
        sealer.endWriting()
        var left = Self.sealedAtOnce
        if canSealPlain { try sealPlain(&left, atMicroseconds: now) }
        while left > 0, let (place, first) = resealing.next.first {
            guard let row = table[place.id], let protection = resealing.classes.classes[place.id] else {
                resealing.next[place] = nil
                continue
            }
            try change(row, place, to: protection, from: first, &left, atMicroseconds: now)
        }
        return resealing.isPending
            && (!resealing.hasPlain || sealer.keys.machine.machine != nil || !resealing.next.isEmpty)
    }

    /// Whether a row can be sealed with a class and keys that it need not leave afterwards.
    private func canSealAgain(_ row: RecordingRow, _ protection: ProtectionClass) -> Bool {
        guard let writing = sealer.keys.writing(protection, of: row.stored.key.app.uid) else { return false }
        return !leaving(row).contains(writing.keyFile)
    }

    /// Whether rows remain that are sealed with the keys of the machine, or of a user, although these are being switched off. To be
    /// certain, all rows are examined.
    func remainsSealed(of user: UInt32? = nil) throws(StorageError) -> Bool {
        let keys = user.map(sealer.keys.keys) ?? sealer.keys.machine
        guard let keys, let id = keys.keyFile, keys.isEnding || user == nil && resealing.classes.lowers,
            !resealing.next.keys.contains(where: { user == nil || $0.user == user }),
            user != nil || !resealing.hasPlain
        else { return true }
        let keyFile = SQLValue.blob(id)
        var remains = false
        try statements.anySealed.first([keyFile, keyFile]) { remains = $0.integer(0) == 1 }
        // Queued positions may have been stored after their recording was examined.
        if remains { examineAgain(of: user) }
        return remains
    }

    /// Notes some rows of a user that are sealed with the keys of a file as unreadable, so that the next transaction removes them.
    /// Returns how many.
    func noteSealed(with keyFile: [UInt8], of user: UInt32) throws(StorageError) -> Int {
        var count = 0
        for row in table.allRows where row.stored.key.app.uid == user && count < Self.sealedAtOnce {
            try statements.sealedRows.run([
                .integer(row.row), .blob(keyFile), .integer(Int64(Self.sealedAtOnce - count)),
            ]) { one in
                unreadable.insert(Unreadable(recording: row.stored.id, number: one.integer(0)))
                count += 1
                return true
            }
        }
        return count
    }

    /// The segments that are to be sealed again: those of a lesser class than that of their recording, and those that are sealed
    /// with keys of which nothing is to remain.
    private func otherSegments(
        _ row: RecordingRow, isDeadLetter: Bool, from first: Int64, _ protection: ProtectionClass, limit: Int64,
        _ body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let files = leaving(row).map(SQLValue.blob) + [.null, .null]
        try statements.otherSegments.run(
            [
                .integer(row.row), .integer(isDeadLetter ? 1 : 0), .integer(first),
                .integer(Int64(protection.rawValue)),
                files[0], files[1], .integer(limit),
            ], row: body)
    }

    /// The rows of a user's recordings, or of all, that are plain, have a lesser class than their recording, or are sealed with keys
    /// of which nothing is to remain; roughly.
    func rowsToSeal(of user: UInt32? = nil) throws(StorageError) -> RowsToSeal {
        var rows = RowsToSeal()
        for row in table.allRows where user == nil || row.stored.key.app.uid == user {
            if resealing.hasPlain { rows.all += max(row.unsealed - row.floor, 0) }
            guard let protection = resealing.classes.classes[row.stored.id] else { continue }
            try otherSegments(row, isDeadLetter: false, from: 0, protection, limit: -1) { segment in
                let count = max(segment.integer(2) - max(segment.integer(1), row.floor + 1) + 1, 0)
                rows.all += count
                if isLocked(segment, of: row, protection) { rows.locked += count }
                return true
            }
        }
        return rows
    }

    /// Whether the rows of a segment cannot be sealed again with the keys that there are at present.
    private func isLocked(_ segment: borrowing Row, of row: RecordingRow, _ protection: ProtectionClass) -> Bool {
        let former = UInt8(exactly: segment.integer(3)).flatMap(ProtectionClass.init(rawValue:)) ?? .none
        guard canSealAgain(row, sealing(former, in: protection)) else { return true }
        let place = Segment.Place(
            keyFile: segment.withBytes(4) { Array($0) }, protection: former, number: segment.integer(0), owner: [])
        if case .key = sealer.keys.reading(place, of: row.stored.key.app.uid) { return false }
        return true
    }

    /// The class of rows of a class that are sealed again in a recording of another class: a stricter one stays, unless everything
    /// gets the class none.
    private func sealing(_ former: ProtectionClass, in protection: ProtectionClass) -> ProtectionClass {
        protection == .none ? .none : max(protection, former)
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

    /// Seals the rows of some segments with the present class and keys of their recording. A segment that is locked stays as it is until
    /// the keys change.
    private func change(
        _ row: RecordingRow, _ place: RowPlace, to protection: ProtectionClass, from first: Int64, _ left: inout Int,
        atMicroseconds now: Int64
    ) throws(StorageError) {
        var row = row
        var segments: [(number: Int64, first: Int64, last: Int64, protection: Int64)] = []
        try otherSegments(row, isDeadLetter: place.isDeadLetter, from: first, protection, limit: 1) { segment in
            segments.append((segment.integer(0), segment.integer(1), segment.integer(2), segment.integer(3)))
            return true
        }
        guard let segment = segments.first else {
            resealing.next[place] = nil
            return
        }
        let former = UInt8(exactly: segment.protection).flatMap(ProtectionClass.init(rawValue:)) ?? .none
        let protection = sealing(former, in: protection)
        guard canSealAgain(row, protection) else {
            resealing.next[place] = segment.first + 1
            return
        }
        var values: [SQLValue] = [.integer(row.row)]
        // Positions may be rejected in any order, so that the first and the last of a segment bound no dead letters.
        if !place.isDeadLetter { values += [.integer(segment.first), .integer(segment.last)] }
        values.append(.integer(segment.number))
        let rows: [Plain]
        do throws(RowFailure) {
            rows = try collectUnlocked(
                place.isDeadLetter ? .deadLettersOfSegment : .positionsOfSegment, values, of: row,
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
