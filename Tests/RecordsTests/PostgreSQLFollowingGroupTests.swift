import RecordScript
import Records
import TestSupport
import TestTraits
import Testing

@testable import RecordTables
@testable import RecordsPostgreSQL

/// Groups of which the next one begins while the one before is committed.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLFollowingGroupTests {
    private typealias Store = PostgreSQLScene.Store
    private let scene: PostgreSQLScene
    private var database: TestDatabase { scene.database }
    private var engine: PostgreSQLEngine { scene.engine }
    private var store: Store { scene.store }

    init() throws { scene = try PostgreSQLScene() }

    /// What a request of the script reads.
    private func ahead(_ number: Int) -> ReadAhead {
        store.readAhead(for: RecordScript.request(number), by: RecordScript.caller, key: RecordScript.key(number))
    }

    /// Performs one request in a group, before another one. Returns whether it was performed before, nil if it has failed.
    @discardableResult
    private func gather(_ number: Int, before next: () -> ReadAhead) throws(EngineFailure) -> Bool? {
        var isRepeated: Bool?
        try engine.gather(reading: ahead(number), before: next) {
            isRepeated = attempt { try RecordScript.perform(number, store) }
        }
        return isRepeated
    }

    /// The tables after the first requests of the script.
    private func expected(_ count: Int) throws -> MemoryEngine.Tables {
        let memory = MemoryEngine()
        let store = RecordStore(memory, try TestSigner())
        try RecordScript.prepare(store)
        for number in 0..<count { _ = try RecordScript.perform(number, store) }
        return memory.tables
    }

    /// What another connection finds of the requests.
    private func stored() throws -> MemoryEngine.Tables { try PostgreSQLEngine(database.address).tables() }

    private func state() throws -> String {
        guard let backend = engine.connection?.pipeline.session.backend else { return "" }
        return try database.execute("SELECT state FROM pg_stat_activity WHERE pid = \(backend)")
    }

    private func end() throws {
        guard let backend = engine.connection?.pipeline.session.backend else { return }
        try database.execute("SELECT pg_terminate_backend(\(backend), 10000)")
    }

    @Test func `the next group has begun when a group is stored, and reads what that has written`() throws {
        for number in 0..<5 {
            #expect(try gather(number) { ahead(number + 1) } == false)
            #expect(try stored() == expected(number + 1))
            let hasBegun = try eventually { try state() == "idle in transaction" }
            #expect(hasBegun)
        }
        #expect(try gather(5) { ReadAhead() } == false)
        #expect(try state() == "idle")
        #expect(try stored() == expected(6))
    }

    @Test func `a group is stored although the next one waits for a lock of another hub`() throws {
        let other = try PostgreSQLEngine(database.address)
        let zone = ZoneID(RecordScript.container, owner: RecordScript.account, name("other"))
        var following = ahead(1)
        following.locks.insert(.zone(zone))
        try other.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            // What is read has the lock before.
            _ = try transaction.zone(zone)
            let isRepeated = try gather(0) { following }
            #expect(isRepeated == false)
            #expect(attempt { try stored() } == attempt { try expected(1) })
        }
        #expect(try gather(1) { ReadAhead() } == false)
        #expect(try stored() == expected(2))
    }

    @Test func `the next group begins anew if a group is not committed`() throws {
        // An error that is found with the commit.
        #expect(throws: EngineFailure.self) {
            try engine.gather(reading: ahead(0), before: { ahead(1) }) {
                _ = attempt { try RecordScript.perform(0, store) }
                _ = attempt { () throws(EngineFailure) in
                    try engine.write { (transaction) throws(EngineFailure) in
                        try transaction.connection.send("fail", "SELECT 1 / $1::bigint", Parameters(integer: 0))
                    }
                }
            }
        }
        #expect(try stored() == expected(0))
        try engine.gather(reading: ahead(0)) {
            // It begins the transaction.
            _ = attempt { try store.caller(token: [1]) }
            #expect(attempt { try state() } == "idle in transaction")
            #expect(attempt { try RecordScript.perform(0, store) } == false)
        }
        #expect(try gather(1) { ReadAhead() } == false)
        #expect(try stored() == expected(2))
    }

    @Test func `a group and the next one can be repeated if the connection is lost with the commit or after it`() throws
    {
        var number = 0
        for isCommitting in [true, false] {
            let isStored = attempt {
                try gather(number) {
                    if isCommitting { _ = attempt { try end() } }
                    return ahead(number + 1)
                }
            }
            if !isCommitting {
                #expect(isStored != nil)
                #expect(try stored() == expected(number + 1))
                try end()
            }
            // As a hub does it: requests of a group that has failed are performed before those of the next one.
            if isStored == nil { _ = try RecordScript.perform(number, store) }
            _ = attempt { try gather(number + 1) { ReadAhead() } }
            // Whether they are stored is found out by their repetition.
            _ = try RecordScript.perform(number, store)
            _ = try RecordScript.perform(number + 1, store)
            number += 2
            #expect(try stored() == expected(number))
        }
    }

    @Test func `a group that does not come leaves no lock and no transaction`() throws {
        let other = try PostgreSQLEngine(database.address)
        let otherStore = Store(other, try TestSigner())
        var number = 0
        for next in 0..<4 {
            #expect(try gather(number) { ahead(number + 1) } == false)
            switch next {
            case 0:
                _ = try engine.read { (transaction) throws(EngineFailure) in try transaction.zone(RecordScript.zone) }
            case 1: _ = try store.caller(token: [1])
            case 2: try engine.gather {}
            default: try engine.write { (_) throws(EngineFailure) in }
            }
            #expect(try state() == "idle")
            #expect(try RecordScript.perform(number + 1, otherStore) == false)
            number += 2
        }
        #expect(try stored() == expected(number))
    }

    @Test func `a group that reads something else than was expected is performed`() throws {
        #expect(try gather(0) { ahead(7) } == false)
        #expect(try gather(1) { ahead(2) } == false)
        // Without anything that is known.
        var isRepeated: Bool?
        try engine.gather { isRepeated = attempt { try RecordScript.perform(2, store) } }
        #expect(isRepeated == false)
        #expect(try stored() == expected(3))
    }
}
