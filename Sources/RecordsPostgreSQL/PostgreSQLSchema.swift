import Records

/// The tables of the engine in a database.
enum PostgreSQLSchema {
    /// Makes the tables in a database without them, brings those of an older release up to date, and refuses others.
    static func prepare(_ session: borrowing PostgreSQLSession) throws(EngineFailure) {
        do throws(PostgreSQLError) {
            // One hub does this, and the others wait.
            try session.execute(RecordStatement.beginWriting.sql, as: operation)
            try session.execute(RecordStatement.lockSchema, as: operation)
            try bringUpToDate(session)
            try session.execute(RecordStatement.commit.sql, as: operation)
        } catch {
            throw EngineFailure(error)
        }
    }

    private static let operation = "prepare the tables"

    private static func bringUpToDate(_ session: borrowing PostgreSQLSession) throws(PostgreSQLError) {
        let found = try session.execute(RecordStatement.inspectSchema, as: operation).text
        switch found {
        case "none", "empty":
            if found == "none" { try session.execute(RecordStatement.makeSchema, as: operation) }
            try session.execute(RecordStatement.makeVersion, as: operation)
        case "own": break
        default:
            throw PostgreSQLError(
                operation, code: "F0001",
                "the database has a schema waymark with the tables of another program. Choose another database, or rename"
                    + " that schema")
        }
        let stored = try session.execute(RecordStatement.readVersion, as: operation).text
        let steps = RecordStatement.steps
        guard let version = Int(stored), version >= 0, version <= steps.count else {
            throw PostgreSQLError(
                operation, code: "F0002",
                "the tables have version \(stored), which a newer release has made; this release knows version"
                    + " \(steps.count). Install that release again, or restore a backup from before it")
        }
        for (index, step) in steps.enumerated().dropFirst(version) {
            try session.execute(step, as: operation)
            try session.execute(RecordStatement.storeVersion(index + 1), as: operation)
        }
    }
}
