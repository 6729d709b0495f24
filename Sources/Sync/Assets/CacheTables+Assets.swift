import Cryptography
import JSONText
import Records
import Storage

/// The bytes of assets, in parts, each asset of a zone once.
extension CacheTables {
    func asset(_ digest: [UInt8], in zone: ZoneRow) throws(StorageError) -> AssetRow? {
        try assetStatements.first(.findAsset, [.integer(zone.id), .text(HexText.text(digest))]) {
            (row) throws(StorageError) in try Self.asset(row)
        }
    }

    private static func asset(_ row: borrowing Row) throws(StorageError) -> AssetRow {
        guard let digest = HexText.bytes(of: row.text(2)), let asset = Asset(digest: digest, size: row.integer(3))
        else {
            throw damaged("an asset")
        }
        return AssetRow(
            id: row.integer(0), zone: row.integer(1), asset: asset, stored: row.integer(4),
            state: row.isNull(5) ? nil : row.withBytes(5) { Array($0) },
            holders: AssetRow.Holders(rawValue: row.integer(6)), isUploaded: row.integer(7) != 0,
            sent: row.optionalInteger(8), attempts: row.integer(9))
    }

    /// Why a part of a program is not stored.
    enum AssetRefusal: Error, Equatable {
        case zoneNotFound
        /// So much more would wait to be sent than is permitted.
        case tooManyUnsent(most: Int64)
        /// The asset was begun with another size.
        case sizeDiffers(Int64)
        /// The part ends after the asset.
        case tooLong
        /// The bytes have another digest. They were removed.
        case digestDiffers
    }

    /// Stores a part of an asset for a program. A part that begins elsewhere than the last one has ended is not stored: the row says
    /// where to go on.
    func add(
        _ asset: Asset, from offset: Int64, _ bytes: [UInt8], in zone: ZoneRow, at now: Int64, _ limits: AssetLimits
    ) throws(StorageError) -> Result<AssetRow, AssetRefusal> {
        var found = try self.asset(asset.digest, in: zone)
        if let row = found, row.asset.size != asset.size {
            guard row.holders.isEmpty else { return .failure(.sizeDiffers(row.asset.size)) }
            try remove(row)
            found = nil
        }
        if found == nil {
            let unsent = try assetStatements.first(.sumUnsentAssets, [.integer(zone.container)]) { $0.integer(0) } ?? 0
            guard unsent + asset.size <= limits.unsentBytes else {
                return .failure(.tooManyUnsent(most: limits.unsentBytes))
            }
            found = try begin(asset, in: zone, at: now)
        }
        guard var row = found else { throw Self.damaged("an asset") }
        try assetStatements.run(.reserveAsset, [.integer(now + AssetLimits.patience), .integer(now), .integer(row.id)])
        guard !row.isComplete, offset == row.stored else { return .success(row) }
        guard Int64(bytes.count) <= asset.size - offset else { return .failure(.tooLong) }
        guard try append(bytes, to: &row) else { return .failure(.digestDiffers) }
        return .success(row)
    }

    /// Makes the row of an asset without bytes.
    func begin(_ asset: Asset, in zone: ZoneRow, at now: Int64) throws(StorageError) -> AssetRow? {
        let holders = try holders(of: HexText.text(asset.digest), in: zone)
        try assetStatements.run(
            .addAsset,
            [
                .integer(zone.container), .integer(zone.id), .text(HexText.text(asset.digest)), .integer(asset.size),
                .blob(ContentHash().state), .integer(holders.rawValue), Self.flag(holders.contains(.record)),
                .integer(now),
            ])
        return try self.asset(asset.digest, in: zone)
    }

