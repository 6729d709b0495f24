import Storage

/// The SQL for the bytes of assets and for what has an asset, by what each statement does.
enum AssetStatement: String, CaseIterable, NamedStatement {
    case findAsset = "find an asset"
    case addAsset = "add an asset"
    case reserveAsset = "note that a program adds an asset"
    case addAssetPart = "add a part of an asset"
    case storeAssetProgress = "store how much there is of an asset"
    case readAssetPart = "read a part of an asset"
    case noteAssetUse = "note that an asset is read"
    case discardAsset = "remove an asset"
    case findDiscardedAsset = "find an asset that is removed"
    case removeAssetParts = "remove parts of an asset"
    case removeEmptyAsset = "remove an asset without parts"
    case sumUnsentAssets = "sum the assets that no record at the hub has"
    case sumCachedAssets = "sum the assets that can be downloaded again"
    case readOldestAssets = "find the assets that were not read for the longest time"
    case readUnneededAssets = "find assets that nobody needs"
    case findAssetHolder = "find whether something has an asset"
    case readAssetHolders = "read who has an asset"
    case findAssetRecord = "find a record that has an asset"
    case readAssetChanges = "read the changes that have an asset"
    case addLeftContainer = "make a place for assets of an account that is left"
    case addLeftZone = "make a zone for assets of an account that is left"
    case discardAllAssets = "discard all assets"
    case readMissingAssets = "find the assets of a zone of which the copy does not have all bytes"
    case uploadZoneAgain = "begin the uploads of a zone again"
    case holdAsset = "note that something has an asset"
    case removeRecordAssets = "note that a record has no assets"
    case removeChangeAssets = "note that a change has no assets"
    case removeZoneAssets = "note that the records of a zone have no assets"
    case storeAssetHolders = "store who has an asset"
    case readAssetToUpload = "find an asset to upload"
    case storeUpload = "store how far an upload has come"
    case uploadAgain = "begin an upload again"

