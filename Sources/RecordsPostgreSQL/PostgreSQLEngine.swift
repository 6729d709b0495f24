import Durations
import Platform
import Records

/// Stores records in a database of PostgreSQL, which several hubs can use at the same time.
///
/// ```swift
/// let store = RecordStore(try PostgreSQLEngine("postgresql:///waymark"), signer)
/// ```
///
/// A transaction is durable when `write` returns: PostgreSQL has synchronized its log, and that of a synchronous standby server
/// if there is one. An engine has one connection and is for one thread.
///
/// A connection that breaks is made anew by the next transaction. The one in progress fails, and its client repeats it. While
/// the server cannot be reached, transactions fail at once for as long as the last attempt to connect took, so that those that
/// wait do not each wait for an attempt of their own.
public final class PostgreSQLEngine: RecordEngine {
    private let address: String
    /// Nil after an error that leaves a connection unusable, until the next transaction.
    private(set) var connection: PostgreSQLConnection? {
        didSet {
            backend.number = connection?.pipeline.session.backend ?? 0
            isNextSent = false
        }
    }
    private let backend: BackendNumber
    /// Why the last attempt to connect failed, and until when there is no other one.
    private var unreachable: (failure: EngineFailure, until: UInt64)?
    private let clock = SystemClock()
    /// The devices of which other hubs were not notified yet, because the connection has broken after a commit.
    private var unnotified: Set<AccountDevice> = []
    /// Whether the transaction of the next group was sent while the one before was committed, and was not waited for.
    private var isNextSent = false
    /// The group in progress; nil outside of `gather`.
    private var group: Group?

    /// How far transactions that are committed together have come.
    private enum Group {
        /// None was begun since the beginning, with what is known that they will read, or since a part was committed.
        case waiting(ReadAhead)
        /// A transaction was begun in which nothing was locked or read ahead: the first one that writes does that at once.
        case begun(PostgreSQLConnection)
        /// What is locked and read ahead is there, and nothing was performed yet.
        case prepared(PostgreSQLConnection)
        /// One or more were performed, and are not committed.
        case performed(PostgreSQLConnection)
        /// Nothing more of the group can be committed after this error.
        case failed(EngineFailure)

        /// Whether transactions were performed that are not committed.
        var hasPerformed: Bool { if case .performed = self { true } else { false } }

        /// The connection with a transaction that is not committed.
        var connection: PostgreSQLConnection? {
            switch self {
            case .waiting, .failed: nil
            case .begun(let connection), .prepared(let connection), .performed(let connection): connection
            }
        }
    }

    /// How often a transaction is performed again for locks that it was found to need.
    private static let mostRepetitions = 100
    /// The times between two attempts to connect.
    private static let pauses = Duration.milliseconds(100)...Duration.seconds(10)

    /// An engine that connects with its first transaction.
    /// - Parameters:
    ///   - address: A connection string or a `postgres://` address of libpq, postgresql.org/docs/15/libpq-connect.html.
    ///   - backend: Is set to the server's process for this engine, whose notifications are of no interest to its hub.
    public init(unconnected address: String, backend: BackendNumber = BackendNumber()) {
        self.address = address
        self.backend = backend
    }

    /// An engine with a database, in which the tables are made unless they exist.
    /// - Throws: If the server cannot be reached, or the tables are of another program or a newer release.
    public convenience init(_ address: String) throws(EngineFailure) {
        self.init(unconnected: address)
        connection = try opened()
    }

    /// Performs a transaction that only reads. All reads see the same committed snapshot, and what the group has written so
    /// far: within `gather` that is committed before, because a transaction that writes has no snapshot of its own.
    public func read<Value>(
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        try commitGroup()
        return try perform(.beginReading, ReadAhead(), body)
    }

    /// Performs one statement that reads: it has one snapshot in any transaction, and needs none of its own. Within `gather` it
    /// is one of the group, so that requests whose caller is looked up first are committed together all the same.
    public func lookUp<Value>(
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        group == nil ? try performAlone(body) : try performUnchanged(body)
    }

    /// Performs a transaction, and commits it durably. After a failure nothing of it is stored, except if the commit itself
    /// failed: then all of it may be. Within `gather` it is committed with the group.
    ///
    /// The body is performed again if it needs a lock that must not be waited for.
    public func write<Value>(
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        try write(reading: ReadAhead(), body)
    }