    /// Stores the bytes after those that are stored. Returns false if the asset is complete then and has another digest, and then
    /// removes it.
    func append(_ bytes: [UInt8], to row: inout AssetRow) throws(StorageError) -> Bool {
        guard var hash = row.state.flatMap(ContentHash.init(state:)) else { throw Self.damaged("an asset") }
        hash.update(bytes)
        if !bytes.isEmpty {
            try assetStatements.run(.addAssetPart, [.integer(row.id), .integer(row.stored), .blob(bytes)])
        }
        row.stored += Int64(bytes.count)
        row.state = row.stored == row.asset.size ? nil : hash.state
        if row.isComplete, hash.digest != row.asset.digest {
            try remove(row)
            return false
        }
        try assetStatements.run(
            .storeAssetProgress, [.integer(row.stored), row.state.map { .blob($0) } ?? .null, .integer(row.id)])
        return true
    }

    /// Bytes of an asset from an offset on: as many as wanted, or fewer at the end.
    func read(_ row: AssetRow, from offset: Int64, most: Int64) throws(StorageError) -> [UInt8] {
        let end = min(row.stored, offset + most)
        var bytes: [UInt8] = []
        while offset + Int64(bytes.count) < end {
            let position = offset + Int64(bytes.count)
            let part = try assetStatements.first(
                .readAssetPart, [.integer(row.id), .integer(position), .integer(end - position)]
            ) { row in row.withBytes(0) { Array($0) } }
            guard let part, !part.isEmpty else { throw Self.damaged("an asset") }
            bytes += part
        }
        return bytes
    }

    /// Notes that a program reads an asset.
    func noteUse(of row: AssetRow, at now: Int64) throws(StorageError) {
        try assetStatements.run(.noteAssetUse, [.integer(now), .integer(row.id)])
    }

    /// Removes an asset, which nobody finds any more. Its bytes are removed by `removePiece`.
    func remove(_ row: AssetRow) throws(StorageError) { try assetStatements.run(.discardAsset, [.integer(row.id)]) }

    /// Removes some bytes of an asset that was removed. Returns whether there may be more.
    func removePiece() throws(StorageError) -> Bool {
        let found = try assetStatements.first(.findDiscardedAsset) { row in row.integer(0) }
        guard let id = found else { return false }
        try assetStatements.run(.removeAssetParts, [.integer(id), .integer(AssetLimits.removedPartsAtOnce)])
        try assetStatements.run(.removeEmptyAsset, [.integer(id)])
        return true
    }

    // Who has an asset

    /// Notes which assets a record of the hub has.
    func noteAssets(_ assets: Set<Asset>, of record: RecordName, in zone: ZoneRow) throws(StorageError) {
        try note([(.record, assets)], .removeRecordAssets, record, in: zone)
    }

    /// Notes which assets the changes of a record have.
    func noteAssets(of change: ChangeRow, _ record: RecordName, in zone: ZoneRow) throws(StorageError) {
        let due = change.sent.assets.union(change.restoration.assets)
        let assets: [(AssetRow.Holders, Set<Asset>)] =
            change.error == nil
            ? [(.change, due.union(change.pending.assets))] : [(.change, due), (.refusedChange, change.pending.assets)]
        try note(assets, .removeChangeAssets, record, in: zone)
    }

    private func note(
        _ holders: [(AssetRow.Holders, Set<Asset>)], _ removal: AssetStatement, _ record: RecordName, in zone: ZoneRow
    ) throws(StorageError) {
        if holders.allSatisfy(\.1.isEmpty), try !holdings.exist(in: self) { return }
        var digests = Set(
            try assetStatements.all(removal, [.integer(zone.id), .text(record.text)]) { row in row.text(0) })
        for (holder, assets) in holders {
            for digest in assets.map({ HexText.text($0.digest) }) {
                holdings.note()
                try assetStatements.run(
                    .holdAsset, [.integer(zone.id), .text(record.text), .integer(holder.rawValue), .text(digest)])
                digests.insert(digest)
            }
        }
        for digest in digests { try settleHolders(of: digest, in: zone) }
        for (holder, assets) in holders where holder == .record {
            for digest in assets.map({ HexText.text($0.digest) })
            where try self.holders(of: digest, in: zone).contains(.refusedChange) {
                holdings.noteArrival(of: digest)
            }
        }
    }

