import Cryptography
import JSONText
import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// The machines of an account that encrypts a field.
struct KeyScene {
    let folder: TemporaryDirectory
    let hub: SimulatedHub
    let machines: [SimulatedMachine]
    private var past: [(HubRequest, String)] = []
    /// How many steps were made.
    private(set) var steps = 0
    /// The step at which a crash comes, and its kind.
    private let crash: (step: Int, fate: SimulatedMachine.Fate)?
    /// Whether it came.
    private(set) var hasCrashed = false

    init(_ names: [String], crash: (Int, SimulatedMachine.Fate)? = nil) throws {
        self.crash = crash
        folder = try TemporaryDirectory()
        let hub = try SimulatedHub(folder: folder.file("hub"))
        self.hub = hub
        let folder = folder
        machines = try names.map { try SimulatedMachine($0, folder: folder.file($0), hub: hub) }
    }

    /// Does everything that there is to do on a machine, keys included. Crashes are counted from `begin` on.
    mutating func rest(_ machine: SimulatedMachine, counts: Bool = false) throws {
        try machine.markStale()
        for _ in 0..<200 {
            var fate = SimulatedMachine.Fate.delivered
            if counts {
                steps += 1
                if let crash, crash.step == steps { (fate, hasCrashed) = (crash.fate, true) }
            }
            if try machine.step(fate, past: &past) { continue }
            let isCut = fate != .delivered
            if try !exchange(machine, isCut: isCut) {
                if isCut { try machine.crash() } else { return }
            }
        }
        throw SimulationError(description: "\(machine.name) never comes to rest")
    }

    /// Does what the keys at the hub require. Returns whether there is more to do.
    /// - Parameter isCut: Whether the machine loses everything before that is stored.
    private func exchange(_ machine: SimulatedMachine, isCut: Bool) throws -> Bool {
        let account = AccountDevice(hub.account, named(machine.name))
        if isCut {
            do throws(StorageError) {
                try machine.cache.write { (tables) throws(StorageError) in
                    guard var exchange = try KeyExchange(tables, account) else { return }
                    try exchange.perform()
                    throw StorageError("exchange keys", .closed, "the machine is off")
                }
            } catch { guard error.reason == .closed else { throw error } }
            return false
        }
        return try machine.cache.write { (tables) throws(StorageError) in
            guard var exchange = try KeyExchange(tables, account) else { return false }
            try exchange.perform()
            return exchange.outcome.hasChanges
        }
    }

    /// Begins to use encrypted fields.
    func use(_ machine: SimulatedMachine) throws {
        let pair = try #require(SealingKeyPair(privateKey: try SymmetricKey.random()))
        try machine.cache.write { (tables) throws(StorageError) in
            try tables.store(DeviceKeyRow(pair: pair, code: .random()))
            _ = try tables.open(KeyZone.container)
        }
    }

    /// Has a machine trust another one.
    mutating func trust(_ other: SimulatedMachine, by machine: SimulatedMachine) throws {
        try rest(other)
        try rest(machine)
        let account = AccountDevice(hub.account, named(machine.name))
        let code = try other.cache.read { (tables) throws(StorageError) in try tables.deviceKey()?.code }
        let trusted = try machine.cache.write { (tables) throws(StorageError) -> Bool in
            guard let code, var exchange = try KeyExchange(tables, account) else { return false }
            if case .success = try exchange.trust(code) { return true }
            return false
        }
        #expect(trusted)
        try rest(machine)
        try rest(other)
    }

    /// The generation of the key that a machine has, and the key.
    func latest(_ machine: SimulatedMachine) throws -> (number: Int64, members: [String], key: AccountKey)? {
        let account = AccountDevice(hub.account, named(machine.name))
        return try machine.cache.read { (tables) throws(StorageError) in
            guard let exchange = try KeyExchange(tables, account), exchange.row.code == nil,
                let latest = exchange.latest
            else { return nil }
            return (
                latest.row.number, latest.row.generation.statement.members.map(\.name.text),
                AccountKey(latest.key)
            )
        }
    }

    private static let field: FieldName = named("secret")