    var sql: String {
        switch self {
        case .findAsset: "SELECT \(Self.assetColumns) FROM assets WHERE zone = ? AND digest = ?"
        case .addAsset:
            """
            INSERT INTO assets (container, zone, digest, size, stored, state, holders, isUploaded, sent, attempts, used, reserved)
            VALUES (?, ?, ?, ?, 0, ?, ?, ?, 0, 0, ?, 0)
            """
        case .reserveAsset: "UPDATE assets SET reserved = ?, used = ? WHERE id = ?"
        case .addAssetPart: "INSERT INTO assetParts (asset, position, bytes) VALUES (?, ?, ?)"
        case .storeAssetProgress: "UPDATE assets SET stored = ?, state = ? WHERE id = ?"
        case .readAssetPart:
            """
            SELECT substr(bytes, ?2 - position + 1, ?3) FROM assetParts WHERE asset = ?1 AND position <= ?2
            ORDER BY position DESC LIMIT 1
            """
        case .noteAssetUse: "UPDATE assets SET used = ? WHERE id = ?"
        // No digest begins with a hyphen, so that nobody finds the row, and the same asset can be added again.
        case .discardAsset: "UPDATE assets SET digest = '-' || id, holders = \(Self.discarded) WHERE id = ?"
        // Of a container without a name, which nobody lists.
        case .addLeftContainer:
            """
            INSERT INTO containers (environment, name, isRegistered, revision, forgottenThrough) VALUES ('', '', 1, 0, 0)
            ON CONFLICT DO NOTHING
            """
        case .addLeftZone:
            """
            INSERT INTO zones (container, owner, name, isPresent, mustMake, mustDelete, isStale, pass, revision)
            SELECT id, '', '', 0, 0, 0, 0, 0, 0 FROM containers WHERE environment = '' AND name = ''
            ON CONFLICT DO NOTHING
            """
        case .discardAllAssets:
            """
            UPDATE assets SET digest = '-' || assets.id, holders = \(Self.discarded), container = left.id, zone = zones.id
            FROM containers AS left JOIN zones ON zones.container = left.id
            WHERE left.environment = '' AND left.name = '' AND assets.id > 0
            """
        case .findDiscardedAsset: "SELECT id FROM assets WHERE holders = \(Self.discarded) LIMIT 1"
        case .removeAssetParts:
            """
            DELETE FROM assetParts
            WHERE id IN (SELECT id FROM assetParts WHERE asset = ? ORDER BY position LIMIT ?)
            """
        case .removeEmptyAsset:
            "DELETE FROM assets WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM assetParts WHERE asset = ?1)"
        case .sumUnsentAssets: "SELECT sum(size) FROM assets WHERE container = ? AND holders IN (0, 2, 4, 6)"
        case .sumCachedAssets: "SELECT sum(stored) FROM assets WHERE holders = 1"
        case .readOldestAssets: "SELECT id, stored FROM assets WHERE holders = 1 ORDER BY used LIMIT ?"
        case .readUnneededAssets: "SELECT id FROM assets WHERE holders = 0 AND reserved < ? LIMIT ?"
        // The index has the least one at its beginning.
        case .findAssetHolder: "SELECT min(zone) FROM assetHolders"
        case .readAssetHolders: "SELECT holder FROM assetHolders WHERE zone = ? AND digest = ?"
        case .findAssetRecord:
            """
            SELECT name FROM assetHolders WHERE zone = ?1 AND digest = ?2 AND holder = 1 ORDER BY name <> ?3 LIMIT 1
            """
        case .readAssetChanges: "SELECT name FROM assetHolders WHERE zone = ? AND digest = ? AND holder = ?"
        case .readMissingAssets:
            """
            SELECT digest, min(name) FROM assetHolders WHERE zone = ?1 AND holder = 1 AND NOT EXISTS (
                SELECT 1 FROM assets WHERE assets.zone = ?1 AND assets.digest = assetHolders.digest AND state IS NULL
            ) GROUP BY digest
            """
        case .uploadZoneAgain: "UPDATE assets SET isUploaded = 0, sent = NULL WHERE zone = ?"
        case .holdAsset:
            "INSERT INTO assetHolders (zone, name, holder, digest) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        case .removeRecordAssets:
            "DELETE FROM assetHolders WHERE zone = ? AND name = ? AND holder = 1 RETURNING digest"
        case .removeChangeAssets:
            "DELETE FROM assetHolders WHERE zone = ? AND name = ? AND holder > 1 RETURNING digest"
        case .removeZoneAssets: "DELETE FROM assetHolders WHERE zone = ? AND holder <= ? RETURNING digest"
        // The hub removes the bytes of which no record is left, and so has to get them again. So it may if it has refused a change.
        case .storeAssetHolders:
            """
            UPDATE assets SET holders = ?1, reserved = iif(?1 = 0, reserved, 0),
                isUploaded = CASE WHEN ?1 & 1 <> holders & 1 THEN ?1 & 1
                    WHEN ?1 & 6 = 2 AND holders & 6 = 4 THEN 0 ELSE isUploaded END,
                sent = iif(?1 & 1 <> holders & 1 OR ?1 & 6 = 2 AND holders & 6 = 4, 0, sent),
                attempts = iif(?1 & 1 > holders & 1 OR ?1 & 6 = 2 AND holders & 6 = 4, 0, attempts)
            WHERE zone = ?2 AND digest = ?3
            """
        case .readAssetToUpload:
            """
            SELECT \(Self.assetColumns) FROM assets JOIN zones ON zones.id = assets.zone
            WHERE assets.container = ? AND \(Self.mustUpload)
                AND zones.isPresent AND NOT zones.mustMake AND NOT zones.mustDelete
            ORDER BY assets.id LIMIT 1
            """
        case .storeUpload: "UPDATE assets SET sent = ?, isUploaded = ? WHERE id = ?"
        case .uploadAgain: "UPDATE assets SET sent = NULL, isUploaded = 0, attempts = attempts + 1 WHERE id = ?"
        }
    }

    /// Who has an asset that is removed: the value of none of the `AssetRow.Holders`.
    private static let discarded = 8

    /// The columns of `AssetRow`.
    private static let assetColumns =
        """
        assets.id, assets.zone, assets.digest, assets.size, assets.stored, assets.state, assets.holders, assets.isUploaded,
        assets.sent, assets.attempts
        """

    /// Whether a row of `assets` has bytes that the hub needs before it accepts a change. The index has the same condition.
    static let mustUpload = "assets.holders & 2 AND NOT assets.isUploaded AND assets.state IS NULL"
}
