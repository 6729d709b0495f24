import Location
import Records
import TestTraits
import Testing

@Suite(.computes) struct LimitTests {
    @Test func `names are accepted up to their length, and refused beyond`() {
        #expect(RecordName(String(repeating: "n", count: 255)) != nil)
        #expect(RecordName(String(repeating: "n", count: 256)) == nil)
        #expect(AccountID(String(repeating: "a", count: 128)) != nil)
        #expect(AccountID(String(repeating: "a", count: 129)) == nil)
        #expect(RecordName("") == nil)
    }

    @Test(arguments: ["_x", "a b", "ä", "a\u{0}", "a\n", "a\u{7F}", "é", " "])
    func `names that an app may not choose are refused`(text: String) {
        #expect(RecordName(text) == nil)
        #expect(ZoneName(text) == nil)
        #expect(RequestKey(text) == nil)
        #expect(FieldName(text) == nil)
        #expect(AccountID(text) == nil)
    }

    @Test func `names of each kind follow their rule`() {
        #expect(RecordName("'; DROP TABLE--") == nil)
        #expect(RecordName("';DROP-TABLE--") != nil)
        #expect(FieldName("a1_") != nil)
        #expect(FieldName("1a") == nil)
        #expect(FieldName("a.b") == nil)
        #expect(AccountID("0a.b-c_d") != nil)
        #expect(AccountID("-a") == nil)
        #expect(ZoneName("_defaultZone") == nil)
        #expect(ZoneName.defaultZone.text == "_defaultZone")
    }

    /// A draft whose record has exactly this size.
    private static func note(_ record: String, size: Int) -> RecordDraft {
        draft(record, String(repeating: "x", count: size - draft(record, "").size))
    }

    @Test(arguments: EngineKind.allCases)
    func `a record of one mebibyte is saved, and one more byte is too many`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let most = 1 << 20
        #expect(try world.modify([.init(Self.note("n1", size: most))]).first?.isDone == true)
        #expect(
            try world.modify([.init(Self.note("n2", size: most + 1))]) == [.limitExceeded(.recordBytes, most: most)])
        #expect(try world.changes().changed.map(\.size) == [most])
    }

    @Test(arguments: EngineKind.allCases)
    func `a record that only becomes too large by the fields it keeps is refused`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.modify([.init(Self.note("n1", size: 1 << 20))])
        let more = RecordDraft(name("n1"), name("Note"), [name("more"): .integer(1)])
        #expect(try world.modify([.init(more, .changedKeys)]) == [.limitExceeded(.recordBytes, most: 1 << 20)])
        #expect(try world.modify([.init(more, .allKeys)]).first?.isDone == true)
    }

    @Test(arguments: EngineKind.allCases)
    func `assets do not count with their bytes`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = try #require(Asset(digest: [UInt8](repeating: 1, count: 32), size: Asset.mostBytes))
        let record = RecordDraft(name("n1"), name("Note"), [name("file"): .asset(asset)])
        // It is not too large, but its bytes are not there.
        #expect(try world.modify([.init(record)]) == [.assetNotFound(asset.digest)])
        #expect(Asset(digest: [1], size: 1) == nil)
        #expect(Asset(digest: asset.digest, size: Asset.mostBytes + 1) == nil)
        #expect(Asset(digest: asset.digest, size: -1) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a request has at most 400 records and two mebibytes`(engine: EngineKind) throws {
        let world = try World.withNotes(on: engine)
        func answer(_ request: ModifyRecords, _ key: String) throws -> ModifyRecordsAnswer {
            try world.store.modify(request, by: World.phone, key: name(key), at: world.now).answer
        }
        let saves = (0..<400).map { ModifyRecords.Save(draft("n\($0)", "x")) }
        let deletion = ModifyRecords.Deletion(name("other"))
        let most = ModifyRecords(World.notes, saves: saves)
        let more = ModifyRecords(World.notes, saves: saves, deletions: [deletion])
        #expect(try answer(more, "a") == .refused(.limitExceeded(.records, most: 400)))
        #expect(try world.changes().changed.isEmpty)
        guard case .outcomes = try answer(most, "b") else { throw World.Missing(outcomes: []) }
        let large = (0..<3).map { ModifyRecords.Save(Self.note("l\($0)", size: 700_000)) }
        let bytes = ModifyRecords(World.notes, saves: large)
        #expect(try answer(bytes, "c") == .refused(.limitExceeded(.requestBytes, most: 2 << 20)))
        // A client that halves the request may use the same key, because what exceeds a limit is not remembered.
        let half = ModifyRecords(World.notes, saves: Array(large.dropLast()))
        guard case .outcomes(let outcomes) = try answer(half, "c") else { throw World.Missing(outcomes: []) }
        #expect(outcomes.map(\.isDone) == [true, true])
    }

    @Test(arguments: EngineKind.allCases)
    func `a request that names a record twice is refused`(engine: EngineKind) throws {
        let world = try World.withNotes(on: engine)
        for request in [
            ModifyRecords(World.notes, saves: [.init(draft("n1", "x")), .init(draft("n1", "y"))]),
            ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))], deletions: [.init(name("n1"))]),
        ] {
            let reply = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
            #expect(reply.answer == .refused(.invalidRequest(.namedTwice)))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a record has a limited number of fields`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        func record(_ count: Int) -> RecordDraft {
            let fields = (0..<count).map { (name("f\($0)") as FieldName, FieldValue.integer(1)) }
            return RecordDraft(name("n1"), name("Note"), Dictionary(uniqueKeysWithValues: fields))
        }
        #expect(try world.modify([.init(record(1_001))]) == [.limitExceeded(.fields, most: 1_000)])
        #expect(try world.modify([.init(record(1_000))]).first?.isDone == true)
    }

    @Test func `texts that Swift calls equal are different values`() {
        #expect(FieldValue.string("e\u{301}") != .string("\u{E9}"))
    }

    @Test(arguments: EngineKind.allCases)
    func `records are looked up by name up to the limits`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for number in 0..<3 { try world.save("n\(number)") }
        let some = try world.store.records([name("n2"), name("n0"), name("no")], in: World.notes, by: World.phone).get()
        #expect(some.map(\.name.text) == ["n0", "n2"])
        let many = (0..<401).map { name("n\($0)") as RecordName }
        let refused = try world.store.records(many, in: World.notes, by: World.phone)
        #expect(refused == .failure(.limitExceeded(.records, most: 400)))
    }
}