    /// Saves a record whose field is sealed with the machine's present key.
    func save(_ machine: SimulatedMachine, _ name: String) throws {
        let key = try #require(try latest(machine)).key
        let value = try #require(EncryptedValue(.string("secret of \(name)")))
        let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
            let id = ZoneID(SimulatedMachine.container, owner: account, named("notes"))
            guard let zone = try tables.present(id, in: row, of: account) else { return .zoneNotFound(id.name) }
            let place = FieldPlace(id, named(name), Self.field)
            let draft = RecordDraft(
                named(name), named("Note"), [Self.field: .sealed(SealedField(value, at: place, with: key))])
            return try tables.modify(zone, ModifyRecords(id, saves: [ModifyRecords.Save(draft)]))
        }
        #expect(refusal == nil)
    }

    /// The names of the records whose values a machine can read, and of those that it cannot.
    func readable(_ machine: SimulatedMachine) throws -> (yes: [String], no: [String]) {
        try machine.cache.read { (tables) throws(StorageError) in
            var (yes, no): ([String], [String]) = ([], [])
            let keys = try tables.accountKeys()
            guard let row = try tables.find(SimulatedMachine.container) else { return (yes, no) }
            for zone in try tables.zones(.readZones, in: row) {
                for record in try tables.list(zone, after: "", limit: 100, matching: nil).records {
                    guard case .sealed(let field)? = record.fields[Self.field] else { continue }
                    let content = field.open(at: FieldPlace(zone.zone, record.name, Self.field), with: keys)
                    let expected = EncryptedValue(.string("secret of \(record.name)"))
                    if expected.map({ content == .value($0) }) == true {
                        yes.append(record.name.text)
                    } else {
                        no.append(record.name.text)
                    }
                }
            }
            return (yes, no)
        }
    }

    // What somebody does who has the files of the hub in hand

    /// The zone of keys.
    var keyZone: ZoneID { KeyZone.zone(of: hub.account) }

    /// Adds the device by which the records of the hub are changed.
    func enterHub() throws { _ = try hub.join("hostile") }

    /// Changes the zone of keys at the hub.
    func tamper(saving drafts: [RecordDraft] = [], deleting names: [RecordName] = []) throws {
        let request = ModifyRecords(
            keyZone, saves: drafts.map { ModifyRecords.Save($0, .allKeys) },
            deletions: names.map { ModifyRecords.Deletion($0) })
        let reply = try hub.request(
            HubRequest(
                method: .post, path: HubAddress.records(keyZone), key: HexText.text(RandomBytes.make(16)),
                body: request.json), by: "hostile")
        guard case .done(let body) = reply, case .outcomes(let outcomes) = try ModifyRecordsAnswer(json: body) else {
            throw SimulationError(description: "the hub answers \(reply)")
        }
        for case .conflict in outcomes { throw SimulationError(description: "the hub answers \(outcomes)") }
    }

    /// Puts a generation into the record of a number, that of its own or another one.
    func plant(_ generation: KeyGeneration, asNumber number: Int64? = nil) throws {
        let name = KeyZone.record(ofGeneration: number ?? generation.statement.number)
        let fields: [FieldName: FieldValue] = [
            named("statement"): .string(String(decoding: generation.text, as: UTF8.self)),
            named("wrapped"): .bytes(generation.wrapped.flatMap { $0 }),
        ]
        try tamper(saving: [RecordDraft(name, named("Generation"), fields)])
    }

    // What is in a copy

    func identity(_ machine: SimulatedMachine) throws -> DeviceIdentity {
        let row = try machine.cache.read { (tables) throws(StorageError) in try tables.deviceKey() }
        return DeviceIdentity(AccountDevice(hub.account, named(machine.name)), try #require(row).pair)
    }

    /// The code of a machine that is not trusted; nil if it is.
    func code(_ machine: SimulatedMachine) throws -> PairingCode? {
        try machine.cache.read { (tables) throws(StorageError) in try tables.deviceKey()?.code }
    }

    func keys(_ machine: SimulatedMachine) throws -> [AccountKey.Name: SymmetricKey] {
        try machine.cache.read { (tables) throws(StorageError) in try tables.accountKeys() }
    }

    /// The key of a generation that a machine has opened.
    func key(_ machine: SimulatedMachine, of number: Int64) throws -> SymmetricKey {
        let (rows, keys) = try machine.cache.read { (tables) throws(StorageError) in
            (try tables.generations(), try tables.accountKeys())
        }
        return try #require(rows.first { $0.number == number }.flatMap { keys[$0.name] })
    }

    /// Performs one step of the exchange, and returns what it has done.
    func perform(_ machine: SimulatedMachine) throws -> KeyExchange.Outcome {
        let account = AccountDevice(hub.account, named(machine.name))
        return try machine.cache.write { (tables) throws(StorageError) in
            guard var exchange = try KeyExchange(tables, account) else { return KeyExchange.Outcome() }
            try exchange.perform()
            return exchange.outcome
        }
    }

    /// Has a machine trust whoever has a code, without sending it.
    func tryTrust(
        _ code: PairingCode, by machine: SimulatedMachine
    ) throws -> Result<KeyGeneration.Member, KeyExchange.TrustRefusal> {
        let account = AccountDevice(hub.account, named(machine.name))
        return try machine.cache.write { (tables) throws(StorageError) in
            guard var exchange = try KeyExchange(tables, account) else { return .failure(.notTrusted) }
            return try exchange.trust(code)
        }
    }
}
