import Glibc
import Location
import Platform
import Records
import RecordsSQLite
import TestSupport

/// What it costs to share a record with all that are below it: the rules over an engine in this process, with a file of SQLite on
/// the disk, compared with sharing the whole zone of the same records.
enum SharingBenchmark {
    private static let container = Container(name("org.example.benchmark"))
    private static let owner = Caller.device(name("laptop"), of: name("alice"))
    private static let guest = Caller.device(name("tablet"), of: name("bob"))
    private static let root: RecordName = name("n0")

    private typealias Store = RecordStore<SQLiteEngine, BenchmarkSigner>

    private static func name<Rule>(_ text: String) -> Name<Rule> {
        guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    /// - Parameter count: The records below the shared one, ten below each that has any.
    static func run(descendants count: Int) throws {
        print("sharing with one account, \(count) records of 200 bytes below one, as many beside it, SQLite")
        for isPart in [true, false] {
            let folder = try TemporaryDirectory()
            let store = RecordStore(try SQLiteEngine(folder: folder.path), BenchmarkSigner())
            let zone = ZoneID(container, owner: name("alice"), name("notes"))
            let meter = Meter()
            _ = try store.modify(
                ModifyZones(container, of: name("alice"), saves: [zone.name]), by: owner, key: meter.key, at: meter.now)
            try meter.save(count + 1, "n", below: true, in: zone, store)
            try meter.save(count, "m", below: false, in: zone, store)
            let shared = isPart ? root : nil
            print(isPart ? "  a record with all below it" : "  the zone, for comparison")
            try meter.measure("invited") {
                try share(.invite(name("bob"), .write), of: shared, by: owner, in: zone, store, $0)
            }
            try meter.measure("accepted") { try share(.accept, of: shared, by: guest, in: zone, store, $0) }
            var token: [UInt8]?
            try meter.measure("first fetch of the guest") { _ in token = try fetch(zone, store, since: nil) }
            try meter.measure("one record saved by the owner", times: 100) { meter in
                try meter.save(["n\(count / 2)"], "n", below: true, in: zone, store, by: owner)
            }
            try meter.measure("one record saved by the guest", times: 100) { meter in
                try meter.save(["n\(count / 2)"], "n", below: true, in: zone, store, by: guest)
            }
            try meter.measure("fetch of the change", times: 100) { meter in
                try meter.save(["n\(count / 2)"], "n", below: true, in: zone, store, by: owner)
                meter.restart()
                token = try fetch(zone, store, since: token)
            }
            try meter.measure("withdrawn") {
                try share(.withdraw(name("bob")), of: shared, by: owner, in: zone, store, $0)
            }
        }
    }

    private static func share(
        _ action: ModifySharing.Action, of root: RecordName?, by caller: Caller, in zone: ZoneID, _ store: Store,
        _ meter: Meter
    ) throws {
        let reply = try store.modify(
            ModifySharing(zone, action, of: root), by: caller, key: meter.key, at: meter.now)
        guard reply.answer == .done else { throw HubClient.Failure(description: "\(reply.answer)") }
    }

    private static func fetch(_ zone: ZoneID, _ store: Store, since token: [UInt8]?) throws -> [UInt8]? {
        var token = token
        while true {
            let page = try store.changes(of: zone, since: token, by: guest).get()
            token = page.token
            if !page.moreComing { return token }
        }
    }

    /// Measures, and gives each request a key of its own.
    private final class Meter {
        private var last = 0
        private var start: UInt64 = 0

        var now: UTCTime { UTCTime(microseconds: SystemClock().utcMicroseconds) }

        var key: RequestKey {
            last += 1
            return name("k\(last)")
        }

        func restart() { start = SystemClock().monotonicNanoseconds }

        /// Prints the median.
        func measure(_ what: String, times: Int = 1, _ body: (Meter) throws -> Void) throws {
            var milliseconds: [Double] = []
            for _ in 0..<times {
                restart()
                try body(self)
                milliseconds.append(Double(SystemClock().monotonicNanoseconds - start) / 1e6)
            }
            print("    \(what): \(Text.fixed(Distribution(milliseconds).median, 2)) ms")
        }

        func save(_ count: Int, _ prefix: String, below: Bool, in zone: ZoneID, _ store: Store) throws {
            for first in stride(from: 0, to: count, by: 400) {
                let names = (first..<min(first + 400, count)).map { "\(prefix)\($0)" }
                try save(names, prefix, below: below, in: zone, store, by: owner)
            }
        }

        /// Saves records; each but the first one is below another one.
        func save(
            _ names: [String], _ prefix: String, below: Bool, in zone: ZoneID, _ store: Store, by caller: Caller
        ) throws {
            let text = String(repeating: "x", count: 190) + "\(last)"
            let saves = names.map { record in
                var fields: [FieldName: FieldValue] = [name("text"): .string(text)]
                let number = Int(record.dropFirst(prefix.count)) ?? 0
                if below, number > 0 { fields[.parent] = .reference(name("\(prefix)\((number - 1) / 10)")) }
                return ModifyRecords.Save(RecordDraft(name(record), name("Note"), fields), .allKeys)
            }
            let reply = try store.modify(ModifyRecords(zone, saves: saves), by: caller, key: key, at: now)
            guard case .outcomes(let outcomes) = reply.answer, outcomes.allSatisfy(\.isDone) else {
                throw HubClient.Failure(description: "\(reply.answer)")
            }
        }
    }
}
