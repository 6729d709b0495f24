import JSONText
import RecordScript
import Records
import Testing

/// Subscriptions to queries.
@Suite struct QuerySubscriptionTests {
    private static let open = "open"

    private static func query(_ text: String = open) throws -> Query {
        try #require(Query(name("Note"), .compare(name("text"), .beginsWith, .string(text))))
    }

    private static func subject(
        _ events: Set<QuerySubject.Event>, in zone: ZoneID? = nil, once: Bool = false
    ) throws -> Subscription.Subject {
        .query(QuerySubject(try query(), in: zone, on: events, once: once))
    }

    /// A world in which two devices of alice and one of bob get pushes, and nobody subscribes.
    private static func world(on engine: EngineKind) throws -> World {
        let world = try World.withNotes(on: engine)
        for caller in [World.phone, World.laptop, World.bobs] { #expect(try world.register(caller) == nil) }
        return world
    }

    private static func pending(_ world: World, _ caller: Caller) throws -> [String] {
        try world.store.pushes(to: caller).get().map { $0.subscription?.text ?? $0.zone.name.text }
    }

    /// Acknowledges all pushes, and returns what they were about.
    private static func acknowledgeAll(_ world: World, _ caller: Caller) throws -> [String] {
        let names = try pending(world, caller)
        #expect(try world.store.acknowledge(world.store.pushes(to: caller).get(), by: caller) == nil)
        #expect(try pending(world, caller).isEmpty)
        return names
    }

    private static func subscribe(
        _ world: World, _ text: String, _ subject: Subscription.Subject, in database: DatabaseID? = nil,
        by caller: Caller = World.laptop
    ) throws -> Refusal? {
        let own = World.database(caller.account ?? World.alice)
        return try world.store.subscribe(Subscription(name(text), subject), in: database ?? own, by: caller).answer
    }

    @Test(
        arguments: EngineKind.allCases,
        [
            ([.create], [true, false, false, false]), ([.update], [false, true, false, false]),
            ([.delete], [false, false, false, true]), ([.create, .update, .delete], [true, true, false, true]),
        ] as [(Set<QuerySubject.Event>, [Bool])])
    func `the events of records that the query finds are pushed, and no others`(
        engine: EngineKind, on: (events: Set<QuerySubject.Event>, expected: [Bool])
    ) throws {
        var world = try Self.world(on: engine)
        #expect(try Self.subscribe(world, "open", Self.subject(on.events)) == nil)
        func save(_ text: String) throws { try world.modify([.init(draft("n1", text), .allKeys)]) }
        var found: [Bool] = []
        try save("open 1")
        found.append(try Self.acknowledgeAll(world, World.laptop) == ["open"])
        try save("open 2")
        found.append(try Self.acknowledgeAll(world, World.laptop) == ["open"])
        // A record that the query finds no longer, and others that it never does.
        try save("closed")
        try save("closed too")
        try world.modify(deleting: [.init(name("n1"))])
        found.append(try Self.acknowledgeAll(world, World.laptop) == ["open"])
        try save("closed")
        try save("open again")
        _ = try Self.acknowledgeAll(world, World.laptop)
        try world.modify(deleting: [.init(name("n1")), .init(name("n2"))])
        found.append(try Self.acknowledgeAll(world, World.laptop) == ["open"])
        #expect(found == on.expected)
        #expect(try Self.pending(world, World.phone).isEmpty)
        #expect(try Self.pending(world, World.bobs).isEmpty)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a push of a query says nothing but the subscription, and is one for many changes`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        #expect(try Self.subscribe(world, "open", Self.subject([.create])) == nil)
        #expect(try Self.subscribe(world, "all", .database) == nil)
        let lists = World.zone("lists", World.alice)
        try world.make("lists")
        _ = try Self.acknowledgeAll(world, World.laptop)
        #expect(try Self.subscribe(world, "lists", Self.subject([.create], in: lists)) == nil)
        for number in 0..<3 { try world.save("n\(number)", "open secret") }
        let first = try world.store.pushes(to: World.laptop).get()
        #expect(first.map { $0.subscription?.text } == [nil, "open"])
        #expect(first.allSatisfy { $0.zone == World.notes && $0.database == World.database(World.alice) })
        let text = String(decoding: first.json, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("n1"), "\(text)")
        guard case .device(let device, let account) = World.laptop else { return }
        #expect(try [Push](to: AccountDevice(account, device), json: first.json) == first)
        // A later change renews it.
        try world.save("n9", "open")
        #expect(try world.store.acknowledge(first, by: World.laptop) == nil)
        #expect(try Self.acknowledgeAll(world, World.laptop) == ["notes", "open"])
        try world.save("l1", "open", in: lists)
        #expect(try Self.acknowledgeAll(world, World.laptop) == ["lists", "lists", "open"])
        // The device that makes the change gets none, whoever has subscribed.
        try world.save("n10", "open", by: World.laptop)
        #expect(try Self.pending(world, World.laptop).isEmpty)
        #expect(try Self.acknowledgeAll(world, World.phone).contains("open"))
    }

    @Test(arguments: EngineKind.allCases)
    func `a subscription for once is removed with its first push`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        #expect(try Self.subscribe(world, "once", Self.subject([.create], once: true)) == nil)
        try world.save("n1", "closed")
        #expect(try world.store.subscriptions(in: World.database(World.alice), by: World.phone).get().count == 1)
        try world.modify([.init(draft("n2", "open")), .init(draft("n3", "open"))])
        #expect(try Self.acknowledgeAll(world, World.laptop) == ["once"])
        #expect(try world.store.subscriptions(in: World.database(World.alice), by: World.phone) == .success([]))
        try world.save("n4", "open")
        #expect(try Self.pending(world, World.laptop).isEmpty)
        // A change by the only device that gets pushes is pushed to nobody, and so is not the first one.
        #expect(try Self.subscribe(world, "once", Self.subject([.create], once: true)) == nil)
        #expect(try world.store.unregister(from: World.container, by: World.phone) == nil)
        try world.save("n5", "open", by: World.laptop)
        #expect(try world.store.subscriptions(in: World.database(World.alice), by: World.phone).get().count == 1)
        #expect(try world.register(World.phone) == nil)
        try world.save("n6", "open", by: World.laptop)
        #expect(try Self.acknowledgeAll(world, World.phone) == ["once"])
        #expect(try world.store.subscriptions(in: World.database(World.alice), by: World.phone) == .success([]))
        // In the public database too.
        let everybody = DatabaseID(World.container, .everybody)
        let once = try Self.subject([.create], once: true)
        #expect(try Self.subscribe(world, "once", once, in: everybody, by: World.bobs) == nil)
        for number in 0..<2 {
            try world.save("p\(number)", "open", in: World.zone("", nil))
            #expect(try Self.acknowledgeAll(world, World.bobs) == (number == 0 ? ["once"] : []))
        }
        #expect(try world.store.subscriptions(in: everybody, by: World.bobs) == .success([]))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a change of the public database is pushed to all who subscribe and may read it`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let everybody = DatabaseID(World.container, .everybody)
        let zone = World.zone("", nil)
        let any = try Self.subject([.create, .update, .delete])
        #expect(try Self.subscribe(world, "a", any, in: everybody, by: World.phone) == nil)
        #expect(try Self.subscribe(world, "b", any, in: everybody, by: World.bobs) == nil)
        #expect(try Self.subscribe(world, "c", Self.subject([.create], in: zone), in: everybody, by: World.bobs) == nil)
        #expect(try world.store.subscriptions(in: everybody, by: World.laptop).get().map(\.name.text) == ["a"])
        #expect(try world.store.subscriptions(in: everybody, by: World.bobs).get().map(\.name.text) == ["b", "c"])

        try world.save("p1", "open", in: zone)
        #expect(try Self.acknowledgeAll(world, World.phone).isEmpty)
        #expect(try Self.acknowledgeAll(world, World.laptop) == ["a"])
        let pushes = try world.store.pushes(to: World.bobs).get()
        #expect(pushes.map(\.database) == [everybody, everybody] && pushes.map(\.zone) == [zone, zone])
        #expect(try Self.acknowledgeAll(world, World.bobs) == ["b", "c"])
        try world.modify([.init(draft("p1", "open still"), .allKeys)], in: zone)
        try world.save("p2", "closed", in: zone)
        #expect(try Self.acknowledgeAll(world, World.bobs) == ["b"])

        // Only the creator reads: the others get no sign that there is something.
        try world.deploy(roles: RecordRoles(world: [], authenticated: [.create], creator: [.read, .write]))
        _ = try Self.acknowledgeAll(world, World.laptop)
        try world.modify([.init(draft("p1", "open anew"), .allKeys)], in: zone)
        try world.modify(deleting: [.init(name("p1"))], in: zone)
        #expect(try Self.acknowledgeAll(world, World.laptop) == ["a"])
        #expect(try Self.pending(world, World.bobs).isEmpty)

        try world.save("p3", "open", in: zone, by: World.bobs)
        #expect(try Self.pending(world, World.laptop).isEmpty)
        #expect(try world.store.unsubscribe(name("a"), in: everybody, by: World.laptop).answer == nil)
        #expect(try world.store.subscriptions(in: everybody, by: World.phone) == .success([]))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `subscriptions of the public database are found by the value that they require, and others are evaluated`(
        engine: EngineKind
    ) throws {
        var world = try Self.world(on: engine)
        let everybody = DatabaseID(World.container, .everybody)
        let zone = World.zone("", nil)
        let long = String(repeating: "a", count: 200)
        func equal(_ field: String, _ value: FieldValue) -> Query.Filter { .compare(name(field), .equal, value) }
        let filters: [(String, Query.Filter?)] = [
            ("any", nil), ("both", .all([equal("text", .string("b")), equal("count", .integer(2))])),
            ("long", equal("text", .string(long))), ("not", .not(equal("text", .string("b")))),
            ("one", equal("text", .string("b"))),
            ("or", .any([equal("text", .string("b")), equal("text", .string("c"))])),
            ("zero", equal("weight", .double(try #require(FiniteDouble(-0.0))))),
        ]
        for (text, filter) in filters {
            let query = try #require(Query(name("Note"), filter))
            let subject = Subscription.Subject.query(QuerySubject(query, on: [.create, .update, .delete]))
            #expect(try Self.subscribe(world, text, subject, in: everybody, by: World.bobs) == nil)
        }
        func pushed(_ text: String, _ fields: [String: FieldValue] = [:]) throws -> [String] {
            var draft = draft("p", text)
            for (field, value) in fields { draft.fields[name(field)] = value }
            try world.modify([.init(draft, .allKeys)], in: zone)
            return try Self.acknowledgeAll(world, World.bobs)
        }
        #expect(try pushed("b") == ["any", "one", "or"])
        #expect(try pushed("b", ["count": .integer(2)]) == ["any", "both", "one", "or"])
        #expect(try pushed("c", ["count": .integer(2)]) == ["any", "not", "or"])
        #expect(try pushed("d", ["weight": .double(try #require(FiniteDouble(0)))]) == ["any", "not", "zero"])
        #expect(try pushed(long) == ["any", "long", "not"])
        #expect(try pushed(long + "b") == ["any", "not"], "the same key is another value")
        // What a deleted record had is required, and one request has several records.
        try world.modify(
            [.init(draft("q", "c"))], deleting: [.init(name("p"))], in: zone)
        #expect(try Self.acknowledgeAll(world, World.bobs) == ["any", "not", "or"])
        try world.modify([.init(draft("r", "b")), .init(draft("q", long), .allKeys)], in: zone)
        #expect(try Self.acknowledgeAll(world, World.bobs) == ["any", "long", "not", "one", "or"])
        // A subscription that is stored anew requires another value.
        let other = try #require(Query(name("Note"), equal("text", .string("e"))))
        let subject = Subscription.Subject.query(QuerySubject(other, on: [.create, .update]))
        #expect(try Self.subscribe(world, "one", subject, in: everybody, by: World.bobs) == nil)
        #expect(try pushed("b") == ["any", "or"])
        #expect(try pushed("e") == ["any", "not", "one"])
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a shared zone is pushed to those who share it, until it is withdrawn`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let shared = DatabaseID(World.container, .shared(World.bob))
        func share(_ action: ModifySharing.Action, _ caller: Caller) throws {
            let request = ModifySharing(World.notes, action)
            let reply = try world.store.modify(request, by: caller, key: world.nextKey(), at: world.now)
            #expect(reply.answer == .done)
        }
        try share(.invite(World.bob, .read), World.phone)
        #expect(try Self.subscribe(world, "s", Self.subject([.create]), in: shared, by: World.bobs) == nil)
        try world.save("n1", "open")
        #expect(try Self.pending(world, World.bobs).isEmpty)
        try share(.accept, World.bobs)
        try world.save("n2", "open")
        #expect(try Self.acknowledgeAll(world, World.bobs) == ["s"])
        try share(.withdraw(World.bob), World.phone)
        try world.save("n3", "open")
        #expect(try Self.pending(world, World.bobs).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `what cannot be subscribed to is refused`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        let everybody = DatabaseID(World.container, .everybody)
        let any = try Self.subject([.create])
        #expect(try Self.subscribe(world, "s", .database, in: everybody) == .invalidRequest(.publicDatabase))
        #expect(
            try Self.subscribe(world, "s", .zone(World.zone("", nil)), in: everybody)
                == .invalidRequest(.publicDatabase))
        #expect(try Self.subscribe(world, "s", any, in: everybody, by: .anonymous) == .notAuthenticated)
        #expect(try Self.subscribe(world, "s", any, in: World.database(World.alice), by: World.bobs) == .notPermitted)
        let foreign = try Self.subject([.create], in: World.notes)
        #expect(try Self.subscribe(world, "s", foreign, in: everybody) == .notPermitted)
        #expect(try Self.subscribe(world, "s", foreign, by: World.bobs) == .notPermitted)
        #expect(try Self.subscribe(world, "s", foreign) == nil)
        try world.deploy([TypeDefinition(name("Note"))])
        #expect(
            try Self.subscribe(world, "s", any) == .notInSchema(.unknownField(name("Note"), name("text"))))
        #expect(try world.store.subscriptions(in: everybody, by: .anonymous) == .failure(.notAuthenticated))
        var rules = SyncRules()
        rules.limits.subscriptions = 1
        let limited = TestStore(world.engine, try TestSigner(), rules: rules)
        try world.deploy(roles: RecordRoles())
        for (text, refusal) in [("a", nil), ("a", nil), ("b", Refusal.limitExceeded(.subscriptions, most: 1))] {
            let subscription = Subscription(name(text), any)
            #expect(try limited.subscribe(subscription, in: everybody, by: World.bobs).answer == refusal)
        }
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test func `a subscription to a query is written as it was read`() throws {
        func read(_ text: String) throws(FormatError) -> Subscription.Subject {
            try Subscription.Subject(World.container, json: Array(text.utf8))
        }
        let deep = (0..<7).reduce(#"{"field":"a","isIn":{"list":"location","values":[]}}"#) { inner, _ in
            #"{"all":[\#(inner)]}"#
        }
        for text in [
            #"{"query":{"type":"Note"},"on":["create"]}"#,
            #"{"query":{"type":"Note","filter":\#(deep)},"zone":{"owner":"alice","name":"notes"},"on":["delete","update"],"once":true}"#,
        ] {
            let subject = try read(text)
            #expect(String(decoding: subject.json, as: UTF8.self) == text)
            let list = [Subscription(name("s"), subject)]
            #expect(try [Subscription](World.container, json: list.json) == list)
        }
        for text in [
            #"{"query":{"type":"Note"}}"#, #"{"query":{"type":"Note"},"on":[]}"#, #"{"query":{},"on":["create"]}"#,
            #"{"query":{"type":"Note"},"on":["changed"]}"#, #"{"query":{"type":"Note"},"on":"create"}"#,
            #"{"query":{"type":"Note","sort":[{"field":"a"}]},"on":["create"]}"#,
        ] {
            #expect(throws: FormatError.self, "\(text)") { try read(text) }
        }
    }
}
