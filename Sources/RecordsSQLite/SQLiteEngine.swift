import Records
import Storage

/// Stores records in one SQLite file, `records.sqlite`: the engine of a hub without PostgreSQL.
///
/// ```swift
/// let store = RecordStore(try SQLiteEngine(folder: "/var/lib/waymark-hub"), signer)
/// ```
///
/// A transaction is durable when `write` returns: the file is synchronized with each commit. Nothing of a record stays in
/// memory but pages in SQLite's cache. One engine uses a folder at a time, which a lock ensures. An engine is for one thread.
///
/// After an error of the disk the file is opened again by the next transaction. A damaged file is left as it is, so that it
/// can be replaced from a backup.
public final class SQLiteEngine: RecordEngine {
    private let directory: StateDirectory
    private let cacheKibibytes: Int
    /// Nil after an error that leaves a connection unusable, until the next transaction.
    private(set) var connection: RecordConnection?
    /// The group in progress; nil outside of `gather`.
    private var group: Group?

    /// Transactions that are committed together.
    private struct Group {
        let connection: RecordConnection
        /// The error after which nothing of the group can be committed.
        var failure: EngineFailure?
    }

    /// An engine whose file is in a folder, which is made if it is missing.
    /// - Parameter cacheKibibytes: The most memory for pages of the file, in KiB.
    /// - Throws: If another engine uses the folder, or the file is of another program, of a newer release, or damaged.
    public init(folder: String, cacheKibibytes: Int = 2_048) throws(EngineFailure) {
        do throws(StorageError) {
            directory = try StateDirectory(path: folder, RecordConnection.schema)
            connection = try RecordConnection(in: directory, cacheKibibytes: cacheKibibytes)
        } catch {
            throw EngineFailure(error)
        }
        self.cacheKibibytes = cacheKibibytes
    }

    /// The entries of a transaction are in the order of the index, and each page of the file that they change is written twice, to
    /// the log and to the file: the more entries it has, the fewer pages are written for each.
    public var recordsOfFilling: Int { 4_000 }

    /// Performs a transaction that only reads. All reads see the same committed snapshot; within `gather` they also see what
    /// the group has written so far.
    public func read<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        group == nil ? try perform(.beginReading, body) : try performInGroup(body)
    }

    /// Performs a transaction, and commits it durably. After a failure nothing of it is stored, except if the commit itself
    /// failed: then all of it may be. Within `gather` it is committed with the group.
    public func write<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        group == nil ? try perform(.beginWriting, body) : try performInGroup(body)
    }

    /// Commits all transactions of the body together, so that the disk is synchronized once for all of them. A transaction
    /// that a rule ends with an error leaves nothing behind, and the others are committed all the same.
    ///
    /// What the transactions return is valid only if this function returns: after an error of the file none of them is
    /// stored, except if the commit itself failed: then all of them may be. The caller can repeat them one after the other,
    /// so that only the one that causes the error fails.
    public func gather(_ body: () -> Void) throws(EngineFailure) {
        precondition(group == nil, "a group within a group")
        try perform(.beginWriting) { (transaction) throws(EngineFailure) in
            group = Group(connection: transaction.connection)
            defer { group = nil }
            body()
            if let failure = group?.failure { throw failure }
        }
    }

    private func performInGroup<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        guard let connection = group?.connection else { preconditionFailure("there is a group") }
        if let failure = group?.failure { throw failure }
        var transaction = SQLiteTransaction(connection)
        do throws(EngineFailure) {
            try transaction.run(.beginPart)
            let value = try body(&transaction)
            if let failure = connection.failure { throw EngineFailure(failure) }
            try transaction.run(.endPart)
            return value
        } catch {
            undoPart(in: connection, after: error)
            throw error
        }
    }

    /// Undoes a transaction of the group. Where that is impossible, because SQLite has ended the whole transaction or the
    /// connection is unusable, nothing of the group can be committed.
    private func undoPart(in connection: RecordConnection, after error: EngineFailure) {
        let first = connection.failure
        guard connection.statements.database.isInTransaction, first?.leavesEngineOpen ?? true else {
            group?.failure = error
            return
        }
        connection.failure = nil
        do throws(StorageError) {
            try connection.run(.undoPart)
            try connection.run(.endPart)
        } catch {
            connection.failure = first ?? error
            group?.failure = EngineFailure(error)
        }
    }

    private func perform<Value>(
        _ begin: RecordStatement, _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        let connection = try opened()
        var transaction = SQLiteTransaction(connection)
        do throws(EngineFailure) {
            try transaction.run(begin)
            let value = try body(&transaction)
            // A body that ignores an error must not commit the part before it.
            if let failure = connection.failure { throw EngineFailure(failure) }
            try transaction.run(.commit)
            return value
        } catch {
            connection.statements.database.rollBack()
            if let failure = connection.failure, !failure.leavesEngineOpen { self.connection = nil }
            connection.failure = nil
            throw error
        }
    }

    private func opened() throws(EngineFailure) -> RecordConnection {
        if let connection { return connection }
        do throws(StorageError) {
            let opened = try RecordConnection(in: directory, cacheKibibytes: cacheKibibytes)
            connection = opened
            return opened
        } catch {
            throw EngineFailure(error)
        }
    }
}
