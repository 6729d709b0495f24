import Records
import RecordsSQLite
import Synchronization
import TestSupport

@testable import Hub

/// What a `ScriptedEngine` has to do, and what was done, in order.
final class EngineScript: Sendable {
    /// A step of a desk and its engine.
    enum Step: Equatable, Sendable {
        /// Transactions that are committed together begin, of which this was known.
        case gathering(ReadAhead)
        /// They are stored.
        case committed
        /// What comes next was asked for, and this is what it reads.
        case next(ReadAhead)
        /// A transaction that writes.
        case write
        /// A transaction that reads.
        case read
        /// Tasks were answered, as many as this.
        case finished(Int)
    }

    private struct State {
        var steps: [Step] = []
        var failingCommits = 0
        var failingSigners = 0
        var arrivals: [@Sendable () -> Void] = []
    }

    /// Whether the engine reads ahead, and asks for what comes next.
    let readsAhead: Bool
    private let state = Mutex(State())

    init(readsAhead: Bool) { self.readsAhead = readsAhead }

    /// What was done so far.
    var steps: [Step] { state.withLock { $0.steps } }
    func add(_ step: Step) { state.withLock { $0.steps.append(step) } }

    /// The next so many common commits happen, but their engine reports a failure.
    func failCommits(_ count: Int) { state.withLock { $0.failingCommits = count } }
    func isCommitFailing() -> Bool { state.withLock { Self.isOneMore(&$0.failingCommits) } }

    /// The next so many signers are not there.
    func failSigners(_ count: Int) { state.withLock { $0.failingSigners = count } }
    func isSignerFailing() -> Bool { state.withLock { Self.isOneMore(&$0.failingSigners) } }

    /// What happens while the next group that has nothing of the kind is being committed.
    func whileCommitting(_ arrival: @escaping @Sendable () -> Void) { state.withLock { $0.arrivals.append(arrival) } }
    func arrive() {
        let next = state.withLock { $0.arrivals.isEmpty ? nil : $0.arrivals.removeFirst() }
        next?()
    }

    private static func isOneMore(_ count: inout Int) -> Bool {
        defer { count = max(0, count - 1) }
        return count > 0
    }
}

/// SQLite in a temporary folder, which notes what it is asked for, and whose commits fail where a script says so.
final class ScriptedEngine: RecordEngine {
    typealias Transaction = SQLiteTransaction

    static let failure = EngineFailure("store records", reason: "the script says so")
    /// The file refuses every transaction that leaves an invitation to this account, as a full disk would.
    static let tooLarge = named("large") as AccountID

    private let folder: TemporaryDirectory
    private let engine: SQLiteEngine
    private let script: EngineScript

    init(_ script: EngineScript) throws {
        self.script = script
        // In memory, because nothing here is about the disk.
        folder = try TemporaryDirectory(in: "/dev/shm")
        engine = try SQLiteEngine(folder: folder.path)
    }

    var readsAhead: Bool { script.readsAhead }

    func read<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        script.add(.read)
        return try engine.read(body)
    }

    func lookUp<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value { try engine.lookUp(body) }

    func write<Value>(
        _ body: (inout SQLiteTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        script.add(.write)
        return try engine.write { (transaction) throws(EngineFailure) in
            let value = try body(&transaction)
            if try !transaction.invitations(to: Self.tooLarge).isEmpty {
                var row = DatabaseRow()
                // Greater than SQLite can store: nothing of the whole group can be committed.
                row.counter = .max
                try transaction.put(row, of: DatabaseID(Container(named("large")), .everybody))
            }
            return value
        }
    }

    func gather(
        reading ahead: ReadAhead, before next: () -> ReadAhead, _ body: () -> Void
    ) throws(EngineFailure) {
        script.add(.gathering(ahead))
        try engine.gather(body)
        script.arrive()
        if readsAhead { script.add(.next(next())) }
        if script.isCommitFailing() { throw Self.failure }
        script.add(.committed)
    }
}

/// A name that a test writes down.
func named<Rule>(_ text: String) -> Name<Rule> {
    guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
    return name
}