    /// Sends the changes again that the hub has refused because it did not have an asset which records of the zone have now.
    func sendChangesWithArrivedAssets(in zone: ZoneRow) throws(StorageError) {
        for text in holdings.removeArrivals() {
            guard let digest = HexText.bytes(of: text) else { continue }
            let names = try assetStatements.all(
                .readAssetChanges,
                [.integer(zone.id), .text(text), .integer(AssetRow.Holders.refusedChange.rawValue)]
            ) { (row) throws(StorageError) in try Self.name(row.text(0)) }
            for name in names {
                guard var change = try change(name, in: zone),
                    change.error == RecordOutcome.assetNotFound(digest).json
                else { continue }
                let record = try record(name, in: zone) ?? RecordRow()
                let before = SeenRecord(change, of: record.base)
                change.permit(base: record.base)
                try store(change, name, in: zone)
                try settle(record, change, name, in: zone, before: before, isLocal: false)
            }
        }
    }

    /// Notes that the hub's records of a zone are removed from the copy, or with its changes.
    func forgetAssets(of zone: ZoneRow, withChanges: Bool) throws(StorageError) {
        let most = withChanges ? AssetRow.Holders.refusedChange : .record
        let digests = try assetStatements.all(.removeZoneAssets, [.integer(zone.id), .integer(most.rawValue)]) { row in
            row.text(0)
        }
        for digest in Set(digests) { try settleHolders(of: digest, in: zone) }
    }

    private func settleHolders(of digest: String, in zone: ZoneRow) throws(StorageError) {
        let holders = try holders(of: digest, in: zone)
        try assetStatements.run(.storeAssetHolders, [.integer(holders.rawValue), .integer(zone.id), .text(digest)])
    }

    private func holders(of digest: String, in zone: ZoneRow) throws(StorageError) -> AssetRow.Holders {
        let parts = try assetStatements.all(.readAssetHolders, [.integer(zone.id), .text(digest)]) { row in
            AssetRow.Holders(rawValue: row.integer(0))
        }
        return AssetRow.Holders(parts)
    }

    /// Whether a record can be saved that has this asset: its bytes are here, or something of the zone has it already.
    func canSave(_ asset: Asset, in zone: ZoneRow) throws(StorageError) -> Bool {
        if let row = try self.asset(asset.digest, in: zone), row.isComplete { return row.asset.size == asset.size }
        return try !holders(of: HexText.text(asset.digest), in: zone).isEmpty
    }

    /// The asset with a digest that a record has: as programs see it, as the hub has it, or in a refused change; nil without one.
    func asset(_ digest: [UInt8], of name: RecordName, in zone: ZoneRow) throws(StorageError) -> Asset? {
        let change = try change(name, in: zone)
        let base = try record(name, in: zone)?.base
        let assets = (base?.assets ?? []).union(change?.sent.assets ?? []).union(change?.pending.assets ?? [])
            .union(change?.restoration.assets ?? [])
        return assets.first { $0.digest == digest }
    }

    /// A record through which the hub lets the bytes of an asset be read: this one, if it has it there.
    func holder(of digest: [UInt8], preferring name: RecordName, in zone: ZoneRow) throws(StorageError) -> RecordName? {
        try assetStatements.first(
            .findAssetRecord, [.integer(zone.id), .text(HexText.text(digest)), .text(name.text)]
        ) { (row) throws(StorageError) in try Self.name(row.text(0)) }
    }

    // Sending

