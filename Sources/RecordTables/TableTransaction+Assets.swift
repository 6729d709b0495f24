import Location
import Records

extension TableTransaction {
    /// The rows of assets with these digests in a zone, in any order: at most one that records have, and one of each account
    /// that has uploaded it.
    public func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow] {
        guard !digests.isEmpty, let number = try number(of: zone) else { return [] }
        var found: [AssetRow] = []
        for digest in digests {
            found += try all(.readAssets, [.integer(number), .blob(digest)]) { (row) throws(TableError) in
                try AssetRow(row)
            }
        }
        return found
    }

    /// How many assets an account has uploaded that no record has, in all containers, and how many bytes they have.
    public func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64) {
        try first(.readUploads, [account.column]) { (row) throws(TableError) in
            (Int(try row.integer(0)), try row.integer(1))
        } ?? (0, 0)
    }

    /// Stores a new row, and returns its number.
    public func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64 {
        let place = [try numberToWrite(of: zone), .blob(row.asset.digest), .integer(row.asset.size)]
        return try first(.addAsset, place + row.columns) { (row) throws(TableError) in try row.integer(0) } ?? 0
    }

    /// Stores what a row has become.
    public func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try run(.storeAsset, row.columns + [.integer(row.number)])
    }

    /// Removes the row from the zone. The bytes remain until they are removed.
    public func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try run(.discardAsset, [.integer(row.number)])
    }

    /// Removes uses of assets, and adds others. A use that is there already, or not there, stays so.
    public func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure) {
        let number = try numberToWrite(of: zone)
        func columns(_ uses: [AssetUse]) -> [[StoredValue]] {
            uses.map { [number, .blob($0.digest), $0.record.column] }
        }
        if !removing.isEmpty { try run(.removeAssetUse, each: columns(removing)) }
        if !adding.isEmpty { try run(.addAssetUse, each: columns(adding)) }
    }

    /// Those of these digests that records of the zone have.
    public func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]> {
        guard let number = try number(of: zone) else { return [] }
        var used: Set<[UInt8]> = []
        for digest in digests {
            let found = try first(.findAssetUse, [.integer(number), .blob(digest)]) { (_) throws(TableError) in true }
            if found != nil { used.insert(digest) }
        }
        return used
    }

    /// Uploads whose latest bytes came before this time, the earliest first.
    public func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)] {
        try all(.readOldUploads, [.integer(time.microseconds), .integer(Int64(limit))]) { (row) throws(TableError) in
            let container = try Container(column: row.text(7))
            return (try ZoneID(container, owner: row.text(8), name: row.text(9)), try AssetRow(row))
        }
    }

    /// Removes discarded assets, each after its bytes were removed by the body, and returns how many.
    package func removeDiscarded(
        limit: Int, _ removeBytes: (AssetRow) throws(EngineFailure) -> Void
    ) throws(EngineFailure) -> Int {
        let rows = try all(.readDiscarded, [.integer(Int64(limit))]) { (row) throws(TableError) in try AssetRow(row) }
        for row in rows {
            try removeBytes(row)
            try run(.removeAsset, [.integer(row.number)])
        }
        return rows.count
    }
}
