import Location
import Records
import Testing

@testable import RecordTables

/// What a transaction knows of its rows, and what it stores of them.
@Suite struct RowCacheTests {
    private let cache = RowCache()
    private let zone = World.zone("notes", World.alice)
    private let other = World.zone("other", World.alice)
    private let database = World.database(World.alice)
    private let transaction: RecordedTransaction

    init() { transaction = RecordedTransaction(cache) }

    private func row(_ counter: UInt64) -> ZoneRow {
        var row = ZoneRow(incarnation: 1)
        row.counter = counter
        return row
    }

    private func deletion(_ record: String, _ counter: UInt64) -> RecordRow {
        RecordRow(name(record), counter: counter, .deleted(name("Note"), UTCTime(microseconds: 0)))
    }

    @Test func `a row that was read and does not exist is known, and one that was not read is not`() throws {
        cache.add(nil, number: nil, of: zone)
        cache.add([name("none"): nil], in: zone)
        #expect(cache.zones.row(of: zone) == .some(nil) && cache.zones.number(of: zone) == .some(nil))
        #expect(cache.zones.row(of: other) == nil && cache.zones.number(of: other) == nil)
        #expect(cache.records[zone]?[name("none")] == .some(nil) && cache.records[zone]?[name("other")] == nil)
        #expect(try transaction.zone(zone) == nil && transaction.statements.isEmpty)
        #expect(try transaction.zone(other) == nil)
        #expect(transaction.statements == [.readZone])
    }

    @Test func `a row that was written is known as it was written, also if it is read afterwards`() {
        cache.put(deletion("a", 5), in: zone)
        cache.add([name("a"): deletion("a", 1), name("b"): deletion("b", 2)], in: zone)
        #expect(cache.records[zone]?[name("a")] == deletion("a", 5))
        #expect(cache.records[zone]?[name("b")] == deletion("b", 2))
    }

    @Test func `a row with a number is stored once at the end, as it was written last`() throws {
        cache.add(row(1), number: 7, of: zone)
        cache.add(DatabaseRow(), number: 8, of: database)
        for counter in 2...4 as ClosedRange<UInt64> {
            try transaction.put(row(counter), of: zone)
            try transaction.put([deletion("a", counter)], in: zone)
        }
        var listed = DatabaseRow()
        listed.counter = 9
        try transaction.put(listed, of: database)
        #expect(transaction.statements.isEmpty && cache.hasUnstored && cache.writes == 7)
        try transaction.storeRows()
        #expect(transaction.statements == [.storeRecord, .storeDatabase, .storeZone])
        #expect(transaction.values(of: .storeRecord) == [[.integer(7)] + deletion("a", 4).columns])
        #expect(transaction.values(of: .storeZone) == [zone.columns + row(4).columns])
        #expect(transaction.values(of: .storeDatabase) == [database.columns + listed.columns])
        // Once.
        #expect(!cache.hasUnstored)
        try transaction.storeRows()
        #expect(transaction.statements.count == 3)
    }

    @Test func `a row without a number is stored at once, and its number is read when it is needed`() throws {
        cache.add(nil, number: nil, of: zone)
        try transaction.put(row(1), of: zone)
        #expect(transaction.statements == [.storeZone] && !cache.hasUnstored)
        #expect(cache.zones.row(of: zone) == row(1) && cache.zones.number(of: zone) == nil)
        transaction.numbers[.findZone] = 12
        #expect(try transaction.number(of: zone) == 12)
        #expect(try transaction.numberToWrite(of: zone) == .integer(12))
        // Now it is known, and the next change is stored later.
        #expect(try transaction.number(of: zone) == 12)
        #expect(transaction.statements == [.storeZone, .findZone, .findZone])
        try transaction.put(row(2), of: zone)
        #expect(transaction.statements.count == 3 && cache.hasUnstored)
    }

    @Test func `what has no number gets one when another row is to refer to it`() throws {
        cache.add(nil, number: nil, of: database)
        transaction.numbers[.addDatabase] = 5
        #expect(try transaction.number(of: database) == nil)
        #expect(try transaction.numberToWrite(of: database) == .integer(5))
        #expect(try transaction.numberToWrite(of: database) == .integer(5))
        #expect(transaction.statements == [.addDatabase])
        // It is a database to which rows refer, without a row of its own.
        #expect(cache.databases.row(of: database) == .some(nil))
    }

