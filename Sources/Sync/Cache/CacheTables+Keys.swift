import Cryptography
import Platform
import Records
import Storage

/// The key of this machine, as it is stored.
struct DeviceKeyRow: Sendable {
    var pair: SealingKeyPair
    /// The code by which the other machines recognize the key; nil once this machine is trusted.
    var code: PairingCode?
}

/// A generation of the account's key that this machine has opened.
struct GenerationRow: Equatable, Sendable {
    var generation: KeyGeneration
    var name: AccountKey.Name

    var number: Int64 { generation.statement.number }
}

/// The keys of encrypted fields. They are in the file of the copy, and sealed with it.
extension CacheTables {
    func deviceKey() throws(StorageError) -> DeviceKeyRow? {
        try statements.first(.readDeviceKey) { (row) throws(StorageError) in
            guard let key = try Self.key(row.withBytes(0) { Array($0) }), let pair = SealingKeyPair(privateKey: key)
            else { throw Self.damaged("the key of this machine") }
            return DeviceKeyRow(pair: pair, code: row.isNull(1) ? nil : row.withBytes(1) { PairingCode(Array($0)) })
        }
    }

    func store(_ row: DeviceKeyRow) throws(StorageError) {
        try statements.run(
            .storeDeviceKey,
            [.blob(row.pair.privateKey.withCopy { $0 }), row.code.map { .blob($0.bytes) } ?? .null])
    }

    /// All keys of the account that this machine has ever had.
    func accountKeys() throws(StorageError) -> [AccountKey.Name: SymmetricKey] {
        let keys = try statements.all(.readAccountKeys) { (row) throws(StorageError) in
            try Self.key(row.withBytes(0) { Array($0) })
        }
        var named: [AccountKey.Name: SymmetricKey] = [:]
        for key in keys {
            guard let key else { throw Self.damaged("a key of the account") }
            named[AccountKey(key).name] = key
        }
        return named
    }

    func store(_ key: AccountKey) throws(StorageError) {
        try statements.run(.storeAccountKey, [.blob(key.name.bytes), .blob(key.key.withCopy { $0 })])
    }

    /// The generations that this machine has opened, in their order.
    func generations() throws(StorageError) -> [GenerationRow] {
        try statements.all(.readGenerations) { (row) throws(StorageError) in
            guard let name = row.withBytes(1, { AccountKey.Name(Array($0)) }),
                let generation = KeyGeneration(text: Array(row.text(2).utf8), wrapped: row.withBytes(3) { Array($0) }),
                generation.statement.number == row.integer(0)
            else { throw Self.damaged("a generation of the account's key") }
            return GenerationRow(generation: generation, name: name)
        }
    }

    func store(_ row: GenerationRow) throws(StorageError) {
        try statements.run(
            .storeGeneration,
            [
                .integer(row.number), .blob(row.name.bytes),
                .text(String(decoding: row.generation.text, as: UTF8.self)),
                .blob(row.generation.wrapped.flatMap { $0 }),
            ])
    }

    /// Forgets the generations, and no key: values that were sealed with them can still be read.
    func removeGenerations() throws(StorageError) { try statements.run(.removeGenerations) }

    private static func key(_ bytes: [UInt8]) throws(StorageError) -> SymmetricKey? {
        do throws(SystemError) { return try SymmetricKey(copying: bytes) } catch { throw StorageError(error) }
    }

    /// Whether everything of a container was fetched.
    func isFetched(_ container: ContainerRow) throws(StorageError) -> Bool {
        guard container.isRegistered else { return false }
        let stale: Void? = try statements.first(.readStaleDatabase, [.integer(container.id)]) { _ in () }
        guard stale == nil, try zones(.readStaleZone, in: container).isEmpty else { return false }
        return try zones(.readZonesToDelete, in: container).isEmpty
    }

    /// The hub's versions of the records of a zone whose names have a beginning, in the order of their names.
    func hubRecords(_ beginning: String, in zone: ZoneRow) throws(StorageError) -> [Record] {
        var found: [Record] = []
        try statements.run(
            .readRecords, [.integer(zone.id), .text(beginning), .integer(.max)]
        ) { (row) throws(StorageError) in
            guard row.text(0).hasPrefix(beginning) else { return false }
            if let base = row.optionalText(1) { found.append(try Self.record(base)) }
            return true
        }
        return found
    }

    /// Lists all records with sealed values again, because they can be opened now.
    func listSealedAgain() throws(StorageError) {
        for container in try containers() where container.container != KeyZone.container {
            for zone in try zones(.readZones, in: container) {
                for name in try sealedRecords(of: zone, where: { _, _ in true }) {
                    guard var record = try record(name, in: zone) else { continue }
                    record.revision = try nextRevisionFromHub(container.id)
                    record.isLocal = false
                    try store(record, name, in: zone)
                }
            }
        }
    }

    /// The names of the records of a zone that have a sealed value of which a condition is true.
    func sealedRecords(
        of zone: ZoneRow, where condition: (FieldPlace, SealedField) -> Bool
    ) throws(StorageError) -> [RecordName] {
        var found: [RecordName] = []
        try statements.run(.readRecords, [.integer(zone.id), .text(""), .integer(.max)]) { (row) throws(StorageError) in
            let base = try row.optionalText(1).map { (text) throws(StorageError) in try Self.record(text) }
            guard let record = LocalRecord.after(try Self.change(row, 2, zone.zone).seen, of: base) else { return true }
            let fits = record.fields.contains { name, value in
                guard case .sealed(let field) = value else { return false }
                return condition(FieldPlace(zone.zone, record.name, name), field)
            }
            if fits { found.append(record.name) }
            return true
        }
        return found
    }
}
