import Location
import RecordScript
import TestSupport
import TestTraits
import Testing

@testable import Records

/// Queries that use indexes, compared with an evaluation of all records.
@Suite(.computes, .timeLimit(.minutes(15))) struct IndexTests {
    @Test(arguments: EngineKind.allCases)
    func `whatever is queried, an index finds what an evaluation of all records finds`(engine: EngineKind) throws {
        var random = SeededGenerator()
        var rules = SyncRules()
        rules.evaluatedRecords = 25
        var world = try IndexedThings.world(on: engine, rules: rules)
        for round in 0..<12 {
            world.now = UTCTime(microseconds: world.now.microseconds + .random(in: 0...1, using: &random))
            let saves = (0..<10).map { _ in "n\(Int.random(in: 0..<60, using: &random))" }
            try world.modify(Set(saves).sorted().map { .init(IndexedThings.draft($0, &random), .allKeys) })
            if round % 4 == 3 {
                try world.modify(deleting: (0..<5).map { .init(name("n\($0 * 7 + round)")) })
            }
            for _ in 0..<20 {
                guard
                    let query = Query(
                        IndexedThings.type, IndexedThings.filter(3, &random), order: IndexedThings.order(&random))
                else {
                    continue
                }
                var found = try IndexedThings.pages(query, world, limit: .random(in: 1...20, using: &random))
                if query.order.isEmpty { found.sort { $0.name < $1.name } }
                let expected = try IndexedThings.evaluate(query, world)
                #expect(
                    found.map(\.name) == expected.map(\.name), "\(String(decoding: query.json, as: UTF8.self))")
            }
        }
        try world.expectExactEntries([IndexedThings.thing])
        #expect(world.engine.foundByIndex > 1_000)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
        try world.delete("notes")
        #expect(try world.engine.tables().entries.isEmpty)
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
        var world = try IndexedThings.world(on: engine)
        try IndexedThings.many(&world, 300)
        let query = try Query(json: Array(#"{"type":"Thing",\#(condition)}"#.utf8))
        let before = world.engine.foundByIndex
        #expect(try IndexedThings.pages(query, world).map(\.name.text) == ["n77"])
        let evaluated = world.engine.foundByIndex - before
        #expect(evaluated > 0 && evaluated <= 12, "\(evaluated)")
    }

    @Test(arguments: EngineKind.allCases)
    func `the first page of an order is read from its end of the index`(engine: EngineKind) throws {
        var world = try IndexedThings.world(on: engine)
        try IndexedThings.many(&world, 300)
        for (descending, expected) in [(false, ["n299", "n298", "n297"]), (true, ["n0", "n1", "n2"])] {
            let query = try #require(
                Query(IndexedThings.type, order: [Query.Order(name("day"), descending: descending)]))
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
        var world = try IndexedThings.world(on: engine)
        try IndexedThings.many(&world, 300)
        world.now = UTCTime(microseconds: world.now.microseconds + 1)
        try world.modify([
            .init(RecordDraft(name("n7"), IndexedThings.type, [name("count"): .integer(7)]), .changedKeys)
        ])
        let place = StoredPlace(Coordinate(clampedLatitude: 1.004, clampedLongitude: 13))
        for (order, limit, expected, most) in [
            (Query.Order(name("place"), from: place), 3, ["n100", "n101", "n99"], 40),
            (Query.Order(name("place"), from: place, descending: true), 2, ["n299", "n298"], 300),
            (Query.Order(SystemField.modified.field, descending: true), 1, ["n7"], 2),
            (Query.Order(SystemField.name.field), 2, ["n0", "n1"], 3),
        ] as [(Query.Order, Int, [String], Int)] {
            let query = try #require(Query(IndexedThings.type, order: [order]))
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
        var world = try IndexedThings.world(on: engine, rules: rules)
        try IndexedThings.many(&world, 300)
        let place = StoredPlace(Coordinate(clampedLatitude: 1.004, clampedLongitude: 13))
        let query = try #require(Query(IndexedThings.type, order: [Query.Order(name("place"), from: place)]))
        let page = try world.store.find(query, in: World.notes, limit: 10, by: World.phone).get()
        #expect(page.records.count == 10)
        let far = try #require(
            Query(IndexedThings.type, order: [Query.Order(name("place"), from: place, descending: true)]))
        let refused = try world.store.find(far, in: World.notes, limit: 10, by: World.phone)
        #expect(refused == .failure(.limitExceeded(.sortedRecords, most: 50)))
    }

    @Test(arguments: EngineKind.allCases, [[false], [true], [true, false]])
    func `what does not change is in one page of an order, whatever happens to others`(
        engine: EngineKind, directions: [Bool]
    ) throws {
        var random = SeededGenerator()
        var world = try IndexedThings.world(on: engine)
        for number in 0..<40 { try world.modify([.init(IndexedThings.draft("n\(number)", &random), .allKeys)]) }
        let order = zip(["count", "price"], directions).map { Query.Order(name($0.0), descending: $0.1) }
        let query = try #require(Query(IndexedThings.type, order: order))
        var found: [String] = []
        var page = QueryPage()
        var changed: Set<String> = []
        repeat {
            page = try world.store.find(query, in: World.notes, after: page.cursor, limit: 3, by: World.phone).get()
            found += page.records.map(\.name.text)
            let some = "n\(Int.random(in: 0..<20, using: &random))"
            changed.insert(some)
            if Bool.random(using: &random) {
                try world.modify([.init(IndexedThings.draft(some, &random), .allKeys)])
            } else {
                try world.modify(deleting: [.init(name(some))])
            }
            try world.modify([.init(IndexedThings.draft("m\(found.count)", &random), .allKeys)])
        } while page.cursor != nil
        let still = found.filter { !changed.contains($0) && $0.hasPrefix("n") }
        #expect(Set(still).count == still.count && still.count == 40 - changed.count)
    }

    @Test(arguments: EngineKind.allCases)
    func `records that no index orders are sorted up to a limit`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.sortedRecords = 20
        var world = try World.withNotes(on: engine, rules: rules)
        try IndexedThings.many(&world, 20)
        // Production without a schema has no index.
        let query = try #require(Query(IndexedThings.type, order: [Query.Order(name("day"))]))
        let expected = (0..<20).map { "n\(19 - $0)" }
        #expect(try IndexedThings.pages(query, world, limit: 6).map(\.name.text) == expected)
        try world.modify([.init(RecordDraft(name("other"), name("Note"), [:]))])
        let refused = Answer<QueryPage>.failure(.limitExceeded(.sortedRecords, most: 20))
        #expect(try world.store.find(query, in: World.notes, by: World.phone) == refused)
        // Two fields need a condition that few records fulfil.
        try world.deploy([IndexedThings.thing])
        try world.fillIndexes()
        #expect(try IndexedThings.pages(query, world, limit: 6).map(\.name.text) == expected)
        try world.modify([.init(RecordDraft(name("m"), IndexedThings.type, [:]))])
        let two = try #require(
            Query(IndexedThings.type, order: [Query.Order(name("day")), Query.Order(name("count"))]))
        #expect(try world.store.find(two, in: World.notes, by: World.phone) == refused)
        let few = try #require(
            Query(IndexedThings.type, .compare(name("count"), .less, .integer(3)), order: two.order))
        #expect(try IndexedThings.pages(few, world, limit: 2).map(\.name.text) == ["n2", "n1", "n0"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a record with more values than an index stores is found all the same`(engine: EngineKind) throws {
        var world = try IndexedThings.world(on: engine)
        let many = try #require(FieldList(.string, (0..<1_500).map { .string("tag\($0)") }))
        let few = try #require(FieldList(.string, [.string("tag1400"), .string("x")]))
        try world.modify([
            .init(RecordDraft(name("many"), IndexedThings.type, [name("tags"): .list(many)])),
            .init(RecordDraft(name("few"), IndexedThings.type, [name("tags"): .list(few)])),
        ])
        #expect(try world.engine.tables().entries[World.notes]?.count ?? 0 < 30)
        for filter in [#"{"field":"tags","contains":{"string":"tag1400"}}"#, #"{"words":"TAG1400"}"#] {
            let query = try Query(json: Array(#"{"type":"Thing","filter":\#(filter)}"#.utf8))
            #expect(try IndexedThings.pages(query, world, limit: 1).map(\.name.text).sorted() == ["few", "many"])
        }
        let query = try Query(
            json: Array(#"{"type":"Thing","filter":{"field":"tags","contains":{"string":"no"}}}"#.utf8))
        #expect(try IndexedThings.pages(query, world).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a cursor shows nothing of a record, and continues its own query only`(engine: EngineKind) throws {
        var world = try IndexedThings.world(on: engine)
        let secret = "confidential"
        for number in 0..<3 {
            try world.modify([
                .init(RecordDraft(name("n\(number)"), IndexedThings.type, [name("text"): .string(secret)]))
            ])
        }
        let query = try #require(Query(IndexedThings.type, order: [Query.Order(name("text"))]))
        let page = try world.store.find(query, in: World.notes, limit: 1, by: World.phone).get()
        let cursor = try #require(page.cursor)
        #expect(!String(decoding: cursor, as: UTF8.self).contains("confidential"))
        let foreign = Answer<QueryPage>.failure(.changeTokenExpired(.foreign))
        let other = try #require(Query(IndexedThings.type, order: [Query.Order(name("text"), descending: true)]))
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
        let world = try IndexedThings.world(on: engine)
        func refusal(_ text: String, type: String = "Thing") throws -> SchemaViolation? {
            let query = try Query(json: Array(#"{"type":"\#(type)",\#(text)}"#.utf8))
            guard
                case .failure(.notInSchema(let violation)) = try world.store.find(
                    query, in: World.notes, by: World.phone)
            else { return nil }
            return violation
        }
        #expect(
            try refusal(#""sort":[{"field":"plain"}]"#) == .indexMissing(IndexedThings.type, name("plain"), .sortable))
        #expect(try refusal(#""sort":[{"field":"unknown"}]"#) == .unknownField(IndexedThings.type, name("unknown")))
        let words = #""filter":{"field":"count","containsWords":{"string":"a"}}"#
        #expect(try refusal(words) == .indexMissing(IndexedThings.type, name("count"), .searchable))
        #expect(try refusal(#""filter":{"words":"a"}"#) == nil)
        try world.deploy([
            IndexedThings.thing,
            TypeDefinition(
                name("Other"), [name("place"): FieldDefinition(.init(.location), indexes: [.sortable, .queryable])]),
        ])
        #expect(try refusal(#""filter":{"words":"a"}"#, type: "Other") == .notSearchable(name("Other")))
        let shape = SchemaViolation.otherShape(name("Other"), name("place"), .init(.location))
        #expect(try refusal(#""sort":[{"field":"place"}]"#, type: "Other") == shape)
    }
}
