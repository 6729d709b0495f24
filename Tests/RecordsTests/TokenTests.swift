import RecordScript
import Records
import Testing

@Suite struct TokenTests {
    @Test(arguments: EngineKind.allCases)
    func `pages continue where the previous one ended, and nothing is skipped or repeated`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for number in 0..<10 { try world.save("n\(number)") }
        var page = try world.changes(limit: 3)
        var names = page.changed.map(\.name.text)
        while page.moreComing {
            page = try world.changes(since: page.token, limit: 3)
            names += page.changed.map(\.name.text)
        }
        #expect(names == (0..<10).map { "n\($0)" })
        let rest = try world.changes(since: page.token)
        #expect(rest.changed.isEmpty && rest.deleted.isEmpty && !rest.moreComing)
    }

    @Test(arguments: EngineKind.allCases)
    func `a page has a limited size, but at least one record`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.requestBytes = 150
        var world = try World.withNotes(on: engine, rules: rules)
        for number in 0..<4 { try world.save("n\(number)", String(repeating: "x", count: 30)) }
        #expect(try world.changes().changed.count == 2)
        world.store.rules.limits.requestBytes = 10
        #expect(try world.changes().changed.count == 1)
    }

    @Test(arguments: EngineKind.allCases)
    func `a first fetch has no deletions from before, and those from after its beginning`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for number in 0..<4 { try world.save("n\(number)") }
        try world.modify(deleting: [.init(name("n3"))])
        let first = try world.changes(limit: 1)
        #expect(first.changed.map(\.name.text) == ["n0"])
        try world.modify(deleting: [.init(name("n0"))])
        let second = try world.changes(since: first.token)
        #expect(second.changed.map(\.name.text) == ["n1", "n2"])
        #expect(second.deleted == [.init(name("n0"), name("Note"))])
    }

    @Test(arguments: EngineKind.allCases)
    func `every changed byte of a token is noticed`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        let token = try world.changes().token
        for index in token.indices {
            for bit in [UInt8(1), 0x80] {
                var forged = token
                forged[index] ^= bit
                let answer = try world.store.changes(of: World.notes, since: forged, by: World.phone)
                #expect(answer == .failure(.changeTokenExpired(.foreign)), "byte \(index)")
            }
        }
        for forged in [[], Array(token.dropLast()), token + [0], [UInt8](repeating: 0, count: 10_000)] {
            let answer = try world.store.changes(of: World.notes, since: forged, by: World.phone)
            #expect(answer == .failure(.changeTokenExpired(.foreign)))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a token is valid in its own place only`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.make("lists")
        try world.make("notes", by: World.bobs)
        let token = try world.changes().token
        let list = try world.databaseChanges().token
        let foreign = Answer<ZoneChanges>.failure(.changeTokenExpired(.foreign))
        #expect(try world.store.changes(of: World.zone("lists", World.alice), since: token, by: World.phone) == foreign)
        #expect(try world.store.changes(of: World.notes, since: list, by: World.phone) == foreign)
        let bobs = World.zone("notes", World.bob)
        #expect(try world.store.changes(of: bobs, since: token, by: World.bobs) == foreign)
        let database = try world.store.changes(of: World.database(World.alice), since: token, by: World.phone)
        #expect(database == .failure(.changeTokenExpired(.foreign)))
        let others = try world.store.changes(of: World.database(World.bob), since: list, by: World.bobs)
        #expect(others == .failure(.changeTokenExpired(.foreign)))
        var development = World.notes
        development.container.environment = .development
        let request = ModifyZones(development.container, of: World.alice, saves: [name("notes")])
        _ = try world.store.modify(request, by: World.phone, key: name("dev"), at: world.now)
        #expect(try world.store.changes(of: development, since: token, by: World.phone) == foreign)
        let other = RecordStore(world.engine, try TestSigner(8))
        #expect(try other.changes(of: World.notes, since: token, by: World.phone) == foreign)
    }

    @Test(arguments: EngineKind.allCases)
    func `a token from before a removed deletion expires, and one from after it does not`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        try world.save("n2")
        let before = try world.changes().token
        try world.modify(deleting: [.init(name("n1"))])
        let after = try world.changes().token
        world.wait(days: 89)
        #expect(try world.store.removeOld(at: world.now) == false)
        #expect(try world.changes(since: before).deleted.count == 1)
        world.wait(days: 2)
        _ = try world.store.removeOld(at: world.now)
        let expired = try world.store.changes(of: World.notes, since: before, by: World.phone)
        #expect(expired == .failure(.changeTokenExpired(.outdated)))
        #expect(try world.changes(since: after).changed.isEmpty)
        #expect(try world.changes().changed.map(\.name.text) == ["n2"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a first fetch in pages ends although old deletions were removed before`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for number in 0..<4 { try world.save("n\(number)") }
        try world.modify(deleting: [.init(name("n3"))])
        world.wait(days: 100)
        _ = try world.store.removeOld(at: world.now)
        var page = try world.changes(limit: 1)
        var count = page.changed.count
        while page.moreComing {
            page = try world.changes(since: page.token, limit: 1)
            count += page.changed.count
        }
        #expect(count == 3)
    }

    @Test(arguments: EngineKind.allCases)
    func `a first fetch that is interrupted until deletions from after its beginning are removed starts again`(
        engine: EngineKind
    )
        throws
    {
        var world = try World.withNotes(on: engine)
        for number in 0..<4 { try world.save("n\(number)") }
        let page = try world.changes(limit: 1)
        try world.modify(deleting: [.init(name("n0"))])
        world.wait(days: 100)
        _ = try world.store.removeOld(at: world.now)
        let expired = try world.store.changes(of: World.notes, since: page.token, by: World.phone)
        #expect(expired == .failure(.changeTokenExpired(.outdated)))
    }

    @Test(arguments: EngineKind.allCases)
    func `deletions of zones are forgotten with time, and older lists expire`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let before = try world.databaseChanges().token
        try world.delete("notes", reason: .purged)
        let after = try world.databaseChanges().token
        world.wait(days: 91)
        _ = try world.store.removeOld(at: world.now)
        let database = World.database(World.alice)
        let expired = try world.store.changes(of: database, since: before, by: World.phone)
        #expect(expired == .failure(.changeTokenExpired(.outdated)))
        #expect(try world.databaseChanges(since: after).deleted.isEmpty)
        let zone = try world.store.changes(of: World.notes, since: nil, by: World.phone)
        #expect(zone == .failure(.zoneNotFound(nil)))
        try world.make("notes")
        try world.save("n1")
        #expect(try world.databaseChanges(since: after).changed == [World.notes])
    }

    @Test(arguments: EngineKind.allCases)
    func `a record that was made again is not removed with its old deletion`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        try world.modify(deleting: [.init(name("n1"))])
        world.wait(days: 91)
        try world.save("n1", "again")
        _ = try world.store.removeOld(at: world.now)
        #expect(try world.changes().changed.map(\.name.text) == ["n1"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a record that is made again while old deletions are removed stays`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        try world.modify(deleting: [.init(name("n1")), .init(name("n2"))])
        world.wait(days: 91)
        let (store, now) = (world.store, world.now)
        world.engine.afterRead = {
            let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "again"))])
            do { _ = try store.modify(request, by: World.laptop, key: name("k"), at: now) } catch {
                Issue.record("\(error)")
            }
        }
        _ = try world.store.removeOld(at: world.now)
        #expect(try world.changes().changed.map(\.name.text) == ["n1"])
    }

    @Test(arguments: EngineKind.allCases)
    func `ageing in steps says when it is done`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        for number in 0..<5 { try world.save("n\(number)") }
        try world.modify(deleting: (0..<5).map { .init(name("n\($0)")) })
        world.wait(days: 91)
        #expect(try world.store.removeOld(at: world.now, limit: 2))
        while try world.store.removeOld(at: world.now, limit: 2) {}
        #expect(try world.engine.tables().records.isEmpty)
        #expect(try world.engine.tables().answers.isEmpty)
    }
}
