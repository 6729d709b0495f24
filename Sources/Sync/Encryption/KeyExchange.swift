import Cryptography
import Platform
import Records
import Storage

/// One step of the exchange of keys with the account's other machines, within a transaction of the copy: opens what they have made,
/// and makes what is missing. Everything that it makes is a change of records like that of an app, so that a crash loses nothing,
/// and two machines that make the same generation at once cannot both succeed: the hub accepts the first one.
struct KeyExchange {
    /// What a step has done.
    struct Outcome: Equatable {
        /// Whether there are changes to send.
        var hasChanges = false
        /// Whether this machine has other keys.
        var hasKeys = false
        /// Whether everything that the hub has was examined.
        var isComplete = false
        /// What is wrong with the keys that the hub has, a sentence; nil if nothing is.
        var problem: String?
    }

    let tables: CacheTables
    let identity: DeviceIdentity
    private(set) var row: DeviceKeyRow
    private(set) var keys: [AccountKey.Name: SymmetricKey]
    private(set) var generations: [GenerationRow]
    var outcome = Outcome()

    /// Nil unless this machine has a key of its own.
    init?(_ tables: CacheTables, _ id: AccountDevice) throws(StorageError) {
        guard let row = try tables.deviceKey() else { return nil }
        self.tables = tables
        self.row = row
        identity = DeviceIdentity(id, row.pair)
        keys = try tables.accountKeys()
        generations = try tables.generations()
    }

    /// The generation that this machine has opened last, and its key.
    var latest: (row: GenerationRow, key: SymmetricKey)? {
        generations.last.flatMap { last in keys[last.name].map { (last, $0) } }
    }

    /// Whether a trusted machine can trust this one: others have the account's key, and the hub has the key of this machine.
    private(set) var isReady = false

    /// Does what can be done now.
    mutating func perform() throws(StorageError) {
        guard let zone = try zone() else { return }
        try openGenerations(in: zone)
        try publishKey(in: zone)
        try publishGenerations(in: zone)
        try makeFirstGeneration(in: zone)
        try removeMembers(in: zone)
        try exchangeFormerKeys(in: zone)
        isReady = try isReadyForTrust(in: zone)
        outcome.isComplete = true
    }

    /// The zone of keys, which is made if there is none; nil as long as not everything was fetched.
    private mutating func zone() throws(StorageError) -> ZoneRow? {
        let container = try tables.open(KeyZone.container)
        guard try tables.isFetched(container) else { return nil }
        let id = KeyZone.zone(of: identity.id.account)
        if let zone = try tables.find(id, in: container), zone.isPresent {
            // Another machine was faster; what it has made is examined next.
            let refused = try tables.refused(in: container, after: 0, limit: .max).compactMap { RecordName($0.name) }
            try tables.discard(refused, in: zone, onlyRefused: true)
            if try isReplaced(in: zone) { try forgetGenerations() }
            return zone
        }
        if !generations.isEmpty { try forgetGenerations() }
        let refusal = try tables.modify(container, of: identity.id.account, saving: [KeyZone.zoneName], deleting: [])
        guard refusal == nil else { return nil }
        outcome.hasChanges = true
        return try tables.find(id, in: container)
    }

    /// Whether a machine has reset the keys, so that the hub has other generations.
    private func isReplaced(in zone: ZoneRow) throws(StorageError) -> Bool {
        for row in generations {
            if let record = try hubRecord(row.number, in: zone), KeyGeneration(record) != row.generation {
                return true
            }
        }
        return false
    }

    /// Begins anew after a reset: a trusted machine has to trust this one. What was sealed before can still be read.
    private mutating func forgetGenerations() throws(StorageError) {
        try tables.removeGenerations()
        generations = []
        try renewCode()
        outcome.hasKeys = true
    }

    /// Makes another code. One is for one attempt only.
    private mutating func renewCode() throws(StorageError) {
        row.code = .random()
        try tables.store(row)
    }

    private func isReadyForTrust(in zone: ZoneRow) throws(StorageError) -> Bool {
        let name = KeyZone.record(of: identity.id.device)
        guard row.code != nil, try !published(in: zone).isEmpty, try tables.change(name, in: zone) == nil else {
            return false
        }
        return try tables.record(name, in: zone)?.base?.fields[.proof] != nil
    }

    // Opening

    private mutating func openGenerations(in zone: ZoneRow) throws(StorageError) {
        if row.code != nil { try openOwn(in: zone) }
        while row.code == nil, let last = latest {
            guard try openNext(after: last.row, last.key, in: zone) else { return }
        }
    }

