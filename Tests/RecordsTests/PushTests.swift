import RecordScript
import Records
import Testing

@Suite struct PushTests {
    /// A world with two registered devices of one account and one of another, all subscribed to their databases.
    private static func world(on engine: EngineKind) throws -> World {
        let world = try World.withNotes(on: engine)
        for caller in [World.phone, World.laptop, World.bobs] {
            #expect(try world.register(caller) == nil)
        }
        for (caller, account) in [(World.phone, World.alice), (World.bobs, World.bob)] {
            let refusal = try world.store.subscribe(
                Subscription(name("all"), .database), in: World.database(account), by: caller
            ).answer
            #expect(refusal == nil)
        }
        return world
    }

    private static func pending(_ world: World, _ caller: Caller) throws -> [Push] {
        try world.store.pushes(to: caller).get()
    }

    @Test(arguments: EngineKind.allCases)
    func `a change is pushed to every other device of the account, and to nobody else`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        let reply = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        let target = PushTarget(World.container, World.alice, name("laptop"))
        #expect(reply.pushes.map(\.target) == [target])
        #expect(reply.pushes.map(\.zone) == [World.notes])
        #expect(try Self.pending(world, World.laptop) == reply.pushes)
        #expect(try Self.pending(world, World.phone).isEmpty)
        #expect(try Self.pending(world, World.bobs).isEmpty)
        try world.make("notes", by: World.bobs)
        #expect(try Self.pending(world, World.laptop) == reply.pushes)
    }

    @Test(arguments: EngineKind.allCases)
    func `many changes are one push for each zone, which remains until the last is acknowledged`(engine: EngineKind)
        throws
    {
        var world = try Self.world(on: engine)
        for number in 0..<5 { try world.save("n\(number)") }
        let first = try Self.pending(world, World.laptop)
        #expect(first.count == 1)
        try world.save("n9")
        #expect(try world.store.acknowledge(first, by: World.laptop) == nil)
        let second = try Self.pending(world, World.laptop)
        #expect(second.count == 1)
        _ = try world.store.acknowledge(second, by: World.laptop)
        #expect(try Self.pending(world, World.laptop).isEmpty)
        _ = try world.store.acknowledge(second, by: World.laptop)
    }

    @Test(arguments: EngineKind.allCases)
    func `a refused change is not pushed`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        try world.modify([.init(draft("n1", "x", tag: ChangeTag(incarnation: 1, counter: 1)))])
        try world.modify(deleting: [.init(name("n1"))])
        #expect(try Self.pending(world, World.laptop).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `zones that are made and deleted are pushed`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        try world.make("lists")
        try world.delete("notes")
        #expect(try Self.pending(world, World.laptop).map(\.zone.name.text) == ["lists", "notes"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone that was made again is pushed although the push of its deletion is acknowledged`(engine: EngineKind)
        throws
    {
        var world = try Self.world(on: engine)
        try world.save("n1")
        let old = try Self.pending(world, World.laptop)
        try world.delete("notes")
        try world.make("notes")
        _ = try world.store.acknowledge(old, by: World.laptop)
        #expect(try Self.pending(world, World.laptop).count == 1)
    }

    @Test(arguments: EngineKind.allCases)
    func `a subscription to a zone covers that zone only`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.make("lists")
        for caller in [World.phone, World.laptop] {
            _ = try world.register(caller)
        }
        let database = World.database(World.alice)
        _ = try world.store.subscribe(Subscription(name("n"), .zone(World.notes)), in: database, by: World.phone)
        try world.save("n1", in: World.zone("lists", World.alice))
        #expect(try Self.pending(world, World.laptop).isEmpty)
        try world.save("n1")
        #expect(try Self.pending(world, World.laptop).map(\.zone) == [World.notes])
    }

    @Test(arguments: EngineKind.allCases)
    func `nobody is woken without a subscription or a registration`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        _ = try world.store.unsubscribe(name("all"), in: World.database(World.alice), by: World.laptop)
        #expect(try world.store.subscriptions(in: World.database(World.alice), by: World.phone) == .success([]))
        try world.save("n1")
        #expect(try Self.pending(world, World.laptop).isEmpty)
        _ = try world.store.subscribe(
            Subscription(name("all"), .database), in: World.database(World.alice), by: World.phone)
        try world.save("n2")
        #expect(try Self.pending(world, World.laptop).count == 1)
        _ = try world.store.unregister(from: World.container, by: World.laptop)
        #expect(try Self.pending(world, World.laptop).isEmpty)
        try world.save("n3")
        #expect(try Self.pending(world, World.laptop).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `nobody subscribes to or acknowledges what belongs to others`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let all = Subscription(name("spy"), .database)
        #expect(try world.store.subscribe(all, in: World.database(World.alice), by: World.bobs).answer == .notPermitted)
        let zone = Subscription(name("spy"), .zone(World.notes))
        #expect(try world.store.subscribe(zone, in: World.database(World.bob), by: World.bobs).answer == .notPermitted)
        #expect(
            try world.store.subscribe(all, in: World.database(World.alice), by: .anonymous).answer == .notAuthenticated)
        try world.save("n1")
        let pushes = try Self.pending(world, World.laptop)
        #expect(try world.store.acknowledge(pushes, by: World.bobs) == .notPermitted)
        #expect(try Self.pending(world, World.laptop) == pushes)
    }

    @Test(arguments: EngineKind.allCases)
    func `subscriptions and devices have limits, and replacing one needs no room`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.subscriptions = 1
        rules.limits.devices = 1
        var world = try World(on: engine)
        for caller in [World.phone, World.laptop] { try world.store.join(caller) }
        world.store = TestStore(world.engine, try TestSigner(), rules: rules)
        let database = World.database(World.alice)
        for subject in ["a", "a", "b"] {
            let refusal = try world.store.subscribe(
                Subscription(name(subject), .database), in: database, by: World.phone
            ).answer
            #expect(refusal == (subject == "b" ? .limitExceeded(.subscriptions, most: 1) : nil))
        }
        for (caller, isRefused) in [(World.phone, false), (World.phone, false), (World.laptop, true)] {
            let refusal = try world.store.register(in: World.container, by: caller)
            #expect(refusal == (isRefused ? .limitExceeded(.devices, most: 1) : nil))
        }
    }
}
