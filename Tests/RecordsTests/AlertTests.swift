import JSONText
import RecordScript
import Records
import Testing

/// Alerts of subscriptions at the hub.
@Suite struct AlertTests {
    private static let alert = SubscriptionAlert(
        title: .init("Notes"), body: .init(key: name("NewNote"), arguments: [name("text")], else: "A note"))

    private static func subject(_ alert: SubscriptionAlert?, once: Bool = false) throws -> Subscription.Subject {
        let query = try #require(Query(name("Note")))
        return .query(QuerySubject(query, on: [.create], once: once, alert: alert))
    }

    private static func world(on engine: EngineKind) throws -> World {
        let world = try World.withNotes(on: engine)
        for caller in [World.phone, World.laptop, World.bobs] { #expect(try world.register(caller) == nil) }
        return world
    }

    private static func subscribe(
        _ world: World, _ alert: SubscriptionAlert?, in database: DatabaseID, by caller: Caller = World.phone
    ) throws -> Reply<Refusal?> {
        try world.store.subscribe(Subscription(name("s"), subject(alert)), in: database, by: caller)
    }

    @Test(arguments: EngineKind.allCases, [false, true])
    func `the other devices of the account hear of an alert that is stored, changed or removed`(
        engine: EngineKind, isPublic: Bool
    ) throws {
        let world = try Self.world(on: engine)
        let own = World.database(World.alice)
        let database = isPublic ? DatabaseID(World.container, .everybody) : own
        var alert = Self.alert
        if isPublic { alert.body = .init("A note") }
        /// Acknowledges what the laptop gets.
        func pushed(_ reply: Reply<Refusal?>) throws -> Int {
            let pushes = try world.store.pushes(to: World.laptop).get()
            #expect(reply.answer == nil && reply.pushes == pushes)
            for push in pushes {
                #expect(push.subscription == .alerts && push.database == own && push.zone.name == .defaultZone)
            }
            // An acknowledgement of an earlier push does not remove a later one.
            #expect(try world.store.acknowledge(pushes, by: World.laptop) == nil)
            #expect(try world.store.pushes(to: World.phone).get().isEmpty, "the device that has done it knows")
            #expect(try world.store.pushes(to: World.bobs).get().isEmpty)
            return pushes.count
        }
        #expect(try pushed(Self.subscribe(world, nil, in: database)) == 0, "a silent one is nobody's business")
        #expect(try pushed(Self.subscribe(world, alert, in: database)) == 1)
        #expect(try world.store.subscriptions(in: database, by: World.laptop).get().map(\.alert) == [alert])
        #expect(try pushed(Self.subscribe(world, alert, in: database)) == 0, "nothing has changed")
        alert.title = nil
        let first = try Self.subscribe(world, alert, in: database)
        let before = try world.store.pushes(to: World.laptop).get()
        #expect(first.pushes == before)
        alert.title = .init("Other")
        let second = try Self.subscribe(world, alert, in: database)
        #expect(try world.store.acknowledge(before, by: World.laptop) == nil)
        #expect(try pushed(second) == 1, "the second change is still pushed")
        #expect(try pushed(Self.subscribe(world, nil, in: database)) == 1, "and that there is none any more")
        #expect(try pushed(Self.subscribe(world, alert, in: database)) == 1)
        #expect(try pushed(world.store.unsubscribe(name("s"), in: database, by: World.phone)) == 1)
        #expect(try pushed(world.store.unsubscribe(name("s"), in: database, by: World.phone)) == 0)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a push of a subscription with an alert has neither the alert nor the record`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        #expect(try Self.subscribe(world, Self.alert, in: World.database(World.alice)).answer == nil)
        #expect(try world.store.acknowledge(world.store.pushes(to: World.laptop).get(), by: World.laptop) == nil)
        try world.save("n1", "a secret")
        let pushes = try world.store.pushes(to: World.laptop).get()
        #expect(pushes.map(\.subscription) == [name("s")])
        let text = String(decoding: pushes.json, as: UTF8.self)
        for word in ["NewNote", "A note", "secret", "n1", "alert", "text"] { #expect(!text.contains(word), "\(text)") }
    }

    @Test(arguments: EngineKind.allCases)
    func `an alert of the public database fills in nothing`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        let everybody = DatabaseID(World.container, .everybody)
        #expect(try Self.subscribe(world, Self.alert, in: everybody).answer == .invalidRequest(.alertArguments))
        var title = SubscriptionAlert(title: .init(key: name("K"), arguments: [name("text")]))
        #expect(try Self.subscribe(world, title, in: everybody).answer == .invalidRequest(.alertArguments))
        title.title?.arguments = []
        #expect(try Self.subscribe(world, title, in: everybody).answer == nil)
        #expect(try world.store.subscriptions(in: everybody, by: World.bobs) == .success([]))
    }

    @Test(arguments: [
        (#"{"title":{}}"#, "alert.title"), (#"{"body":{"arguments":["a"]}}"#, "alert.body"),
        (#"{"body":{"text":"x","arguments":["a"]}}"#, "alert.body"), (#"{"body":{"key":""}}"#, "alert.body.key"),
        (#"{"body":{"key":"a b"}}"#, "alert.body.key"), (#"{"body":{"key":"-a"}}"#, "alert.body.key"),
        (#"{"body":{"key":"\#(String(repeating: "k", count: 65))"}}"#, "alert.body.key"),
        (#"{"body":{"key":"k","arguments":["_created"]}}"#, "alert.body.arguments.0"),
        (#"{"body":{"key":"k","arguments":"a"}}"#, "alert.body.arguments"),
        (#"{"body":{"key":"k","arguments":["a","b","c","d","e","f","g","h","i"]}}"#, "alert.body.arguments"),
        (#"{"title":{"text":"\#(String(repeating: "x", count: 1_001))"}}"#, "alert.title.text"),
        (#"{"title":"x"}"#, "alert.title"), (#"[]"#, "alert"),
    ])
    func `an alert that is none is refused with its place`(text: String, place: String) throws {
        let json = Array(#"{"query":{"type":"Note"},"on":["create"],"alert":\#(text)}"#.utf8)
        let error = #expect(throws: FormatError.self) { try Subscription.Subject(World.container, json: json) }
        #expect(error?.path == place)
    }
}
