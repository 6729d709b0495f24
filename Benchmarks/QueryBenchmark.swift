import Cryptography
import Glibc
import Location
import Platform
import Records
import RecordsPostgreSQL
import RecordsSQLite
import Storage
import TestSupport

/// Queries with few matches among many records, without an index and with one, and what an index costs when records are saved:
/// the rules over an engine in this process.
enum QueryBenchmark {
    /// - Parameter database: The connection string of an empty database of PostgreSQL; nil for a file of SQLite.
    static func run(records: Int, database: String?) throws {
        if let database {
            print("PostgreSQL, \(records) records of 200 bytes")
            try run(try PostgreSQLEngine(database), records)
        } else {
            print("SQLite, \(records) records of 200 bytes")
            let folder = try TemporaryDirectory()
            let engine = try SQLiteEngine(folder: folder.path)
            try run(engine, records)
            try compareFilling(folder.file("records.sqlite"), records)
        }
    }

    private enum Filling: String, NamedStatement {
        case insert
        case read

        var sql: String {
            switch self {
            case .insert: "INSERT INTO entries (zone, field, key, record) VALUES (?, ?, ?, ?)"
            case .read: "SELECT field, key, record FROM entries WHERE field >= 'Plain.' AND field < 'Plain/'"
            }
        }
    }

    /// SQLite alone: inserts the rows of the filled indexes into a new file, with the same settings, in parts of as many records.
    private static func compareFilling(_ file: String, _ records: Int) throws {
        for size in [400, 4_000] {
            let source = PreparedStatements<Filling>(try Database(path: file, isReadOnly: true))
            // In the order of the index within each part, as they are stored.
            var parts = [[(field: String, key: [UInt8], record: String)]](
                repeating: [], count: (records - 1) / size + 1)
            var count = 0
            try source.run(.read) { row in
                let record = row.text(2)
                let number = record.split(separator: "-").last.flatMap { Int($0) } ?? 0
                parts[number / size].append((row.text(0), row.withBytes(1) { Array($0) }, record))
                count += 1
                return true
            }
            let folder = try TemporaryDirectory()
            let tables = """
                CREATE TABLE entries (
                    zone INTEGER NOT NULL, field TEXT NOT NULL, key BLOB NOT NULL, record TEXT NOT NULL,
                    PRIMARY KEY (zone, field, key, record)
                ) WITHOUT ROWID
                """
            let schema = DatabaseSchema(
                fileName: "rows.sqlite", lockName: "rows.lock", noun: "rows", applicationID: 0, steps: [tables])
            let directory = try StateDirectory(path: folder.file("rows"), schema)
            let target = PreparedStatements<Filling>(try Database.open(in: directory, cacheKibibytes: 2_048))
            let start = SystemClock().monotonicNanoseconds
            for part in parts {
                try target.database.transaction(as: "insert") { () throws(StorageError) in
                    for row in part {
                        try target.run(.insert, [.integer(1), .text(row.field), .blob(row.key), .text(row.record)])
                    }
                }
            }
            let seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
            print(
                "  SQLite alone, the same \(count) rows, \(size) records in a transaction: \(Text.fixed(seconds, 1)) s")
        }
    }

    private static let zone = ZoneID(
        Container(name("org.example.benchmark")), owner: name("alice"), name("notes"))
    private static let caller = Caller.device(name("laptop"), of: name("alice"))

    private static func name<Rule>(_ text: String) -> Name<Rule> {
        guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    private static func run<Engine: RecordEngine>(_ engine: Engine, _ records: Int) throws {
        let store = RecordStore(engine, BenchmarkSigner())
        let now = UTCTime(microseconds: SystemClock().utcMicroseconds)
        let zones = ModifyZones(zone.container, of: name("alice"), saves: [zone.name])
        _ = try store.modify(zones, by: caller, key: name("zone"), at: now)

        let plain = try save(0..<records, "Plain", store)
        let without = try queries(20, of: records, type: "Plain", store)
        let type = TypeDefinition(
            name("Plain"),
            [
                name("number"): FieldDefinition(.init(.integer), indexes: [.queryable, .sortable]),
                name("text"): FieldDefinition(.init(.string), indexes: [.searchable]),
            ])
        let indexed = TypeDefinition(
            name("Indexed"),
            [
                name("number"): FieldDefinition(.init(.integer), indexes: [.queryable]),
                name("text"): FieldDefinition(.init(.string)),
            ])
        _ = try store.replaceSchema(of: zone.container.name, by: Schema([type, indexed])).get()
        _ = try store.deploySchema(of: zone.container.name).get()
        let start = SystemClock().monotonicNanoseconds
        var filling = try store.fillIndexes(nil)
        while let state = filling { filling = try store.fillIndexes(state) }
        let filled = Double(SystemClock().monotonicNanoseconds - start) / 1e9
        let with = try queries(500, of: records, type: "Plain", store)
        let ordered = try queries(
            500, of: records, type: "Plain", store, order: [Query.Order(name("number"), descending: true)])
        let one = try save(0..<records / 4, "Indexed", store)
        print(
            """
              a query with one match: \(without) without an index, \(with) with one, \(ordered) with one and an order
              two indexes, one of them over 30 words a record, filled in \(Text.fixed(filled, 1)) s
              saves of 400 records: \(Text.fixed(plain, 0)) records/s of a type without an index, \(Text.fixed(one, 0)) with one
            """)
    }

    private static func save<Engine: RecordEngine>(
        _ numbers: Range<Int>, _ type: String, _ store: RecordStore<Engine, BenchmarkSigner>
    ) throws -> Double {
        let now = UTCTime(microseconds: SystemClock().utcMicroseconds)
        let start = SystemClock().monotonicNanoseconds
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 400) {
            let saves = (first..<min(first + 400, numbers.upperBound)).map { number in
                let words = (0..<30).map { "w\((number &* 31 &+ $0 &* 7_919) % 5_000)" }.joined(separator: " ")
                return ModifyRecords.Save(
                    RecordDraft(
                        name("\(type)-\(number)"), name(type),
                        [name("number"): .integer(Int64(number)), name("text"): .string(words)]), .allKeys)
            }
            let reply = try store.modify(
                ModifyRecords(zone, saves: saves), by: caller, key: name("\(type)-\(first)"), at: now)
            guard case .outcomes(let outcomes) = reply.answer, outcomes.allSatisfy(\.isDone) else {
                throw HubClient.Failure(description: "\(reply.answer)")
            }
        }
        return Double(numbers.count) / (Double(SystemClock().monotonicNanoseconds - start) / 1e9)
    }

    /// The median time of queries for one record, all pages of each, as a text.
    private static func queries<Engine: RecordEngine>(
        _ count: Int, of records: Int, type: String, _ store: RecordStore<Engine, BenchmarkSigner>,
        order: [Query.Order] = []
    ) throws -> String {
        var times: [UInt64] = []
        for number in 0..<count {
            let wanted = Int64(number &* 7_919 % records)
            guard let query = Query(name(type), .compare(name("number"), .equal, .integer(wanted)), order: order) else {
                return ""
            }
            let start = SystemClock().monotonicNanoseconds
            var found = 0
            var page = QueryPage()
            repeat {
                page = try store.find(query, in: zone, after: page.cursor, by: caller).get()
                found += page.records.count
            } while page.cursor != nil
            times.append(SystemClock().monotonicNanoseconds - start)
            guard found == 1 else { throw HubClient.Failure(description: "\(found) records were found") }
        }
        times.sort()
        return "\(Text.fixed(Double(times[times.count / 2]) / 1e6, 3)) ms"
    }
}
