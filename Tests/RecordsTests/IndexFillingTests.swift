import Location
import RecordScript
import TestSupport
import Testing

@testable import Records

/// Indexes of types that have records already.
@Suite(.timeLimit(.minutes(5))) struct IndexFillingTests {
    @Test(arguments: EngineKind.allCases)
    func `a new index is filled in parts, and used when it is complete`(engine: EngineKind) throws {
        let before = TypeDefinition(
            IndexedThings.type,
            IndexedThings.thing.fields.mapValues {
                FieldDefinition($0.shape, indexes: $0.indexes.intersection([.queryable]))
            })
        var world = try IndexedThings.world(on: engine, [before])
        try world.make("lists")
        let lists = World.zone("lists", World.alice)
        var random = SeededGenerator()
        for number in 0..<30 {
            for zone in [World.notes, lists] {
                try world.modify([.init(IndexedThings.draft("n\(number)", &random), .allKeys)], in: zone)
            }
        }
        try world.deploy([IndexedThings.thing])
        let query = try #require(Query(IndexedThings.type, .compare(name("count"), .greater, .integer(0))))
        var filling = try world.store.fillIndexes(nil, limit: 7)
        var parts = 0
        while let state = filling {
            // It finds everything meanwhile, without the index.
            let evaluated = world.engine.foundByIndex
            #expect(try IndexedThings.pages(query, world).count == IndexedThings.evaluate(query, world).count)
            #expect(world.engine.foundByIndex == evaluated)
            parts += 1
            for zone in [World.notes, lists, World.zone("", World.alice)] {
                try world.modify([.init(IndexedThings.draft("n\(parts)", &random), .allKeys)], in: zone)
                try world.modify(deleting: [.init(name("n\(30 - parts)"))], in: zone)
            }
            // Another hub does the same, and a part is repeated.
            _ = try world.store.fillIndexes(state, limit: 3)
            filling = try world.store.fillIndexes(state, limit: 7)
        }
        #expect(parts > 10)
        #expect(try world.engine.tables().types[World.container]?[IndexedThings.type]?.unfilled == [])
        try world.expectExactEntries([IndexedThings.thing])
        let evaluated = world.engine.foundByIndex
        #expect(try IndexedThings.pages(query, world).count == IndexedThings.evaluate(query, world).count)
        #expect(world.engine.foundByIndex > evaluated)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a schema that changes while an index is filled is filled too`(engine: EngineKind) throws {
        var world = try IndexedThings.world(on: engine, [])
        var random = SeededGenerator()
        let sandbox = ZoneID(Container(World.container.name, .development), owner: World.alice, .defaultZone)
        for number in 0..<9 {
            try world.modify([.init(IndexedThings.draft("n\(number)", &random), .allKeys)], in: sandbox)
        }
        func schema(_ indexes: Set<FieldIndex>) -> Schema {
            Schema([
                TypeDefinition(
                    IndexedThings.type,
                    IndexedThings.thing.fields.filter { $0.key.systemField == nil }.mapValues {
                        FieldDefinition($0.shape, indexes: indexes)
                    })
            ])
        }
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([.queryable])).get()
        let filling = try #require(try world.store.fillIndexes(nil, limit: 5))
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([.searchable, .sortable])).get()
        var next = try world.store.fillIndexes(filling, limit: 5)
        while let state = next { next = try world.store.fillIndexes(state, limit: 5) }
        let type = try #require(schema([.searchable, .sortable]).types[IndexedThings.type])
        try world.expectExactEntries([type], in: sandbox)
        // An index that development has no longer is removed.
        _ = try world.store.replaceSchema(of: World.container.name, by: schema([])).get()
        #expect(try world.engine.tables().entries.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a type without indexes has no entries and no further statement`(engine: EngineKind) throws {
        var world = try IndexedThings.world(
            on: engine, [TypeDefinition(name("Note"), [name("text"): FieldDefinition(.init(.string))])])
        try world.save("n1")
        let before = world.engine.calls
        try world.save("n2")
        #expect(world.engine.calls - before == 17)
        #expect(try world.engine.tables().entries.isEmpty)
    }
}
