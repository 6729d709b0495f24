import Cryptography
import Platform
import Records
import Storage

/// The keys of encrypted fields on this machine: seals what apps save, opens what they read, and exchanges keys with the other
/// machines of the account whenever the copy has come to rest. It is used from the first encrypted value on.
@DaemonActor
final class FieldKeys {
    /// What this machine may do with encrypted fields.
    enum State {
        /// No app has used an encrypted field here.
        case unused
        /// The hub has to be queried first.
        case unknown
        /// A trusted machine has to trust this one, to which a person carries the code.
        case untrusted(PairingCode)
        /// It has the present key.
        case trusted(AccountKey, KeyGeneration)
    }

    /// Called when values can be opened that could not before.
    var onKeys: @DaemonActor () -> Void = {}

    private(set) var state = State.unused
    /// What is wrong with the keys at the hub, a sentence.
    private(set) var problem: String?
    private let cache: SyncCache
    private let carrier: Carrier
    private var keys: [AccountKey.Name: SymmetricKey] = [:]
    /// The account whose keys these are.
    private var account: AccountDevice?
    /// The revision of the zone of keys that was examined last.
    private var examined: Int64?
    private var hasWarned = false
    /// Whether a sealed value was read whose key is not here.
    private var needsKeys = false

    init(_ cache: SyncCache, _ carrier: Carrier) {
        self.cache = cache
        self.carrier = carrier
    }

    /// The key with which values are sealed; nil as long as this machine is not trusted.
    var present: AccountKey? { if case .trusted(let key, _) = state { key } else { nil } }

    // Exchanging keys

    /// Begins to use encrypted fields.
    func use() throws(StorageError) {
        guard case .unused = state, let account = carrier.account, !account.isRemoved else { return }
        try cache.write { (tables) throws(StorageError) in
            if try tables.deviceKey() == nil {
                let pair = try KeyExchange.secret { () throws(SystemError) in
                    SealingKeyPair(privateKey: try SymmetricKey.random())
                }
                guard let pair else { throw StorageError("make a key", .closed, "libsodium refuses it") }
                try tables.store(DeviceKeyRow(pair: pair, code: .random()))
            }
            _ = try tables.open(KeyZone.container)
        }
        state = .unknown
        (self.account, examined) = (account.id, nil)
        carrier.workSoon()
    }

    /// Does what the records of the zone of keys require. Called whenever the copy has come to rest.
    func update() {
        guard cache.obstacle == nil, let account = carrier.account else { return forget() }
        do throws(StorageError) {
            guard !account.isRemoved else { return try useStoredKeys() }
            if self.account != account.id { try load(account.id) }
            guard self.account == account.id else { return }
            if case .unused = state { return }
            let revision = try cache.read { (tables) throws(StorageError) in
                try tables.find(KeyZone.container)?.revision
            }
            guard revision != examined else { return }
            try exchange(account.id)
        } catch {
            Log.warning("the keys of encrypted fields cannot be exchanged: \(error)")
        }
    }

    /// Reads whether the account's encrypted fields are used here.
    private func load(_ id: AccountDevice) throws(StorageError) {
        forget()
        let isUsed = try cache.read { (tables) throws(StorageError) in try tables.deviceKey() != nil }
        account = id
        if isUsed { state = .unknown }
    }

    /// Opens what the copy of a machine has that its hub has removed, and seals nothing any more.
    private func useStoredKeys() throws(StorageError) {
        forget()
        keys = try cache.read { (tables) throws(StorageError) in try tables.accountKeys() }
    }

    private func forget() { (state, problem, keys, account, examined) = (.unused, nil, [:], nil, nil) }

    private func exchange(_ id: AccountDevice) throws(StorageError) {
        guard let (_, outcome) = try change(id, { (exchange) throws(StorageError) in try exchange.perform() }) else {
            return
        }
        if let problem = outcome.problem { Log.warning("\(problem)") }
        if outcome.hasChanges { carrier.noteChange() }
        if outcome.hasKeys { onKeys() }
    }

    /// Performs a step, and takes over the keys that there are then. Nil if this machine has no key of its own.
    private func change<Value>(
        _ id: AccountDevice, _ body: (inout KeyExchange) throws(StorageError) -> Value
    ) throws(StorageError) -> (value: Value, outcome: KeyExchange.Outcome)? {
        let result = try cache.write { (tables) throws(StorageError) -> (Value, KeyExchange, Int64?)? in
            guard var exchange = try KeyExchange(tables, id) else { return nil }
            let value = try body(&exchange)
            // What is sealed with these keys can be opened now.
            if exchange.outcome.hasKeys { try tables.listSealedAgain() }
            return (value, exchange, try tables.find(KeyZone.container)?.revision)
        }
        guard let (value, exchange, revision) = result else { return nil }
        keys = exchange.keys
        if exchange.outcome.isComplete { (examined, problem) = (revision, exchange.outcome.problem) }
        if let code = exchange.row.code {
            state = exchange.isReady ? .untrusted(code) : .unknown
        } else if let latest = exchange.latest {
            state = .trusted(AccountKey(latest.key), latest.row.generation)
        }
        return (value, exchange.outcome)
    }

