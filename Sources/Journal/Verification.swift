import Storage

/// The result of a check of the whole journal.
public struct Verification: Equatable, Sendable {
    /// The number of events.
    public var events: Int64
    /// The sequence number of the oldest event that must exist.
    public var oldestRetained: Int64
    /// The newest sequence number that was ever assigned, 0 for none.
    public var newest: Int64
    /// The number of recordings.
    public var recordings = 0
    /// The number of their stored positions, without dead letters.
    public var positions: Int64 = 0
    /// The number of positions and dead letters whose content was not checked, because it is locked.
    public var unchecked: Int64 = 0
    /// The problems, for people; the first hundred of each kind.
    public var findings: [String]

    /// Whether no problem was found.
    public var isSound: Bool { findings.isEmpty }
}

extension EventStore {
    static let mostFindings = 100

    /// Checks the file's structure, that no event is missing between the oldest retained and the newest one, that every
    /// event can be read, and the same of every recording. This reads the whole file; events appended meanwhile are
    /// queued.
    func verify() throws(StorageError) -> Verification {
        var result = Verification(events: 0, oldestRetained: oldestRetained, newest: newest, findings: [])
        do throws(StorageError) {
            try checkStructure(&result)
            try checkSequence(&result)
            try checkContents(&result)
            try checkAuthorization(&result)
            try checkRecordings(&result)
        } catch {
            // A file that is too damaged to be checked is a result, not a failure of the check.
            if !error.isDamage { throw error }
            result.findings.append("the check could not go on: \(error.message)")
        }
        return result
    }

    /// PRAGMA integrity_check and foreign_key_check.
    private func checkStructure(_ result: inout Verification) throws(StorageError) {
        var findings: [String] = []
        let operation = "check the structure"
        try Statement(database, "PRAGMA integrity_check(\(Self.mostFindings))", as: operation).run { row in
            let text = row.text(0)
            if text != "ok" { findings.append("structure: \(text)") }
            return true
        }
        try Statement(database, "PRAGMA foreign_key_check", as: operation).run { row in
            findings.append(
                row.text(0) == "events"
                    ? "event \(row.integer(1)): its boot is missing" : "a text of a prompt that is missing")
            return findings.count < Self.mostFindings
        }
        result.findings += findings
    }

    /// Checks for all numbers from the retention floor to the newest one ever assigned; below the floor only operators'
    /// events.
    private func checkSequence(_ result: inout Verification) throws(StorageError) {
        var findings: [String] = []
        var expected = result.oldestRetained
        var events: Int64 = 0
        func missing(from first: Int64, to last: Int64) {
            if findings.count >= Self.mostFindings { return }
            findings.append(
                first == last
                    ? "event \(first) is missing" : "events \(first) to \(last) are missing (\(last - first + 1))")
        }
        let isExpected = "seq >= \(result.oldestRetained) OR \(OperatorEvents.condition) IS TRUE"
        try Statement(
            database, "SELECT seq, \(isExpected) FROM events ORDER BY seq", as: "check the sequence"
        ).run { row in
            let sequence = row.integer(0)
            if sequence < result.oldestRetained {
                if row.integer(1) == 0, findings.count < Self.mostFindings {
                    findings.append(
                        "event \(sequence) exists, though those before \(result.oldestRetained) were dropped")
                }
            } else {
                if sequence > expected { missing(from: expected, to: sequence - 1) }
                expected = sequence + 1
            }
            events += 1
            return true
        }
        if expected <= result.newest { missing(from: expected, to: result.newest) }
        if expected > result.newest + 1 {
            findings.append("event \(expected - 1) exists, though \(result.newest) was the last that was written")
        }
        result.events = events
        result.findings += findings
    }

    /// Checks the stored authorization: every value is one that this release writes, times are within the years 1970 to
    /// 9999.
    private func checkAuthorization(_ result: inout Verification) throws(StorageError) {
        var findings: [String] = []
        var state = StoredAuthorization()
        try database.readGrants(into: &state, &findings)
        try database.readPrompts(into: &state, &findings)
        try database.readState(into: &state, &findings)
        try database.readAccounts(into: &state, &findings)
        try Statement(
            database,
            """
            SELECT 'the grant of ' || app || ' of uid ' || uid FROM grants WHERE decidedAt IS NOT NULL
                AND (typeof(decidedAt) <> 'integer' OR decidedAt NOT BETWEEN 0 AND 253402300799999999)
            UNION ALL
            SELECT 'prompt ' || id FROM prompts
            WHERE typeof(raisedAt) <> 'integer' OR raisedAt NOT BETWEEN 0 AND 253402300799999999
            """, as: "check the grants"
        ).run { row in
            findings.append("\(row.text(0)): its time is not a time")
            return findings.count < Self.mostFindings
        }
        result.findings += findings.prefix(Self.mostFindings)
    }

    /// Checks that times are within the years 1970 to 9999, and that details are JSON objects.
    private func checkContents(_ result: inout Verification) throws(StorageError) {
        var findings: [String] = []
        try Statement(
            database,
            """
            SELECT seq, typeof(time) <> 'integer' OR time NOT BETWEEN 0 AND 253402300799999999,
                typeof(kind) <> 'text' OR kind = '', NOT json_valid(details)
            FROM events
            WHERE typeof(time) <> 'integer' OR time NOT BETWEEN 0 AND 253402300799999999
                OR typeof(kind) <> 'text' OR kind = '' OR NOT json_valid(details)
            ORDER BY seq LIMIT \(Self.mostFindings)
            """, as: "check the events"
        ).run { row in
            let sequence = row.integer(0)
            if row.integer(1) != 0 { findings.append("event \(sequence): its time is not a time") }
            if row.integer(2) != 0 { findings.append("event \(sequence): it has no kind") }
            if row.integer(3) != 0 { findings.append("event \(sequence): its details are not JSON") }
            return true
        }
        result.findings += findings
    }
}
