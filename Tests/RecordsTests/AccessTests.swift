import Location
import Records
import Testing

@Suite struct AccessTests {
    @Test(arguments: [World.bobs, Caller.anonymous], EngineKind.allCases)
    func `nobody else reaches a private zone, whether or not it exists`(caller: Caller, engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1", "secret")
        let refusal: Refusal = caller == .anonymous ? .notAuthenticated : .notPermitted
        let before = try world.engine.tables()
        for zone in [World.notes, World.zone("other", World.alice), World.zone("", World.alice)] {
            #expect(try world.store.changes(of: zone, since: nil, by: caller) == .failure(refusal))
            #expect(try world.store.records([name("n1")], in: zone, by: caller) == .failure(refusal))
            for request in [
                ModifyRecords(zone, saves: [.init(draft("n1", "x"), .allKeys)]),
                ModifyRecords(zone, deletions: [.init(name("n1"))]),
            ] {
                let reply = try world.store.modify(request, by: caller, key: world.nextKey(), at: world.now)
                #expect(reply.answer == .refused(refusal))
            }
        }
        let zones = ModifyZones(World.container, of: World.alice, deletions: [name("notes")])
        let reply = try world.store.modify(zones, by: caller, key: world.nextKey(), at: world.now)
        #expect(reply.answer == .refused(refusal))
        let database = World.database(World.alice)
        #expect(try world.store.changes(of: database, since: nil, by: caller) == .failure(refusal))
        #expect(try world.store.subscriptions(in: database, by: caller) == .failure(refusal))
        #expect(try world.engine.tables().records == before.records)
        #expect(try world.engine.tables().zones == before.zones)
        #expect(try world.engine.tables().subscriptions == before.subscriptions)
    }

    @Test(arguments: EngineKind.allCases)
    func `in the public database everybody reads, and the creator writes`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let zone = World.zone("", nil)
        try world.save("p1", "hello", in: zone)
        for caller in [World.bobs, .anonymous, World.phone] {
            #expect(try world.store.records([name("p1")], in: zone, by: caller).get().count == 1)
        }
        let stranger = try world.modify([.init(draft("p1", "x"), .allKeys)], in: zone, by: World.bobs)
        #expect(stranger == [.notPermitted])
        #expect(try world.modify(deleting: [.init(name("p1"))], in: zone, by: World.bobs) == [.notPermitted])
        #expect(try world.modify(deleting: [.init(name("p1"))], in: zone, by: World.laptop) == [.deleted])
        let request = ModifyRecords(zone, saves: [.init(draft("p2", "x"))])
        let reply = try world.store.modify(request, by: .anonymous, key: name("k"), at: world.now)
        #expect(reply.answer == .refused(.notAuthenticated))
    }

    @Test(arguments: EngineKind.allCases)
    func `roles on a type decide who reads, creates and writes`(engine: EngineKind) throws {
        var world = try World(on: engine)
        try world.deploy(roles: RecordRoles(world: [], authenticated: [.create, .write], creator: [.read]))
        let zone = World.zone("", nil)
        try world.save("p1", "x", in: zone)
        #expect(try world.store.records([name("p1")], in: zone, by: .anonymous).get().isEmpty)
        #expect(try world.store.records([name("p1")], in: zone, by: World.bobs).get().isEmpty)
        #expect(try world.store.records([name("p1")], in: zone, by: World.laptop).get().count == 1)
        // Who may write but not read learns that there is a conflict, and nothing of the record.
        guard case .conflict(let conflict) = try world.modify([.init(draft("p1", "y"))], in: zone, by: World.bobs).first
        else {
            Issue.record("no conflict")
            return
        }
        #expect(conflict.server == nil && conflict.ancestor == nil)
        let change = try world.modify([.init(draft("p1", "y"), .allKeys)], in: zone, by: World.bobs)
        #expect(change.first?.isDone == true)
        try world.deploy(roles: RecordRoles(world: [.read], authenticated: [], creator: []))
        #expect(try world.modify([.init(draft("p2", "y"))], in: zone, by: World.bobs) == [.notPermitted])
    }

    @Test(arguments: EngineKind.allCases)
    func `the public database has one zone, and no changes to fetch or subscribe to`(engine: EngineKind) throws {
        let world = try World(on: engine)
        let other = ModifyRecords(World.zone("other", nil), saves: [.init(draft("n", "x"))])
        let reply = try world.store.modify(other, by: World.phone, key: name("k"), at: world.now)
        #expect(reply.answer == .refused(.notPermitted))
        let refusal = Refusal.invalidRequest(.publicDatabase)
        let database = DatabaseID(World.container, .everybody)
        #expect(try world.store.changes(of: World.zone("", nil), since: nil, by: World.phone) == .failure(refusal))
        #expect(try world.store.changes(of: database, since: nil, by: World.phone) == .failure(refusal))
        let all = Subscription(name("all"), .database)
        #expect(try world.store.subscribe(all, in: database, by: World.phone).answer == refusal)
    }

    @Test(arguments: EngineKind.allCases)
    func `the environments of a container share nothing`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        var development = World.notes
        development.container.environment = .development
        let answer = try world.store.changes(of: development, since: nil, by: World.phone)
        #expect(answer == .failure(.zoneNotFound(nil)))
    }
}