    @Test func `records and answers are stored earlier when they have many bytes, each time twice as many`() throws {
        cache.add(row(1), number: 7, of: zone)
        cache.add(DatabaseRow(), number: 8, of: database)
        try transaction.put(FeedRow(zone, position: 1, isPresent: true), in: database)
        var names: [StoredValue] = []
        for number in 0..<1_000 {
            let deletion = deletion("record-\(number)", 1)
            try transaction.put([deletion], in: zone)
            try transaction.put(row(UInt64(number)), of: zone)
            names.append(deletion.name.column)
        }
        // About 125 KiB: after 4, 8, 16, 32 and 64.
        #expect(transaction.statements == [TableStatement](repeating: .storeRecord, count: 5))
        #expect(transaction.passes == 5 && cache.hasUnstored)
        let key = AnswerRow.Key(PushTarget(World.container, World.alice, name("phone")), name("key"))
        let answer = AnswerRow(digest: [1], answer: [UInt8](repeating: 32, count: 70_000), UTCTime(microseconds: 0))
        try transaction.put(answer, to: key)
        #expect(transaction.statements.last == .storeAnswer)
        #expect(transaction.passes == 6)
        // They are known all the same, and the zone, which each request changes, is stored once.
        #expect(cache.records[zone]?.count == 1_000 && cache.answers[key] == .some(answer))
        try transaction.storeRows()
        for statement in [TableStatement.storeZone, .storeListedZone] {
            #expect(transaction.statements.count { $0 == statement } == 1)
        }
        #expect(!cache.hasUnstored)
        let stored = transaction.calls.filter { $0.statement == .storeRecord }.flatMap { $0.values.map { $0[1] } }
        #expect(stored.count == 1_000)
        for name in names where !stored.contains(name) { Issue.record("\(name) is not stored") }
    }

    @Test func `a zone that was removed has no row, no number, no participants, and unknown records`() throws {
        cache.add(row(1), number: 7, of: zone)
        cache.participants[zone] = [Participant(World.bob, .read, hasAccepted: true)]
        cache.add([name("a"): deletion("a", 1)], in: zone)
        try transaction.removeZone(zone)
        #expect(cache.zones.row(of: zone) == .some(nil) && cache.zones.number(of: zone) == .some(nil))
        #expect(cache.participants[zone] == [] && cache.records[zone] == nil)
    }

    @Test func `before another lock only types, and whether there are any, are forgotten`() throws {
        cache.types[ReadAhead.TypeName(name("Note"), in: World.container)] = .some(nil)
        cache.containers[World.container] = false
        #expect(try !transaction.hasTypes(World.container) && transaction.statements.isEmpty)
        cache.add(row(1), number: 7, of: zone)
        cache.forgetUnlocked()
        #expect(cache.types.isEmpty && cache.containers.isEmpty && cache.zones.row(of: zone) == row(1))
    }

    @Test func `devices that have changed are forgotten, and those of other accounts that get pushes are not`() {
        let others = World.database(World.bob)
        cache.devices[[1]] = .some(nil)
        cache.targets = [database: [name("phone")], others: [name("tablet")]]
        cache.forgetDevices(of: World.alice)
        #expect(cache.devices.isEmpty && cache.targets == [others: [name("tablet")]])
    }

    @Test func `another transaction knows nothing, and stores nothing of the one before`() throws {
        cache.add(row(1), number: 7, of: zone)
        try transaction.put(row(2), of: zone)
        try transaction.put([deletion("a", 1)], in: zone)
        cache.clear()
        #expect(!cache.hasUnstored && cache.writes == 0)
        #expect(cache.zones.row(of: zone) == nil && cache.zones.number(of: zone) == nil && cache.records.isEmpty)
        try transaction.storeRows()
        #expect(transaction.statements.isEmpty)
    }
}

/// A transaction over no tables, which has its statements.
private final class RecordedTransaction: TableTransaction {
    let cache: RowCache?
    let parsedSubjects = ParsedSubjects()
    private(set) var calls: [(statement: TableStatement, values: [[StoredValue]])] = []
    /// The number that a statement returns.
    var numbers: [TableStatement: Int64] = [:]

    /// How often the database was to begin.
    private(set) var passes = 0

    init(_ cache: RowCache) { self.cache = cache }

    var statements: [TableStatement] { calls.map(\.statement) }

    /// The values of the only call of a statement.
    func values(of statement: TableStatement) -> [[StoredValue]] {
        let found = calls.filter { $0.statement == statement }
        return found.count == 1 ? found[0].values : []
    }

    func run(
        _ statement: TableStatement, _ values: [StoredValue], row body: (StoredRow) throws(TableError) -> Bool
    ) throws(EngineFailure) -> Int {
        calls.append((statement, [values]))
        guard let number = numbers[statement] else { return 0 }
        do throws(TableError) {
            _ = try body(StoredRow([.integer(number)]))
        } catch {
            throw EngineFailure(statement.rawValue, reason: "\(error)")
        }
        return 1
    }

    func run(_ statement: TableStatement, each values: [[StoredValue]]) throws(EngineFailure) {
        calls.append((statement, values))
    }

    func passOn() throws(EngineFailure) { passes += 1 }
    func lock(_ lock: RecordLock) throws(EngineFailure) {}
    func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {}
    func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] { [] }
    func removeDiscarded(limit: Int) throws(EngineFailure) -> Int { 0 }
}
