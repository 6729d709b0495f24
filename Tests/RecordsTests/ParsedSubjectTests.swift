import RecordScript
import Records
import Testing

@testable import RecordTables

/// Conditions of subscriptions that an engine has parsed before.
@Suite struct ParsedSubjectTests {
    private static func subject(_ text: String, in zone: ZoneID? = nil) throws -> Subscription.Subject {
        let query = try #require(Query(name("Note"), .compare(name("text"), .beginsWith, .string(text))))
        return .query(QuerySubject(query, in: zone, on: [.create]))
    }

    @Test func `a condition is that of its bytes and its container`() throws {
        let parsed = ParsedSubjects()
        let other = Container(name("org.example.lists"))
        for _ in 0..<3 {
            for text in ["a", "b"] {
                for container in [World.container, other] {
                    let zone = ZoneID(container, owner: nil, .defaultZone)
                    let subject = try Self.subject(text, in: zone)
                    #expect(try parsed.subject(subject.json, in: container) == subject)
                }
            }
        }
        #expect(parsed.count == 4)
        #expect(throws: FormatError.self) { try parsed.subject([0x7B], in: other) }
    }

    @Test func `no more is remembered than a limit`() throws {
        let parsed = ParsedSubjects()
        for number in 0..<25_000 {
            let subject = try Self.subject("\(number)")
            #expect(try parsed.subject(subject.json, in: World.container) == subject)
        }
        #expect(parsed.count == 5_000)
        let long = try Self.subject(String(repeating: "x", count: 60_000))
        for number in 0..<100 {
            var text = try Self.subject("\(number)" + String(repeating: "y", count: 60_000)).json
            text.append(0x20)
            _ = try parsed.subject(text, in: World.container)
        }
        #expect(parsed.count < 75)
        #expect(try parsed.subject(long.json, in: World.container) == long)
    }

    @Test(arguments: EngineKind.allCases)
    func `a subscription that is replaced is evaluated as it is now`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        #expect(try world.register(World.bobs) == nil)
        let database = DatabaseID(World.container, .everybody)
        func covers(_ record: String, _ text: String) throws -> Bool {
            let request = ModifyRecords(World.zone("", nil), saves: [.init(draft(record, text))])
            return try !world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now).pushes.isEmpty
        }
        for round in 0..<3 {
            for text in ["a", "b"] {
                let subscription = Subscription(name("s"), try Self.subject(text))
                #expect(try world.store.subscribe(subscription, in: database, by: World.bobs).answer == nil)
                #expect(try covers("\(round)\(text)1", "a") == (text == "a"))
                #expect(try covers("\(round)\(text)2", "b") == (text == "b"))
            }
        }
        #expect(try world.store.unsubscribe(name("s"), in: database, by: World.bobs).answer == nil)
        #expect(try !covers("last", "b"))
    }
}
