import JSONText
import RecordScript
import Records
import TestSupport
import Testing

/// The team of a container: who changes it, and what its rights permit.
@Suite struct TeamTests {
    private static let container = World.container.name
    private static let carol: AccountID = name("carol")
    private static let testing = ZoneID(
        Container(World.container.name, .development), owner: World.bob, .defaultZone)

    private static func world(on engine: EngineKind) throws -> World {
        let world = try World(on: engine)
        for caller in [World.phone, World.bobs, World.device("desk", carol)] { try world.store.join(caller) }
        return world
    }

    private static func change(
        _ world: World, _ change: TeamChange, by actor: TeamActor = .administrator
    ) throws -> TeamRefusal? {
        let before = try world.store.team(of: container, by: .administrator).get()
        switch try world.store.change(teamOf: container, change, by: actor) {
        case .success(let team):
            #expect(try world.store.team(of: container, by: .administrator).get() == team)
            return nil
        case .failure(let refusal):
            #expect(try world.store.team(of: container, by: .administrator).get() == before)
            return refusal
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `the first member is the agent, from whom others take nothing`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        let alice = TeamActor.account(World.alice)
        let bob = TeamActor.account(World.bob)
        // Nobody but the administrator makes a team.
        #expect(try Self.change(world, .put(World.alice, [.manageTeam]), by: alice) == .notMember)
        #expect(try Self.change(world, .makeAgent(World.alice), by: alice) == .notMember)
        #expect(try Self.change(world, .put(name("nobody"), [])) == .unknownAccount(name("nobody")))
        #expect(try Self.change(world, .put(World.alice, [])) == nil)
        #expect(try Self.change(world, .put(World.bob, [.editDevelopment]), by: alice) == nil)
        let team = try world.store.team(of: Self.container, by: bob).get()
        #expect(
            team.list == [
                TeamMember(World.alice, Set(TeamRight.allCases), isAgent: true),
                TeamMember(World.bob, [.editDevelopment]),
            ])
        let json =
            #"{"members":[{"account":"alice","rights":["manageTeam","editDevelopment","editProduction"],"agent":true},"#
        #expect(
            String(decoding: team.json, as: UTF8.self) == json + #"{"account":"bob","rights":["editDevelopment"]}]}"#)

        // A member leaves without any right.
        #expect(try Self.change(world, .remove(World.bob), by: bob) == nil)
        #expect(try Self.change(world, .put(World.bob, [.editDevelopment]), by: alice) == nil)
        for change in [
            TeamChange.put(Self.carol, []), .put(World.bob, Set(TeamRight.allCases)), .remove(World.alice),
            .remove(Self.carol),
        ] {
            #expect(try Self.change(world, change, by: bob) == .lacks(.manageTeam))
            #expect(try Self.change(world, change, by: .account(Self.carol)) == .notMember)
        }
        #expect(try Self.change(world, .makeAgent(World.bob), by: bob) == .agentOnly)
        #expect(try Self.change(world, .put(World.bob, [.manageTeam]), by: alice) == nil)
        #expect(try Self.change(world, .put(World.alice, []), by: bob) == .isAgent(World.alice))
        #expect(try Self.change(world, .remove(World.alice), by: bob) == .isAgent(World.alice))
        #expect(try Self.change(world, .remove(World.alice)) == .isAgent(World.alice))
        #expect(try Self.change(world, .makeAgent(World.bob), by: bob) == .agentOnly)
        #expect(try Self.change(world, .remove(Self.carol), by: bob) == .unknownMember(Self.carol))
        #expect(try Self.change(world, .makeAgent(World.bob), by: alice) == nil)
        let handed = try world.store.team(of: Self.container, by: alice).get()
        #expect(handed.list.map(\.account) == [World.bob, World.alice] && handed.list.map(\.isAgent) == [true, false])
        // Who has handed over stays with all rights, and may leave; the last one ends the team.
        #expect(try Self.change(world, .remove(World.alice), by: alice) == nil)
        #expect(try Self.change(world, .remove(World.bob), by: bob) == nil)
        #expect(try world.store.team(of: Self.container, by: .administrator).get() == Team())
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a team has a limit`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        world.store.rules.limits.members = 2
        #expect(try Self.change(world, .put(World.alice, [])) == nil)
        #expect(try Self.change(world, .put(World.bob, [])) == nil)
        #expect(try Self.change(world, .put(Self.carol, [])) == .tooMany(2))
        #expect(try Self.change(world, .makeAgent(Self.carol)) == .tooMany(2))
        #expect(try Self.change(world, .put(World.bob, [.editProduction])) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a save in development adds to the schema only where the account may`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        func save(_ record: String, _ field: String) throws -> RecordOutcome? {
            let draft = RecordDraft(name(record), name("Note"), [name(field): .string("x")])
            return try world.modify([.init(draft, .allKeys)], in: Self.testing, by: World.bobs).first
        }
        // Without a team everybody may, as before.
        #expect(try save("n1", "text")?.isDone == true)
        #expect(try Self.change(world, .put(World.alice, [])) == nil)
        // What the schema has can be saved, and read, by everybody.
        #expect(try save("n2", "text")?.isDone == true)
        let schema = try world.store.schema(of: Self.testing.container)
        let unknown = SchemaViolation.unknownField(name("Note"), name("colour"))
        #expect(try save("n3", "colour") == .notInSchema(unknown))
        #expect(try Self.change(world, .put(World.bob, [.manageTeam, .editProduction])) == nil)
        #expect(try save("n3", "colour") == .notInSchema(unknown))
        #expect(try world.store.schema(of: Self.testing.container) == schema)
        #expect(try Self.change(world, .put(World.bob, [.editDevelopment])) == nil)
        #expect(try save("n3", "colour")?.isDone == true)
        #expect(try Self.change(world, .remove(World.bob)) == nil)
        #expect(try save("n4", "size") == .notInSchema(.unknownField(name("Note"), name("size"))))
        // Production is not concerned, and neither is another container.
        #expect(
            try world.modify([.init(draft("p1", "x"))], in: World.zone("", World.bob), by: World.bobs).first?.isDone
                == true)
        let other = Container(name("org.example.lists"), .development)
        let zone = ZoneID(other, owner: World.bob, .defaultZone)
        #expect(try world.modify([.init(draft("p1", "x"))], in: zone, by: World.bobs).first?.isDone == true)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `each right permits what it names and nothing else`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        let note = TypeDefinition(name("Note"), [name("text"): FieldDefinition(.init(.string))])
        _ = try world.store.replaceSchema(of: Self.container, by: Schema([note])).get()
        #expect(try Self.change(world, .put(World.alice, [])) == nil)
        let bob = TeamActor.account(World.bob)
        func refusals(_ actor: TeamActor) throws -> [TeamRefusal?] {
            func refusal<Value>(_ result: Result<Value, SchemaRefusal>) -> TeamRefusal? {
                if case .failure(.notPermitted(let refusal)) = result { refusal } else { nil }
            }
            func refused<Value>(_ result: Result<Value, TeamRefusal>) -> TeamRefusal? {
                if case .failure(let refusal) = result { refusal } else { nil }
            }
            return [
                refused(try world.store.schema(of: Container(Self.container, .development), by: actor)),
                refusal(try world.store.replaceSchema(of: Self.container, by: Schema([note]), actor: actor)),
                refused(try world.store.schema(of: Container(Self.container, .production), by: actor)),
                refused(try world.store.schemaDifferences(of: Self.container, by: actor)),
                refusal(try world.store.deploySchema(of: Self.container, actor: actor)),
                refused(try world.store.change(teamOf: Self.container, .put(Self.carol, []), by: actor)),
            ]
        }
        #expect(try refusals(bob) == Array(repeating: .notMember, count: 6))
        #expect(try world.store.schema(of: Container(Self.container, .production)).types.isEmpty)
        for right in TeamRight.allCases {
            #expect(try Self.change(world, .put(World.bob, [right])) == nil)
            let lacked: [TeamRight?] = [
                nil, .editDevelopment, .editProduction, .editProduction, .editProduction, .manageTeam,
            ]
            #expect(try refusals(bob) == lacked.map { $0 == right ? nil : $0.map { .lacks($0) } }, "\(right)")
        }
        #expect(try refusals(.account(World.alice)).allSatisfy { $0 == nil })
        #expect(try world.store.schema(of: Container(Self.container, .production)).types[name("Note")] == note)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test func `a change of a team is read from JSON, and nothing else is`() throws {
        func change(_ text: String) throws -> TeamChange { try TeamChange(of: World.bob, json: Array(text.utf8)) }
        #expect(try change(#"{"rights":[]}"#) == .put(World.bob, []))
        #expect(try change(#"{"rights":["manageTeam"],"agent":false}"#) == .put(World.bob, [.manageTeam]))
        #expect(try change(#"{"agent":true}"#) == .makeAgent(World.bob))
        for text in ["", "{}", #"{"rights":["all"]}"#, #"{"right":[]}"#, #"{"agent":true,"rights":[]}"#, "[]"] {
            #expect(throws: FormatError.self, "\(text)") { try change(text) }
        }
    }
}