    /// The same for a transaction of which it is known what it will read: all of that is locked and read at once.
    public func write<Value>(
        reading ahead: @autoclosure () -> ReadAhead,
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        group == nil ? try perform(.beginWriting, ahead(), body) : try performInGroup(ahead, body)
    }

    /// Commits the transactions of the body together, so that the server synchronizes its log once for all of them.
    ///
    /// A part of the group is committed earlier where a transaction only reads, or would have to wait for another hub while
    /// the group has locks. A transaction that fails before it has written anything leaves the others as they are. After any
    /// other error nothing more of the group is committed, and this function throws it. What the transactions return is valid
    /// only if this function returns: after an error any of them may be stored or not, and each can be repeated.
    public func gather(_ body: () -> Void) throws(EngineFailure) { try gather(reading: ReadAhead(), body) }

    /// The same for transactions of which it is known what they will read: all of that is locked and read at once.
    /// - Parameter next: What the next group will read, which the server does directly after the commit of this one, without
    ///   waiting for the answer to it. If this group fails, the next one reads anew.
    public func gather(
        reading ahead: ReadAhead, before next: () -> ReadAhead, _ body: () -> Void
    ) throws(EngineFailure) {
        precondition(group == nil, "a group within a group")
        group = .waiting(ahead)
        defer { group = nil }
        body()
        try commitGroup(before: next)
    }

    /// It does: a wait for the server takes longer than most statements.
    public var readsAhead: Bool { true }

    // One transaction

    private func perform<Value>(
        _ begin: RecordStatement, _ ahead: ReadAhead,
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        undoNext()
        var locks: Set<LockKey> = []
        while true {
            let connection = try begun(begin, locks, ahead)
            do throws(EngineFailure) {
                let value = try value(of: body, connection)
                try commit(connection)
                return value
            } catch {
                let missing = connection.missingLock
                undo(connection)
                guard let missing, locks.count < Self.mostRepetitions, locks.insert(missing).inserted else {
                    throw error
                }
            }
        }
    }

    /// Performs a statement outside of a transaction, again in a new connection if the present one cannot be used.
    private func performAlone<Value>(
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        undoNext()
        if let connection {
            connection.reset()
            do throws(EngineFailure) { return try value(of: body, connection) } catch { self.connection = nil }
        }
        let opened = try opened()
        connection = opened
        return try value(of: body, opened)
    }

    /// Commits, then notifies other hubs, and has the server begin with the next group.
    ///
    /// They are notified before the requests are answered, so that a save that was acknowledged wakes whoever waits for it. If
    /// that fails, they are notified with the next commit; as a rule the server has failed, so that other hubs read all pushes
    /// anyway when they are connected again.
    private func commit(
        _ connection: PostgreSQLConnection, before next: () -> ReadAhead = { ReadAhead() }
    ) throws(EngineFailure) {
        let devices = unnotified.union(connection.notices)
        try connection.sendCommit(notifying: devices)
        let ahead = next()
        if !ahead.isEmpty { isNextSent = connection.sendNext(reading: ahead) }
        let areNotified = try connection.finishCommit()
        unnotified = areNotified ? [] : devices
        // The next transaction finds out what is wrong with the connection.
        if !areNotified { self.connection = nil }
    }

    private func value<Value>(
        of body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value, _ connection: PostgreSQLConnection
    ) throws(EngineFailure) -> Value {
        var transaction = PostgreSQLTransaction(connection)
        let value = try body(&transaction)
        // A body that ignores an error must not commit the part before it.
        if let failure = connection.failure { throw failure }
        return value
    }

    /// A connection in which a transaction was begun, with these locks and what it is known to read. If a transaction cannot be
    /// begun in the present one, for example because the server was started again since the last one, there is a new one:
    /// nothing is lost by that.
    private func begun(
        _ begin: RecordStatement, _ locks: Set<LockKey>, _ ahead: ReadAhead
    ) throws(EngineFailure) -> PostgreSQLConnection {
        if let connection {
            do throws(EngineFailure) {
                if isNextSent {
                    isNextSent = false
                    try connection.finish()
                } else {
                    try connection.begin(begin, locks, reading: ahead)
                }
                return connection
            } catch {
                let isUsable = connection.hasBegun && !connection.pipeline.isLost
                undo(connection)
                if isUsable { throw error }
                self.connection = nil
            }
        }
        let opened = try opened()
        try opened.begin(begin, locks, reading: ahead)
        connection = opened
        return opened
    }

