import RecordScript
import Records
import RecordsSQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct GatheringTests {
    let folder: TemporaryDirectory
    let engine: SQLiteEngine
    let store: RecordStore<SQLiteEngine, TestSigner>

    init() throws {
        folder = try TemporaryDirectory()
        engine = try SQLiteEngine(folder: folder.path)
        store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
    }

    /// The tables that these requests make, one transaction after the other.
    private func expected(_ numbers: [Int]) throws -> MemoryEngine.Tables {
        let other = try TemporaryDirectory()
        let engine = try SQLiteEngine(folder: other.path)
        let store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
        for number in numbers { _ = try RecordScript.perform(number, store) }
        return try engine.tables()
    }

    @Test func `transactions of a group see each other, and are stored together`() throws {
        var results: [Result<Bool, any Error>] = []
        try engine.gather {
            for number in [0, 1, 1, 2] { results.append(Result { try RecordScript.perform(number, store) }) }
        }
        #expect(try results.map { try $0.get() } == [false, false, true, false])
        #expect(try engine.tables() == expected([0, 1, 2]))
        // The file has them, too.
        let copy = try RecordScript.perform(3, store)
        #expect(!copy)
        #expect(try engine.tables() == expected([0, 1, 2, 3]))
    }

    @Test func `a transaction that fails leaves nothing, and the others of its group are stored`() throws {
        try engine.gather {
            _ = try? RecordScript.perform(0, store)
            do throws(EngineFailure) {
                try engine.write { (transaction) throws(EngineFailure) in
                    try transaction.put(ZoneRow(incarnation: 9), of: RecordScript.zone)
                    throw EngineFailure("test", reason: "the test says so")
                }
            } catch {}
            _ = try? RecordScript.perform(1, store)
        }
        #expect(try engine.tables() == expected([0, 1]))
    }

    @Test(arguments: [false, true])
    func `after an error of the file nothing of the group is stored, and each can be repeated`(isIgnored: Bool) throws {
        #expect(throws: EngineFailure.self) {
            try engine.gather {
                _ = try? RecordScript.perform(0, store)
                do throws(EngineFailure) {
                    try engine.write { (transaction) throws(EngineFailure) in
                        var row = DatabaseRow()
                        // Greater than SQLite can store.
                        row.counter = .max
                        if isIgnored {
                            do throws(EngineFailure) {
                                try transaction.put(row, of: RecordScript.zone.database)
                            } catch {}
                        } else {
                            try transaction.put(row, of: RecordScript.zone.database)
                        }
                    }
                    Issue.record("the transaction was accepted")
                } catch {}
                _ = try? RecordScript.perform(1, store)
            }
        }
        #expect(try engine.tables() == expected([]))
        for number in 0..<2 { #expect(try RecordScript.perform(number, store) == false) }
        #expect(try engine.tables() == expected([0, 1]))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
    func `a disk that fills while a group is stored keeps what was stored before`() throws {
        let disk = try SmallDisk(kibibytes: 2_048)
        let engine = try SQLiteEngine(folder: disk.path)
        let store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
        try disk.fill()
        var stored: [Int] = []
        var next = 0
        var failure: EngineFailure?
        while failure == nil, next < 5_000 {
            let group = Array(next..<next + 20)
            next += 20
            var succeeded: [Int] = []
            do throws(EngineFailure) {
                try engine.gather {
                    for number in group {
                        if (try? RecordScript.perform(number, store)) != nil { succeeded.append(number) }
                    }
                }
                stored += succeeded
                if succeeded.count < group.count { break }
            } catch {
                failure = error
            }
        }
        #expect(next < 5_000)
        #expect(try engine.tables() == expected(stored))
        disk.free()
        #expect(try RecordScript.perform(next, store) == false)
    }
}
