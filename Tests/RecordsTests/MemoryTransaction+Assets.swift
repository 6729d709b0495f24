import Location
import Records

/// The bytes of assets, and which records have them.
extension MemoryTransaction {
    func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow] {
        engine.tables.assets.filter { $0.key.zone == zone && digests.contains($0.key.digest) }.map(\.value)
    }

    func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64) {
        let rows = engine.tables.assets.values.filter { $0.account == account }
        return (rows.count, rows.reduce(0) { $0 + $1.asset.size })
    }

    private func key(_ row: AssetRow, _ zone: ZoneID) -> Tables.AssetKey {
        Tables.AssetKey(zone: zone, digest: row.asset.digest, account: row.account)
    }

    func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64 {
        engine.lastAsset += 1
        var row = row
        row.number = engine.lastAsset
        engine.change(\.assets, key(row, zone), row)
        return row.number
    }

    func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        for (key, old) in engine.tables.assets where old.number == row.number { engine.change(\.assets, key, nil) }
        engine.change(\.assets, key(row, zone), row)
    }

    func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        engine.change(\.assets, key(row, zone), nil)
        engine.change(\.discarded, row.number, row)
    }

    func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure) {
        let uses = (engine.tables.assetUses[zone] ?? []).subtracting(removing).union(adding)
        engine.change(\.assetUses, zone, uses.isEmpty ? nil : uses)
    }

    func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]> {
        digests.intersection((engine.tables.assetUses[zone] ?? []).map(\.digest))
    }

    func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        engine.assetBytes[row.number] = (engine.assetBytes[row.number] ?? []).prefix(Int(row.received)) + bytes
    }

    func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        Array((engine.assetBytes[row.number] ?? []).dropFirst(Int(offset)).prefix(most))
    }

    func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)] {
        let old = engine.tables.assets.filter { $0.value.account != nil && $0.value.time < time }
        return old.sorted { $0.value.time < $1.value.time }.prefix(limit).map { ($0.key.zone, $0.value) }
    }

    func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        let rows = engine.tables.discarded.values.sorted { $0.number < $1.number }.prefix(limit)
        for row in rows {
            engine.assetBytes[row.number] = nil
            engine.change(\.discarded, row.number, nil)
        }
        return rows.count
    }
}
