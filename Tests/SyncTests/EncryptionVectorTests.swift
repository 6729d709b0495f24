import Containers
import Cryptography
import JSONText
import Platform
import Records
import TestSupport
import Testing

@testable import Sync

/// What a program wrote that shares no code with this package: `make-vectors` in `Tests/Fixtures/encryption`.
@Suite struct EncryptionVectorTests {
    private let vectors: JSON
    private let account: AccountID

    init() throws {
        vectors = try JSON.parse(
            BoundedFile.bytes(of: Products.fixture("encryption/vectors.json"), limit: 1 << 20), maximumDepth: 8)
        account = try #require(AccountID("alice"))
    }

    private func bytes(_ json: JSON?) throws -> [UInt8] {
        try #require(json?.stringValue.flatMap { HexText.bytes(of: $0) })
    }

    private func key(_ json: JSON?) throws -> SymmetricKey {
        let bytes = try bytes(json)
        return try #require(try SymmetricKey(copying: bytes))
    }

    private func machine(_ index: Int) throws -> DeviceIdentity {
        let json = try #require(vectors["machines"]?[index])
        let pair = try #require(SealingKeyPair(privateKey: try key(json["private"])))
        #expect(try pair.publicKey.bytes == bytes(json["public"]))
        let name = try #require(json["name"]?.stringValue.flatMap(DeviceID.init))
        return DeviceIdentity(AccountDevice(account, name), pair)
    }

