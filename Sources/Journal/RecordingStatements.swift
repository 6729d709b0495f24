import Storage

/// The statements of a recording store, compiled once.
final class RecordingStatements {
    let insertPosition: Statement
    let insertRecording: Statement
    let updateSettings: Statement
    let updateCounts: Statement
    let markErased: Statement
    let firstPosition: Statement
    let positions: Statement
    let position: Statement
    let deletePosition: Statement
    let deletePositions: Statement
    let sizeOfPositions: Statement
    let deadLetter: Statement
    let deadLetters: Statement
    let insertDeadLetter: Statement
    let deleteDeadLetter: Statement
    let countDeadLetters: Statement
    let insertGap: Statement
    let countGaps: Statement
    let deleteGaps: Statement
    let deleteMarks: Statement
    let insertMark: Statement
    let lastMark: Statement
    let lastMarkBefore: Statement
    let lastPosition: Statement
    let sizeOfDeadLetters: Statement
    let deleteOldDeadLetters: Statement
    let nthDeadLetter: Statement
    let gapsOfDeadLetters: Statement
    let deleteDeadLetters: Statement
    let deleteRecording: Statement
    let adoptRecording: Statement
    let writeSalvage: Statement
    let salvage: Statement
    let continueSalvage: Statement
    let endSalvage: Statement
    let deadLetterNumbers: Statement
    let lastSegment: Statement
    let segment: Statement
    let segmentBegin: Statement
    let insertSegment: Statement
    let extendSegment: Statement
    let deleteSegment: Statement
    let segmentsUpTo: Statement
    let deleteSegments: Statement
    let unusedSegments: Statement
    let otherSegments: Statement
    let anySealed: Statement
    let sealedRows: Statement
    let rowsOfSegment: Statement
    let lettersOfSegment: Statement
    let plainPositions: Statement
    let plainDeadLetters: Statement
    let sealPosition: Statement
    let sealDeadLetter: Statement
    let setSealed: Statement

