import JSONText
import Records
import Storage

/// A zone that a reset of the account's key deletes and makes again.
struct DoomedZone: Sendable {
    let container: ContainerRow
    let zone: ZoneRow
}

/// An asset of a zone of which the copy does not have all bytes, with a record that has it.
struct MissingAsset: Hashable, Sendable {
    let zone: Int64
    let asset: Asset
    let record: RecordName
}

extension CacheTables {
    /// The zones of an account that have sealed values of which a condition is true. The default zone cannot be deleted.
    func doomedZones(
        of account: AccountID, where isLost: (FieldPlace, SealedField) -> Bool
    ) throws(StorageError) -> [DoomedZone] {
        var found: [DoomedZone] = []
        for container in try containers() where container.container != KeyZone.container {
            for zone in try zones(.readZones, in: container)
            where zone.zone.owner == account && zone.zone.name != .defaultZone {
                guard try !sealedRecords(of: zone, where: isLost).isEmpty else { continue }
                found.append(DoomedZone(container: container, zone: zone))
            }
        }
        return found
    }

    /// The assets of a zone's records that can only be read from the hub.
    func missingAssets(of zone: ZoneRow) throws(StorageError) -> [MissingAsset] {
        let rows = try assetStatements.all(.readMissingAssets, [.integer(zone.id)]) { (row) throws(StorageError) in
            (digest: row.text(0), name: try Self.name(row.text(1)))
        }
        var found: [MissingAsset] = []
        for row in rows {
            guard let digest = HexText.bytes(of: row.digest),
                let asset = try record(row.name, in: zone)?.base?.assets.first(where: { $0.digest == digest })
            else { continue }
            found.append(MissingAsset(zone: zone.id, asset: asset, record: row.name))
        }
        return found
    }
}