    /// A new connection, unless the last attempt has failed just now.
    private func opened() throws(EngineFailure) -> PostgreSQLConnection {
        let start = clock.monotonicNanoseconds
        if let unreachable, start < unreachable.until { throw unreachable.failure }
        do throws(EngineFailure) {
            let connection = try PostgreSQLConnection(address)
            unreachable = nil
            return connection
        } catch {
            let end = clock.monotonicNanoseconds
            let pause = min(max(.nanoseconds(Int64(end - start)), Self.pauses.lowerBound), Self.pauses.upperBound)
            unreachable = (error, end.after(pause))
            throw error
        }
    }

    /// Undoes a transaction, and the one that was sent after its commit. A connection in which that is impossible is closed,
    /// which also undoes them.
    private func undo(_ connection: PostgreSQLConnection) {
        isNextSent = false
        if !connection.undo() { self.connection = nil }
    }

    // A group

    /// Commits what the group has, so that its next transaction begins anew.
    private func commitGroup(before next: () -> ReadAhead = { ReadAhead() }) throws(EngineFailure) {
        if case .failed(let failure)? = group { throw failure }
        guard let connection = group?.connection else { return undoNext() }
        group = .waiting(ReadAhead())
        do throws(EngineFailure) {
            try commit(connection, before: next)
        } catch {
            throw failGroup(connection, error)
        }
    }

    private func performInGroup<Value>(
        _ ahead: () -> ReadAhead, _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        var locks: Set<LockKey> = []
        while true {
            let connection = try preparedConnection(locks, ahead)
            let before = connection.writes
            connection.beginPart(mayWait: group?.hasPerformed == false)
            do throws(EngineFailure) {
                let value = try value(of: body, connection)
                group = .performed(connection)
                return value
            } catch {
                let missing = connection.missingLock
                guard connection.forget(partWith: before) else { throw failGroup(connection, error) }
                guard let missing, locks.count < Self.mostRepetitions, locks.insert(missing).inserted else {
                    throw error
                }
                // Whoever has the lock may be waiting for one of this group.
                try commitGroup()
            }
        }
    }

    /// Performs a statement that changes nothing in the transaction of the group, again in a new connection if the present one
    /// is lost before anything was changed. If it fails otherwise, the server has undone the group.
    private func performUnchanged<Value>(
        _ body: (inout PostgreSQLTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        let connection = try groupConnection()
        let hasChanges = connection.writes > 0
        do throws(EngineFailure) {
            return try value(of: body, connection)
        } catch {
            guard !hasChanges, connection.pipeline.isLost else { throw failGroup(connection, error) }
            group = .waiting(ReadAhead())
            undo(connection)
        }
        return try value(of: body, try groupConnection())
    }

    /// The connection of the group, in which a transaction was begun: with the locks and the reads of the group, or after a part
    /// of the group was committed with those of the transaction itself.
    private func groupConnection(
        _ locks: Set<LockKey> = [], _ own: () -> ReadAhead = { ReadAhead() }
    ) throws(EngineFailure) -> PostgreSQLConnection {
        switch group {
        case nil: preconditionFailure("a transaction of a group without a group")
        case .failed(let failure): throw failure
        case .begun(let connection), .prepared(let connection), .performed(let connection): return connection
        case .waiting(let known):
            let ahead = known.isEmpty ? own() : known
            let isPrepared = isNextSent || !ahead.isEmpty || !locks.isEmpty
            let connection = try begun(.beginWriting, locks, ahead)
            group = isPrepared ? .prepared(connection) : .begun(connection)
            return connection
        }
    }

    /// The same for a transaction that writes, with its locks and its reads if the group has none yet.
    private func preparedConnection(
        _ locks: Set<LockKey>, _ own: () -> ReadAhead
    ) throws(EngineFailure) -> PostgreSQLConnection {
        let connection = try groupConnection(locks, own)
        guard case .begun? = group else { return connection }
        do throws(EngineFailure) {
            try connection.lockAndRead(locks, own())
        } catch {
            throw failGroup(connection, error)
        }
        group = .prepared(connection)
        return connection
    }

    /// Undoes the group after an error; its transactions are to be repeated, each on its own.
    private func failGroup(_ connection: PostgreSQLConnection, _ error: EngineFailure) -> EngineFailure {
        group = .failed(error)
        undo(connection)
        return error
    }

    /// Undoes the transaction of a next group that has not come.
    private func undoNext() {
        if isNextSent, let connection { undo(connection) }
    }
}
