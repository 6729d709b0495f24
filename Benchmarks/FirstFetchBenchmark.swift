import Glibc
import JSONText
import Platform
import Storage
import SyncInterface
import TestSupport

/// A machine that fetches all records of an account for the first time: real hub, real `waymark-sync`, on loopback without TLS,
/// files on the disk. The peer sends the same bytes, as nginx has them in files, to curl, and inserts the same rows with SQLite
/// alone, with the settings and as many transactions as `waymark-sync` has.
enum FirstFetchBenchmark {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Round {
        var fetched = 0.0
        var syncProcessor = 0.0
        var hubProcessor = 0.0
        var sent = 0.0
        var inserted = 0.0

        var ratio: Double { fetched / (sent + inserted) }
    }

    static func run(records: Int, rounds: Int) throws {
        let hub = try RunningHub()
        let phone = try hub.join("phone")
        _ = try phone.exchange(
            "POST", "\(RunningHub.container)/private/zones", key: "zone", body: #"{"save":["notes"]}"#)
        for first in stride(from: 0, to: records, by: 400) {
            let names = (first..<min(first + 400, records)).map { "n\($0)" }
            _ = try phone.exchange("POST", "\(RunningHub.notes)/records", key: "\(first)", body: RunningHub.body(names))
        }
        let pages = try Pages(of: hub)
        print(
            "first fetch: \(records) records of 200 bytes, \(Text.fixed(Double(pages.bytes) / 1_048_576, 1)) MiB of JSON in"
                + " \(pages.count) pages; a client that reads them and stores nothing needs"
                + " \(Text.fixed(pages.seconds, 2)) s")
        var all: [Round] = []
        for number in 0..<rounds {
            let round = try measure(hub, pages, records, number)
            print(
                "  waymark-sync \(Text.fixed(round.fetched, 2)) s (processor: sync \(Text.fixed(round.syncProcessor, 2)),"
                    + " hub \(Text.fixed(round.hubProcessor, 2))); nginx to curl \(Text.fixed(round.sent, 2)) s,"
                    + " SQLite \(Text.fixed(round.inserted, 2)) s: \(Text.fixed(round.ratio, 2)) of the peers'")
            all.append(round)
        }
        let ratios = all.map(\.ratio).sorted()
        print(
            "  \(Text.fixed(ratios[ratios.count / 2], 2)) of the peers', the median of \(rounds) rounds"
                + " (\(Text.fixed(ratios[0], 2)) to \(Text.fixed(ratios[ratios.count - 1], 2)))")
    }

    private static func measure(_ hub: RunningHub, _ pages: Pages, _ records: Int, _ number: Int) throws -> Round {
        var round = Round()
        let machine = try RunningMachine("laptop\(number)", of: hub)
        let before = (try machine.figures, try hub.figures)
        let start = SystemClock().monotonicNanoseconds
        _ = try machine.call(SyncInterface.ListZones(container: RunningMachine.container))
        _ = try machine.call(SyncInterface.Synchronize())
        round.fetched = seconds(since: start)
        let after = (try machine.figures, try hub.figures)
        round.syncProcessor = Double(after.0.processorMilliseconds - before.0.processorMilliseconds) / 1_000
        round.hubProcessor = Double(after.1.processorMilliseconds - before.1.processorMilliseconds) / 1_000
        let state = try machine.call(SyncInterface.GetStatus()).containers
        guard state.first?.records == Int64(records) else {
            throw Failure(description: "the copy has \(state.first?.records ?? 0) records, not \(records)")
        }
        try machine.process.terminate()
        round.sent = try pages.server.send()
        round.inserted = try insert(the: machine.folder.file("copy/sync.sqlite"), in: pages.count)
        return round
    }

    private static func seconds(since start: UInt64) -> Double {
        Double(SystemClock().monotonicNanoseconds - start) / 1e9
    }

    // SQLite

    private enum Insertion: String, NamedStatement {
        case insert
        case read

        var sql: String {
            let columns = "container, zone, name, base, isPresent, revision, isLocal, pass"
            return switch self {
            case .insert: "INSERT INTO records (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            case .read: "SELECT \(columns) FROM records ORDER BY revision"
            }
        }
    }

    /// Inserts the rows of a copy into a new file with the same tables, in as many transactions. Returns the seconds.
    private static func insert(the copy: String, in transactions: Int) throws -> Double {
        let source = PreparedStatements<Insertion>(try Database(path: copy, isReadOnly: true))
        let rows = try source.all(.read) { row in
            [
                SQLValue.integer(row.integer(0)), .integer(row.integer(1)), .text(row.text(2)), .text(row.text(3)),
                .integer(row.integer(4)), .integer(row.integer(5)), .integer(row.integer(6)), .integer(row.integer(7)),
            ]
        }
        let tables = try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                copy,
                """
                SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%';
                """,
            ])
        let parents = try ["containers", "zones"].map { table in
            try CompletedProcess.run("/usr/bin/sqlite3", [copy, ".mode insert \(table)", "SELECT * FROM \(table)"])
                .output
        }
        let folder = try TemporaryDirectory()
        let schema = DatabaseSchema(
            fileName: "sync.sqlite", lockName: "sync.lock", noun: "rows", applicationID: 0,
            steps: [tables.output + parents.joined()])
        let directory = try StateDirectory(path: folder.file("copy"), schema)
        let target = PreparedStatements<Insertion>(try Database.open(in: directory, cacheKibibytes: 1_024))
        let size = (rows.count + transactions - 1) / transactions
        let start = SystemClock().monotonicNanoseconds
        for first in stride(from: 0, to: rows.count, by: size) {
            try target.database.transaction(as: "insert") { () throws(StorageError) in
                for row in rows[first..<min(first + size, rows.count)] { try target.run(.insert, row) }
            }
        }
        return seconds(since: start)
    }
}

/// The pages of a zone as a hub has sent them, in files that nginx serves.
private final class Pages {
    let count: Int
    let bytes: Int
    /// How long it took to receive them from the hub, one after the other.
    let seconds: Double
    let server: FileServer

    init(of hub: RunningHub) throws {
        let reader = try hub.join("reader")
        var pages: [[UInt8]] = []
        var token = ""
        let start = SystemClock().monotonicNanoseconds
        while true {
            let path = "\(RunningHub.notes)/changes" + (token.isEmpty ? "" : "?token=\(token)")
            let page = try reader.exchange("GET", path)
            pages.append(page)
            let end = String(decoding: page.suffix(300), as: UTF8.self)
            guard let mark = end.firstRange(of: #""token":""#) else {
                throw HubClient.Failure(description: "a page without a token")
            }
            token = String(end[mark.upperBound...].prefix { $0 != "\"" })
            if end.contains(#""moreComing":false"#) { break }
        }
        seconds = Double(SystemClock().monotonicNanoseconds - start) / 1e9
        count = pages.count
        bytes = pages.reduce(0) { $0 + $1.count }
        server = try FileServer(pages.enumerated().map { ("\($0.offset)", $0.element) })
    }
}
