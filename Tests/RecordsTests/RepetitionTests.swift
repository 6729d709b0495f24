import Records
import Testing

@Suite struct RepetitionTests {
    @Test(arguments: EngineKind.allCases)
    func `a request that is sent twice is done once, with the same answer and no further push`(engine: EngineKind)
        throws
    {
        var world = try World.withNotes(on: engine)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        let first = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        try world.modify(deleting: [.init(name("n1"))], by: World.laptop)
        world.wait(days: 1)
        let second = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(second == Reply(first.answer, isRepeated: true))
        #expect(try world.changes().changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a refusal is repeated too, also if the request would be done now`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "y"))])
        let first = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        try world.modify(deleting: [.init(name("n1"))], by: World.laptop)
        let second = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(second.answer == first.answer.withoutRecords)
        #expect(try world.changes().changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `no record is stored with an answer, and none is repeated to who may not read it any more`(engine: EngineKind)
        throws
    {
        var world = try World.withNotes(on: engine)
        for (action, caller) in [(ModifySharing.Action.invite(World.bob, .write), World.phone), (.accept, World.bobs)] {
            let sharing = ModifySharing(World.notes, action)
            _ = try world.store.modify(sharing, by: caller, key: world.nextKey(), at: world.now)
        }
        try world.save("n1", "a secret of Alice")
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "y"))])
        let first = try world.store.modify(request, by: World.bobs, key: name("k"), at: world.now)
        #expect(first.answer != first.answer.withoutRecords)
        let withdrawal = ModifySharing(World.notes, .withdraw(World.bob))
        _ = try world.store.modify(withdrawal, by: World.phone, key: name("w"), at: world.now)
        let second = try world.store.modify(request, by: World.bobs, key: name("k"), at: world.now)
        #expect(second == Reply(first.answer.withoutRecords, isRepeated: true))
        for row in try world.engine.tables().answers.values {
            #expect(!String(decoding: row.answer, as: UTF8.self).contains("secret"))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a request to a zone that did not exist is not done later`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        _ = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        try world.make("notes")
        let second = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(second.answer == .refused(.zoneNotFound(nil)))
    }

    @Test(arguments: EngineKind.allCases)
    func `a key with another request is refused, and the first answer stays`(engine: EngineKind) throws {
        let world = try World.withNotes(on: engine)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        let first = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        for other in [
            ModifyRecords(World.notes, saves: [.init(draft("n1", "y"))]),
            ModifyRecords(World.notes, saves: [.init(draft("n1", "x"), .allKeys)]),
            ModifyRecords(World.zone("", World.alice), saves: [.init(draft("n1", "x"))]),
        ] {
            let reply = try world.store.modify(other, by: World.phone, key: name("k"), at: world.now)
            #expect(reply.answer == .refused(.requestKeyReused))
        }
        let zones = ModifyZones(World.container, of: World.alice, saves: [name("z")])
        let reply = try world.store.modify(zones, by: World.phone, key: name("k"), at: world.now)
        #expect(reply.answer == .refused(.requestKeyReused))
        let again = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(again.answer == first.answer)
    }

    @Test(arguments: EngineKind.allCases)
    func `keys of two devices, accounts and containers are different keys`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.make("notes", by: World.bobs)
        for (zone, caller, record) in [
            (World.notes, World.phone, "n1"), (World.notes, World.laptop, "n2"),
            (World.zone("notes", World.bob), World.bobs, "n3"),
        ] {
            let request = ModifyRecords(zone, saves: [.init(draft(record, "x"))])
            let reply = try world.store.modify(request, by: caller, key: name("same"), at: world.now)
            #expect(!reply.isRepeated && reply.answer != .refused(.requestKeyReused))
        }
        #expect(try world.changes().changed.count == 2)
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone request that is sent twice is done once`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let request = ModifyZones(World.container, of: World.alice, saves: [name("notes")])
        let first = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        try world.delete("notes")
        let second = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(second == Reply(first.answer, isRepeated: true))
        #expect(try world.databaseChanges().changed.isEmpty)
    }
}
