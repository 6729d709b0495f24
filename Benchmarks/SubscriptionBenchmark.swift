import Cryptography
import Glibc
import Location
import Platform
import Records
import RecordsSQLite
import TestSupport

/// What a save to the public database costs while many accounts subscribe to records of its type: the rules over an engine in this
/// process, with a file of SQLite on the disk.
enum SubscriptionBenchmark {
    private static let container = Container(name("org.example.benchmark"))
    private static let saver = Caller.device(name("laptop"), of: name("alice"))

    private static func name<Rule>(_ text: String) -> Name<Rule> {
        guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
        return name
    }

    static func run(subscriptions count: Int) throws {
        print("saves of one record to the public database, \(count) subscriptions to its type, SQLite")
        try run("nobody subscribes", 0, saves: 200) { _ in nil }
        try run("each requires another value of a field, one covers the record", count, saves: 200) { number in
            .compare(name("place"), .equal, .integer(Int64(number)))
        }
        try run("none requires a value, none covers the record", count, saves: 20) { number in
            .compare(name("place"), .less, .integer(-Int64(number) - 1))
        }
        try run("all cover the record, so that there are as many pushes", count, saves: 10) { _ in nil }
    }

    /// Adds an account with a device, and its subscription.
    private static func subscribe(
        _ number: Int, _ condition: Query.Filter?, _ store: RecordStore<SQLiteEngine, BenchmarkSigner>
    ) throws {
        let id = AccountDevice(name("a\(number)"), name("d"))
        let caller = Caller.device(id.device, of: id.account)
        let now = UTCTime(microseconds: SystemClock().utcMicroseconds)
        let code = [UInt8]("code \(number)".utf8)
        _ = try store.invite(id, code: code, for: 60, at: now).get()
        _ = try store.join(code: code, token: [UInt8]("token \(number)".utf8), at: now).get()
        guard let query = Query(name("Report"), condition) else { return }
        let subscription = Subscription(name("s"), .query(QuerySubject(query, on: [.create])))
        guard try store.register(in: container, by: caller) == nil,
            try store.subscribe(subscription, in: DatabaseID(container, .everybody), by: caller).answer == nil
        else { throw HubClient.Failure(description: "the subscription is refused") }
    }

    private static func run(
        _ title: String, _ count: Int, saves: Int, condition: (Int) -> Query.Filter?
    ) throws {
        let folder = try TemporaryDirectory()
        let engine = try SQLiteEngine(folder: folder.path)
        let store = RecordStore(engine, BenchmarkSigner())
        var failure: (any Error)?
        for first in stride(from: 0, to: count, by: 500) {
            try engine.gather {
                do {
                    for number in first..<min(first + 500, count) { try subscribe(number, condition(number), store) }
                } catch { failure = error }
            }
        }
        if let failure { throw failure }
        var times: [UInt64] = []
        var pushes = 0
        for number in 0..<saves {
            let draft = RecordDraft(
                name("r\(number)"), name("Report"),
                [name("place"): .integer(Int64(number)), name("text"): .string(String(repeating: "x", count: 200))])
            let request = ModifyRecords(
                ZoneID(container, owner: nil, .defaultZone), saves: [ModifyRecords.Save(draft, .allKeys)])
            let now = UTCTime(microseconds: SystemClock().utcMicroseconds)
            let start = SystemClock().monotonicNanoseconds
            let reply = try store.modify(request, by: saver, key: name("k\(number)"), at: now)
            times.append(SystemClock().monotonicNanoseconds - start)
            pushes += reply.pushes.count
        }
        times.sort()
        print(
            "  \(title): \(Text.fixed(Double(times[times.count / 2]) / 1e6, 2)) ms,"
                + " at most \(Text.fixed(Double(times[times.count - 1]) / 1e6, 2)) ms, \(pushes / saves) pushes each")
    }
}