    /// Opens the generation in which another machine has trusted this one, or the first one, which this machine has made.
    private mutating func openOwn(in zone: ZoneRow) throws(StorageError) {
        for generation in try published(in: zone).reversed() {
            let number = generation.statement.number
            guard number > generations.last?.number ?? 0, let maker = generation.key(of: generation.statement.maker)
            else { continue }
            let isOwn = maker == identity.pair.publicKey
            // Only with the code it is certain that the maker is not the hub.
            guard number == 1 && isOwn || !isOwn else { continue }
            let code = isOwn ? nil : row.code
            let key = try Self.secret { () throws(SystemError) in
                try generation.open(by: identity, makerKey: maker, code: code)
            }
            // A key that this machine has had is never the present one again: the hub may replay what it had before.
            guard let key, keys[AccountKey(key).name] == nil else { continue }
            generations = []
            try tables.removeGenerations()
            try adoptFormer(than: generation, key, in: zone)
            try adopt(generation, key)
            row.code = nil
            return try tables.store(row)
        }
    }

    /// Opens the generations before one with its key.
    private mutating func adoptFormer(
        than generation: KeyGeneration, _ key: SymmetricKey, in zone: ZoneRow
    ) throws(StorageError) {
        var (later, laterKey) = (generation, key)
        var found: [(KeyGeneration, SymmetricKey)] = []
        while let earlier = try published(later.statement.number - 1, in: zone) {
            let key = try Self.secret { () throws(SystemError) in try later.openPrevious(with: laterKey) }
            guard let key else { break }
            found.append((earlier, key))
            (later, laterKey) = (earlier, key)
        }
        for (generation, key) in found.reversed() { try adopt(generation, key) }
    }

    /// Opens the generation after the latest one. Returns whether there was one.
    private mutating func openNext(
        after last: GenerationRow, _ lastKey: SymmetricKey, in zone: ZoneRow
    ) throws(StorageError) -> Bool {
        guard let record = try hubRecord(last.number + 1, in: zone) else { return false }
        guard let next = KeyGeneration(record), next.statement.number == last.number + 1 else {
            outcome.problem = Self.forged
            return false
        }
        guard next.includes(identity.member) else {
            // This machine was removed. It encrypts nothing more with a key that others have replaced.
            Log.notice("the account has another key for its encrypted fields, and this machine is not trusted with it")
            outcome.hasKeys = true
            try renewCode()
            return false
        }
        guard let maker = last.generation.key(of: next.statement.maker) else {
            outcome.problem = Self.forged
            return false
        }
        let key = try Self.secret { () throws(SystemError) -> SymmetricKey? in
            guard let key = try next.open(by: identity, makerKey: maker),
                try next.openPrevious(with: key)?.isEqual(to: lastKey) == true
            else { return nil }
            return key
        }
        guard let key, keys[AccountKey(key).name] == nil else {
            outcome.problem = Self.forged
            return false
        }
        try adopt(next, key)
        return true
    }

    private mutating func adopt(_ generation: KeyGeneration, _ key: SymmetricKey) throws(StorageError) {
        let key = AccountKey(key)
        let row = GenerationRow(generation: generation, name: key.name)
        try tables.store(key)
        try tables.store(row)
        keys[key.name] = key.key
        generations.append(row)
        outcome.hasKeys = true
    }

    private static let forged =
        "The hub has a key of the account that no trusted machine has made. It is not used. Ask whoever runs the hub."

    // Making

    /// Publishes the key of this machine, with the proof for who has its code.
    private mutating func publishKey(in zone: ZoneRow) throws(StorageError) {
        let name = KeyZone.record(of: identity.id.device)
        guard try tables.change(name, in: zone) == nil else { return }
        let base = try tables.record(name, in: zone)?.base
        var fields: [FieldName: FieldValue] = [.key: .bytes(identity.pair.publicKey.bytes)]
        if let code = row.code {
            fields[.proof] = .bytes(
                try Self.secret { () throws(SystemError) in
                    try code.proof(of: identity.member, in: identity.id.account)
                })
        } else if let base, base.fields[.key] == fields[.key] {
            return
        }
        guard base?.fields != fields else { return }
        try save(RecordDraft(name, .device, fields, changeTag: base?.changeTag), in: zone)
    }

    /// Saves generations again that the hub has lost.
    private mutating func publishGenerations(in zone: ZoneRow) throws(StorageError) {
        guard row.code == nil else { return }
        for row in generations where try hubRecord(row.number, in: zone) == nil {
            try publish(row.generation, in: zone)
        }
    }

    private mutating func makeFirstGeneration(in zone: ZoneRow) throws(StorageError) {
        guard generations.isEmpty, try published(in: zone).isEmpty, try hubRecord(1, in: zone) == nil else { return }
        try make(1, for: [identity.member], previous: nil, in: zone)
    }

    /// Makes another key if a machine that has the present one was removed from the account, or has another key of its own.
    private mutating func removeMembers(in zone: ZoneRow) throws(StorageError) {
        guard row.code == nil, let latest, try hubRecord(latest.row.number + 1, in: zone) == nil else { return }
        let members = latest.row.generation.statement.members
        var rest: [KeyGeneration.Member] = []
        for member in members {
            let record = try tables.record(KeyZone.record(of: member.name), in: zone)?.base
            if member == identity.member || record.flatMap(KeyGeneration.Member.init(_:))?.key == member.key {
                rest.append(member)
            }
        }
        guard rest.count < members.count else { return }
        try make(latest.row.number + 1, for: rest, previous: latest.key, in: zone)
    }

