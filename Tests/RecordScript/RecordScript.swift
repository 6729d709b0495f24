import Location
import Records

/// Requests to save records, one after the other, each with its own idempotency key: what a process does that is killed
/// meanwhile, and what has to be stored afterwards.
public enum RecordScript {
    /// The container of the script.
    public static let container = Container(name("org.example.script"))
    /// The account whose records they are.
    public static let account: AccountID = name("alice")
    /// The device that sends the requests.
    public static let caller = Caller.device(name("phone"), of: account)
    /// The zone of all records.
    public static let zone = ZoneID(container, owner: account, name("notes"))
    /// How many records each request changes.
    public static let recordsOfRequest = 3

    /// The device that gets a push for each request.
    public static let other = Caller.device(name("laptop"), of: account)
    /// The time of a request.
    public static func time(_ number: Int) -> UTCTime {
        UTCTime(microseconds: 1_780_000_000_000_000 + Int64(number) * 1_000_000)
    }

    /// The key of a request.
    public static func key(_ number: Int) -> RequestKey { name("request-\(number)") }

    /// The name of the record that a request makes.
    public static func made(_ number: Int) -> RecordName { name("made-\(number)") }

    /// The record that every request changes.
    public static let latest: RecordName = name("latest")

    /// A request: makes two records and changes the one that the request before has changed. It succeeds once only, because
    /// a record that exists is not made again.
    public static func request(_ number: Int) -> ModifyRecords {
        let value = [FieldName("number"), FieldName("text")].compactMap { $0 }
        let fields: [FieldName: FieldValue] = [
            value[0]: .integer(Int64(number)), value[1]: .string(String(repeating: "x", count: number * 37 % 5_000)),
        ]
        func draft(_ record: RecordName) -> RecordDraft { RecordDraft(record, name("Note"), fields) }
        return ModifyRecords(
            zone,
            saves: [
                .init(draft(made(number))), .init(draft(name("twin-\(number)"))), .init(draft(latest), .allKeys),
            ])
    }

    /// Makes the zone, and subscribes the other device, unless that was done.
    public static func prepare<Engine>(_ store: RecordStore<Engine, TestSigner>) throws {
        let zones = ModifyZones(container, of: account, saves: [zone.name])
        _ = try store.modify(zones, by: caller, key: name("zone"), at: time(0))
        try store.join(other)
        _ = try store.register(in: container, by: other)
        _ = try store.subscribe(Subscription(name("all"), .database), in: zone.database, by: other)
    }

    /// Performs a request, and returns whether it was performed before.
    public static func perform<Engine>(_ number: Int, _ store: RecordStore<Engine, TestSigner>) throws -> Bool {
        let reply = try store.modify(request(number), by: caller, key: key(number), at: time(number))
        guard case .outcomes(let outcomes) = reply.answer, outcomes.allSatisfy(\.isDone) else {
            throw Refused(number: number, answer: "\(reply.answer)")
        }
        return reply.isRepeated
    }

    /// An answer that the script never gets from a correct engine.
    public struct Refused: Error {
        /// The number of the request.
        public let number: Int
        /// The answer.
        public let answer: String
    }

    private static func name<Rule>(_ text: String) -> Name<Rule> {
        guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
        return name
    }
}