    // Members

    /// Trusts the machine that shows a code, when the change is sent. Nil if this machine does not use encrypted fields.
    func trust(
        _ code: PairingCode
    ) throws(StorageError) -> Result<KeyGeneration.Member, KeyExchange.TrustRefusal>? {
        guard let account,
            let (result, outcome) = try change(
                account, { (exchange) throws(StorageError) in try exchange.trust(code) })
        else { return nil }
        if outcome.hasChanges { carrier.noteChange() }
        return result
    }

    /// The machines that have published a key, and whether they are trusted, as this machine knows them.
    func machines() throws(StorageError) -> [(member: KeyGeneration.Member, isTrusted: Bool)] {
        guard let account else { return [] }
        let published = try cache.read { (tables) throws(StorageError) -> [KeyGeneration.Member] in
            guard let container = try tables.find(KeyZone.container),
                let zone = try tables.find(KeyZone.zone(of: account.account), in: container)
            else { return [] }
            return try tables.hubRecords("device-", in: zone).compactMap(KeyGeneration.Member.init(_:))
        }
        guard case .trusted(_, let generation) = state else { return published.map { ($0, false) } }
        let others = published.filter { !generation.includes($0) }
        return (generation.statement.members.map { ($0, true) } + others.map { ($0, false) })
            .sorted { $0.member.name < $1.member.name }
    }

    /// Begins with a new key. Zones with values that this machine cannot read are deleted, and made again without these values.
    /// Returns how many.
    func reset() throws(StorageError) -> Int {
        guard let account = carrier.account?.id else { return 0 }
        try use()
        let isLost = isLost
        let count = try cache.write { (tables) throws(StorageError) -> Int in
            let doomed = try tables.doomedZones(of: account.account, where: isLost)
            for each in doomed { try tables.reset(each.zone, without: isLost) }
            let count = doomed.count
            let container = try tables.open(KeyZone.container)
            _ = try tables.modify(container, of: account.account, saving: [], deleting: [KeyZone.zoneName])
            try tables.removeGenerations()
            guard var row = try tables.deviceKey() else { return count }
            row.code = .random()
            try tables.store(row)
            return count
        }
        (state, examined, problem) = (.unknown, nil, nil)
        carrier.noteChange()
        return count
    }

    /// The zones that a reset deletes and makes again, and their assets of which this machine does not have all bytes.
    func examineReset() throws(StorageError) -> (zones: [DoomedZone], missing: [MissingAsset]) {
        guard let account = carrier.account?.id else { return ([], []) }
        let isLost = isLost
        return try cache.read { (tables) throws(StorageError) in
            let zones = try tables.doomedZones(of: account.account, where: isLost)
            var missing: [MissingAsset] = []
            for each in zones { missing += try tables.missingAssets(of: each.zone) }
            return (zones, missing)
        }
    }

    /// Whether this machine cannot read a value.
    private var isLost: (FieldPlace, SealedField) -> Bool {
        let keys = keys
        return { place, field in
            if case .value = field.open(at: place, with: keys) { false } else { true }
        }
    }

    // Values

    /// The record with the values of encrypted fields that can be opened. What cannot be opened stays sealed.
    func opened(_ record: LocalRecord, in zone: ZoneID) -> LocalRecord {
        var record = record
        record.fields = opened(record.fields, of: record.name, in: zone)
        return record
    }

    /// Fields with the values that can be opened.
    func opened(
        _ fields: [FieldName: FieldValue], of record: RecordName, in zone: ZoneID
    ) -> [FieldName: FieldValue] {
        var fields = fields
        for (name, value) in fields {
            guard case .sealed(let field) = value else { continue }
            switch field.open(at: FieldPlace(zone, record, name), with: keys) {
            case .value(let value): fields[name] = .encrypted(value)
            case .keyMissing: needsKeys = needsKeys || zone.owner == account?.account
            case .damaged: warn()
            }
        }
        return fields
    }

    /// The fields of a save as they are stored: what is encrypted is sealed. A value that the copy has already stays as it is, so
    /// that the hub does not see it change.
    func sealed(
        _ fields: [FieldName: FieldValue], of record: RecordName, in zone: ZoneID, with key: AccountKey,
        present: [FieldName: FieldValue]
    ) -> [FieldName: FieldValue] {
        var fields = fields
        for (name, value) in fields {
            guard case .encrypted(let value) = value else { continue }
            let place = FieldPlace(zone, record, name)
            if case .sealed(let old)? = present[name], old.keyName == key.name,
                old.open(at: place, with: keys) == .value(value)
            {
                fields[name] = .sealed(old)
            } else {
                fields[name] = .sealed(SealedField(value, at: place, with: key))
            }
        }
        return fields
    }

    /// Begins to use encrypted fields if a sealed value was read whose key was not requested yet.
    func useIfNeeded() throws(StorageError) {
        guard needsKeys else { return }
        needsKeys = false
        try use()
    }

    private func warn() {
        guard !hasWarned else { return }
        hasWarned = true
        Log.warning("an encrypted value was changed at the hub, or belongs to another record, and is not used")
    }
}