    /// Why a machine is not trusted.
    enum TrustRefusal: Error {
        /// This machine is not trusted itself.
        case notTrusted
        /// No machine of the account has published a key that belongs to the code.
        case unknownCode
        /// Another change of the members is not acknowledged yet.
        case busy
        /// There are as many members as there may be.
        case tooMany
    }

    /// Trusts the machine that shows a code: the next generation has it among its members.
    mutating func trust(_ code: PairingCode) throws(StorageError) -> Result<KeyGeneration.Member, TrustRefusal> {
        guard let zone = try zone(), row.code == nil, let latest else { return .failure(.notTrusted) }
        let number = latest.row.number + 1
        let pending = try tables.change(KeyZone.record(ofGeneration: number), in: zone)
        guard pending == nil, try hubRecord(number, in: zone) == nil else { return .failure(.busy) }
        for record in try tables.hubRecords("device-", in: zone) {
            guard let member = KeyGeneration.Member(record), case .bytes(let proof)? = record.fields[.proof] else {
                continue
            }
            let expected = try Self.secret { () throws(SystemError) in
                try code.proof(of: member, in: identity.id.account)
            }
            guard proof.isSameCode(as: expected) else { continue }
            let others = latest.row.generation.statement.members.filter { $0.name != member.name }
            guard others.count < KeyGeneration.mostMembers else { return .failure(.tooMany) }
            try make(
                number, for: others + [member], newcomer: (member.name, code), previous: latest.key, in: zone)
            return .success(member)
        }
        return .failure(.unknownCode)
    }

    private mutating func make(
        _ number: Int64, for members: [KeyGeneration.Member], newcomer: (DeviceID, PairingCode)? = nil,
        previous: SymmetricKey?, in zone: ZoneRow
    ) throws(StorageError) {
        let generation = try Self.secret { () throws(SystemError) in
            try KeyGeneration(
                number, by: identity, for: members, newcomer: newcomer, key: try SymmetricKey.random(),
                previous: previous)
        }
        if let generation { try publish(generation, in: zone) }
    }

    private mutating func publish(_ generation: KeyGeneration, in zone: ZoneRow) throws(StorageError) {
        let name = KeyZone.record(ofGeneration: generation.statement.number)
        guard try tables.change(name, in: zone) == nil else { return }
        try save(RecordDraft(name, .generation, generation.fields), in: zone)
    }

    // Former keys

    /// Passes on keys from before a reset, and opens those that others have passed on.
    private mutating func exchangeFormerKeys(in zone: ZoneRow) throws(StorageError) {
        guard row.code == nil, let latest else { return }
        let records = try tables.hubRecords("former-", in: zone)
        for record in records {
            guard let passedOn = FormerKey(record), let key = keys[passedOn.sealedBy] else { continue }
            let former = try Self.secret { () throws(SystemError) in try passedOn.open(with: key) }
            // It has the name that is computed from it, whatever the name of the record.
            guard let former = former.map(AccountKey.init), keys[former.name] == nil else { continue }
            try tables.store(former)
            keys[former.name] = former.key
            outcome.hasKeys = true
        }
        let known = Set(generations.map(\.name))
        for (name, key) in keys where !known.contains(name) {
            let record = KeyZone.record(ofFormerKey: name.bytes)
            guard try tables.record(record, in: zone)?.base == nil, try tables.change(record, in: zone) == nil
            else { continue }
            let former = FormerKey(record, key, sealedBy: latest.key, named: latest.row.name)
            try save(RecordDraft(record, .formerKey, former.fields), in: zone)
        }
    }

    // Records

    private mutating func save(_ draft: RecordDraft, in zone: ZoneRow) throws(StorageError) {
        let request = ModifyRecords(zone.zone, saves: [ModifyRecords.Save(draft)])
        guard try tables.modify(zone, request) == nil else { throw CacheTables.damaged("the zone of keys") }
        outcome.hasChanges = true
    }

    private func hubRecord(_ number: Int64, in zone: ZoneRow) throws(StorageError) -> Record? {
        try tables.record(KeyZone.record(ofGeneration: number), in: zone)?.base
    }

    private func published(_ number: Int64, in zone: ZoneRow) throws(StorageError) -> KeyGeneration? {
        guard number > 0, let record = try hubRecord(number, in: zone), let generation = KeyGeneration(record),
            generation.statement.number == number
        else { return nil }
        return generation
    }

    /// All generations that the hub has, in their order.
    private func published(in zone: ZoneRow) throws(StorageError) -> [KeyGeneration] {
        try tables.hubRecords("generation-", in: zone).compactMap(KeyGeneration.init(_:))
            .sorted { $0.statement.number < $1.statement.number }
    }

    /// Performs what needs locked memory.
    static func secret<Value>(_ body: () throws(SystemError) -> Value) throws(StorageError) -> Value {
        do throws(SystemError) { return try body() } catch { throw StorageError(error) }
    }
}
