import Location
import RecordScript
import Records
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import RecordsPostgreSQL

/// Several hubs with one database, whose transactions run at the same time.
@Suite(
    .waits, .timeLimit(.minutes(15)), .serialized,
    .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLConcurrencyTests {
    private typealias Store = RecordStore<PostgreSQLEngine, TestSigner>

    private static func store(_ address: String) throws -> (engine: PostgreSQLEngine, store: Store) {
        let engine = try PostgreSQLEngine(address)
        return (engine, Store(engine, try TestSigner()))
    }

    /// How many deadlocks PostgreSQL has found and ended.
    private static func deadlocks(_ database: TestDatabase) throws -> Int? {
        // Each process reports when its connection ends, or once in a second.
        _ = try database.execute("SELECT pg_stat_force_next_flush()")
        let text = try database.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return Int(text)
    }

    @Test func `savers that extend one type at the same time lose no field, and a field has one kind`() throws {
        let database = try TestDatabase()
        let address = database.address
        let development = Container(RecordScript.container.name, .development)
        let savers = 4
        let fields = 20
        // Each saver has an account, and so a zone, of its own. All of them add the same fields, each with another kind first.
        let kinds: [FieldValue] = [.string("a"), .integer(1), .bytes([1]), .reference(name("r"))]
        let workers = try (0..<savers).map { saver in
            try InBackground {
                let store = try Self.store(address).store
                let account: AccountID = name("account-\(saver)")
                let zone = ZoneID(development, owner: account, .defaultZone)
                let caller = Caller.device(name("d"), of: account)
                var saved: [FieldName: FieldValue] = [:]
                for number in 0..<fields {
                    for (kind, value) in kinds.indices.map({ kinds[($0 + saver) % savers] }).enumerated() {
                        let field: FieldName = name("f\(number)")
                        let draft = RecordDraft(
                            name("r\(number)-\(kind)"), name("Note"),
                            [field: value, name("own\(saver)\(number)"): value])
                        let request = ModifyRecords(zone, saves: [.init(draft)])
                        let key: RequestKey = name("k\(number)-\(kind)")
                        let answer = try store.modify(request, by: caller, key: key, at: RecordScript.time(1)).answer
                        guard case .outcomes(let outcomes) = answer else { throw Wrong(answers: "\(answer)") }
                        if outcomes.first?.isDone == true { saved[field] = value }
                    }
                }
                return saved
            }
        }
        let saved = try workers.map { try $0.result() }
        let type = try #require(try Self.store(address).store.schema(of: development).types[name("Note")])
        #expect(type.fields.count == fields + savers * fields)
        for values in saved {
            #expect(values.count == fields)
            for (field, value) in values { #expect(type.fields[field]?.shape == .init(of: value)) }
        }
        #expect(try Self.deadlocks(database) == 0)
    }

    @Test func `savers in one zone lose no update and skip no counter, and a reader with tokens misses nothing`() throws
    {
        let database = try TestDatabase()
        let address = database.address
        let zone = RecordScript.zone
        try RecordScript.prepare(Self.store(address).store)
        let over = Flag()
        let reader = try InBackground {
            let store = try Self.store(address).store
            var seen: [RecordName: ChangeTag] = [:]
            var token: [UInt8]?
            while true {
                let isLast = over.isSet
                let page = try store.changes(of: zone, since: token, by: RecordScript.caller).get()
                for record in page.changed { seen[record.name] = record.changeTag }
                token = page.token
                if isLast, !page.moreComing { return seen }
            }
        }
        // Each saver makes records of its own, and increments one that all have in common.
        let savers = 6
        let saves = 40
        let workers = try (0..<savers).map { saver in
            try InBackground {
                let (engine, store) = try Self.store(address)
                let caller = Caller.device(name("device-\(saver)"), of: RecordScript.account)
                var number = 0
                func save(_ request: ModifyRecords, _ key: String) throws -> ModifyRecordsAnswer {
                    try store.modify(request, by: caller, key: name(key), at: RecordScript.time(number)).answer
                }
                while number < saves {
                    let own = ModifyRecords(zone, saves: [.init(draft("own-\(saver)-\(number)", "x"))])
                    if number.isMultiple(of: 4) {
                        var answers: [ModifyRecordsAnswer?] = []
                        try engine.gather {
                            for part in 0..<3 {
                                let made = ModifyRecords(
                                    zone, saves: [.init(draft("part-\(saver)-\(number)-\(part)", "x"))])
                                answers.append(attempt { try save(made, "part-\(number)-\(part)") })
                            }
                        }
                        guard answers.allSatisfy({ $0?.isDone == true }) else { throw Wrong(answers: "\(answers)") }
                    }
                    let answer = try save(own, "own-\(number)")
                    guard answer.isDone else { throw Wrong(answers: "\(answer)") }
                    var isIncremented = false
                    var tries = 0
                    while !isIncremented {
                        tries += 1
                        let found = try store.records([name("sum")], in: zone, by: caller).get().first
                        let count = found?.fields[name("count")]?.integer ?? 0
                        var change = draft("sum", "x", tag: found?.changeTag)
                        change.fields[name("count")] = .integer(count + 1)
                        let request = ModifyRecords(zone, saves: [.init(change)])
                        isIncremented = try save(request, "sum-\(number)-\(tries)").isDone
                    }
                    number += 1
                }
            }
        }
        for worker in workers { try worker.result() }
        over.set()
        let seen = try reader.result()
        let (engine, store) = try Self.store(address)
        let tables = try engine.tables()
        let rows = try #require(tables.records[zone])
        let total = savers * (saves + saves / 4 * 3)
        #expect(rows.count == total + 1)
        #expect(seen == rows.compactMapValues { $0.record?.changeTag })
        let sum = try store.records([name("sum")], in: zone, by: RecordScript.caller).get().first
        #expect(sum?.fields[name("count")]?.integer == Int64(savers * saves))
        // Each change has incremented the counter once.
        #expect(Set(rows.values.map(\.counter)).count == rows.count)
        #expect(tables.zones[zone]?.counter == UInt64(total + savers * saves))
        #expect(try Self.deadlocks(database) == 0)
    }

    private struct Wrong: Error { var answers: String }

    @Test func `zones that are shared, changed, deleted and cleaned in random order cause no deadlock`() throws {
        let database = try TestDatabase()
        let address = database.address
        let accounts: [AccountID] = ["alice", "bob", "carol"].map { name($0) }
        let zones = ["z0", "z1", "z2", "z3"]
        let container = RecordScript.container
        let workers = try (0..<6).map { worker in
            try InBackground {
                var random = SeededGenerator(sample: UInt64(worker))
                let (engine, store) = try Self.store(address)
                var done = 0
                for number in 0..<120 {
                    let account = accounts[Int.random(in: 0..<3, using: &random)]
                    let owner = accounts[Int.random(in: 0..<3, using: &random)]
                    let caller = Caller.device(name("device-\(worker)"), of: account)
                    let zone = ZoneID(container, owner: owner, name(zones[Int.random(in: 0..<4, using: &random)]))
                    let key: RequestKey = name("key-\(number)")
                    let time = RecordScript.time(number)
                    func perform(_ choice: Int, _ key: RequestKey) throws {
                        switch choice {
                        case 0:
                            let names = zones.shuffled(using: &random).map { RecordsTests.name($0) as ZoneName }
                            let request = ModifyZones(
                                container, of: account, saves: Array(names.prefix(2)), deletions: Array(names.suffix(1))
                            )
                            _ = try store.modify(request, by: caller, key: key, at: time)
                        case 1, 2:
                            let request = ModifySharing(
                                ZoneID(container, owner: account, zone.name), .invite(owner, .write))
                            _ = try store.modify(request, by: caller, key: key, at: time)
                        case 3: _ = try store.modify(ModifySharing(zone, .accept), by: caller, key: key, at: time)
                        case 4:
                            let request = ModifySharing(
                                ZoneID(container, owner: account, zone.name), .withdraw(owner))
                            _ = try store.modify(request, by: caller, key: key, at: time)
                        case 5:
                            try store.join(caller)
                            _ = try store.register(in: container, by: caller)
                            let all = Subscription(RecordsTests.name("all"), .database)
                            for scope in [DatabaseID.Scope.privately(account), .shared(account)] {
                                _ = try store.subscribe(all, in: DatabaseID(container, scope), by: caller)
                            }
                        case 6:
                            let pushes = try store.pushes(to: caller).get()
                            _ = try store.acknowledge(pushes.shuffled(using: &random), by: caller)
                        case 7: _ = try store.removeOld(at: RecordScript.time(100_000_000), limit: 20)
                        default:
                            let request = ModifyRecords(
                                zone, saves: [.init(draft("n\(number % 7)", "x"), .allKeys)],
                                deletions: [.init(RecordsTests.name("n\(number % 7 + 1)"))])
                            _ = try store.modify(request, by: caller, key: key, at: time)
                        }
                    }
                    if number.isMultiple(of: 3) {
                        let choices = (0..<4).map { _ in Int.random(in: 0..<10, using: &random) }
                        var isPerformed = true
                        do throws(EngineFailure) {
                            try engine.gather {
                                for (part, choice) in choices.enumerated() where isPerformed {
                                    isPerformed = attempt { try perform(choice, name("\(key)-\(part)")) } != nil
                                }
                            }
                        } catch {
                            isPerformed = false
                        }
                        // What a hub does: each is performed on its own.
                        if !isPerformed {
                            for (part, choice) in choices.enumerated() { try perform(choice, name("\(key)-\(part)")) }
                        }
                    } else {
                        try perform(Int.random(in: 0..<10, using: &random), key)
                    }
                    done += 1
                }
                return done
            }
        }
        for worker in workers { #expect(try worker.result() == 120) }
        #expect(try Self.deadlocks(database) == 0)
        let tables = try PostgreSQLEngine(address).tables()
        #expect(!tables.zones.isEmpty && !tables.feed.isEmpty)
        // Each database lists each of its changes at a position of its own.
        for (place, feed) in tables.feed {
            #expect(feed.position <= tables.databases[place.database]?.counter ?? 0)
        }
        let positions = Dictionary(grouping: tables.feed, by: \.key.database).mapValues { $0.map(\.value.position) }
        #expect(positions.values.allSatisfy { Set($0).count == $0.count })
    }

    /// Locks whose numbers are not in the order in which they are requested, as those of names whose digests collide.
    @Test
    func `transactions that request locks in opposite orders are performed again instead of waiting for each other`()
        throws
    {
        let database = try TestDatabase()
        let address = database.address
        let runs = Atomic(0)
        let connected = Atomic(0)
        let workers = try [[1, 2, 3], [3, 2, 1], [2, 3, 1], [1, 3, 2]].map { order in
            try InBackground {
                let engine = try PostgreSQLEngine(address)
                // Otherwise one could have ended before the next one is connected, and none would meet a lock.
                connected.add(1, ordering: .relaxed)
                _ = eventually { connected.load(ordering: .relaxed) == 4 }
                for _ in 0..<50 {
                    try engine.write { (transaction) throws(EngineFailure) in
                        runs.add(1, ordering: .relaxed)
                        for number in order { try transaction.connection.acquire(LockKey(UInt64(number))) }
                    }
                }
            }
        }
        for worker in workers { try worker.result() }
        #expect(try Self.deadlocks(database) == 0)
        #expect(runs.load(ordering: .relaxed) > 200)
    }

    @Test func `devices that are registered at one hub and removed at another one leave no row`() throws {
        let database = try TestDatabase()
        let address = database.address
        let container = RecordScript.container
        let devices = (0..<3).map { AccountDevice(RecordScript.account, name("device-\($0)")) }
        let over = Flag()
        let registering = try devices.map { id in
            try InBackground {
                let store = try Self.store(address).store
                let caller = Caller.device(id.device, of: id.account)
                var registered = 0
                while !over.isSet || registered < 10 {
                    try store.join(caller)
                    if try store.register(in: container, by: caller) == nil { registered += 1 }
                }
                return registered
            }
        }
        let removing = try InBackground {
            let store = try Self.store(address).store
            var removed = 0
            while removed < 150 {
                for id in devices where try store.remove(id) == nil { removed += 1 }
            }
            over.set()
        }
        try removing.result()
        for work in registering { _ = try work.result() }
        let (engine, store) = try Self.store(address)
        for id in devices { _ = try store.remove(id) }
        #expect(try engine.tables().devices.isEmpty)
        #expect(try Self.deadlocks(database) == 0)
    }

    @Test func `a lock excludes another transaction until it is committed, and what is read then is up to date`() throws
    {
        let database = try TestDatabase()
        let address = database.address
        let engine = try PostgreSQLEngine(address)
        let zone = RecordScript.zone
        let other = try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            // The lock is acquired with the next statement that reads.
            #expect(try transaction.zone(zone) == nil)
            let other = attempt {
                try InBackground {
                    try PostgreSQLEngine(address).write { (transaction) throws(EngineFailure) in
                        try transaction.lock(.zone(zone))
                        return try transaction.zone(zone)?.incarnation
                    }
                }
            }
            let isWaiting = eventually {
                let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
                return attempt { try database.execute(waiting) } == "1"
            }
            #expect(isWaiting)
            try transaction.put(ZoneRow(incarnation: 7), of: zone)
            return other
        }
        #expect(try other?.result() == 7)
    }
}

extension ModifyRecordsAnswer {
    fileprivate var isDone: Bool {
        if case .outcomes(let outcomes) = self { outcomes.allSatisfy(\.isDone) } else { false }
    }
}

extension FieldValue {
    fileprivate var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
}
