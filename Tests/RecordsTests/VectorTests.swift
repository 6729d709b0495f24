import Cryptography
import JSONText
import Platform
import RecordScript
import TestSupport
import Testing

@testable import Records

/// What a program wrote that shares no code with this package: `make-vectors` in `Tests/Fixtures/records`.
@Suite struct VectorTests {
    private let vectors: JSON

    init() throws {
        vectors = try JSON.parse(
            BoundedFile.bytes(of: Products.fixture("records/vectors.json"), limit: 1 << 20), maximumDepth: 8)
    }

    private func texts(_ name: String) throws -> [[UInt8]] {
        let texts = try #require(vectors[name]?.arrayValue).map { Array(($0.stringValue ?? "").utf8) }
        #expect(!texts.isEmpty)
        return texts
    }

    @Test(arguments: EngineKind.allCases)
    func `a token of each place is accepted, and the next one is the same bytes`(engine: EngineKind) throws {
        let tokens = try #require(vectors["tokens"]?.arrayValue)
        let key = try #require(try SymmetricKey(copying: bytes(vectors["key"])))
        for vector in tokens {
            let counter = try number(vector["counter"])
            // Tables cannot store the greatest counter of the format.
            if engine != .memory, counter > Int64.max { continue }
            let world = try World(on: engine)
            let store = RecordStore(world.engine, TestSigner(key: key))
            let account: AccountID = name(try #require(vector["account"]?.stringValue))
            let container = Container(
                name(try #require(vector["container"]?.stringValue)),
                vector["environment"]?.stringValue == "production" ? .production : .development)
            let (given, next) = (try bytes(vector["token"]), try bytes(vector["next"]))
            let caller = Caller.device(name("d"), of: account)
            if let zone = vector["zone"]?.stringValue {
                let isDefault = zone == "_defaultZone"
                let zone = ZoneID(container, owner: account, isDefault ? .defaultZone : name(zone))
                var row = ZoneRow(incarnation: try number(vector["number"]))
                row.counter = counter
                try world.engine.write { (transaction) throws(EngineFailure) in try transaction.put(row, of: zone) }
                #expect(try store.changes(of: zone, since: given, by: caller).get().token == next)
            } else {
                let isShared = vector["database"]?.stringValue == "shared"
                let database = DatabaseID(container, isShared ? .shared(account) : .privately(account))
                var row = DatabaseRow()
                row.counter = counter
                try world.engine.write { (transaction) throws(EngineFailure) in try transaction.put(row, of: database) }
                #expect(try store.changes(of: database, since: given, by: caller).get().token == next)
            }
        }
        #expect(tokens.count == 6)
    }

    private func bytes(_ json: JSON?) throws -> [UInt8] {
        try #require(json?.stringValue.flatMap { HexText.bytes(of: $0) })
    }

    /// An integer of 64 bits without a sign, which is a text because JSON has no such integers.
    private func number(_ json: JSON?) throws -> UInt64 { try #require(json?.stringValue.flatMap { UInt64($0) }) }

    @Test func `an index orders values by the bytes that are described`() throws {
        let keys = try #require(vectors["indexKeys"]?.arrayValue)
        for vector in keys {
            let text = try #require(vector["value"]?.stringValue)
            let draft = try RecordDraft(name("n"), json: Array(#"{"type":"Note","fields":{"a":\#(text)}}"#.utf8))
            let value = try #require(draft.fields[name("a")])
            #expect(IndexKey(value)?.bytes == (try bytes(vector["key"])), "\(text)")
        }
        #expect(keys.count == 17)
    }

    @Test func `requests and answers are read, and written as the same bytes`() throws {
        for text in try texts("modifyRecords") { #expect(try ModifyRecords(World.notes, json: text).json == text) }
        for text in try texts("modifyZones") {
            #expect(try ModifyZones(World.container, of: World.alice, json: text).json == text)
        }
        for text in try texts("modifySharing") { #expect(try ModifySharing(World.notes, json: text).json == text) }
        for text in try texts("queries") { #expect(try Query(json: text).json == text) }
        for text in try texts("subscriptions") {
            #expect(try Subscription.Subject(World.container, json: text).json == text)
        }
        for text in try texts("pushes") {
            let device = AccountDevice(World.alice, name("phone"))
            #expect(try [Push](to: device, json: text).json == text)
        }
        for text in try texts("modifyRecordsAnswers") { #expect(try ModifyRecordsAnswer(json: text).json == text) }
        for text in try texts("modifyZonesAnswers") { #expect(try ModifyZonesAnswer(json: text).json == text) }
        for text in try texts("modifySharingAnswers") { #expect(try ModifySharingAnswer(json: text).json == text) }
        for text in try texts("zoneChanges") { #expect(try ZoneChanges(json: text).json == text) }
        for text in try texts("databaseChanges") {
            #expect(try DatabaseChanges(World.container, json: text).json == text)
        }
    }
}
