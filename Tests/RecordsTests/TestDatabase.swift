import Glibc
import Records
import Synchronization
import TestSupport

@testable import RecordsPostgreSQL

/// A database of PostgreSQL for one test, removed with this value.
final class TestDatabase: Sendable {
    private let server: TestServer
    private let name: String
    /// Its connection string.
    var address: String { server.address(of: name) }

    /// A database with the tables of the engine, which is a copy; or with nothing in it.
    init(isEmpty: Bool = false) throws {
        server = try TestServer.shared()
        name = try server.make(isEmpty: isEmpty)
    }

    /// Runs statements without parameters, and returns the first value of the last one.
    @discardableResult
    func execute(_ sql: String) throws -> String {
        try PostgreSQLSession(address).execute(sql, as: "prepare a test").text
    }

    deinit { server.remove(name) }
}

/// The server of all tests of this process that do not stop it, started with the first of them.
private final class TestServer: Sendable {
    private struct State {
        var last = 0
        var session: OwnSession?
    }

    private final class OwnSession {
        let session: PostgreSQLSession

        init(_ address: String) throws(PostgreSQLError) { session = try PostgreSQLSession(address) }
    }

    private static let template = "prepared"
    private static let started = Mutex<TestServer?>(nil)

    private let server: PostgreSQLServer
    private let state = Mutex(State())

    static func shared() throws -> TestServer {
        try started.withLock { started in
            if let started { return started }
            let new = try TestServer()
            started = new
            // Nothing else ends a value that lives as long as the process.
            atexit { TestServer.started.withLock { $0 = nil } }
            return new
        }
    }

    private init() throws {
        server = try PostgreSQLServer()
        try execute("CREATE DATABASE \(Self.template)")
        _ = try PostgreSQLEngine(address(of: Self.template))
    }

    func address(of database: String) -> String { server.address(of: database) }

    func make(isEmpty: Bool) throws -> String {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let template = isEmpty ? "template0" : Self.template
        // The process of the connection that has made the template may not have ended yet.
        let isMade = eventually { attempt { try execute("CREATE DATABASE test\(number) TEMPLATE \(template)") } != nil }
        guard isMade else { throw PostgreSQLServer.Failure(description: "no database was made: \(server.log)") }
        return "test\(number)"
    }

    func remove(_ name: String) { _ = attempt { try execute("DROP DATABASE \(name) WITH (FORCE)") } }

    private func execute(_ sql: String) throws {
        try state.withLock { state in
            let session = try state.session ?? OwnSession(address(of: "postgres"))
            state.session = session
            try session.session.execute(sql, as: "prepare a test")
        }
    }
}

extension PostgreSQLEngine {
    /// All rows of the database, as the engine in memory would have them.
    func tables() throws -> MemoryEngine.Tables {
        let reopened = connection == nil
        if reopened { try read { (_) throws(EngineFailure) in () } }
        guard let connection else { throw EngineFailure("read all tables", reason: "there is no connection") }
        return try StoredTables.read { sql, body in
            // Without a name, so that it is compiled for this call only.
            try connection.pipeline.session.prepare(sql, as: "")
            let result = try connection.pipeline.session.run("", Parameters([]))
            for row in 0..<result.rows { try body(result.row(row)) }
        }
    }
}
