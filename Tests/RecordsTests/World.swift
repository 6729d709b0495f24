import Location
import RecordScript
import Records
import Testing

typealias TestStore = RecordStore<TestEngine, TestSigner>

/// The hub of the tests, and a clock.
struct World {
    static let container = Container(name("org.example.notes"))
    static let alice: AccountID = name("alice")
    static let bob: AccountID = name("bob")
    static let phone = device("phone", alice)
    static let laptop = device("laptop", alice)
    static let bobs = device("tablet", bob)
    static let notes = zone("notes", alice)

    let engine: TestEngine
    var store: TestStore
    var now = UTCTime(microseconds: 1_780_000_000_000_000)
    private var lastKey = 0

    init(on kind: EngineKind, rules: SyncRules = SyncRules()) throws {
        engine = try TestEngine(kind)
        store = TestStore(engine, try TestSigner(), rules: rules)
    }

    /// The hub is ended and started: nothing but its tables and its key is left of it.
    mutating func restartHub() throws {
        try engine.restart()
        store = TestStore(engine, try TestSigner(), rules: store.rules)
    }

    /// A world in which the zone of notes exists.
    static func withNotes(on kind: EngineKind, rules: SyncRules = SyncRules()) throws -> World {
        var world = try World(on: kind, rules: rules)
        try world.make("notes")
        return world
    }

    static func device(_ device: String, _ account: AccountID) -> Caller { .device(name(device), of: account) }
    static func zone(_ text: String, _ owner: AccountID?) -> ZoneID {
        ZoneID(container, owner: owner, text.isEmpty ? .defaultZone : name(text))
    }
    static func database(_ account: AccountID) -> DatabaseID { DatabaseID(container, .privately(account)) }

    mutating func nextKey() -> RequestKey {
        lastKey += 1
        return name("key-\(lastKey)")
    }

    @discardableResult
    mutating func make(_ zones: String..., by caller: Caller = phone) throws -> Reply<ModifyZonesAnswer> {
        let request = ModifyZones(Self.container, of: try #require(caller.account), saves: zones.map { name($0) })
        return try store.modify(request, by: caller, key: nextKey(), at: now)
    }

    @discardableResult
    mutating func delete(
        _ zones: String..., by caller: Caller = phone, reason: ZoneDeletionReason = .deleted
    ) throws -> Reply<ModifyZonesAnswer> {
        let request = ModifyZones(
            Self.container, of: try #require(caller.account), deletions: zones.map { name($0) }, reason: reason)
        return try store.modify(request, by: caller, key: nextKey(), at: now)
    }

    /// Makes a device one of its account, and registers it for pushes.
    func register(_ caller: Caller) throws -> Refusal? {
        try store.join(caller)
        return try store.register(in: Self.container, by: caller)
    }

    /// Modifies records, and returns the outcomes.
    @discardableResult
    mutating func modify(
        _ saves: [ModifyRecords.Save] = [], deleting deletions: [ModifyRecords.Deletion] = [], in zone: ZoneID = notes,
        by caller: Caller = phone
    ) throws -> [RecordOutcome] {
        let request = ModifyRecords(zone, saves: saves, deletions: deletions)
        let reply = try store.modify(request, by: caller, key: nextKey(), at: now)
        guard case .outcomes(let outcomes) = reply.answer else {
            Issue.record("refused: \(reply.answer)")
            return []
        }
        return outcomes
    }

    /// Saves one new record, and returns its tag.
    @discardableResult
    mutating func save(
        _ record: String, _ text: String = "x", tag: ChangeTag? = nil, in zone: ZoneID = notes,
        by caller: Caller = phone
    ) throws -> ChangeTag {
        let outcomes = try modify([.init(draft(record, text, tag: tag))], in: zone, by: caller)
        guard case .saved(let saved)? = outcomes.first else {
            throw Missing(outcomes: outcomes)
        }
        return saved.changeTag
    }

    struct Missing: Error { var outcomes: [RecordOutcome] }

    /// The changes after a token.
    func changes(
        since token: [UInt8]? = nil, limit: Int = .max, in zone: ZoneID = notes, by caller: Caller = phone
    ) throws -> ZoneChanges {
        try store.changes(of: zone, since: token, limit: limit, by: caller).get()
    }

    func databaseChanges(
        since token: [UInt8]? = nil, limit: Int = .max, by caller: Caller = phone
    ) throws -> DatabaseChanges {
        let database = Self.database(try #require(caller.account))
        return try store.changes(of: database, since: token, limit: limit, by: caller).get()
    }

    /// Deploys a schema in which a note has a text, with these roles.
    func deploy(roles: RecordRoles) throws {
        let note = TypeDefinition(name("Note"), [name("text"): FieldDefinition(.init(.string))], roles: roles)
        _ = try store.replaceSchema(of: Self.container.name, by: Schema([note])).get()
        _ = try store.deploySchema(of: Self.container.name, changingRoles: true).get()
    }

    mutating func wait(days: Double) { now = UTCTime(microseconds: now.microseconds + Int64(days * 86_400e6)) }
}

/// A name that the test has written correctly.
func name<Rule>(_ text: String) -> Name<Rule> {
    guard let name = Name<Rule>(text) else { preconditionFailure("\(text) is no name") }
    return name
}

/// A draft of a note.
func draft(_ record: String, _ text: String, tag: ChangeTag? = nil) -> RecordDraft {
    RecordDraft(name(record), name("Note"), [name("text"): .string(text)], changeTag: tag)
}
