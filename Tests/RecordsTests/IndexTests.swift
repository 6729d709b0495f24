import Location
import RecordScript
import TestSupport
import Testing

@testable import Records

/// Queries that use indexes, compared with an evaluation of all records.
@Suite(.timeLimit(.minutes(5))) struct IndexTests {
    static let type: RecordType = name("Thing")

    /// A type with every index that a field can have.
    static let thing: TypeDefinition = {
        let every: Set<FieldIndex> = [.queryable, .sortable, .searchable]
        return TypeDefinition(
            type,
            [
                name("text"): FieldDefinition(.init(.string), indexes: every),
                name("note"): FieldDefinition(.init(.string), indexes: [.searchable]),
                name("count"): FieldDefinition(.init(.integer), indexes: [.queryable, .sortable]),
                name("price"): FieldDefinition(.init(.double), indexes: [.queryable, .sortable]),
                name("day"): FieldDefinition(.init(.date), indexes: [.sortable]),
                name("code"): FieldDefinition(.init(.bytes), indexes: [.sortable, .queryable]),
                name("place"): FieldDefinition(.init(.location), indexes: [.queryable]),
                name("tags"): FieldDefinition(.init(.string, isList: true), indexes: [.queryable, .searchable]),
                name("list"): FieldDefinition(.init(.reference), indexes: [.queryable]),
                name("plain"): FieldDefinition(.init(.integer)),
                SystemField.created.field: FieldDefinition(.init(.date), indexes: [.sortable]),
                SystemField.modified.field: FieldDefinition(.init(.date), indexes: [.sortable]),
                SystemField.name.field: FieldDefinition(.init(.string), indexes: [.sortable]),
            ])
    }()

    static func world(
        on engine: EngineKind, _ types: [TypeDefinition] = [thing], rules: SyncRules = SyncRules()
    ) throws -> World {
        let world = try World.withNotes(on: engine, rules: rules)
        try world.deploy(types)
        try world.fillIndexes()
        return world
    }

    private static let words = ["milk", "Bread", "straße", "honey", "no1", "äpfel"]

    private static func text(_ random: inout SeededGenerator) -> String {
        let some = (0..<Int.random(in: 0...3, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        // Some differ only beyond what a key has of them.
        let long = String(repeating: "x", count: Int.random(in: 0...9, using: &random) == 0 ? 130 : 0)
        return long + some.joined(separator: [" ", "-", ", "].randomElement(using: &random) ?? " ")
    }

    private static func coordinate(_ random: inout SeededGenerator) -> Coordinate {
        // Half of them near a few places, the poles and the antimeridian among them.
        let (latitude, longitude) =
            [(52.5, 13.4), (89.9, 10), (-89.95, -100), (0.1, 179.95), (0, -179.97)].randomElement(using: &random)
            ?? (0, 0)
        guard Bool.random(using: &random) else {
            return Coordinate(
                clampedLatitude: .random(in: -90...90, using: &random),
                clampedLongitude: .random(in: -180...180, using: &random))
        }
        return Coordinate(
            clampedLatitude: latitude + .random(in: -0.3...0.3, using: &random),
            clampedLongitude: longitude + .random(in: -0.3...0.3, using: &random))
    }

    static func value(_ field: String, _ random: inout SeededGenerator) -> FieldValue? {
        switch field {
        case "text", "note": return .string(text(&random))
        case "count", "plain":
            return .integer([-1, 0, 1, 2, 3, .min, .max].randomElement(using: &random) ?? 0)
        case "price":
            return FiniteDouble([-1.5, -0.0, 0, 0.25, 1e300, -1e-300].randomElement(using: &random) ?? 0).map {
                .double($0)
            }
        case "day": return .date(UTCTime(microseconds: .random(in: -3...3, using: &random)))
        case "code":
            return .bytes(
                Array(repeating: .random(in: 254...255, using: &random), count: .random(in: 0...2, using: &random)))
        case "place": return .location(StoredPlace(coordinate(&random)))
        case "tags":
            let tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in FieldValue.string(text(&random)) }
            return FieldList(.string, tags).map { .list($0) }
        default: return .reference(name("r\(Int.random(in: 0...2, using: &random))"))
        }
    }

    static let fields = ["text", "note", "count", "price", "day", "code", "place", "tags", "list", "plain"]

    static func draft(_ record: String, _ random: inout SeededGenerator) -> RecordDraft {
        var values: [FieldName: FieldValue] = [:]
        for field in fields where Int.random(in: 0...3, using: &random) > 0 {
            values[name(field)] = value(field, &random)
        }
        return RecordDraft(name(record), type, values)
    }

    /// A condition that may be about anything.
    private static func filter(_ depth: Int, _ random: inout SeededGenerator) -> Query.Filter {
        func list(_ random: inout SeededGenerator) -> [Query.Filter] {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in filter(depth - 1, &random) }
        }
        switch depth > 0 ? Int.random(in: 0...9, using: &random) : 9 {
        case 0...2: return .all(list(&random))
        case 3, 4: return .any(list(&random))
        case 5: return .not(filter(depth - 1, &random))
        case 6: return .words(words.randomElement(using: &random) ?? "")
        case 7:
            let radius = FiniteDouble([0, 500, 20_000, 3_000_000, 30_000_000].randomElement(using: &random) ?? 0)
            guard let radius else { return .all([]) }
            return .within(name("place"), radius, of: StoredPlace(coordinate(&random)))
        default: return comparison(&random)
        }
    }

    private static func comparison(_ random: inout SeededGenerator) -> Query.Filter {
        let orders: [Query.Comparison] = [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual]
        switch Int.random(in: 0...9, using: &random) {
        case 0:
            let field: FieldName = name(["text", "note", "tags"].randomElement(using: &random) ?? "text")
            let some = words.shuffled(using: &random).prefix(.random(in: 1...2, using: &random)).joined(separator: " ")
            return .compare(field, .containsWords, .string(some.lowercased()))
        case 1:
            return .compare(
                name("text"), .beginsWith, .string(["", "m", "milk", "x"].randomElement(using: &random) ?? ""))
        case 2: return .compare(name("tags"), .contains, .string(text(&random)))
        case 3:
            let values = (0..<3).compactMap { _ in value("count", &random) }
            return FieldList(.integer, values).map { .compare(name("count"), .isIn, .list($0)) } ?? .all([])
        case 4: return value("list", &random).map { .compare(name("list"), .equal, $0) } ?? .all([])
        case 5: return value("day", &random).map { .compare(name("day"), .less, $0) } ?? .all([])
        default:
            let field = ["text", "count", "price", "code"].randomElement(using: &random) ?? "count"
            guard let value = value(field, &random), let order = orders.randomElement(using: &random) else {
                return .all([])
            }
            return .compare(name(field), order, value)
        }
    }

    private static func order(_ random: inout SeededGenerator) -> [Query.Order] {
        let some = ["text", "count", "price", "day", "code", "place", "_created", "_modified", "_name"]
        return some.shuffled(using: &random).prefix([0, 0, 1, 1, 2, 3].randomElement(using: &random) ?? 0).compactMap {
            let place = $0 == "place" ? StoredPlace(coordinate(&random)) : nil
            return FieldName(ofAnyField: $0).map { Query.Order($0, from: place, descending: .random(using: &random)) }
        }
    }

    /// Reads all pages of a query.
    static func pages(
        _ query: Query, _ world: World, limit: Int = .max, in zone: ZoneID = World.notes
    ) throws -> [Record] {
        var found: [Record] = []
        var page = QueryPage()
        repeat {
            page = try world.store.find(query, in: zone, after: page.cursor, limit: limit, by: World.phone).get()
            found += page.records
        } while page.cursor != nil
        return found
    }

    /// What a query finds, by comparing all records.
    private static func evaluate(_ query: Query, _ world: World) throws -> [Record] {
        let fields = [name("note"), name("tags"), name("text")] as [FieldName]
        let found = try world.everything().filter { record in
            record.type == query.type && query.filter?.searching(fields).matches(record.fields) ?? true
        }
        guard !query.order.isEmpty else { return found.sorted { $0.name < $1.name } }
        let places = found.compactMap { record in query.order.keys(of: record.value).map { (keys: $0, record: record) }
        }
        return places.sorted { left, right in
            query.order.isOrdered((left.keys, left.record.name), before: (right.keys, right.record.name))
        }.map(\.record)
    }

    @Test(arguments: EngineKind.allCases)
    func `whatever is queried, an index finds what an evaluation of all records finds`(engine: EngineKind) throws {
        var random = SeededGenerator()
        var rules = SyncRules()
        rules.evaluatedRecords = 25
        var world = try Self.world(on: engine, rules: rules)
        for round in 0..<12 {
            world.now = UTCTime(microseconds: world.now.microseconds + .random(in: 0...1, using: &random))
            let saves = (0..<10).map { _ in "n\(Int.random(in: 0..<60, using: &random))" }
            try world.modify(Set(saves).sorted().map { .init(Self.draft($0, &random), .allKeys) })
            if round % 4 == 3 {
                try world.modify(deleting: (0..<5).map { .init(name("n\($0 * 7 + round)")) })
            }
            for _ in 0..<20 {
                guard let query = Query(Self.type, Self.filter(3, &random), order: Self.order(&random)) else {
                    continue
                }
                var found = try Self.pages(query, world, limit: .random(in: 1...20, using: &random))
                if query.order.isEmpty { found.sort { $0.name < $1.name } }
                let expected = try Self.evaluate(query, world)
                #expect(
                    found.map(\.name) == expected.map(\.name), "\(String(decoding: query.json, as: UTF8.self))")
            }
        }
        try world.expectExactEntries([Self.thing])
        #expect(world.engine.foundByIndex > 1_000)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
        try world.delete("notes")
        #expect(try world.engine.tables().entries.isEmpty)
    }

    private static func many(_ world: inout World, _ count: Int) throws {
        for start in stride(from: 0, to: count, by: 100) {
            try world.modify(
                (start..<min(start + 100, count)).map { number in
                    let fields: [FieldName: FieldValue] = [
                        name("count"): .integer(Int64(number)), name("text"): .string("word\(number) all"),
                        name("day"): .date(UTCTime(microseconds: Int64(-number))),
                        name("place"): .location(
                            StoredPlace(Coordinate(clampedLatitude: Double(number) / 100, clampedLongitude: 13))),
                    ]
                    return .init(RecordDraft(name("n\(number)"), Self.type, fields))
                })
        }
    }

    @Test(
        arguments: EngineKind.allCases,
        [
            #""filter":{"field":"count","equal":{"integer":77}}"#,
            #""filter":{"all":[{"field":"count","greater":{"integer":76}},{"field":"count","less":{"integer":78}}]}"#,
            #""filter":{"all":[{"field":"count","less":{"integer":900}},{"field":"text","equal":{"string":"word77 all"}}]}"#,
            #""filter":{"field":"text","containsWords":{"string":"ALL word77"}}"#, #""filter":{"words":"word77 all"}"#,
            #""filter":{"field":"place","within":500.0,"of":{"location":{"latitude":0.77,"longitude":13.0}}}"#,
            #""filter":{"field":"text","beginsWith":{"string":"word77 "}},"sort":[{"field":"day"}]"#,
            #""filter":{"any":[{"field":"count","equal":{"integer":77}},{"field":"text","equal":{"string":"x"}}]}"#,
        ])
    func `a query with one match of hundreds evaluates a few records`(engine: EngineKind, condition: String) throws {
        var world = try Self.world(on: engine)
        try Self.many(&world, 300)
        let query = try Query(json: Array(#"{"type":"Thing",\#(condition)}"#.utf8))
        let before = world.engine.foundByIndex
        #expect(try Self.pages(query, world).map(\.name.text) == ["n77"])
        let evaluated = world.engine.foundByIndex - before
        #expect(evaluated > 0 && evaluated <= 12, "\(evaluated)")
    }

    @Test(arguments: EngineKind.allCases)
    func `the first page of an order is read from its end of the index`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        try Self.many(&world, 300)
        for (descending, expected) in [(false, ["n299", "n298", "n297"]), (true, ["n0", "n1", "n2"])] {
            let query = try #require(Query(Self.type, order: [Query.Order(name("day"), descending: descending)]))
            let before = world.engine.foundByIndex
            let page = try world.store.find(query, in: World.notes, limit: 3, by: World.phone).get()
            #expect(page.records.map(\.name.text) == expected)
            #expect(world.engine.foundByIndex - before == 4)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `the nearest records are read from a circle, and the latest from the end of an index`(engine: EngineKind)
        throws
    {
        var world = try Self.world(on: engine)
        try Self.many(&world, 300)
        world.now = UTCTime(microseconds: world.now.microseconds + 1)
        try world.modify([.init(RecordDraft(name("n7"), Self.type, [name("count"): .integer(7)]), .changedKeys)])
        let place = StoredPlace(Coordinate(clampedLatitude: 1.004, clampedLongitude: 13))
        for (order, limit, expected, most) in [
            (Query.Order(name("place"), from: place), 3, ["n100", "n101", "n99"], 40),
            (Query.Order(name("place"), from: place, descending: true), 2, ["n299", "n298"], 300),
            (Query.Order(SystemField.modified.field, descending: true), 1, ["n7"], 2),
            (Query.Order(SystemField.name.field), 2, ["n0", "n1"], 3),
        ] as [(Query.Order, Int, [String], Int)] {
            let query = try #require(Query(Self.type, order: [order]))
            #expect(try Query(json: query.json) == query)
            let before = world.engine.foundByIndex
            let page = try world.store.find(query, in: World.notes, limit: limit, by: World.phone).get()
            #expect(page.records.map(\.name.text) == expected)
            let evaluated = world.engine.foundByIndex - before
            #expect(evaluated > 0 && evaluated <= most, "\(evaluated)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `records farther away than the nearest ones that can be sorted are refused`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.sortedRecords = 50
        var world = try Self.world(on: engine, rules: rules)
        try Self.many(&world, 300)
        let place = StoredPlace(Coordinate(clampedLatitude: 1.004, clampedLongitude: 13))
        let query = try #require(Query(Self.type, order: [Query.Order(name("place"), from: place)]))
        let page = try world.store.find(query, in: World.notes, limit: 10, by: World.phone).get()
        #expect(page.records.count == 10)
        let far = try #require(Query(Self.type, order: [Query.Order(name("place"), from: place, descending: true)]))
        let refused = try world.store.find(far, in: World.notes, limit: 10, by: World.phone)
        #expect(refused == .failure(.limitExceeded(.sortedRecords, most: 50)))
    }

    @Test(arguments: EngineKind.allCases, [[false], [true], [true, false]])
    func `what does not change is in one page of an order, whatever happens to others`(
        engine: EngineKind, directions: [Bool]
    ) throws {
        var random = SeededGenerator()
        var world = try Self.world(on: engine)
        for number in 0..<40 { try world.modify([.init(Self.draft("n\(number)", &random), .allKeys)]) }
        let order = zip(["count", "price"], directions).map { Query.Order(name($0.0), descending: $0.1) }
        let query = try #require(Query(Self.type, order: order))
        var found: [String] = []
        var page = QueryPage()
        var changed: Set<String> = []
        repeat {
            page = try world.store.find(query, in: World.notes, after: page.cursor, limit: 3, by: World.phone).get()
            found += page.records.map(\.name.text)
            let some = "n\(Int.random(in: 0..<20, using: &random))"
            changed.insert(some)
            if Bool.random(using: &random) {
                try world.modify([.init(Self.draft(some, &random), .allKeys)])
            } else {
                try world.modify(deleting: [.init(name(some))])
            }
            try world.modify([.init(Self.draft("m\(found.count)", &random), .allKeys)])
        } while page.cursor != nil
        let still = found.filter { !changed.contains($0) && $0.hasPrefix("n") }
        #expect(Set(still).count == still.count && still.count == 40 - changed.count)
    }

    @Test(arguments: EngineKind.allCases)
    func `a new index is filled in parts, and used when it is complete`(engine: EngineKind) throws {
        let before = TypeDefinition(
            Self.type,
            Self.thing.fields.mapValues { FieldDefinition($0.shape, indexes: $0.indexes.intersection([.queryable])) })
        var world = try Self.world(on: engine, [before])
        try world.make("lists")
        let lists = World.zone("lists", World.alice)
        var random = SeededGenerator()
        for number in 0..<30 {
            for zone in [World.notes, lists] {
                try world.modify([.init(Self.draft("n\(number)", &random), .allKeys)], in: zone)
            }
        }
        try world.deploy([Self.thing])
        let query = try #require(Query(Self.type, .compare(name("count"), .greater, .integer(0))))
        var filling = try world.store.fillIndexes(nil, limit: 7)
        var parts = 0
        while let state = filling {
            // It finds everything meanwhile, without the index.
            let evaluated = world.engine.foundByIndex
            #expect(try Self.pages(query, world).count == Self.evaluate(query, world).count)
            #expect(world.engine.foundByIndex == evaluated)
            parts += 1
            for zone in [World.notes, lists, World.zone("", World.alice)] {
                try world.modify([.init(Self.draft("n\(parts)", &random), .allKeys)], in: zone)
                try world.modify(deleting: [.init(name("n\(30 - parts)"))], in: zone)
            }
            // Another hub does the same, and a part is repeated.
            _ = try world.store.fillIndexes(state, limit: 3)
            filling = try world.store.fillIndexes(state, limit: 7)
        }
        #expect(parts > 10)
        #expect(try world.engine.tables().types[World.container]?[Self.type]?.unfilled == [])
        try world.expectExactEntries([Self.thing])
        let evaluated = world.engine.foundByIndex
        #expect(try Self.pages(query, world).count == Self.evaluate(query, world).count)
        #expect(world.engine.foundByIndex > evaluated)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a schema that changes while an index is filled is filled too`(engine: EngineKind) throws {
        var world = try Self.world(on: engine, [])
        var random = SeededGenerator()
        let sandbox = ZoneID(Container(World.container.name, .development), owner: World.alice, .defaultZone)
        for number in 0..<9 { try world.modify([.init(Self.draft("n\(number)", &random), .allKeys)], in: sandbox) }
        func schema(_ indexes: Set<FieldIndex>) -> Schema {
            Schema([
                TypeDefinition(
                    Self.type,
                    Self.thing.fields.filter { $0.key.systemField == nil }.mapValues {
                        FieldDefinition($0.shape, indexes: indexes)
                    })
            ])
        }
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([.queryable])).get()
        let filling = try #require(try world.store.fillIndexes(nil, limit: 5))
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([.searchable, .sortable])).get()
        var next = try world.store.fillIndexes(filling, limit: 5)
        while let state = next { next = try world.store.fillIndexes(state, limit: 5) }
        let type = try #require(schema([.searchable, .sortable]).types[Self.type])
        try world.expectExactEntries([type], in: sandbox)
        // An index that development has no longer is removed.
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([])).get()
        #expect(try world.engine.tables().entries.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a type without indexes has no entries and no further statement`(engine: EngineKind) throws {
        var world = try Self.world(
            on: engine, [TypeDefinition(name("Note"), [name("text"): FieldDefinition(.init(.string))])])
        try world.save("n1")
        let before = world.engine.calls
        try world.save("n2")
        #expect(world.engine.calls - before == 17)
        #expect(try world.engine.tables().entries.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `records that no index orders are sorted up to a limit`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.sortedRecords = 20
        var world = try World.withNotes(on: engine, rules: rules)
        try Self.many(&world, 20)
        // Production without a schema has no index.
        let query = try #require(Query(Self.type, order: [Query.Order(name("day"))]))
        let expected = (0..<20).map { "n\(19 - $0)" }
        #expect(try Self.pages(query, world, limit: 6).map(\.name.text) == expected)
        try world.modify([.init(RecordDraft(name("other"), name("Note"), [:]))])
        let refused = Answer<QueryPage>.failure(.limitExceeded(.sortedRecords, most: 20))
        #expect(try world.store.find(query, in: World.notes, by: World.phone) == refused)
        // Two fields need a condition that few records fulfil.
        try world.deploy([Self.thing])
        try world.fillIndexes()
        #expect(try Self.pages(query, world, limit: 6).map(\.name.text) == expected)
        try world.modify([.init(RecordDraft(name("m"), Self.type, [:]))])
        let two = try #require(Query(Self.type, order: [Query.Order(name("day")), Query.Order(name("count"))]))
        #expect(try world.store.find(two, in: World.notes, by: World.phone) == refused)
        let few = try #require(
            Query(Self.type, .compare(name("count"), .less, .integer(3)), order: two.order))
        #expect(try Self.pages(few, world, limit: 2).map(\.name.text) == ["n2", "n1", "n0"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a record with more values than an index stores is found all the same`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let many = try #require(FieldList(.string, (0..<1_500).map { .string("tag\($0)") }))
        let few = try #require(FieldList(.string, [.string("tag1400"), .string("x")]))
        try world.modify([
            .init(RecordDraft(name("many"), Self.type, [name("tags"): .list(many)])),
            .init(RecordDraft(name("few"), Self.type, [name("tags"): .list(few)])),
        ])
        #expect(try world.engine.tables().entries[World.notes]?.count ?? 0 < 30)
        for filter in [#"{"field":"tags","contains":{"string":"tag1400"}}"#, #"{"words":"TAG1400"}"#] {
            let query = try Query(json: Array(#"{"type":"Thing","filter":\#(filter)}"#.utf8))
            #expect(try Self.pages(query, world, limit: 1).map(\.name.text).sorted() == ["few", "many"])
        }
        let query = try Query(
            json: Array(#"{"type":"Thing","filter":{"field":"tags","contains":{"string":"no"}}}"#.utf8))
        #expect(try Self.pages(query, world).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a cursor shows nothing of a record, and continues its own query only`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let secret = "confidential"
        for number in 0..<3 {
            try world.modify([.init(RecordDraft(name("n\(number)"), Self.type, [name("text"): .string(secret)]))])
        }
        let query = try #require(Query(Self.type, order: [Query.Order(name("text"))]))
        let page = try world.store.find(query, in: World.notes, limit: 1, by: World.phone).get()
        let cursor = try #require(page.cursor)
        #expect(!String(decoding: cursor, as: UTF8.self).contains("confidential"))
        let foreign = Answer<QueryPage>.failure(.changeTokenExpired(.foreign))
        let other = try #require(Query(Self.type, order: [Query.Order(name("text"), descending: true)]))
        #expect(try world.store.find(other, in: World.notes, after: cursor, by: World.phone) == foreign)
        var forged = cursor
        forged[forged.count - 1] ^= 1
        #expect(try world.store.find(query, in: World.notes, after: forged, by: World.phone) == foreign)
        try world.delete("notes")
        try world.make("notes")
        let replaced = try world.store.find(query, in: World.notes, after: cursor, by: World.phone)
        #expect(replaced == .failure(.changeTokenExpired(.replaced)))
    }

    @Test(arguments: EngineKind.allCases)
    func `an order and words need their index, and an order a field that has one`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        func refusal(_ text: String, type: String = "Thing") throws -> SchemaViolation? {
            let query = try Query(json: Array(#"{"type":"\#(type)",\#(text)}"#.utf8))
            guard
                case .failure(.notInSchema(let violation)) = try world.store.find(
                    query, in: World.notes, by: World.phone)
            else { return nil }
            return violation
        }
        #expect(try refusal(#""sort":[{"field":"plain"}]"#) == .indexMissing(Self.type, name("plain"), .sortable))
        #expect(try refusal(#""sort":[{"field":"unknown"}]"#) == .unknownField(Self.type, name("unknown")))
        let words = #""filter":{"field":"count","containsWords":{"string":"a"}}"#
        #expect(try refusal(words) == .indexMissing(Self.type, name("count"), .searchable))
        #expect(try refusal(#""filter":{"words":"a"}"#) == nil)
        try world.deploy([
            Self.thing,
            TypeDefinition(
                name("Other"), [name("place"): FieldDefinition(.init(.location), indexes: [.sortable, .queryable])]),
        ])
        #expect(try refusal(#""filter":{"words":"a"}"#, type: "Other") == .notSearchable(name("Other")))
        let shape = SchemaViolation.otherShape(name("Other"), name("place"), .init(.location))
        #expect(try refusal(#""sort":[{"field":"place"}]"#, type: "Other") == shape)
    }
}

@Suite struct IndexKeyTests {
    @Test func `keys of numbers have the order of the numbers`() throws {
        let integers: [Int64] = [.min, -300, -1, 0, 1, 255, 256, .max]
        #expect(integers.compactMap { IndexKey(.integer($0)) }.isSorted)
        #expect(integers.compactMap { IndexKey(.date(UTCTime(microseconds: $0))) }.isSorted)
        let doubles = [
            -Double.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.5, 1e300,
        ]
        #expect(doubles.compactMap { FiniteDouble($0) }.compactMap { IndexKey(.double($0)) }.isSorted)
        let zeros = [0.0, -0.0].compactMap { FiniteDouble($0) }.compactMap { IndexKey(.double($0)) }
        #expect(zeros.count == 2 && zeros[0] == zeros[1])
        #expect(["", "a", "a\u{0}", "ab", "b", "é"].compactMap { IndexKey(.string($0)) }.isSorted)
    }

    @Test func `every point within a circle is in its cells, and few others are`() throws {
        var random = SeededGenerator()
        var outside = 0
        for _ in 0..<1_000 {
            let latitudes: [Double] = [.random(in: -90...90, using: &random), 89.999, -90]
            let longitudes: [Double] = [.random(in: -180...180, using: &random), 180, -180]
            let radii: [Double] = [0, 1, 300, 50_000, 4_000_000, 12_000_000, 3e7]
            let place = Coordinate(
                clampedLatitude: latitudes.randomElement(using: &random) ?? 0,
                clampedLongitude: longitudes.randomElement(using: &random) ?? 0)
            let radius = radii.randomElement(using: &random) ?? 0
            let ranges = PlaceCell.numbers(within: radius, of: place)
            #expect(ranges.count <= 16 && ranges == ranges.joined)
            for _ in 0..<20 {
                let step: Double = radius / 111_000 + 0.001
                let near: Double = place.longitude + Double.random(in: -step...step, using: &random)
                let any = Double.random(in: -180...180, using: &random)
                let point = Coordinate(
                    clampedLatitude: place.latitude + Double.random(in: -step...step, using: &random),
                    clampedLongitude: Bool.random(using: &random) ? any : near)
                let isFound = ranges.contains(try #require(IndexKey(.location(StoredPlace(point)))))
                if point.distance(to: place) <= radius {
                    #expect(isFound, "\(radius) m: \(place.latitude) \(place.longitude)")
                } else if !isFound {
                    outside += 1
                }
            }
        }
        #expect(outside > 3_000)
    }

    @Test func `words are letters, digits and marks in lower case`() {
        func words(_ text: String) -> [String] {
            Words.words(of: text).map { String(decoding: $0, as: UTF8.self) }.sorted()
        }
        #expect(words("Milk, BREAD-milk 2½kg") == ["2½kg", "bread", "milk"])
        #expect(words("ÄPFEL straße") == ["straße", "äpfel"])
        #expect(words("東京 don't_e\u{301}t") == ["don", "e\u{301}t", "t", "東京"].sorted())
        #expect(words(" -,. ").isEmpty)
    }

    @Test func `a query with an order and words is written as it was read, and limited`() throws {
        let text =
            #"{"type":"Thing","filter":{"words":"milk bread"},"sort":[{"field":"a"},{"field":"b","descending":true}]}"#
        #expect(String(decoding: try Query(json: Array(text.utf8)).json, as: UTF8.self) == text)
        func refused(_ text: String) { #expect(throws: FormatError.self) { try Query(json: Array(text.utf8)) } }
        refused(#"{"type":"A","sort":[{"field":"a"},{"field":"a"}]}"#)
        refused(#"{"type":"A","sort":[{"field":"a"},{"field":"b"},{"field":"c"},{"field":"d"}]}"#)
        refused(#"{"type":"A","sort":[{"field":"a b"}]}"#)
        refused(#"{"type":"A","sort":{"field":"a"}}"#)
        refused(#"{"type":"A","filter":{"words":" - "}}"#)
        refused(#"{"type":"A","filter":{"words":"\#((0..<21).map { "w\($0)" }.joined(separator: " "))"}}"#)
        refused(#"{"type":"A","filter":{"field":"a","containsWords":{"integer":1}}}"#)
    }

    @Test func `a position is read as it was written, and nothing else is`() throws {
        let position = QueryPosition(
            incarnation: 3, scan: 2, keys: [IndexKey(bytes: [1, 2]), .missing, IndexKey(bytes: [])], name("n1"))
        #expect(QueryPosition(bytes: position.bytes) == position)
        for length in 0..<position.bytes.count - 2 {
            #expect(QueryPosition(bytes: Array(position.bytes.prefix(length))) == nil)
        }
        #expect(QueryPosition(bytes: [UInt8](repeating: 255, count: 600)) == nil)
    }
}

extension [IndexKey] {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

extension World {
    /// Deploys types as they are.
    func deploy(_ types: [TypeDefinition]) throws {
        _ = try store.replaceSchema(of: Self.container.name, by: Schema(types)).get()
        _ = try store.deploySchema(of: Self.container.name).get()
    }

    /// Fills all indexes.
    func fillIndexes() throws {
        var filling = try store.fillIndexes(nil)
        while let state = filling { filling = try store.fillIndexes(state) }
    }

    /// All records of a zone.
    func everything(in zone: ZoneID = notes) throws -> [Record] {
        var found: [Record] = []
        var page = ZoneChanges()
        var token: [UInt8]?
        repeat {
            page = try changes(since: token, in: zone)
            found += page.changed
            token = page.token
        } while page.moreComing
        return found
    }

    /// Compares what indexes have with what the records are.
    func expectExactEntries(_ types: [TypeDefinition], in only: ZoneID? = nil) throws {
        let tables = try engine.tables()
        let zones = only.map { [$0] } ?? tables.zones.keys.filter { $0.container == Self.container }
        for zone in zones {
            var expected: Set<IndexEntry> = []
            for record in (tables.records[zone] ?? [:]).values.compactMap(\.record) {
                for type in types where type.name == record.type { expected.formUnion(type.entries(of: record)) }
            }
            #expect(tables.entries[zone] ?? [] == expected, "\(zone.name)")
        }
    }
}
