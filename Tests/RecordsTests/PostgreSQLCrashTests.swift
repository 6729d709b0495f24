import Glibc
import RecordScript
import Records
import RecordsPostgreSQL
import Synchronization
import TestSupport
import TestTraits
import Testing

/// The server is killed, or a hub: each save that was acknowledged is there, once.
@Suite(
    .waits, .timeLimit(.minutes(15)), .serialized,
    .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLCrashTests {
    private static func kills(_ usual: Int) -> Int {
        getenv("WAYMARK_KILLS").flatMap { Int(String(cString: $0)) } ?? usual
    }

    private struct NotPrepared: Error {}

    @Test func `no acknowledged save is lost when the server is killed, and the hub goes on by itself`() throws {
        let server = try PostgreSQLServer(isDurable: true)
        let address = server.address(of: "postgres")
        let over = Flag()
        // Written by the hub's thread only: the kills wait for them.
        let saved = Atomic(0)
        let refused = Atomic(0)
        let hub = try InBackground {
            let engine = PostgreSQLEngine(unconnected: address)
            let store = RecordStore(engine, try TestSigner())
            guard eventually({ attempt { try RecordScript.prepare(store) } != nil }) else { throw NotPrepared() }
            var acknowledged = 0
            // Of those that have begun any may be stored, so that all are repeated before the end.
            var begun = 0
            while !over.isSet || acknowledged < max(100, begun) {
                // What a client does: it repeats a request until it is acknowledged.
                do {
                    // Two groups, the second of which begins while the first is committed.
                    if [0, 5].contains(acknowledged % 20) {
                        var isPerformed = true
                        let numbers = acknowledged..<acknowledged + 5
                        begun = max(begun, numbers.upperBound)
                        let next = numbers.upperBound
                        let ahead = store.readAhead(
                            for: RecordScript.request(next), by: RecordScript.caller, key: RecordScript.key(next))
                        try engine.gather(reading: ReadAhead(), before: { ahead }) {
                            // None before those before it, because the order is compared as well.
                            for number in numbers where isPerformed {
                                isPerformed = attempt { try RecordScript.perform(number, store) } != nil
                            }
                        }
                        if isPerformed { acknowledged += 4 } else { _ = try RecordScript.perform(acknowledged, store) }
                    } else {
                        begun = max(begun, acknowledged + 1)
                        _ = try RecordScript.perform(acknowledged, store)
                    }
                    acknowledged += 1
                    saved.store(acknowledged, ordering: .releasing)
                } catch is EngineFailure {
                    refused.add(1, ordering: .releasing)
                    _ = poll(nil, 0, 20)
                }
            }
            return acknowledged
        }
        var random = SeededGenerator(sample: 31)
        for kill in 0..<Self.kills(5) {
            let savedBefore = saved.load(ordering: .acquiring)
            // The hub works, and is hit anywhere in that work.
            let isWorking = eventually { saved.load(ordering: .acquiring) > savedBefore }
            #expect(isWorking)
            _ = poll(nil, 0, Int32.random(in: 0...100, using: &random))
            let refusedBefore = refused.load(ordering: .acquiring)
            try server.kill()
            // A hub may meet a server that is absent, or only a connection that is lost.
            if kill.isMultiple(of: 2) {
                let isMet = eventually { refused.load(ordering: .acquiring) > refusedBefore }
                #expect(isMet)
            }
            try server.start()
        }
        over.set()
        let acknowledged = try hub.result()
        var spared = try SparedRecords()
        let tables = try PostgreSQLEngine(address).tables()
        #expect(try spared.defect(of: tables, after: acknowledged, mostMore: 0) == nil)
    }

    @Test func `each acknowledged save is stored once when a hub is killed`() throws {
        var random = SeededGenerator(sample: 79)
        let database = try TestDatabase()
        let directory = try TemporaryDirectory()
        let program = try Products.program("waymark-record-writer")
        var spared = try SparedRecords()
        var next = 0
        for kill in 0..<Self.kills(4) {
            let isWorking = try AcknowledgedNumbers.kill(
                program, [directory.path, "\(next)", "100000", database.address], in: directory.path,
                after: next + Int.random(in: 1...60, using: &random))
            #expect(isWorking)
            // The server undoes the transaction in progress once it notices that the connection is closed.
            next = try AcknowledgedNumbers.next(in: directory.path)
            let isEnded = try eventually {
                try database.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                    == "0"
            }
            #expect(isEnded)
            let tables = try PostgreSQLEngine(database.address).tables()
            if let defect = try spared.defect(of: tables, after: next) {
                Issue.record("kill \(kill), \(random): \(defect)")
                return
            }
        }
    }
}
