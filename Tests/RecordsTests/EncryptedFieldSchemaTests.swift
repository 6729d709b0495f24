import JSONText
import RecordScript
import Records
import Testing

/// Encrypted fields in the rules of the hub.
@Suite struct EncryptedFieldSchemaTests {
    private static let development = Container(World.container.name, .development)
    private static let testing = ZoneID(development, owner: World.alice, .defaultZone)
    private static let shape = FieldDefinition.Shape(.string, isEncrypted: true)

    private static func sealed(_ kind: FieldKind = .string) throws -> FieldValue {
        .sealed(try #require(SealedField(kind, isList: false, Array(repeating: 7, count: 60))))
    }

    private static func save(
        _ value: FieldValue, _ world: inout World, as record: String = "n1"
    ) throws -> RecordOutcome? {
        let draft = RecordDraft(name(record), name("Note"), [name("text"): value])
        return try world.modify([.init(draft, .allKeys)], in: testing).first
    }

    private static func schema(_ more: String) throws -> Schema {
        try Schema(json: Array(#"{"types":[{"name":"Note","fields":[{"name":"text",\#(more)}]}]}"#.utf8))
    }

    @Test(arguments: EngineKind.allCases)
    func `a field is encrypted from its first save on, and no query may use it`(engine: EngineKind) throws {
        var world = try World(on: engine)
        #expect(try Self.save(Self.sealed(), &world)?.isDone == true)
        let expected = try Self.schema(#""kind":"string","encrypted":true"#)
        #expect(try world.store.schema(of: Self.development) == expected)
        #expect(expected.types[name("Note")]?.fields[name("text")]?.shape.description == "encrypted string")
        // A plain value, and a sealed one of another kind, do not fit.
        let refusal = RecordOutcome.notInSchema(.otherShape(name("Note"), name("text"), Self.shape))
        #expect(try Self.save(.string("plain"), &world, as: "n2") == refusal)
        #expect(try Self.save(Self.sealed(.integer), &world, as: "n2") == refusal)
        let query = try #require(Query(name("Note"), .compare(name("text"), .equal, .string("a"))))
        #expect(
            try world.store.find(query, in: Self.testing, by: World.phone)
                == .failure(.notInSchema(.otherShape(name("Note"), name("text"), Self.shape))))
        let order = try #require(Query(name("Note"), order: [Query.Order(name("text"))]))
        #expect(
            try world.store.find(order, in: Self.testing, by: World.phone)
                == .failure(.notInSchema(.otherShape(name("Note"), name("text"), Self.shape))))
        // Deployed, it is the same in production, and a plain field cannot become encrypted.
        _ = try world.store.deploySchema(of: World.container.name).get()
        #expect(try world.store.schema(of: World.container) == expected)
        let plain = try Self.schema(#""kind":"string""#)
        guard case .failure = try world.store.replaceSchema(of: World.container.name, by: plain) else {
            Issue.record("a deployed field ceases to be encrypted")
            return
        }
    }

    @Test func `what cannot be encrypted is no schema and no value`() throws {
        for more in [
            #""kind":"string","encrypted":true,"indexes":["queryable"]"#, #""kind":"asset","encrypted":true"#,
            #""kind":"reference","encrypted":true"#,
        ] {
            #expect(throws: FormatError.self) { try Self.schema(more) }
        }
        for text in [
            #"{"sealed":"asset","bytes":"AAAA"}"#, #"{"sealed":"string"}"#, #"{"sealed":"string","bytes":"AAA"}"#,
            #"{"sealed":"string","list":false,"bytes":"AAAA"}"#, #"{"sealed":"string","bytes":"AAAA","string":"a"}"#,
            #"{"encrypted":{"reference":"n1"}}"#, #"{"encrypted":{"encrypted":{"string":"a"}}}"#,
            #"{"encrypted":{"sealed":"string","bytes":"AAAA"}}"#,
            #"{"encrypted":{"list":"asset","values":[]}}"#,
        ] {
            #expect(throws: FormatError.self, "\(text)") { try FieldValue(json: Array(text.utf8)) }
        }
        for text in [
            #"{"sealed":"string","bytes":"AAAA"}"#, #"{"sealed":"location","list":true,"bytes":"AAAA"}"#,
            #"{"encrypted":{"list":"string","values":["a"]}}"#,
        ] {
            #expect(try FieldValue(json: Array(text.utf8)).json == Array(text.utf8))
        }
        // Nor can a query compare a sealed value.
        let query = #"{"type":"Note","filter":{"field":"text","equal":{"sealed":"string","bytes":"AAAA"}}}"#
        #expect(throws: FormatError.self) { try Query(json: Array(query.utf8)) }
    }

    @Test(arguments: EngineKind.allCases)
    func `a value that is not sealed is refused, and a sealed one in the public database`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let value = try #require(EncryptedValue(.string("not for the hub")))
        let publicZone = ZoneID(World.container, owner: nil, .defaultZone)
        for (zone, value) in [(Self.testing, FieldValue.encrypted(value)), (publicZone, try Self.sealed())] {
            let draft = RecordDraft(name("n1"), name("Note"), [name("text"): value])
            let request = ModifyRecords(zone, saves: [.init(draft)])
            let reply = try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now)
            #expect(reply.answer == .refused(.invalidRequest(.notSealed)))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a device that is removed takes its key along, and the others get a push`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let request = ModifyZones(KeyZone.container, of: World.alice, saves: [KeyZone.zoneName])
        guard case .device(let phone, let account) = World.phone else { return }
        _ = try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now)
        let zone = KeyZone.zone(of: World.alice)
        let draft = RecordDraft(KeyZone.record(of: phone), name("Device"), [name("key"): .bytes([1])])
        #expect(try world.modify([.init(draft)], in: zone).first?.isDone == true)
        _ = try world.store.removeKey(of: AccountDevice(account, phone), at: world.now)
        #expect(try world.store.records([draft.name], in: zone, by: World.phone).get().isEmpty)
        // Without a zone of keys there is nothing to remove.
        #expect(try world.store.removeKey(of: AccountDevice(World.bob, phone), at: world.now).isEmpty)
    }
}
