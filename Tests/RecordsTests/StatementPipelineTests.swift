import Records
import TestSupport
import TestTraits
import Testing

@testable import RecordTables
@testable import RecordsPostgreSQL

/// Statements that are sent without waiting for the results of those before.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct StatementPipelineTests {
    private let database: TestDatabase
    private let pipeline: StatementPipeline

    init() throws {
        database = try TestDatabase(isEmpty: true)
        try database.execute("CREATE TABLE numbers (number BIGINT PRIMARY KEY)")
        let session = try PostgreSQLSession(database.address)
        // A wait that never ends is an error instead.
        try session.execute("SET lock_timeout = '120s'", as: "prepare a test")
        pipeline = StatementPipeline(session)
    }

    /// What the results of statements were, in the order in which they were received.
    private final class Received {
        var numbers: [Int64] = []
    }

    private static let value = "SELECT 10 / $1::bigint"
    private static let insert = "INSERT INTO numbers VALUES ($1)"

    private func send(
        _ name: String, _ sql: String, _ number: Int64, to received: Received
    ) throws(PostgreSQLError) {
        try pipeline.send(name, sql, Parameters(integer: number)) { (result) throws(PostgreSQLError) in
            guard result.rows > 0, case .integer(let value) = result.value(0, 0) else { return }
            received.numbers.append(value)
        }
    }

    private func insert(_ numbers: Int64...) throws(PostgreSQLError) {
        for number in numbers { try pipeline.send("insert", Self.insert, Parameters(integer: number)) }
    }

    /// The error of the body.
    private func failure(_ body: () throws(PostgreSQLError) -> Void) -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func stored() throws -> String {
        try database.execute("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM numbers")
    }

    @Test func `results are received in the order of their statements, also if they are larger than all buffers`()
        throws
    {
        let received = Received()
        let sql = "SELECT $1::bigint, repeat('x', 20000)"
        for number in 0..<1_000 {
            try send(number.isMultiple(of: 2) ? "even" : "odd", sql, Int64(number), to: received)
        }
        #expect(received.numbers.isEmpty && pipeline.count >= 1_000)
        try pipeline.finish()
        #expect(received.numbers == (0..<1_000).map { Int64($0) })
        #expect(pipeline.count == 0)
        // Nothing was sent.
        try pipeline.finish()
    }

    @Test func `the result without a receiver is that of the last statement`() throws {
        let received = Received()
        try send("value", Self.value, 2, to: received)
        try pipeline.send("other", "SELECT $1::bigint", Parameters(integer: 7))
        var last: [StoredRow] = []
        try pipeline.finish { (result) throws(PostgreSQLError) in last = result.allRows }
        #expect(received.numbers == [5] && last == [StoredRow([.integer(7)])])
    }

    @Test func `after an error the statements before it are received, and none after it is performed`() throws {
        let received = Received()
        try send("value", Self.value, 2, to: received)
        try insert(1)
        try send("value", Self.value, 0, to: received)
        try insert(2)
        // It is compiled for the first time.
        try send("late", "SELECT 3 * $1::bigint", 1, to: received)
        let error = failure { () throws(PostgreSQLError) in try pipeline.finish() }
        #expect(error?.operation == "value" && error?.code == "22012")
        #expect(received.numbers == [5])
        // They were one transaction.
        #expect(try stored() == "")
        // The connection works, and the statement that was not compiled then is compiled now.
        try send("late", "SELECT 3 * $1::bigint", 2, to: received)
        try pipeline.finish()
        #expect(received.numbers == [5, 6])
    }

    @Test func `a statement that cannot be compiled is the error, each time it is sent`() throws {
        for _ in 0..<2 {
            let error = failure { () throws(PostgreSQLError) in
                try pipeline.send("wrong", "SELECT unknown", Parameters())
                try insert(1)
                try pipeline.finish()
            }
            #expect(error?.operation == "wrong" && error?.code == "42703")
        }
        #expect(try stored() == "")
    }

    @Test func `an error of a receiver is that of the statements, and those after it have no results`() throws {
        let received = Received()
        try pipeline.send("value", Self.value, Parameters(integer: 1)) { (_) throws(PostgreSQLError) in
            throw PostgreSQLError("value", code: "XX001", "the test says so")
        }
        try send("value", Self.value, 2, to: received)
        let error = failure { () throws(PostgreSQLError) in try pipeline.finish() }
        #expect(error?.code == "XX001" && received.numbers.isEmpty)
    }

    @Test func `after a mark statements are performed whatever became of those before it`() throws {
        let received = Received()
        try insert(1)
        try send("value", Self.value, 0, to: received)
        try pipeline.mark()
        try insert(2)
        try send("value", Self.value, 5, to: received)
        try pipeline.mark()
        try insert(3)
        let error = failure { () throws(PostgreSQLError) in try pipeline.finishFirst() }
        #expect(error?.code == "22012" && received.numbers.isEmpty)
        try pipeline.finishFirst()
        #expect(received.numbers == [2])
        try pipeline.finish()
        #expect(pipeline.count == 0)
        #expect(try stored() == "2 3")
    }

    @Test func `the first error of several parts is thrown when all have ended`() throws {
        for number: Int64 in [0, 1, 0] {
            try insert(number + 10 * Int64(pipeline.count))
            try send("value", Self.value, number, to: Received())
            try pipeline.mark()
        }
        try pipeline.send("wrong", "SELECT unknown", Parameters())
        let error = failure { () throws(PostgreSQLError) in try pipeline.finish() }
        #expect(error?.code == "22012" && pipeline.count == 0)
        #expect(try stored().split(separator: " ").count == 1)
    }

    @Test func `the results before a mark are there while the statements after it wait`() throws {
        let holder = try PostgreSQLSession(database.address)
        try holder.execute("SELECT pg_advisory_lock(1)", as: "prepare a test")
        let received = Received()
        try insert(1)
        try send("value", Self.value, 2, to: received)
        try pipeline.mark()
        try pipeline.send("lock", "SELECT pg_advisory_xact_lock($1)", Parameters(integer: 1))
        try send("value", Self.value, 5, to: received)
        try pipeline.mark()
        try pipeline.finishFirst()
        #expect(received.numbers == [5])
        // Others see it, too.
        #expect(try stored() == "1")
        try holder.execute("SELECT pg_advisory_unlock(1)", as: "prepare a test")
        try pipeline.finish()
        #expect(received.numbers == [5, 2])
    }

    @Test func `a connection that the server ends among statements sent together is an error, and no wait`() throws {
        let received = Received()
        let error = failure { () throws(PostgreSQLError) in
            for number: Int64 in 1...60 {
                let sql = "SELECT CASE WHEN pg_terminate_backend(pg_backend_pid()) THEN 0 END WHERE $1::bigint = 40"
                try send("end", sql, number, to: received)
                try pipeline.mark()
            }
            try pipeline.finish()
        }
        #expect(error != nil && pipeline.isLost && pipeline.count == 0)
        expectUnusable()
    }

    @Test func `what was sent to a connection that is lost is never taken for performed`() throws {
        try insert(1)
        try pipeline.finish()
        let end =
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid = \(pipeline.session.backend)"
        try database.execute(end)
        // Sending may succeed: the system takes the bytes.
        let sent = failure { () throws(PostgreSQLError) in
            try insert(2)
            try pipeline.mark()
            try insert(3)
            try pipeline.mark()
        }
        let first = failure { () throws(PostgreSQLError) in try pipeline.finishFirst() }
        #expect(first != nil, "sending: \(sent.map { "\($0)" } ?? "without an error")")
        let second = failure { () throws(PostgreSQLError) in try pipeline.finishFirst() }
        #expect(second != nil && pipeline.isLost)
        #expect(try stored() == "1")
        expectUnusable()
    }

    private func expectUnusable() {
        #expect(failure { () throws(PostgreSQLError) in try pipeline.send("one", "SELECT 1", Parameters()) } != nil)
        #expect(failure { () throws(PostgreSQLError) in try pipeline.finishFirst() } != nil)
    }
}
