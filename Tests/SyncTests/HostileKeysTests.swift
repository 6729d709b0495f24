import Cryptography
import JSONText
import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Records that a hub changes, replays or withholds in the zone of keys. Each test leaves everything right but one thing, so that no
/// other check of a machine refuses it.
@Suite struct HostileKeysTests {
    private var scene: KeyScene
    private let laptop: SimulatedMachine
    private let phone: SimulatedMachine
    /// Begins to use encrypted fields in the tests that need it.
    private let tablet: SimulatedMachine

    /// The laptop has made the key, and has trusted the phone.
    init() throws {
        scene = try KeyScene(["laptop", "phone", "tablet"])
        (laptop, phone, tablet) = (scene.machines[0], scene.machines[1], scene.machines[2])
        for machine in [laptop, phone] { try scene.use(machine) }
        try scene.rest(laptop)
        try scene.trust(phone, by: laptop)
        try scene.enterHub()
    }

    private func stranger() throws -> DeviceIdentity {
        DeviceIdentity(
            AccountDevice(scene.hub.account, named("hostile")),
            try #require(SealingKeyPair(privateKey: try SymmetricKey.random())))
    }

    /// A generation as the laptop makes it after the one that both have, but for what a test says.
    private func next(
        _ number: Int64 = 3, by maker: DeviceIdentity? = nil, for members: [KeyGeneration.Member]? = nil,
        newcomer: (DeviceID, PairingCode)? = nil, key: SymmetricKey? = nil, previous: SymmetricKey? = nil
    ) throws -> KeyGeneration {
        let genuine = try scene.identity(laptop)
        let generation = try KeyGeneration(
            number, by: maker ?? genuine,
            for: members ?? [genuine.member, try scene.identity(phone).member],
            newcomer: newcomer, key: key ?? SymmetricKey.random(),
            previous: previous ?? scene.key(laptop, of: 2))
        return try #require(generation)
    }

    /// The record of a generation that nobody has made.
    private static func unreadable(_ number: Int64) -> RecordDraft {
        RecordDraft(
            KeyZone.record(ofGeneration: number), named("Generation"), [named("statement"): .string("no statement")])
    }

    /// Expects that the phone notices what is wrong with the next generation, and goes on with its key.
    private mutating func expectRefusal(_ generation: KeyGeneration, _ comment: Comment) throws {
        let before = try scene.key(phone, of: 2)
        try scene.plant(generation, asNumber: 3)
        try scene.rest(phone)
        #expect(try scene.perform(phone).problem != nil, comment)
        let latest = try #require(try scene.latest(phone), comment)
        #expect(latest.number == 2 && latest.key.key.isEqual(to: before), comment)
    }

    // The next generation

    @Test mutating func `what a member has made is opened`() throws {
        let key = try SymmetricKey.random()
        try scene.plant(try next(key: key))
        try scene.rest(phone)
        let latest = try #require(try scene.latest(phone))
        #expect(latest.number == 3 && latest.key.key.isEqual(to: key))
    }

    @Test mutating func `a generation has the number of its record`() throws {
        try expectRefusal(try next(4), "another number")
    }

    @Test mutating func `a generation is made by a member of the one before`() throws {
        let other = try stranger()
        let members = [other.member, try scene.identity(phone).member]
        // It even has the present key, as a machine has that was removed.
        try expectRefusal(try next(by: other, for: members), "another maker")
    }

    @Test mutating func `a generation has the key of the one before`() throws {
        try expectRefusal(try next(previous: try SymmetricKey.random()), "another key before")
        try expectRefusal(try next(previous: try scene.key(laptop, of: 1)), "the key before that")
    }

    @Test mutating func `a key that there was before is not the next one`() throws {
        try expectRefusal(try next(key: try scene.key(laptop, of: 1)), "the first key")
        try expectRefusal(try next(key: try scene.key(laptop, of: 2)), "the present key")
    }

    @Test mutating func `a machine without which the next generation is made seals nothing more`() throws {
        try scene.plant(try next(for: [try scene.identity(laptop).member]))
        try scene.rest(phone)
        #expect(try scene.latest(phone) == nil && scene.code(phone) != nil)
        #expect(try scene.perform(phone).problem == nil)
    }

    @Test mutating func `nothing is made after a generation that is wrong`() throws {
        let wrong = Self.unreadable(3)
        try scene.tamper(saving: [wrong], deleting: [KeyZone.record(of: named("phone"))])
        try scene.rest(laptop)
        #expect(try scene.latest(laptop)?.number == 2 && scene.perform(laptop).problem != nil)
        try scene.use(tablet)
        try scene.rest(tablet)
        try scene.rest(laptop)
        let code = try #require(try scene.code(tablet))
        guard case .failure(.busy) = try scene.tryTrust(code, by: laptop) else {
            Issue.record("a generation would be made that the hub does not accept")
            return
        }
    }

    // A machine that is not trusted

    @Test mutating func `without the code of a new machine nobody can trust it`() throws {
        try scene.use(tablet)
        try scene.rest(tablet)
        let (new, other) = (try scene.identity(tablet), try stranger())
        let members = [other.member, new.member]
        let guessed = PairingCode.random()
        for code in [nil, guessed] {
            let newcomer = code.map { (new.id.device, $0) }
            try scene.plant(try next(by: other, for: members, newcomer: newcomer))
            try scene.rest(tablet)
            #expect(try scene.latest(tablet) == nil)
        }
        let code = try #require(try scene.code(tablet))
        try scene.plant(try next(by: other, for: members, newcomer: (new.id.device, code)))
        try scene.rest(tablet)
        #expect(try scene.latest(tablet) != nil, "whoever has the code can")
    }

    @Test mutating func `a generation of its own that came too late does not make a machine trusted`() throws {
        // It was made while the laptop made one, and the hub has only shown the laptop's.
        let own = try scene.identity(phone)
        let late = try next(4, by: own, for: [own.member, try stranger().member], previous: try SymmetricKey.random())
        try scene.plant(try next(for: [try scene.identity(laptop).member]))
        try scene.rest(phone)
        #expect(try scene.code(phone) != nil)
        try scene.plant(late)
        try scene.rest(phone)
        #expect(try scene.latest(phone) == nil)
    }

    @Test mutating func `a removed machine is not trusted with a key that it had`() throws {
        try scene.plant(try next(for: [try scene.identity(laptop).member]))
        try scene.rest(phone)
        let (removed, code) = (try scene.identity(phone), try #require(try scene.code(phone)))
        let members = [try scene.identity(laptop).member, removed.member]
        for (key, isTrusted) in [(try scene.key(laptop, of: 2), false), (try SymmetricKey.random(), true)] {
            try scene.plant(try next(4, for: members, newcomer: (removed.id.device, code), key: key))
            try scene.rest(phone)
            #expect(try (scene.latest(phone) != nil) == isTrusted)
        }
    }

    @Test mutating func `after a reset the first key of before is no first key again`() throws {
        let first = try scene.key(laptop, of: 1)
        // The person has reset the keys, and the hub has not deleted the zone.
        try laptop.cache.write { (tables) throws(StorageError) in
            try tables.removeGenerations()
            guard var row = try tables.deviceKey() else { return }
            row.code = .random()
            try tables.store(row)
        }
        let alone = try #require(
            try KeyGeneration(
                1, by: scene.identity(laptop), for: [scene.identity(laptop).member], key: first, previous: nil))
        try scene.plant(alone)
        try scene.rest(laptop)
        #expect(try scene.latest(laptop) == nil)
    }

    @Test mutating func `an earlier generation that was changed has no number of its own choice`() throws {
        // Nobody can know who has made a generation before the one in which a machine was trusted: only its key is certain.
        let first = try scene.identity(laptop)
        let claimed = try next(
            9, for: [first.member, try stranger().member], key: try scene.key(laptop, of: 1),
            previous: try SymmetricKey.random())
        try scene.use(tablet)
        try scene.rest(tablet)
        let new = try scene.identity(tablet)
        let code = try #require(try scene.code(tablet))
        let members = [first.member, try scene.identity(phone).member, new.member]
        try scene.plant(try next(for: members, newcomer: (new.id.device, code)))
        try scene.plant(claimed, asNumber: 1)
        try scene.rest(tablet)
        try tablet.crash()
        let latest = try #require(try scene.latest(tablet))
        #expect(latest.number == 3 && latest.members == ["laptop", "phone", "tablet"])
        // The key before is known all the same, so that what was sealed with it can be read.
        #expect(try scene.keys(tablet).count == 2)

        // It is removed, and the hub shows a first generation that the tablet made when the laptop was faster.
        try scene.plant(
            try next(4, for: [first.member], previous: try scene.key(tablet, of: 3)))
        try scene.rest(tablet)
        #expect(try scene.code(tablet) != nil)
        let late = try KeyGeneration(1, by: new, for: [new.member], key: SymmetricKey.random(), previous: nil)
        try scene.tamper(deleting: [KeyZone.record(ofGeneration: 2)])
        try scene.plant(try #require(late))
        try scene.rest(tablet)
        #expect(try scene.latest(tablet) == nil, "it has had later ones")
    }

    @Test mutating func `where others have a key, a machine makes none of its own`() throws {
        try scene.tamper(deleting: [KeyZone.record(ofGeneration: 1)])
        try scene.use(tablet)
        try scene.rest(tablet)
        #expect(try scene.keys(tablet).isEmpty && scene.code(tablet) != nil)
    }

    @Test mutating func `a first generation that nobody can read is not replaced`() throws {
        let wrong = Self.unreadable(1)
        try scene.tamper(saving: [wrong], deleting: [KeyZone.record(ofGeneration: 2)])
        try scene.use(tablet)
        try scene.rest(tablet)
        #expect(try scene.keys(tablet).isEmpty)
        #expect(try tablet.refused().isEmpty)
    }

    // Generations that the hub has lost or exchanged

    @Test mutating func `a generation that is another one than before ends the trust`() throws {
        try scene.plant(try next(2, previous: try scene.key(laptop, of: 1)))
        try scene.rest(phone)
        #expect(try scene.latest(phone) == nil && scene.code(phone) != nil)
    }

    @Test mutating func `after the zone was deleted the key is a new one`() throws {
        let before = try scene.keys(laptop)
        let body = ModifyZones(
            KeyZone.container, of: scene.hub.account, deletions: [KeyZone.zoneName], reason: .deleted)
        _ = try scene.hub.request(
            HubRequest(
                method: .post, path: HubAddress.zones(KeyZone.container), key: HexText.text(RandomBytes.make(16)),
                body: body.json), by: "hostile")
        try scene.rest(laptop)
        let latest = try #require(try scene.latest(laptop))
        #expect(latest.number == 1 && latest.members == ["laptop"] && before[latest.key.name] == nil)
    }

    // Members

    @Test mutating func `a machine that has another key of its own is no member of the next generation`() throws {
        let other = try stranger()
        let draft = RecordDraft(
            KeyZone.record(of: named("phone")), named("Device"), [named("key"): .bytes(other.pair.publicKey.bytes)])
        try scene.tamper(saving: [draft])
        try scene.rest(laptop)
        let latest = try #require(try scene.latest(laptop))
        #expect(latest.number == 3 && latest.members == ["laptop"])
    }

    @Test mutating func `a machine that has joined again is a member once, with its new key`() throws {
        let before = try scene.identity(phone)
        // It has lost its copy, and the record of its key is the new one at once.
        try phone.cache.write { (tables) throws(StorageError) in try tables.removeGenerations() }
        try scene.use(phone)
        try scene.rest(phone)
        let code = try #require(try scene.code(phone))
        try laptop.markStale()
        var past: [(HubRequest, String)] = []
        while try laptop.step(.delivered, past: &past) {}
        guard case .success(let member) = try scene.tryTrust(code, by: laptop) else {
            Issue.record("the machine is not trusted")
            return
        }
        #expect(member.key != before.pair.publicKey)
        try scene.rest(laptop)
        try scene.rest(phone)
        #expect(try scene.latest(laptop)?.members == ["laptop", "phone"] && scene.latest(phone)?.number == 3)
    }

    @Test mutating func `a new machine whose key the hub has exchanged is not trusted`() throws {
        try scene.use(tablet)
        try scene.rest(tablet)
        let code = try #require(try scene.code(tablet))
        let proof = try code.proof(of: scene.identity(tablet).member, in: scene.hub.account)
        let draft = RecordDraft(
            KeyZone.record(of: named("tablet")), named("Device"),
            [named("key"): .bytes(try stranger().pair.publicKey.bytes), named("proof"): .bytes(proof)])
        try scene.tamper(saving: [draft])
        try scene.rest(laptop)
        guard case .failure(.unknownCode) = try scene.tryTrust(code, by: laptop) else {
            Issue.record("the hub has become a member")
            return
        }
    }

    @Test mutating func `a machine is trusted after the change before is acknowledged`() throws {
        try scene.use(tablet)
        try scene.rest(tablet)
        try scene.rest(laptop)
        let code = try #require(try scene.code(tablet))
        guard case .success = try scene.tryTrust(code, by: laptop) else {
            Issue.record("the machine is not trusted")
            return
        }
        guard case .failure(.busy) = try scene.tryTrust(code, by: laptop) else {
            Issue.record("a second change would be lost")
            return
        }
    }

    @Test mutating func `there are as many members as an account has devices at most`() throws {
        let pair = try stranger().pair.publicKey
        let others = (1...KeyGeneration.mostMembers - 1).map { KeyGeneration.Member(named("other\($0)"), pair) }
        let records = others.map { member in
            RecordDraft(KeyZone.record(of: member.name), named("Device"), [named("key"): .bytes(pair.bytes)])
        }
        try scene.tamper(saving: records)
        try scene.plant(try next(for: [try scene.identity(laptop).member] + others))
        try scene.use(tablet)
        try scene.rest(tablet)
        try scene.rest(laptop)
        #expect(try scene.latest(laptop)?.members.count == KeyGeneration.mostMembers)
        let code = try #require(try scene.code(tablet))
        guard case .failure(.tooMany) = try scene.tryTrust(code, by: laptop) else {
            Issue.record("a generation would be made that nobody reads")
            return
        }
    }

    // Former keys

    @Test mutating func `a former key is taken over once, under the name that it has`() throws {
        let (former, by) = (AccountKey(try SymmetricKey.random()), AccountKey(try scene.key(laptop, of: 2)))
        let name = KeyZone.record(ofFormerKey: former.name.bytes)
        let fields: [FieldName: FieldValue] = [
            named("sealedBy"): .bytes(by.name.bytes),
            named("wrapped"): .bytes(by.key.wrap(former.key, context: Array("waymark old key 1 \(name)".utf8))),
        ]
        // The hub has it under another name as well.
        let copy = RecordDraft(KeyZone.record(ofFormerKey: by.name.bytes), named("FormerKey"), fields)
        try scene.tamper(saving: [copy])
        try scene.rest(laptop)
        #expect(try scene.keys(laptop)[former.name] == nil)
        try scene.tamper(saving: [RecordDraft(name, named("FormerKey"), fields)])
        try scene.rest(laptop)
        #expect(try scene.keys(laptop)[former.name]?.isEqual(to: former.key) == true)
        #expect(try !scene.perform(laptop).hasKeys)
        #expect(try scene.latest(laptop)?.key.name == by.name, "values are sealed with the present key as before")
    }
}
