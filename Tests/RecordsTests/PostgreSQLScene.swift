import RecordScript
import Records
import TestSupport

@testable import RecordsPostgreSQL

/// A database of PostgreSQL in which the script of requests can begin, with an engine and a store that use it.
struct PostgreSQLScene {
    typealias Store = RecordStore<PostgreSQLEngine, TestSigner>
    let database: TestDatabase
    let engine: PostgreSQLEngine
    let store: Store

    init() throws {
        database = try TestDatabase()
        engine = try PostgreSQLEngine(database.address)
        store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
    }
}