    /// The next asset to upload, with a part of it.
    func nextUpload() throws(StorageError) -> SyncWork? {
        for container in try containers() {
            let row = try assetStatements.first(.readAssetToUpload, [.integer(container.id)]) {
                (row) throws(StorageError) in try Self.asset(row)
            }
            guard let row, let zone = try zone(row.zone, in: container) else { continue }
            let part = try read(row, from: row.sent ?? 0, most: AssetLimits.transferBytes)
            return .upload(container, zone, row, part: part)
        }
        return nil
    }

    /// Notes how far the upload of an asset has come at the hub.
    func storeUpload(_ id: Int64, sent: Int64?, isUploaded: Bool) throws(StorageError) {
        try assetStatements.run(.storeUpload, [SQLValue(sent), Self.flag(isUploaded), .integer(id)])
    }

    /// Lets an asset be uploaded again, because the hub does not have the bytes that it should have. Returns false if that was done
    /// often enough, or the copy does not have the bytes either.
    func uploadAgain(_ digest: [UInt8], in zone: ZoneRow) throws(StorageError) -> Bool {
        guard let row = try asset(digest, in: zone), row.isComplete, row.attempts < AssetLimits.mostAttempts else {
            return false
        }
        try assetStatements.run(.uploadAgain, [.integer(row.id)])
        return true
    }

    /// Sets the changes aside that have an asset which the hub does not accept.
    func setAsideChanges(with row: AssetRow, _ error: [UInt8], in zone: ZoneRow) throws(StorageError) {
        let names = try assetStatements.all(
            .readAssetChanges,
            [
                .integer(zone.id), .text(HexText.text(row.asset.digest)),
                .integer(AssetRow.Holders.change.rawValue),
            ]
        ) { (row) throws(StorageError) in try Self.name(row.text(0)) }
        for name in names { try setAside(name, error, in: zone) }
    }

    // Removing

    /// Removes some of the assets that nobody needs, and then of those that were not read for the longest time so many that the others
    /// fit. Returns whether something was removed, and there may be more. Nobody finds what is removed; `removePiece` removes its bytes.
    /// - Parameter needed: Bytes for which there has to be room.
    func removeAssets(
        at now: Int64, _ limits: AssetLimits, needed: Int64 = 0, except ids: Set<Int64> = []
    ) throws(StorageError) -> Bool {
        var doomed = try assetStatements.all(
            .readUnneededAssets, [.integer(now), .integer(AssetLimits.removedAtOnce)]
        ) { row in row.integer(0) }
        var cached = try assetStatements.first(.sumCachedAssets) { row in row.integer(0) } ?? 0
        if cached + needed > limits.cachedBytes {
            let oldest = try assetStatements.all(
                .readOldestAssets, [.integer(AssetLimits.removedAtOnce + Int64(ids.count))]
            ) {
                row in (id: row.integer(0), stored: row.integer(1))
            }
            for row in oldest where !ids.contains(row.id) && cached + needed > limits.cachedBytes {
                doomed.append(row.id)
                cached -= row.stored
            }
        }
        for id in doomed { try assetStatements.run(.discardAsset, [.integer(id)]) }
        return !doomed.isEmpty
    }
}

/// Whether something has assets, looked up once in a transaction: a copy without assets stores each record with no further statement.
final class AssetHoldings {
    private var known: Bool?
    private var arrivals: Set<String> = []

    /// A record of the hub has an asset that a refused change has as well.
    func noteArrival(of digest: String) { arrivals.insert(digest) }

    /// The assets that were noted since the last call.
    func removeArrivals() -> Set<String> {
        defer { arrivals = [] }
        return arrivals
    }

    /// Something has an asset now.
    func note() { known = true }

    func exist(in tables: CacheTables) throws(StorageError) -> Bool {
        if let known { return known }
        let exist = try tables.assetStatements.first(.findAssetHolder) { row in !row.isNull(0) } ?? false
        known = exist
        return exist
    }
}

extension Optional<LocalChange> {
    /// The assets that the change sets.
    fileprivate var assets: Set<Asset> {
        guard case .save(let save) = self else { return [] }
        return save.draft.assets
    }
}
