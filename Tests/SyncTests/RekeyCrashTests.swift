import Cryptography
import JSONText
import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// A machine is removed from the account, and those that make another key lose everything but their files at one step of it after
/// the other: between two requests, after a request without an answer, before and after what it changes is stored, and while keys
/// are examined.
@Suite struct RekeyCrashTests {
    /// The machines of an account that encrypts a field.
    private struct Scene {
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

        init(_ names: [String], crash: (Int, SimulatedMachine.Fate)?) throws {
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
    }

    /// Three trusted machines, of which the tablet is removed, with a crash of the others. Returns whether it came.
    private func removeTablet(crash: (Int, SimulatedMachine.Fate)?) throws -> Bool {
        var scene = try Scene(["laptop", "phone", "tablet"], crash: crash)
        let (laptop, phone, tablet) = (scene.machines[0], scene.machines[1], scene.machines[2])
        _ = try laptop.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named("notes")], deleting: [])
        }
        for machine in scene.machines { try scene.use(machine) }
        try scene.rest(laptop)
        for other in [phone, tablet] { try scene.trust(other, by: laptop) }
        try scene.save(laptop, "before")
        for machine in scene.machines { try scene.rest(machine) }
        let before = try #require(try scene.latest(laptop))
        #expect(before.members == ["laptop", "phone", "tablet"])
        // A change that is sealed with the key of before, and sent while another key is made.
        try scene.save(phone, "meanwhile")

        try scene.hub.remove("tablet")
        for _ in 0..<2 {
            for machine in [laptop, phone] { try scene.rest(machine, counts: true) }
        }
        try scene.save(laptop, "after")
        for machine in [laptop, phone, laptop] { try scene.rest(machine, counts: true) }

        for machine in [laptop, phone] {
            let now = try #require(try scene.latest(machine), "\(String(describing: crash)): \(machine.name)")
            #expect(
                now.members == ["laptop", "phone"] && now.number == before.number + 1, "\(String(describing: crash))")
            #expect(now.key.name != before.key.name)
            let (yes, no) = try scene.readable(machine)
            #expect(
                no.isEmpty && yes == ["after", "before", "meanwhile"], "\(String(describing: crash)): \(machine.name)")
        }
        for machine in [laptop, phone] { #expect(try machine.refused().isEmpty) }
        // What the removed machine had, it has; the hub gives it nothing that it could open, whatever it sends.
        let after = try #require(try scene.latest(laptop)).key
        let known = try tablet.cache.read { (tables) throws(StorageError) in try tables.accountKeys() }
        #expect(known[before.key.name] != nil && known[after.name] == nil)
        return scene.hasCrashed
    }

    @Test func `without a crash the machines that remain have another key`() throws {
        #expect(try removeTablet(crash: nil) == false)
    }

    @Test(arguments: [SimulatedMachine.Fate.crashBefore, .crashAfter, .requestLost, .answerLost])
    func `whichever step of another key is cut off, nothing becomes unreadable`(fate: SimulatedMachine.Fate) throws {
        var step = 1
        while try removeTablet(crash: (step, fate)) { step += 1 }
        #expect(step > 10, "only \(step) steps were cut off")
    }
}