    private func generation(_ number: Int) throws -> (KeyGeneration, key: SymmetricKey) {
        let json = try #require(vectors["generations"]?[number - 1])
        let text = Array(try #require(json["statement"]?.stringValue).utf8)
        let generation = try #require(KeyGeneration(text: text, wrapped: try bytes(json["wrapped"])))
        #expect(generation.statement.number == Int64(number))
        return (generation, try key(json["key"]))
    }

    private func code() throws -> PairingCode {
        let text = try #require(vectors["code"]?["text"]?.stringValue)
        return try #require(PairingCode(typed: text))
    }

    @Test func `machines open the generations of a key`() throws {
        let (laptop, phone, tablet) = (try machine(0), try machine(1), try machine(2))
        let code = try code()
        #expect(try code.bytes == bytes(vectors["code"]?["bytes"]))
        #expect(try code.proof(of: phone.member, in: account) == bytes(vectors["code"]?["proof"]))
        let (first, second, third) = (try generation(1), try generation(2), try generation(3))
        #expect(try first.0.open(by: laptop, makerKey: laptop.pair.publicKey)?.isEqual(to: first.key) == true)
        #expect(try second.0.open(by: laptop, makerKey: laptop.pair.publicKey)?.isEqual(to: second.key) == true)
        let opened = try second.0.open(by: phone, makerKey: laptop.pair.publicKey, code: code)
        #expect(opened?.isEqual(to: second.key) == true)
        #expect(try second.0.openPrevious(with: second.key)?.isEqual(to: first.key) == true)
        #expect(try third.0.open(by: phone, makerKey: phone.pair.publicKey)?.isEqual(to: third.key) == true)
        #expect(try third.0.openPrevious(with: third.key)?.isEqual(to: second.key) == true)
        // Without the code a new machine cannot know who has made it, and whoever is no member has no key.
        #expect(try second.0.open(by: phone, makerKey: laptop.pair.publicKey) == nil)
        #expect(try second.0.open(by: tablet, makerKey: laptop.pair.publicKey, code: code) == nil)
        #expect(try third.0.open(by: laptop, makerKey: phone.pair.publicKey) == nil)
        #expect(try third.0.openPrevious(with: first.key) == nil)
        // Nor has a machine of another account, even with the same name and pair of keys.
        let stranger = DeviceIdentity(
            AccountDevice(try #require(AccountID("somebody-else")), laptop.id.device), laptop.pair)
        #expect(try first.0.open(by: stranger, makerKey: laptop.pair.publicKey) == nil)
    }

    @Test func `a generation is written as it was read`() throws {
        let laptop = try machine(0)
        let (second, key) = try generation(2)
        let again = try #require(
            try KeyGeneration(
                2, by: laptop, for: second.statement.members, newcomer: (try machine(1).id.device, try code()),
                key: key,
                previous: try generation(1).key))
        // Nonces differ, and nothing else.
        #expect(again.text.count == second.text.count && again.wrapped.count == second.wrapped.count)
        let opened = try again.open(by: try machine(1), makerKey: laptop.pair.publicKey, code: try code())
        #expect(opened?.isEqual(to: key) == true)
    }

    @Test func `a changed byte of a generation is noticed by its member`() throws {
        let phone = try machine(1)
        let (second, _) = try generation(2)
        let maker = try machine(0).pair.publicKey
        for offset in second.text.indices {
            var text = second.text
            text[offset] ^= 1
            guard let changed = KeyGeneration(text: text, wrapped: second.wrapped.flatMap { $0 }) else { continue }
            #expect(try changed.open(by: phone, makerKey: maker, code: try code()) == nil, "byte \(offset)")
        }
        let wrapped = second.wrapped.flatMap { $0 }
        for offset in wrapped.indices.dropFirst(wrapped.count / 2) {
            var changed = wrapped
            changed[offset] ^= 0x80
            let generation = try #require(KeyGeneration(text: second.text, wrapped: changed))
            #expect(try generation.open(by: phone, makerKey: maker, code: try code()) == nil, "byte \(offset)")
        }
        #expect(KeyGeneration(text: second.text, wrapped: Array(wrapped.dropLast())) == nil)
    }

    @Test func `a statement that contradicts itself is no generation`() throws {
        let (laptop, phone) = (try machine(0), try machine(1).member)
        let (key, former) = (try generation(2).key, try generation(1).key)
        func isRead(
            _ number: Int64, _ members: [KeyGeneration.Member], previous: SymmetricKey?, more: [UInt8] = []
        ) throws -> Bool {
            let made = try KeyGeneration(number, by: laptop, for: members, key: key, previous: previous)
            return try KeyGeneration(text: #require(made).text, wrapped: #require(made).wrapped.flatMap { $0 } + more)
                != nil
        }
        #expect(try isRead(2, [laptop.member, phone], previous: former))
        #expect(try isRead(1, [laptop.member], previous: nil))
        #expect(try !isRead(2, [laptop.member, laptop.member], previous: former), "a member twice")
        #expect(try !isRead(2, [phone], previous: former), "its maker is no member")
        #expect(try !isRead(1, [laptop.member], previous: former), "a key before the first one")
        #expect(try !isRead(2, [laptop.member], previous: nil), "no key before")
        #expect(try !isRead(0, [laptop.member], previous: former), "no number")
        let more = [UInt8](repeating: 0, count: 72)
        #expect(try !isRead(2, [laptop.member, phone], previous: former, more: more), "a key for nobody")
        let many = (1...KeyGeneration.mostMembers).map { KeyGeneration.Member(named("phone\($0)"), phone.key) }
        #expect(try isRead(2, [laptop.member] + many.dropLast(), previous: former))
        #expect(try !isRead(2, [laptop.member] + many, previous: former), "too many members")
        let (second, _) = try generation(2)
        let text = String(decoding: second.text, as: UTF8.self)
        let cut = text.replacing(HexText.text(phone.key.bytes), with: "x")
        #expect(
            KeyGeneration(text: Array(cut.utf8), wrapped: Array(second.wrapped[0])) == nil, "a member without a key")
    }

    @Test func `a value of a later format belongs to no key`() throws {
        let key = AccountKey(try generation(1).key)
        let place = try place(vectors["fields"]?[0]?["place"])
        let value = SealedField(try #require(EncryptedValue(.string("milk"))), at: place, with: key)
        let later = try #require(SealedField(.string, isList: false, [2] + value.bytes.dropFirst()))
        #expect(later.keyName == nil && later.open(at: place, with: [:]) == .damaged)
    }

    @Test func `sealed values are opened at their place, and nowhere else`() throws {
        let keys = Dictionary(
            uniqueKeysWithValues: try (1...3).map { number in
                let key = AccountKey(try generation(number).key)
                return (key.name, key.key)
            })
        for json in try #require(vectors["fields"]?.arrayValue) {
            let place = try place(json["place"])
            let sealed = try FieldValue(json: Array(#require(json["sealed"]?.stringValue).utf8))
            let value = try FieldValue(json: Array(#require(json["value"]?.stringValue).utf8))
            guard case .sealed(let field) = sealed else {
                Issue.record("a sealed value is read as one")
                continue
            }
            #expect(field.open(at: place, with: keys) == EncryptedValue(value).map { .value($0) })
            #expect(field.open(at: place, with: [:]) == .keyMissing)
            #expect(sealed.json == Array(try #require(json["sealed"]?.stringValue).utf8))
            for other in try otherPlaces(place) { #expect(field.open(at: other, with: keys) == .damaged) }
            for offset in field.bytes.indices {
                var bytes = field.bytes
                bytes[offset] ^= 1
                let changed = try #require(SealedField(field.shape.kind, isList: field.shape.isList, bytes))
                let content = changed.open(at: place, with: keys)
                #expect(content == .damaged || (1...8).contains(offset) && content == .keyMissing, "byte \(offset)")
            }
            // The hub says that it is of another kind.
            let other = try #require(SealedField(.date, isList: false, field.bytes))
            #expect(other.open(at: place, with: keys) == .damaged)
        }
    }

    @Test func `a value is sealed anew each time, and as long as is said`() throws {
        let key = AccountKey(try generation(1).key)
        let place = try place(vectors["fields"]?[0]?["place"])
        let value = try #require(EncryptedValue(.string("milk")))
        let (one, two) = (SealedField(value, at: place, with: key), SealedField(value, at: place, with: key))
        #expect(one != two && one.bytes.count == two.bytes.count)
        #expect(one.bytes.count == FieldValue.encrypted(value).size)
        #expect(one.open(at: place, with: [key.name: key.key]) == .value(value))
    }

    @Test func `a key from before a reset is passed on`() throws {
        let json = try #require(vectors["former"])
        let record = try #require(json["record"]?.stringValue)
        let by = try generation(3).key
        #expect(try AccountKey(by).name.bytes == bytes(json["sealedBy"]))
        let context = Array("waymark old key 1 \(record)".utf8)
        let former = try #require(try by.unwrap(bytes(json["wrapped"]), context: context))
        #expect(try former.isEqual(to: key(json["key"])))
        #expect(KeyZone.record(ofFormerKey: AccountKey(former).name.bytes).text == record)
    }

    private func place(_ json: JSON?) throws -> FieldPlace {
        func text(_ name: String) throws -> String { try #require(json?[name]?.stringValue) }
        let environment = try #require(ContainerEnvironment(rawValue: text("environment")))
        let container = Container(try #require(ContainerName(text("container"))), environment)
        let zone = ZoneID(
            container, owner: try AccountID(text("owner")), try #require(ZoneName(stored: text("zone"))))
        return FieldPlace(
            zone, try #require(RecordName(text("record"))), try #require(FieldName(text("field"))))
    }

    /// Places that differ in one name each.
    private func otherPlaces(_ place: FieldPlace) throws -> [FieldPlace] {
        let zone = place.zone
        let container = zone.container
        let other: ContainerEnvironment = container.environment == .production ? .development : .production
        let zones = [
            ZoneID(Container(container.name, other), owner: zone.owner, zone.name),
            ZoneID(
                Container(try #require(ContainerName("org.example.lists")), container.environment), owner: zone.owner,
                zone.name),
            ZoneID(container, owner: AccountID("bob"), zone.name),
            ZoneID(container, owner: zone.owner, try #require(ZoneName("lists"))),
        ]
        return zones.map { FieldPlace($0, place.record, place.field) } + [
            FieldPlace(zone, try #require(RecordName("n2")), place.field),
            FieldPlace(zone, place.record, try #require(FieldName("title"))),
        ]
    }
}
