import RecordTables
import Records

/// The connection of an engine to its database, the statements that it has compiled so far, and the transaction in progress.
final class PostgreSQLConnection {
    let session: PostgreSQLSession
    private var compiled: Set<String> = []
    /// The first error of the transaction in progress, after which it cannot be committed.
    var failure: EngineFailure?
    /// The devices of which other hubs are notified after the commit of the transaction in progress.
    var notices: Set<AccountDevice> = []
    /// The subjects of subscriptions that were parsed before.
    let parsedSubjects = ParsedSubjects()
    /// The locks of the transaction in progress.
    private(set) var locks: Set<LockKey> = []
    /// A lock that another transaction holds, and for which this one must not wait.
    private(set) var missingLock: LockKey?
    /// Whether the transaction may wait for locks: it holds none that a lock is not ordered after, and has changed nothing
    /// without a lock.
    private var mayWait = true

    /// Connects, and makes the tables or checks that this release can use them.
    init(_ address: String) throws(EngineFailure) {
        do throws(PostgreSQLError) {
            session = try PostgreSQLSession(address)
            try session.execute(RecordStatement.settings, as: "prepare the connection to PostgreSQL")
        } catch {
            throw EngineFailure(error)
        }
        try PostgreSQLSchema.prepare(session)
    }

    /// Runs a statement of the transaction itself.
    func run(_ statement: RecordStatement) throws(EngineFailure) {
        try attempt { () throws(PostgreSQLError) in
            let result = try session.execute(statement.sql, as: statement.rawValue)
            // PostgreSQL answers ROLLBACK to a COMMIT of a transaction that has failed.
            if statement == .commit, result.command != statement.sql {
                throw PostgreSQLError(statement.rawValue, code: "25P01", "the transaction had failed before")
            }
        }
    }

    /// Notifies other hubs of devices, of which a transaction that is committed has stored a push or which it has removed.
    func notify(_ devices: Set<AccountDevice>) throws(EngineFailure) {
        // Names have no slash.
        let parameters = Parameters(texts: devices.map { "\($0.account)/\($0.device)" })
        let statement = RecordStatement.notify
        try run(statement.rawValue, statement.sql, parameters) { (_) throws(PostgreSQLError) in }
    }

    /// Runs a statement, and passes its result to the body.
    func run<Value>(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters,
        _ body: (borrowing QueryResult) throws(PostgreSQLError) -> Value
    ) throws(EngineFailure) -> Value {
        try attempt { () throws(PostgreSQLError) in
            try compile(name, sql())
            return try body(try session.run(name, parameters))
        }
    }

    /// Runs a statement that returns no rows once for each parameters.
    func run(_ name: String, _ sql: @autoclosure () -> String, each parameters: [Parameters]) throws(EngineFailure) {
        try attempt { () throws(PostgreSQLError) in
            try compile(name, sql())
            try session.run(name, each: parameters)
        }
    }

    private func compile(_ name: String, _ sql: @autoclosure () -> String) throws(PostgreSQLError) {
        guard !compiled.contains(name) else { return }
        try session.prepare(sql(), as: name)
        compiled.insert(name)
    }

    /// Performs something, and stores its error so that the transaction is not committed.
    private func attempt<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(EngineFailure) -> Value {
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            throw fail(EngineFailure(error))
        }
    }

    /// Stores an error so that the transaction is not committed, and returns it.
    func fail(_ error: EngineFailure) -> EngineFailure {
        if failure == nil { failure = error }
        return error
    }

    // Locks

    /// Begins a transaction, or one of a group that has the locks of those before it.
    /// - Parameter mayWait: Whether nothing was done in the group before.
    func begin(with locks: Set<LockKey> = [], mayWait: Bool = true, notices: Set<AccountDevice> = []) {
        failure = nil
        self.notices = notices
        missingLock = nil
        self.locks = locks
        self.mayWait = mayWait
    }

    /// Acquires locks in their order.
    func acquire(_ keys: Set<LockKey>) throws(EngineFailure) {
        for key in keys.sorted() { try acquire(key) }
    }

    /// Acquires a lock until the end of the transaction. Waits for it only in the order that `LockKey` describes.
    func acquire(_ key: LockKey) throws(EngineFailure) {
        guard !locks.contains(key) else { return }
        let isOrdered = mayWait && locks.allSatisfy { $0 < key }
        let statement: RecordStatement = isOrdered ? .lock : .tryLock
        let parameters: Parameters
        do throws(TableError) {
            parameters = try Parameters([key.parameter])
        } catch {
            preconditionFailure("a number is stored as it is")
        }
        let isFree = try run(statement.rawValue, statement.sql, parameters) { (result) throws(PostgreSQLError) in
            statement == .lock || result.row(0) == StoredRow([.integer(1)])
        }
        guard isFree else {
            missingLock = key
            throw fail(EngineFailure(statement.rawValue, reason: "another transaction holds the lock"))
        }
        locks.insert(key)
    }
}
