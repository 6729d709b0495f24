import RecordTables
import Records

/// The connection of an engine to its database, and the transaction in progress.
///
/// A statement whose result is of no interest is sent and not waited for. If it fails, the next statement that is waited for, or the
/// commit, fails with its error.
final class PostgreSQLConnection {
    let pipeline: StatementPipeline
    /// What the transaction in progress knows of its rows.
    let cache = RowCache()
    /// The first error of the transaction in progress, after which it cannot be committed.
    private(set) var failure: EngineFailure?
    /// Whether PostgreSQL has ended the transaction in progress with an error, or may have.
    private(set) var isAborted = false
    /// Whether the transaction in progress has begun.
    private(set) var hasBegun = false
    /// Whether the transaction whose commit was sent last is committed.
    private var isCommitted = false
    private var sentWrites = 0
    /// How often the transaction in progress has written something.
    var writes: Int { sentWrites + cache.writes }
    /// The devices of which other hubs are notified after the commit of the transaction in progress.
    var notices: Set<AccountDevice> = []
    /// The subjects of subscriptions that were parsed before.
    let parsedSubjects = ParsedSubjects()
    /// The locks of the transaction in progress.
    private(set) var locks: Set<LockKey> = []
    /// Those of them whose names are known, so that no number has to be computed to find out that the transaction has one.
    private var namedLocks: Set<RecordLock> = []
    /// A lock that another transaction holds, and for which this one must not wait.
    private(set) var missingLock: LockKey?
    /// Whether the transaction may wait for a lock that is ordered after all that it holds. In a group only the first transaction may:
    /// a later one that waited would delay the answers of those before it.
    private var mayWait = true

    /// Connects, and makes the tables or checks that this release can use them.
    init(_ address: String) throws(EngineFailure) {
        do throws(PostgreSQLError) {
            let session = try PostgreSQLSession(address)
            try session.execute(RecordStatement.settings, as: "prepare the connection to PostgreSQL")
            pipeline = StatementPipeline(session)
        } catch {
            throw EngineFailure(error)
        }
        try PostgreSQLSchema.prepare(pipeline.session)
    }

    // Statements

    /// Runs a statement, and passes its result to the body.
    func run<Value>(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters,
        _ body: (borrowing QueryResult) throws(PostgreSQLError) -> Value
    ) throws(EngineFailure) -> Value {
        try attempt { () throws(PostgreSQLError) in
            try pipeline.send(name, sql(), parameters)
            var value: Value?
            try pipeline.finish { (result) throws(PostgreSQLError) in value = try body(result) }
            guard let value else { preconditionFailure("a statement that succeeds has a result") }
            return value
        }
    }

    /// Sends a statement.
    /// - Parameter receive: Is called with its result once something is waited for.
    func send(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters = Parameters(),
        _ receive: StatementPipeline.Receiver? = nil
    ) throws(EngineFailure) {
        try attempt { () throws(PostgreSQLError) in try pipeline.send(name, sql(), parameters, receive) }
    }

    /// Has the server begin with what was sent.
    func flush() throws(EngineFailure) { try attempt { () throws(PostgreSQLError) in try pipeline.flush() } }

    /// Waits for all statements that were sent.
    func finish() throws(EngineFailure) { try attempt { () throws(PostgreSQLError) in try pipeline.finish() } }

    /// Counts a statement that writes.
    func noteWrite() { sentWrites += 1 }

    /// Performs something, and stores its error so that the transaction is not committed.
    private func attempt<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(EngineFailure) -> Value {
        if let failure { throw failure }
        do throws(PostgreSQLError) {
            return try body()
        } catch {
            isAborted = true
            throw fail(EngineFailure(error))
        }
    }

    /// Stores an error so that the transaction is not committed, and returns it.
    func fail(_ error: EngineFailure) -> EngineFailure {
        if failure == nil { failure = error }
        return error
    }

    // Transactions

    /// Forgets the transaction before.
    func reset() {
        failure = nil
        isAborted = false
        hasBegun = false
        sentWrites = 0
        notices = []
        missingLock = nil
        locks = []
        namedLocks = []
        mayWait = true
        cache.clear()
    }

    /// Begins a transaction, acquires locks in their order, and then reads what is known that it will read.
    func begin(
        _ statement: RecordStatement, _ keys: Set<LockKey> = [], reading ahead: ReadAhead = ReadAhead()
    ) throws(EngineFailure) {
        try sendBegin(statement, keys, reading: ahead)
        try finish()
    }

    /// Sends what begins a transaction. It has begun when this was waited for.
    func sendBegin(
        _ statement: RecordStatement, _ keys: Set<LockKey>, reading ahead: ReadAhead
    ) throws(EngineFailure) {
        reset()
        try send(statement.rawValue, statement.sql, Parameters()) { [self] (_) throws(PostgreSQLError) in
            hasBegun = true
        }
        try sendLocksAndReads(keys, ahead)
    }

    /// Acquires locks in their order, and then reads what is known that the transaction will read. Nothing was locked before.
    func lockAndRead(_ keys: Set<LockKey>, _ ahead: ReadAhead) throws(EngineFailure) {
        try sendLocksAndReads(keys, ahead)
        try finish()
    }

