import Location
import Records

/// The bytes of assets, and which records have them.
extension TestTransaction {
    mutating func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow] {
        try engine.call("read assets")
        return try inner.assets(digests, in: zone)
    }

    mutating func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64) {
        try engine.call("read uploads")
        return try inner.uploads(of: account)
    }

    mutating func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64 {
        try write("add an asset", under: .zone(zone))
        if let account = row.account { try write("add an asset", under: .account(account)) }
        return try inner.add(row, in: zone)
    }

    mutating func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try write("store an asset", under: .zone(zone))
        try inner.put(row, in: zone)
    }

    mutating func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try write("discard an asset", under: .zone(zone))
        try inner.discard(row, in: zone)
    }

    mutating func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure) {
        try write("change the uses of assets", under: .zone(zone))
        try inner.changeUses(removing: removing, adding: adding, in: zone)
    }

    mutating func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]> {
        try engine.call("read uses of assets")
        return try inner.usedAssets(digests, in: zone)
    }

    mutating func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        try write("write an asset", under: nil)
        try inner.write(bytes, of: row)
    }

    mutating func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        try engine.call("read an asset")
        return try inner.read(row, from: offset, most: most)
    }

    mutating func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)] {
        try engine.call("read old uploads")
        return try inner.oldUploads(before: time, limit: limit)
    }

    mutating func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        try write("remove discarded assets", under: .discardedAssets)
        return try inner.removeDiscarded(limit: limit)
    }
}