    init(_ database: borrowing Database) throws(StorageError) {
        insertPosition = try Statement(
            database, "INSERT INTO positions (recording, seq, payload, class, segment) VALUES (?,?,?,?,?)",
            as: "write a position")
        insertRecording = try Statement(
            database,
            """
            INSERT INTO recordings (uuid, app, uid, identifier, desiredAccuracy, distanceFilter, interval, onRevoke,
            isStarted, startedAt) VALUES (?,?,?,?,?,?,?,?,?,?) RETURNING id
            """, as: "start a recording")
        updateSettings = try Statement(
            database,
            """
            UPDATE recordings SET desiredAccuracy = ?, distanceFilter = ?, interval = ?, onRevoke = ?, isStarted = ?,
            startedAt = ? WHERE id = ?
            """, as: "write a recording")
        updateCounts = try Statement(
            database,
            """
            UPDATE recordings SET last = ?, cursor = ?, floor = ?, kept = ?, waiting = ?, deadLetters = ?, dropped = ?,
            bytes = ?, sent = ?, filtered = ?, unsealed = ? WHERE id = ?
            """, as: "write a recording")
        markErased = try Statement(
            database, "UPDATE recordings SET isErased = 1 WHERE id = ?", as: "erase a recording")
        let read = "read positions"
        firstPosition = try Statement(
            database,
            "SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq > ? ORDER BY seq LIMIT 1",
            as: read)
        positions = try Statement(
            database,
            "SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq > ? ORDER BY seq LIMIT ?",
            as: read)
        position = try Statement(
            database, "SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq = ?", as: read)
        let erase = "erase positions"
        deletePosition = try Statement(
            database, "DELETE FROM positions WHERE recording = ? AND seq = ?", as: erase)
        deletePositions = try Statement(
            database, "DELETE FROM positions WHERE recording = ? AND seq > ? AND seq <= ?", as: erase)
        sizeOfPositions = try Statement(
            database,
            """
            SELECT count(*), total(length(payload)) FROM positions WHERE recording = ? AND seq > ? AND seq <= ?
            """, as: erase)
        let letters = "read dead letters"
        deadLetter = try Statement(
            database, "SELECT seq, payload, class, segment FROM deadLetters WHERE recording = ? AND seq = ?",
            as: letters)
        deadLetters = try Statement(
            database,
            """
            SELECT seq, payload, class, segment, status, rejectedAt FROM deadLetters WHERE recording = ? AND seq > ?
            ORDER BY seq LIMIT ?
            """, as: letters)
        insertDeadLetter = try Statement(
            database,
            """
            INSERT OR REPLACE INTO deadLetters (recording, seq, status, rejectedAt, payload, class, segment)
            VALUES (?,?,?,?,?,?,?)
            """, as: "write a dead letter")
        deleteDeadLetter = try Statement(
            database, "DELETE FROM deadLetters WHERE recording = ? AND seq = ?", as: "forget a dead letter")
        countDeadLetters = try Statement(
            database, "SELECT count(*) FROM deadLetters WHERE recording = ? AND seq > ? AND seq <= ?", as: letters)
        insertGap = try Statement(
            database, "INSERT INTO gaps (recording, first, last) VALUES (?,?,?)", as: "write a gap")
        countGaps = try Statement(
            database,
            """
            SELECT total(min(last, ?3) - max(first, ?2 + 1) + 1) FROM gaps
            WHERE recording = ?1 AND first <= ?3 AND last > ?2
            """, as: "read gaps")
        deleteGaps = try Statement(
            database, "DELETE FROM gaps WHERE recording = ? AND last <= ?", as: "forget gaps")
        deleteMarks = try Statement(
            database, "DELETE FROM marks WHERE recording = ? AND seq <= ?", as: "forget marks")
        insertMark = try Statement(
            database, "INSERT OR REPLACE INTO marks (recording, seq, time) VALUES (?,?,?)", as: "write a mark")
        lastMark = try Statement(
            database, "SELECT seq, time FROM marks WHERE recording = ? ORDER BY seq DESC LIMIT 1", as: "read marks")
        // A clock that was set back makes times that are not ascending: nothing after a mark that is not old counts as
        // old.
        lastMarkBefore = try Statement(
            database,
            """
            SELECT seq FROM marks WHERE recording = ?1 AND seq < ifnull(
                (SELECT seq FROM marks WHERE recording = ?1 AND time >= ?2 ORDER BY seq LIMIT 1), 0x7fffffffffffffff)
            ORDER BY seq DESC LIMIT 1
            """, as: "read marks")
        lastPosition = try Statement(
            database,
            """
            SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq <= ? ORDER BY seq DESC LIMIT 1
            """, as: read)
        // Limited to the size of a pass, from the first row on.
        sizeOfDeadLetters = try Statement(
            database,
            """
            SELECT count(*), total(length(payload)), min(rejectedAt), max(rejectedAt) FROM deadLetters
            WHERE recording = ? AND seq <= ? AND rejectedAt < ?
            """, as: letters)
        deleteOldDeadLetters = try Statement(
            database, "DELETE FROM deadLetters WHERE recording = ? AND seq <= ? AND rejectedAt < ?",
            as: "forget dead letters")
        nthDeadLetter = try Statement(
            database, "SELECT seq FROM deadLetters WHERE recording = ? ORDER BY seq LIMIT 1 OFFSET ?", as: letters)
        gapsOfDeadLetters = try Statement(
            database,
            """
            INSERT INTO gaps (recording, first, last) SELECT recording, seq, seq FROM deadLetters
            WHERE recording = ? AND seq > ? AND seq <= ? AND rejectedAt < ?
            """, as: "write a gap")
        deleteDeadLetters = try Statement(
            database, "DELETE FROM deadLetters WHERE recording = ? AND seq <= ?", as: "forget dead letters")
        deleteRecording = try Statement(database, "DELETE FROM recordings WHERE id = ?", as: "erase a recording")
        let restore = "restore a recording"
        adoptRecording = try Statement(
            database,
            """
            INSERT INTO recordings (id, uuid, app, uid, identifier, desiredAccuracy, distanceFilter, interval, onRevoke,
            isStarted, startedAt, last, cursor, floor, kept, waiting, deadLetters, dropped, bytes, sent, filtered, unsealed)
            VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
            """, as: restore)
        writeSalvage = try Statement(
            database, "INSERT INTO salvage (recording, source, next, last) VALUES (?,?,?,?)", as: restore)
        salvage = try Statement(database, "SELECT source, next FROM salvage WHERE recording = ?", as: restore)
        continueSalvage = try Statement(database, "UPDATE salvage SET next = ? WHERE recording = ?", as: restore)
        endSalvage = try Statement(database, "DELETE FROM salvage WHERE recording = ?", as: restore)
        deadLetterNumbers = try Statement(
            database, "SELECT seq FROM deadLetters WHERE recording = ? AND seq BETWEEN ? AND ? ORDER BY seq",
            as: restore)
        let seal = "seal positions"
        lastSegment = try Statement(
            database, "SELECT seq FROM sqlite_sequence WHERE name = 'segments'", as: seal)
        segment = try Statement(
            database,
            """
            SELECT keyFile, wrapped FROM segments WHERE id = ? AND recording = ? AND isDeadLetter = ? AND class = ?
            """, as: read)
        segmentBegin = try Statement(database, "SELECT began FROM segments WHERE id = ? AND recording = ?", as: read)
        insertSegment = try Statement(
            database,
            """
            INSERT INTO segments (id, recording, isDeadLetter, class, keyFile, began, first, last, wrapped)
            VALUES (?,?,?,?,?,?,?,?,?)
            """, as: seal)
        extendSegment = try Statement(database, "UPDATE segments SET last = ? WHERE id = ?", as: seal)
        deleteSegment = try Statement(database, "DELETE FROM segments WHERE id = ?", as: erase)
        segmentsUpTo = try Statement(
            database,
            "SELECT id FROM segments WHERE recording = ? AND isDeadLetter = 0 AND first <= ?2 AND last <= ?2", as: erase
        )
        deleteSegments = try Statement(database, "DELETE FROM segments WHERE recording = ?", as: erase)
        unusedSegments = try Statement(
            database,
            """
            SELECT id FROM segments WHERE recording = ?1 AND isDeadLetter = 1
            AND id NOT IN (SELECT segment FROM deadLetters WHERE recording = ?1 AND segment IS NOT NULL)
            """, as: erase)
        otherSegments = try Statement(
            database,
            """
            SELECT id, first, last, class, keyFile FROM segments WHERE recording = ? AND isDeadLetter = ? AND first >= ?
            AND (class < ? OR class > 0 AND keyFile IN (?, ?)) ORDER BY first, id LIMIT ?
            """, as: seal)
        anySealed = try Statement(
            database,
            """
            SELECT EXISTS (SELECT 1 FROM positions JOIN segments ON segments.id = segment
                WHERE positions.class > 0 AND keyFile = ?)
            OR EXISTS (SELECT 1 FROM deadLetters JOIN segments ON segments.id = segment
                WHERE deadLetters.class > 0 AND keyFile = ?)
            """, as: seal)
        sealedRows = try Statement(
            database,
            """
            SELECT seq FROM positions JOIN segments ON segments.id = segment
            WHERE positions.recording = ?1 AND positions.class > 0 AND keyFile = ?2
            UNION ALL SELECT seq FROM deadLetters JOIN segments ON segments.id = segment
            WHERE deadLetters.recording = ?1 AND deadLetters.class > 0 AND keyFile = ?2 LIMIT ?3
            """, as: erase)
        rowsOfSegment = try Statement(
            database,
            """
            SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq BETWEEN ? AND ? AND segment = ?
            """, as: seal)
        lettersOfSegment = try Statement(
            database,
            "SELECT seq, payload, class, segment FROM deadLetters WHERE recording = ? AND segment = ? ORDER BY seq",
            as: seal)
        plainPositions = try Statement(
            database,
            """
            SELECT seq, payload, class, segment FROM positions WHERE recording = ? AND seq <= ? AND segment IS NULL
            ORDER BY seq DESC LIMIT ?
            """, as: seal)
        plainDeadLetters = try Statement(
            database,
            """
            SELECT seq, payload, class, segment FROM deadLetters WHERE recording = ? AND segment IS NULL ORDER BY seq LIMIT ?
            """, as: seal)
        sealPosition = try Statement(
            database, "UPDATE positions SET payload = ?, class = ?, segment = ? WHERE recording = ? AND seq = ?",
            as: seal)
        sealDeadLetter = try Statement(
            database, "UPDATE deadLetters SET payload = ?, class = ?, segment = ? WHERE recording = ? AND seq = ?",
            as: seal)
        setSealed = try Statement(database, "DELETE FROM meta WHERE name = 'unsealed'", as: seal)
    }
}

extension RecordingStatements {
    /// Rows with the columns `seq`, `payload`, `class` and `segment`.
    enum Rows {
        case positions, deadLetters
        case plainPositions, plainDeadLetters
        case positionsOfSegment, deadLettersOfSegment
    }

    /// Passes each of these rows to `body` until it returns false.
    func rows(
        _ rows: Rows, _ values: [SQLValue], _ body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        switch rows {
        case .positions: try positions.run(values, row: body)
        case .deadLetters: try deadLetters.run(values, row: body)
        case .plainPositions: try plainPositions.run(values, row: body)
        case .plainDeadLetters: try plainDeadLetters.run(values, row: body)
        case .positionsOfSegment: try rowsOfSegment.run(values, row: body)
        case .deadLettersOfSegment: try lettersOfSegment.run(values, row: body)
        }
    }

    /// Replaces the payload, the class and the segment of a row.
    func seal(_ values: [SQLValue], isDeadLetter: Bool) throws(StorageError) {
        if isDeadLetter { try sealDeadLetter.run(values) } else { try sealPosition.run(values) }
    }
}