    private func sendLocksAndReads(_ keys: Set<LockKey>, _ ahead: ReadAhead) throws(EngineFailure) {
        let keys = keys.union(ahead.locks.map { LockKey($0) }).sorted()
        if !keys.isEmpty {
            let statement = RecordStatement.lockAll
            try send(statement.rawValue, statement.sql, Parameters(integers: keys.map(\.integer)))
            locks = Set(keys)
            namedLocks = ahead.locks
            cache.forgetUnlocked()
        }
        try read(ahead)
    }

    /// Has the server begin with what was sent. What is sent next is performed after it, also if it fails.
    func mark() throws(EngineFailure) { try attempt { () throws(PostgreSQLError) in try pipeline.mark() } }

    /// Stores what the transaction has written and has the server commit it, and then notify other hubs of devices. `finishCommit`
    /// waits for that; until then another transaction may be begun, whose statements follow.
    func sendCommit(notifying devices: Set<AccountDevice>) throws(EngineFailure) {
        let statement = RecordStatement.commit
        isCommitted = false
        try PostgreSQLTransaction(self).storeRows()
        try send(statement.rawValue, statement.sql, Parameters()) { [self] (result) throws(PostgreSQLError) in
            // PostgreSQL answers ROLLBACK to a COMMIT of a transaction that has failed.
            guard result.command == statement.sql else {
                throw PostgreSQLError(statement.rawValue, code: "25P01", "the transaction had failed before")
            }
            isCommitted = true
        }
        if !devices.isEmpty {
            // A transaction of its own, which is performed only if the commit has succeeded. Names have no slash.
            let parameters = Parameters(texts: devices.map { "\($0.account)/\($0.device)" })
            try send(RecordStatement.notify.rawValue, RecordStatement.notify.sql, parameters)
        }
        try mark()
    }

    /// Sends what begins another transaction after the commit that was sent; false if the connection is lost. It has begun when
    /// the results after those of the commit were waited for.
    func sendNext(reading ahead: ReadAhead) -> Bool {
        do throws(EngineFailure) {
            try sendBegin(.beginWriting, [], reading: ahead)
            try mark()
        } catch {
            // What was sent before an error that is not that of the connection follows the commit as well.
            do throws(PostgreSQLError) { try pipeline.mark() } catch {}
        }
        return !pipeline.isLost
    }

    /// Waits for the commit, and returns whether the other hubs were notified of devices.
    func finishCommit() throws(EngineFailure) -> Bool {
        do throws(PostgreSQLError) {
            try pipeline.finishFirst()
        } catch {
            guard isCommitted else { throw EngineFailure(error) }
            return false
        }
        guard isCommitted else {
            throw EngineFailure(RecordStatement.commit.rawValue, reason: "there is no answer. Repeat the request.")
        }
        return true
    }

    /// Undoes the transaction; false if the connection cannot be used any more, which also undoes it.
    func undo() -> Bool {
        pipeline.discard()
        reset()
        do throws(EngineFailure) {
            try send(RecordStatement.undo.rawValue, RecordStatement.undo.sql)
            try finish()
        } catch {
            return false
        }
        return pipeline.session.isIdle
    }

    // A transaction of a group

    /// Begins a transaction of the group in progress.
    /// - Parameter mayWait: Whether nothing was done in the group before.
    func beginPart(mayWait: Bool) { self.mayWait = mayWait }

    /// Forgets the error of a failed transaction of a group if the transaction has written nothing, so that the group can be
    /// committed without it. Returns whether it can.
    /// - Parameter writesBefore: `writes` at the beginning of the failed transaction.
    func forget(partWith writesBefore: Int) -> Bool {
        guard !isAborted, writes == writesBefore else { return false }
        failure = nil
        missingLock = nil
        return true
    }

    // Locks

    /// Acquires a lock until the end of the transaction. Waits for it only in the order that `LockKey` describes.
    func acquire(_ lock: RecordLock) throws(EngineFailure) {
        guard !namedLocks.contains(lock) else { return }
        try acquire(LockKey(lock))
        namedLocks.insert(lock)
    }

    /// The same for the number of a lock.
    func acquire(_ key: LockKey) throws(EngineFailure) {
        guard !locks.contains(key) else { return }
        cache.forgetUnlocked()
        let isOrdered = mayWait && locks.allSatisfy { $0 < key }
        let statement: RecordStatement = isOrdered ? .lock : .tryLock
        let parameters = Parameters(integer: key.integer)
        guard !isOrdered else {
            // PostgreSQL performs the statements that follow when it has the lock, so that nothing has to wait for it here.
            try send(statement.rawValue, statement.sql, parameters)
            locks.insert(key)
            return
        }
        let isFree = try run(statement.rawValue, statement.sql, parameters) { (result) throws(PostgreSQLError) in
            result.row(0) == StoredRow([.integer(1)])
        }
        guard isFree else {
            missingLock = key
            throw fail(EngineFailure(statement.rawValue, reason: "another transaction holds the lock"))
        }
        locks.insert(key)
    }
}
