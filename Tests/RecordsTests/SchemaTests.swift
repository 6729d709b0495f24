import JSONText
import Location
import RecordScript
import Records
import Testing

@Suite struct SchemaTests {
    private static let development = Container(World.container.name, .development)
    private static let testing = ZoneID(development, owner: World.alice, .defaultZone)
    private static let installed = World.zone("", World.alice)

    private static func save(
        _ record: String, _ fields: [String: FieldValue], in zone: ZoneID, _ world: inout World, type: String = "Note"
    ) throws -> RecordOutcome? {
        let named = Dictionary(uniqueKeysWithValues: fields.map { (name($0.key) as FieldName, $0.value) })
        return try world.modify([.init(RecordDraft(name(record), name(type), named), .allKeys)], in: zone).first
    }

    private static func schema(_ fields: String, roles: String = "") throws -> Schema {
        let text = #"{"types":[{"name":"Note","fields":[\#(fields)]\#(roles)}]}"#
        return try Schema(json: Array(text.utf8))
    }

    private static func string(_ field: String, _ more: String = "") -> String {
        #"{"name":"\#(field)","kind":"string"\#(more)}"#
    }

    private static let queryable = #","indexes":["queryable"]"#

    @Test(arguments: EngineKind.allCases)
    func `a save in development makes types and fields, which stay as they are`(engine: EngineKind) throws {
        var world = try World(on: engine)
        #expect(try Self.save("n1", ["text": .string("a")], in: Self.testing, &world)?.isDone == true)
        let list = try #require(FieldList(.integer, [.integer(1)]))
        #expect(try Self.save("n2", ["marks": .list(list)], in: Self.testing, &world)?.isDone == true)
        let expected = try Self.schema(#"{"name":"marks","kind":"integer","list":true},"# + Self.string("text"))
        #expect(try world.store.schema(of: Self.development) == expected)

        let shape = FieldDefinition.Shape(.integer, isList: true)
        let other = try Self.save("n3", ["marks": .integer(1)], in: Self.testing, &world)
        #expect(other == .notInSchema(.otherShape(name("Note"), name("marks"), shape)))
        #expect(try world.store.records([name("n3")], in: Self.testing, by: World.phone).get().isEmpty)
        #expect(try world.store.schema(of: World.container).types.isEmpty)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `an order by what the hub maintains, or by distance, needs an index that an error names`(
        engine: EngineKind
    ) throws {
        var world = try World(on: engine)
        let place = StoredPlace(Coordinate(clampedLatitude: 52, clampedLongitude: 13))
        #expect(
            try Self.save("n1", ["place": .location(place), "text": .string("a")], in: Self.testing, &world)?.isDone
                == true)
        func find(_ sort: String) throws -> Answer<QueryPage> {
            let query = try Query(json: Array(#"{"type":"Note","sort":[\#(sort)]}"#.utf8))
            return try world.store.find(query, in: Self.testing, by: World.phone)
        }
        let nearest = #"{"field":"place","from":{"location":{"latitude":52.0,"longitude":13.0}}}"#
        let type: RecordType = name("Note")
        for system in SystemField.allCases {
            let refused = try find(#"{"field":"\#(system.rawValue)"}"#)
            #expect(refused == .failure(.notInSchema(.indexMissing(type, system.field, .sortable))))
            let json = Refusal.notInSchema(.indexMissing(type, system.field, .sortable)).json()
            #expect(try Refusal(json: json) == .notInSchema(.indexMissing(type, system.field, .sortable)))
        }
        #expect(try find(nearest) == .failure(.notInSchema(.indexMissing(type, name("place"), .queryable))))
        let system = SystemField.allCases.map {
            #"{"name":"\#($0.rawValue)","kind":"\#($0.kind.rawValue)","indexes":["sortable"]}"#
        }.joined(separator: ",")
        let schema = try Self.schema(
            #"{"name":"place","kind":"location","indexes":["queryable"]},\#(system),"#
                + Self.string("text", Self.queryable))
        #expect(try Schema(json: schema.json) == schema)
        _ = try world.store.replaceSchema(of: World.container.name, by: schema).get()
        _ = try world.store.deploySchema(of: World.container.name).get()
        for system in SystemField.allCases {
            #expect(
                try find(#"{"field":"\#(system.rawValue)","descending":true}"#).get().records.map(\.name.text) == ["n1"]
            )
        }
        #expect(try find(nearest).get().records.count == 1)
        // A record without a location has no distance.
        #expect(try Self.save("n2", ["text": .string("b")], in: Self.testing, &world)?.isDone == true)
        #expect(try find(nearest).get().records.map(\.name.text) == ["n1"])
        let other = try find(#"{"field":"text","from":{"location":{"latitude":52.0,"longitude":13.0}}}"#)
        #expect(other == .failure(.notInSchema(.otherShape(type, name("text"), .init(.string)))))
        for text in [
            #"{"name":"_created","kind":"string","indexes":["sortable"]}"#,
            #"{"name":"_name","kind":"string","indexes":["queryable"]}"#,
            #"{"name":"_other","kind":"date","indexes":["sortable"]}"#,
        ] {
            #expect(throws: FormatError.self, "\(text)") { try Self.schema(text) }
        }
        for text in [#"{"field":"_created","from":{"location":{"latitude":1.0,"longitude":1.0}}}"#, #"{"field":"_x"}"#]
        {
            #expect(throws: FormatError.self, "\(text)") { try find(text) }
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a save that is refused adds nothing to the schema`(engine: EngineKind) throws {
        var world = try World(on: engine)
        #expect(try Self.save("n1", ["text": .string("a")], in: Self.testing, &world)?.isDone == true)
        let before = try world.store.schema(of: Self.development)
        // A conflict, and a batch of a custom zone of which one record does not fit.
        let draft = RecordDraft(name("n1"), name("Note"), [name("colour"): .string("red")])
        guard case .conflict? = try world.modify([.init(draft)], in: Self.testing).first else {
            Issue.record("no conflict")
            return
        }
        let zone = ZoneID(Self.development, owner: World.alice, name("lists"))
        let request = ModifyZones(Self.development, of: World.alice, saves: [zone.name])
        _ = try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now)
        let outcomes = try world.modify(
            [
                .init(RecordDraft(name("l1"), name("List"), [name("title"): .string("x")])),
                .init(RecordDraft(name("l2"), name("List"), [name("title"): .integer(1)])),
            ], in: zone)
        #expect(outcomes.first == .batchRequestFailed(culprit: name("l2")))
        #expect(outcomes.last == .notInSchema(.otherShape(name("List"), name("title"), .init(.string))))
        #expect(try world.store.schema(of: Self.development) == before)
    }

    @Test(arguments: EngineKind.allCases)
    func `production accepts everything until something is deployed, and then only that`(engine: EngineKind) throws {
        var world = try World(on: engine)
        #expect(try Self.save("n1", ["text": .string("a")], in: Self.installed, &world)?.isDone == true)
        #expect(try Self.save("t1", ["a": .integer(1)], in: Self.installed, &world, type: "Thing")?.isDone == true)
        #expect(try Self.save("n1", ["text": .string("a")], in: Self.testing, &world)?.isDone == true)
        let deployed = try world.store.deploySchema(of: World.container.name).get()
        #expect(deployed == [.typeAdded(name("Note")), .fieldAdded(name("Note"), name("text"), .init(.string))])

        #expect(try Self.save("n2", ["text": .string("b")], in: Self.installed, &world)?.isDone == true)
        let field = try Self.save("n3", ["colour": .string("b")], in: Self.installed, &world)
        #expect(field == .notInSchema(.unknownField(name("Note"), name("colour"))))
        let type = try Self.save("t2", ["a": .integer(1)], in: Self.installed, &world, type: "Thing")
        #expect(type == .notInSchema(.unknownType(name("Thing"))))
        // A record from before is deleted as any other.
        #expect(try world.modify(deleting: [.init(name("t1"))], in: Self.installed) == [.deleted])
        #expect(try world.store.deploySchema(of: World.container.name).get().isEmpty)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `only additions come to production, and other roles when somebody says so`(engine: EngineKind) throws {
        let world = try World(on: engine)
        let container = World.container.name
        let two = Self.string("colour", Self.queryable) + "," + Self.string("text")
        _ = try world.store.replaceSchema(of: container, by: Self.schema(two)).get()
        _ = try world.store.deploySchema(of: container).get()

        let lost = try world.store.replaceSchema(of: container, by: Self.schema(Self.string("text")))
        #expect(lost == .failure(.notAdditions([.fieldRemoved(name("Note"), name("colour"))])))
        let other = #"{"name":"colour","kind":"integer"},"# + Self.string("text")
        let changed = try world.store.replaceSchema(of: container, by: Self.schema(other))
        let shapes = SchemaDifference.shapeChanged(
            name("Note"), name("colour"), .init(.string), to: .init(.integer))
        #expect(
            changed == .failure(.notAdditions([shapes, .indexRemoved(name("Note"), name("colour"), .queryable)])))
        #expect(
            try world.store.replaceSchema(of: container, by: Schema())
                == .failure(.notAdditions([.typeRemoved(name("Note"))])))

        let roles = #","roles":{"world":[],"authenticated":["read"],"creator":["write","read"]}"#
        let narrowed = try Self.schema(two, roles: roles)
        let difference = SchemaDifference.rolesChanged(
            name("Note"), to: RecordRoles(world: [], authenticated: [.read], creator: [.read, .write]))
        #expect(try world.store.replaceSchema(of: container, by: narrowed).get() == [difference])
        #expect(try world.store.deploySchema(of: container) == .failure(.notAdditions([difference])))
        #expect(try world.store.deploySchema(of: container, changingRoles: true).get() == [difference])
        #expect(try world.store.schema(of: World.container) == narrowed)
    }

    @Test(arguments: EngineKind.allCases)
    func `a query names the index that it needs`(engine: EngineKind) throws {
        var world = try World(on: engine)
        _ = try Self.save("n1", ["text": .string("milk")], in: Self.installed, &world)
        let type: RecordType = name("Note")
        let text: FieldName = name("text")
        let equal = try #require(Query(type, .not(.compare(text, .equal, .string("milk")))))
        let begins = try #require(Query(type, .any([.compare(text, .beginsWith, .string("mi"))])))
        let all = try #require(Query(type))
        // Without a schema nothing is needed.
        #expect(try world.store.find(begins, in: Self.installed, by: World.phone).get().records.count == 1)
        _ = try world.store.replaceSchema(
            of: World.container.name, by: Self.schema(Self.string("text", Self.queryable))
        ).get()
        _ = try world.store.deploySchema(of: World.container.name).get()
        #expect(try world.store.find(equal, in: Self.installed, by: World.phone).get().records.isEmpty)
        #expect(try world.store.find(all, in: Self.installed, by: World.phone).get().records.count == 1)
        let missing = try world.store.find(begins, in: Self.installed, by: World.phone)
        #expect(missing == .failure(.notInSchema(.indexMissing(type, text, .sortable))))
        let place = try #require(Query(type, .compare(name("place"), .equal, .string("x"))))
        #expect(
            try world.store.find(place, in: Self.installed, by: World.phone)
                == .failure(.notInSchema(.unknownField(type, name("place")))))
        let thing = try #require(Query(name("Thing")))
        #expect(
            try world.store.find(thing, in: Self.testing, by: World.phone)
                == .failure(.notInSchema(.unknownType(name("Thing")))))
    }

    @Test(arguments: EngineKind.allCases)
    func `a container has a limited number of types and fields`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.types = 2
        rules.limits.fields = 2
        var world = try World(on: engine, rules: rules)
        for type in ["A", "B"] {
            #expect(try Self.save(type, ["f": .integer(1)], in: Self.testing, &world, type: type)?.isDone == true)
        }
        func refusal(_ type: String, _ field: String) throws -> ModifyRecordsAnswer {
            let draft = RecordDraft(name("x"), name(type), [name(field): .integer(1)])
            let request = ModifyRecords(Self.testing, saves: [.init(draft)])
            return try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now).answer
        }
        #expect(try refusal("C", "f") == .refused(.limitExceeded(.types, most: 2)))
        _ = try Self.save("A2", ["g": .integer(1)], in: Self.testing, &world, type: "A")
        #expect(try refusal("A", "h") == .refused(.limitExceeded(.fields, most: 2)))
        let three = Schema(["A", "B", "C"].map { TypeDefinition(name($0)) })
        #expect(
            try world.store.replaceSchema(of: World.container.name, by: three)
                == .failure(.limitExceeded(.types, most: 2)))
    }

    @Test func `a schema is written and read again`() throws {
        let roles = #","roles":{"world":[],"authenticated":["create","read"],"creator":["read","write"]}"#
        let list = #"{"name":"marks","kind":"integer","list":true,"indexes":["queryable","sortable"]},"#
        let text = #"{"types":[{"name":"Note","fields":[\#(list + Self.string("text"))]\#(roles)}]}"#
        #expect(String(decoding: try Schema(json: Array(text.utf8)).json, as: UTF8.self) == text)
    }

    static let unreadable: [(String, String)] = [
        ("[]", "wrong kind"),
        (#"{"types":{}}"#, "types has a value of the wrong kind"),
        (#"{"types":[],"type":[]}"#, "type is not known"),
        (#"{"types":[{"name":"a b","fields":[]}]}"#, "types.0.name is no valid name"),
        (#"{"types":[{"name":"A","fields":[]},{"name":"A","fields":[]}]}"#, "types.1 is no valid name"),
        (#"{"types":[{"name":"A","fields":[{"name":"f","kind":"text"}]}]}"#, "types.0.fields.0.kind is no valid name"),
        (
            #"{"types":[{"name":"A","fields":[{"name":"f","kind":"string","index":[]}]}]}"#,
            "types.0.fields.0.index is not known here"
        ),
        (
            #"{"types":[{"name":"A","fields":[{"name":"f","kind":"string","indexes":["x"]}]}]}"#,
            "types.0.fields.0.indexes.0 is no valid name"
        ),
        (
            #"{"types":[{"name":"A","fields":[],"roles":{"world":["all"],"authenticated":[],"creator":[]}}]}"#,
            "types.0.roles.world.0 is no valid name"
        ),
    ]

    @Test(arguments: unreadable) func `what is no schema is said with its place`(text: String, problem: String) {
        do {
            _ = try Schema(json: Array(text.utf8))
            Issue.record("read")
        } catch {
            #expect("\(error)".contains(problem), "\(error)")
        }
    }

    @Test func `violations are written and read again`() throws {
        let (type, field): (RecordType, FieldName) = (name("Note"), name("text"))
        let violations: [SchemaViolation] = [
            .unknownType(type), .unknownField(type, field), .otherShape(type, field, .init(.date)),
            .otherShape(type, field, .init(.asset, isList: true)), .indexMissing(type, field, .sortable),
            .notSearchable(type),
        ]
        for violation in violations {
            #expect(try Refusal(json: Refusal.notInSchema(violation).json()) == .notInSchema(violation))
            let answer = ModifyRecordsAnswer.outcomes([.notInSchema(violation)])
            #expect(try ModifyRecordsAnswer(json: answer.json) == answer)
        }
    }
}
