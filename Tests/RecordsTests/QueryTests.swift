import Location
import Records
import TestSupport
import Testing

@Suite struct QueryTests {
    private static func query(_ filter: String) throws(FormatError) -> Query {
        try Query(json: Array(#"{"type":"Note","filter":\#(filter)}"#.utf8))
    }

    private static func record(_ fields: [String: FieldValue], type: String = "Note") -> Record {
        let stamp = Record.Stamp(UTCTime(microseconds: 0), World.alice, name("phone"))
        let fields = Dictionary(uniqueKeysWithValues: fields.map { (name($0.key) as FieldName, $0.value) })
        return Record(
            name("n"), name(type), fields, changeTag: ChangeTag(incarnation: 1, counter: 1), created: stamp,
            modified: stamp)
    }

    /// A record with a value of each kind.
    private static func everything() throws -> Record {
        let berlin = try #require(Coordinate(latitude: 52.52, longitude: 13.405))
        return record([
            "text": .string("milk"), "bytes": .bytes([1, 2]), "count": .integer(3),
            "price": .double(try #require(FiniteDouble(1.5))), "day": .date(UTCTime(microseconds: 1_000)),
            "place": .location(StoredPlace(berlin)), "list": .reference(name("l1")),
            "tags": .list(try #require(FieldList(.string, [.string("a"), .string("b")]))),
        ])
    }

    @Test(arguments: [
        (#"{"field":"text","equal":{"string":"milk"}}"#, true),
        (#"{"field":"text","equal":{"string":"Milk"}}"#, false),
        (#"{"field":"text","equal":{"bytes":"bWlsaw=="}}"#, false),
        (#"{"field":"text","less":{"string":"milk!"}}"#, true),
        (#"{"field":"text","less":{"string":"milk"}}"#, false),
        (#"{"field":"text","lessOrEqual":{"string":"milk"}}"#, true),
        (#"{"field":"text","greater":{"string":"Zebra"}}"#, true),
        (#"{"field":"text","beginsWith":{"string":"mi"}}"#, true),
        (#"{"field":"text","beginsWith":{"string":""}}"#, true),
        (#"{"field":"text","beginsWith":{"string":"milky"}}"#, false),
        (#"{"field":"text","isIn":{"list":"string","values":["eggs","milk"]}}"#, true),
        (#"{"field":"text","isIn":{"list":"string","values":[]}}"#, false),
        (#"{"field":"bytes","greater":{"bytes":"AQ=="}}"#, true),
        (#"{"field":"count","equal":{"integer":3}}"#, true),
        (#"{"field":"count","equal":{"double":3.0}}"#, false),
        (#"{"field":"count","less":{"integer":4}}"#, true),
        (#"{"field":"count","greaterOrEqual":{"integer":3}}"#, true),
        (#"{"field":"count","greater":{"integer":3}}"#, false),
        (#"{"field":"price","less":{"double":1.6}}"#, true),
        (#"{"field":"day","lessOrEqual":{"date":999}}"#, false),
        (#"{"field":"list","equal":{"reference":"l1"}}"#, true),
        (#"{"field":"tags","contains":{"string":"b"}}"#, true),
        (#"{"field":"tags","contains":{"string":"c"}}"#, false),
        (#"{"field":"text","contains":{"string":"milk"}}"#, false),
        (#"{"field":"missing","equal":{"integer":3}}"#, false),
        (#"{"not":{"field":"missing","equal":{"integer":3}}}"#, true),
        (#"{"field":"place","within":300000.0,"of":{"location":{"latitude":53.55,"longitude":9.99}}}"#, true),
        (#"{"field":"place","within":200000.0,"of":{"location":{"latitude":53.55,"longitude":9.99}}}"#, false),
        (#"{"field":"text","within":1.0,"of":{"location":{"latitude":0.0,"longitude":0.0}}}"#, false),
        (#"{"all":[]}"#, true), (#"{"any":[]}"#, false),
        (#"{"all":[{"field":"count","less":{"integer":4}},{"field":"text","equal":{"string":"eggs"}}]}"#, false),
        (#"{"any":[{"field":"count","less":{"integer":4}},{"field":"text","equal":{"string":"eggs"}}]}"#, true),
    ])
    func `each condition matches what it says, and is written as it was read`(filter: String, isFound: Bool) throws {
        let query = try Self.query(filter)
        #expect(query.matches(try Self.everything()) == isFound)
        #expect(String(decoding: query.json, as: UTF8.self) == #"{"type":"Note","filter":\#(filter)}"#)
        #expect(!query.matches(Self.record([:], type: "List")))
    }

    @Test(arguments: [
        "null1", "[]", "{}", #"{"field":"text"}"#, #"{"field":"text","like":{"string":"x"}}"#,
        #"{"field":"1","equal":{"integer":1}}"#, #"{"field":"text","equal":{"string":"x"},"less":{"string":"y"}}"#,
        #"{"field":"place","less":{"location":{"latitude":0,"longitude":0}}}"#,
        #"{"field":"text","beginsWith":{"integer":1}}"#, #"{"field":"text","isIn":{"string":"x"}}"#,
        #"{"field":"text","equal":{"list":"string","values":[]}}"#, #"{"all":{}}"#, #"{"all":[],"any":[]}"#,
        #"{"field":"p","within":-1,"of":{"location":{"latitude":0,"longitude":0}}}"#,
        #"{"field":"p","within":1,"of":{"integer":1}}"#, #"{"field":"text' OR 1=1 --","equal":{"integer":1}}"#,
    ])
    func `what is no condition is refused`(filter: String) {
        #expect(throws: FormatError.self) { try Self.query(filter) }
    }

    @Test func `nesting, conditions, values and length are limited`() throws {
        let leaf = #"{"field":"a","equal":{"integer":1}}"#
        func nested(_ depth: Int) -> String {
            (1..<depth).reduce(leaf) { inner, _ in #"{"all":[\#(inner)]}"# }
        }
        #expect(throws: Never.self) { try Self.query(nested(8)) }
        #expect(throws: FormatError.self) { try Self.query(nested(9)) }
        #expect(throws: FormatError.self) { try Self.query(nested(100_000)) }
        #expect(throws: FormatError.self) { try Self.query(String(repeating: #"{"not":"#, count: 10_000)) }
        func many(_ count: Int) -> String {
            #"{"any":[\#(Array(repeating: leaf, count: count).joined(separator: ","))]}"#
        }
        #expect(throws: Never.self) { try Self.query(many(99)) }
        #expect(throws: FormatError.self) { try Self.query(many(100)) }
        #expect(throws: FormatError.self) { try Self.query(many(1_000_000)) }
        func values(_ count: Int) -> String {
            #"{"field":"a","isIn":{"list":"integer","values":[\#(Array(repeating: "1", count: count).joined(separator: ","))]}}"#
        }
        #expect(throws: Never.self) { try Self.query(values(250)) }
        #expect(throws: FormatError.self) { try Self.query(values(251)) }
        let long = String(repeating: "x", count: 64 << 10)
        #expect(throws: FormatError("", .tooLarge(.requestBytes))) {
            try Self.query(#"{"field":"a","equal":{"string":"\#(long)"}}"#)
        }
        #expect(Query(name("Note"), (0..<8).reduce(.all([])) { inner, _ in .not(inner) }) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a query finds what its condition says in pages, whatever changes in between`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.evaluatedRecords = 7
        var world = try World.withNotes(on: engine, rules: rules)
        for number in 0..<30 {
            let fields: [FieldName: FieldValue] = [name("count"): .integer(Int64(number))]
            try world.modify([.init(RecordDraft(name("n\(number)"), name("Note"), fields))])
        }
        try world.modify(deleting: [.init(name("n3")), .init(name("n28"))])
        let query = try Self.query(#"{"field":"count","greaterOrEqual":{"integer":2}}"#)
        var found: [String] = []
        var page = QueryPage()
        var pages = 0
        repeat {
            page = try world.store.find(query, in: World.notes, after: page.cursor, limit: 4, by: World.phone).get()
            found += page.records.map(\.name.text)
            pages += 1
            if pages == 2 { try world.modify(deleting: [.init(name("n29"))]) }
        } while page.cursor != nil
        #expect(found == (2..<28).map { "n\($0)" }.filter { $0 != "n3" })
        #expect(pages > 6)
    }

    @Test(arguments: EngineKind.allCases)
    func `a cursor continues its own query in its own zone only`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.make("lists")
        for zone in [World.notes, World.zone("lists", World.alice)] {
            for number in 0..<3 { try world.save("n\(number)", in: zone) }
        }
        let query = try #require(Query(name("Note")))
        let page = try world.store.find(query, in: World.notes, limit: 1, by: World.phone).get()
        let cursor = try #require(page.cursor)
        let foreign = Answer<QueryPage>.failure(.changeTokenExpired(.foreign))
        let other = try Self.query(#"{"not":{"any":[]}}"#)
        #expect(try world.store.find(other, in: World.notes, after: cursor, by: World.phone) == foreign)
        let lists = World.zone("lists", World.alice)
        #expect(try world.store.find(query, in: lists, after: cursor, by: World.phone) == foreign)
        let token = try world.changes().token
        #expect(try world.store.find(query, in: World.notes, after: token, by: World.phone) == foreign)
        let zone = try world.store.changes(of: World.notes, since: cursor, by: World.phone)
        #expect(zone == .failure(.changeTokenExpired(.foreign)))
        try world.delete("notes")
        try world.make("notes")
        let replaced = try world.store.find(query, in: World.notes, after: cursor, by: World.phone)
        #expect(replaced == .failure(.changeTokenExpired(.replaced)))
    }

    @Test(arguments: EngineKind.allCases)
    func `a query shows nobody what it may not read`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.deploy(roles: RecordRoles(world: [], authenticated: [.create], creator: [.read]))
        try world.save("n1")
        let zone = World.zone("", nil)
        try world.save("p1", in: zone)
        try world.save("p2", in: zone, by: World.bobs)
        let query = try #require(Query(name("Note")))
        #expect(try world.store.find(query, in: zone, by: .anonymous).get().records.isEmpty)
        #expect(try world.store.find(query, in: zone, by: World.bobs).get().records.map(\.name.text) == ["p2"])
        #expect(try world.store.find(query, in: World.notes, by: World.bobs) == .failure(.notPermitted))
    }
}
