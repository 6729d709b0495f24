import Records
import Testing

@Suite struct ZoneTests {
    @Test(arguments: EngineKind.allCases)
    func `a zone is listed once it was made, and as deleted with its reason`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let start = try world.databaseChanges()
        #expect(start.changed.isEmpty)
        try world.make("notes", "lists")
        let made = try world.databaseChanges(since: start.token)
        #expect(made.changed == [World.notes, World.zone("lists", World.alice)])
        try world.delete("notes", reason: .encryptedDataReset)
        let deleted = try world.databaseChanges(since: made.token)
        #expect(deleted.changed.isEmpty)
        #expect(deleted.deleted == [.init(World.notes, .encryptedDataReset)])
    }

    @Test(arguments: EngineKind.allCases)
    func `making a zone that exists and deleting one that does not change nothing`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let token = try world.databaseChanges().token
        #expect(try world.make("notes").answer == .outcomes([.saved]))
        #expect(try world.delete("other").answer == .outcomes([.deleted]))
        let changes = try world.databaseChanges(since: token)
        #expect(changes.changed.isEmpty && changes.deleted.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone that was deleted answers why`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for reason in [ZoneDeletionReason.deleted, .purged, .encryptedDataReset] {
            try world.make("notes")
            try world.delete("notes", reason: reason)
            let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
            let reply = try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now)
            #expect(reply.answer == .refused(.zoneNotFound(reason)))
        }
        let other = try world.store.changes(of: World.zone("other", World.alice), since: nil, by: World.phone)
        #expect(other == .failure(.zoneNotFound(nil)))
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone that was deleted and made again is both removed and fetched`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        let database = try world.databaseChanges().token
        let token = try world.changes().token
        try world.delete("notes", reason: .purged)
        try world.make("notes")
        let changes = try world.databaseChanges(since: database)
        #expect(changes.changed == [World.notes])
        #expect(changes.deleted == [.init(World.notes, .purged)])
        let expired = try world.store.changes(of: World.notes, since: token, by: World.phone)
        #expect(expired == .failure(.changeTokenExpired(.replaced)))
        #expect(try world.changes().changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `tags of a zone that was deleted match no record of the next`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let old = try world.save("n1")
        try world.delete("notes")
        try world.make("notes")
        let new = try world.save("n1")
        #expect(old.counter == new.counter)
        #expect(old != new)
    }

    @Test(arguments: EngineKind.allCases)
    func `the list of zones comes in pages, and a zone that changes meanwhile comes later`(engine: EngineKind) throws {
        var world = try World(on: engine)
        try world.make("a", "b", "c", "d", "e")
        var page = try world.databaseChanges(limit: 2)
        var seen = page.changed.map(\.name.text)
        #expect(page.moreComing)
        try world.save("n1", in: World.zone("a", World.alice))
        while page.moreComing {
            page = try world.databaseChanges(since: page.token, limit: 2)
            seen += page.changed.map(\.name.text)
        }
        #expect(seen == ["a", "b", "c", "d", "e", "a"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a first list has no deletions from before, and all from after its beginning`(engine: EngineKind) throws {
        var world = try World(on: engine)
        try world.make("a", "b", "c")
        try world.delete("a")
        let first = try world.databaseChanges(limit: 1)
        #expect(first.changed.map(\.name.text) == ["b"] && first.deleted.isEmpty)
        try world.delete("b")
        let second = try world.databaseChanges(since: first.token)
        #expect(second.changed.map(\.name.text) == ["c"])
        #expect(second.deleted.map(\.zone.name.text) == ["b"])
        let fresh = try world.databaseChanges()
        #expect(fresh.changed.map(\.name.text) == ["c"] && fresh.deleted.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `the default zone is neither made nor deleted`(engine: EngineKind) throws {
        let world = try World(on: engine)
        for request in [
            ModifyZones(World.container, of: World.alice, saves: [.defaultZone]),
            ModifyZones(World.container, of: World.alice, deletions: [.defaultZone]),
        ] {
            let reply = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
            #expect(reply.answer == .refused(.invalidRequest(.defaultZone)))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a database has a limited number of zones, and a batch beyond it makes none`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.zones = 3
        var world = try World(on: engine, rules: rules)
        try world.make("a", "b")
        #expect(try world.make("c", "d").answer == .refused(.limitExceeded(.zones, most: 3)))
        #expect(try world.databaseChanges().changed.count == 2)
        try world.make("c")
        let request = ModifyZones(World.container, of: World.alice, saves: [name("d")], deletions: [name("a")])
        let reply = try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now)
        #expect(reply.answer == .outcomes([.saved, .deleted]))
        #expect(try world.databaseChanges().changed.map(\.name.text) == ["b", "c", "d"])
    }
}
