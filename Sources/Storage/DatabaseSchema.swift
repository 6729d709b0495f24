/// A database of the daemon: its names, its mark, and the steps to its present tables.
///
/// Steps are only ever appended; a released step is never changed. `PRAGMA user_version` is the number of steps that were
/// applied to a file.
package struct DatabaseSchema: Sendable {
    /// The name of the file in the state directory.
    let fileName: String
    /// The name of the file whose lock excludes another daemon.
    let lockName: String
    /// What the file is, for people.
    let noun: String
    /// Marks the file (sqlite.org/fileformat2.html, application ID).
    let applicationID: Int32
    /// The steps, the first making version 1.
    let steps: [String]

    /// A database.
    package init(fileName: String, lockName: String, noun: String, applicationID: Int32, steps: [String]) {
        self.fileName = fileName
        self.lockName = lockName
        self.noun = noun
        self.applicationID = applicationID
        self.steps = steps
    }

    /// The version this release reads and writes.
    package var newest: Int32 { Int32(steps.count) }

    /// Refuses a database that this release must not write: another program's, or that of a newer release. Reads only.
    func check(_ database: borrowing Database) throws(StorageError) {
        let application = try database.integer("PRAGMA application_id", as: "read the application ID") ?? 0
        let version = try database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema", as: "read the schema") ?? 0
        if tables == 0, application == 0, version == 0 { return }
        try check(
            application: Int32(truncatingIfNeeded: application), version: Int32(truncatingIfNeeded: version),
            path: database.path)
    }

    /// Refuses a database by the two numbers of its header.
    func check(application: Int32, version: Int32, path: String) throws(StorageError) {
        if application != applicationID {
            throw StorageError("open \(path)", .foreign, "it is a database, but not \(noun); left as it is")
        }
        if version > newest {
            throw StorageError(
                "open \(path)", .fromTheFuture(version: version),
                "a newer release wrote it (schema \(version), this release knows up to \(newest)); left as it is")
        }
    }

    /// Applies the missing steps, each in its own transaction.
    func migrate(_ database: borrowing Database) throws(StorageError) {
        let version = try database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
        for step in steps.indices.dropFirst(Int(version)) {
            let operation = "migrate to schema \(step + 1)"
            try database.transaction(as: operation) { () throws(StorageError) in
                try database.execute("\(steps[step]); PRAGMA user_version = \(step + 1)", as: operation)
            }
        }
    }
}
