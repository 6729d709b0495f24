import Storage

/// All SQL of the copy, by what each statement does. Documentation/sync.md describes the tables.
///
/// Every statement finds its rows by a key or an index; a test compares SQLite's plan of each with that.
enum SyncStatement: String, CaseIterable, NamedStatement {
    case readAccount = "read the account"
    case storeAccount = "store the account"
    case storeIdentifierKey = "store the key of the account's identifiers"
    case noteReader = "note who has an identifier"
    case readReaders = "read who has an identifier"
    case removeReaders = "remove who has an identifier"
    case markRemoved = "mark the account as removed"
    case removeAccount = "remove the account"
    case removeContainers = "remove all containers"

    case findContainer = "find a container"
    case addContainer = "add a container"
    case readContainers = "read the containers"
    case markRegistered = "mark a container as registered"
    case advanceRevision = "advance the revision of a container"
    case readRevision = "read the revision of a container"
    case storeRevisions = "store the revisions of a container"
    case noteRemoved = "note that deletions were forgotten"
    case advanceHubRevision = "advance the revision of a container by a change from the hub"
    case readOwedReports = "read which reports are owed to the daemon"
    case settleReport = "note that the daemon has received a report"
    case storeFired = "store that a subscription has fired"
    case trimFired = "forget the earliest subscriptions that have fired"
    case readFired = "read which subscriptions have fired"
    case settleFired = "note that the daemon knows which subscriptions have fired"
    case countZones = "count the zones of a container"
    case countRecords = "count the records of a container"
    case countChanges = "count the changes of a container"

    case addDatabase = "add a database"
    case readDatabase = "read a database"
    case readStaleDatabase = "find a database to fetch"
    case storeDatabase = "store a database"
    case markAllStale = "mark all databases as changed"
    case hasList = "find whether the list of zones was fetched"

    case markAllAlertsStale = "mark all subscriptions with alerts as changed"
    case markAlertsStale = "mark the subscriptions with alerts of a container as changed"
    case markAlertsRead = "note that subscriptions with alerts were read"
    case readAlertSubscriptions = "read the subscriptions with alerts of a database"
    case storeAlertSubscription = "store a subscription with an alert"
    case endAlertSubscriptions = "note that subscriptions with alerts may not be listed any more"
    case removeAlertSubscriptions = "remove the subscriptions with alerts of a database that are not listed any more"
    case findEndedAlert = "find a subscription with an alert that has ended for an unknown reason"
    case noteAlertFired = "note that a subscription with an alert has fired"
    case removeEndedAlerts = "remove the subscriptions with alerts that have ended without firing"
    case findFiredAlert = "find a subscription with an alert that has fired"
    case removeFiredAlerts = "remove the subscriptions with alerts that have fired"
    case removeAlertSubscription = "remove a subscription with an alert"
    case storeAlert = "store an alert"
    case explainAlert = "store what an alert says"
    case removeUnexplained = "remove alerts of which nobody knows what they say"
    case trimAlerts = "forget the earliest alerts"
    case stampAlerts = "store when alerts were made"
    case removeOldAlerts = "forget old alerts"
    case findAlert = "find any alert"
    case readAlerts = "read the alerts"
    case reduceAlert = "reduce the changes of an alert"
    case removeShownAlert = "remove an alert without changes"
    case removeAlert = "remove an alert"
    case readMuted = "read whose alerts are not wanted"
    case storeMuted = "store that alerts of an app are not wanted"
    case removeMuted = "store that alerts of an app are wanted"

    case findZone = "find a zone"
    case readZone = "read a zone"
    case readZones = "read the zones of a container"
    case addZone = "add a zone"
    case storeZone = "store a zone"
    case readStaleZone = "find a zone to fetch"
    case readZonesToDelete = "find zones to delete"
    case readZonesToMake = "find zones to make"

    case readRecord = "read a record"
    case addRecord = "add a record"
    case storeRecord = "store a record"
    case readRecords = "read the records of a zone"
    case readUnlisted = "find records that the hub did not list"
    case hideRecords = "hide the records of a zone"
    case removeRecord = "remove a record"
    case readRevisions = "read what has changed"
    case readZoneRevisions = "read which zones have changed"
    case readOldDeletion = "find the latest of the deletions to forget"
    case removeOldDeletions = "forget deletions"

    case readChange = "read a change"
    case findChange = "find any change of a zone"
    case storeChange = "store a change"
    case removeChange = "remove a change"
    case removeChanges = "remove the changes of a zone"
    case readZoneToSend = "find a zone with changes to send"
    case readToSend = "read the changes to send"
    case readSent = "read the changes that were sent"
    case readUnsettled = "read the changes without an answer"
    case readRefused = "read the refused changes"

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

    case readDeviceKey = "read the key of this machine"
    case storeDeviceKey = "store the key of this machine"
    case removeDeviceKey = "remove the key of this machine"
    case readAccountKeys = "read the keys of the account"
    case storeAccountKey = "store a key of the account"
    case removeAccountKeys = "remove the keys of the account"
    case readGenerations = "read the generations of the account's key"
    case storeGeneration = "store a generation of the account's key"
    case removeGenerations = "remove the generations of the account's key"

    case readRequest = "read the request in progress"
    case storeRequest = "store the request in progress"
    case removeRequest = "remove the request in progress"

    /// Marks the file (sqlite.org/fileformat2.html, application ID): `Wayc`.
    static let applicationID: Int32 = 0x5761_7963

    var sql: String {
        switch self {
        case .readAccount:
            "SELECT hub, pin, token, account, device, isRemoved, copy, identifierKey FROM account WHERE id = 1"
        case .storeAccount:
            """
            INSERT INTO account (id, hub, pin, token, account, device, isRemoved, copy, identifierKey)
            VALUES (1, ?, ?, ?, ?, ?, 0, ?, ?)
            """
        case .storeIdentifierKey: "UPDATE account SET identifierKey = ? WHERE id = 1"
        case .noteReader:
            """
            INSERT INTO identifierReaders (app, container, first, last) VALUES (?1, ?2, ?3, ?3)
            ON CONFLICT (app, container) DO UPDATE SET last = ?3
            """
        case .readReaders: "SELECT app, container, first, last FROM identifierReaders ORDER BY app, container"
        case .removeReaders: "DELETE FROM identifierReaders"
        case .markRemoved: "UPDATE account SET isRemoved = 1 WHERE id = 1"
        case .removeAccount: "DELETE FROM account"
        // Everything else belongs to a container, and is removed with it.
        case .removeContainers: "DELETE FROM containers WHERE name <> ''"

        case .findContainer:
            """
            SELECT id, environment, name, isRegistered, revision, forgottenThrough, staleAlerts FROM containers
            WHERE environment = ? AND name = ?
            """
        case .addContainer:
            """
            INSERT INTO containers (environment, name, isRegistered, revision, forgottenThrough)
            VALUES (?, ?, 0, 0, 0)
            """
        case .readContainers:
            """
            SELECT id, environment, name, isRegistered, revision, forgottenThrough, staleAlerts FROM containers
            WHERE name <> '' ORDER BY environment, name
            """
        case .markRegistered: "UPDATE containers SET isRegistered = 1 WHERE id = ?"
        case .advanceRevision: "UPDATE containers SET revision = revision + 1 WHERE id = ? RETURNING revision"
        case .readRevision: "SELECT revision FROM containers WHERE id = ?"
        case .storeRevisions: "UPDATE containers SET revision = ?, hubRevision = max(hubRevision, ?) WHERE id = ?"
        case .noteRemoved: "UPDATE containers SET forgottenThrough = max(forgottenThrough, ?) WHERE id = ?"
        case .advanceHubRevision:
            """
            UPDATE containers SET revision = revision + 1, hubRevision = revision + 1 WHERE id = ? RETURNING revision
            """
        case .readOwedReports:
            """
            SELECT id, environment, name, hubRevision FROM containers WHERE hubRevision > reportedRevision
            ORDER BY hubRevision
            """
        case .settleReport: "UPDATE containers SET reportedRevision = ?1 WHERE id = ?2 AND hubRevision >= ?1"
        case .storeFired:
            """
            INSERT INTO firedSubscriptions (container, database, name, revision) VALUES (?, ?, ?, ?)
            ON CONFLICT (container, database, name) DO UPDATE SET revision = excluded.revision
            """
        case .trimFired:
            """
            DELETE FROM firedSubscriptions WHERE container = ?1 AND revision <= (
                SELECT revision FROM firedSubscriptions WHERE container = ?1
                ORDER BY revision DESC LIMIT 1 OFFSET ?2)
            """
        case .readFired:
            """
            SELECT database, name FROM firedSubscriptions WHERE container = ? AND revision <= ? ORDER BY revision
            """
        case .settleFired: "DELETE FROM firedSubscriptions WHERE container = ? AND revision <= ?"
        case .countZones: "SELECT count(*) FROM zones WHERE container = ? AND isPresent"
        case .countRecords:
            "SELECT count(*) FROM records WHERE container = ? AND isPresent"
        case .countChanges:
            """
            SELECT count(*), count(error) FROM zones CROSS JOIN changes ON changes.zone = zones.id
            WHERE zones.container = ?
            """

        case .addDatabase: "INSERT INTO databases (container, scope, token, isStale) VALUES (?, ?, NULL, 1)"
        case .readDatabase: "SELECT token, isStale FROM databases WHERE container = ? AND scope = ?"
        case .readStaleDatabase: "SELECT scope, token FROM databases WHERE container = ? AND isStale LIMIT 1"
        case .storeDatabase:
            """
            UPDATE databases SET token = ?1, isStale = ?2,
                isListed = CASE WHEN ?1 IS NULL THEN 0 WHEN ?2 THEN isListed ELSE 1 END
            WHERE container = ?3 AND scope = ?4
            """
        case .markAllStale: "UPDATE databases SET isStale = 1"
        case .hasList: "SELECT isListed FROM databases WHERE container = ? AND scope = ?"

        case .markAllAlertsStale: "UPDATE containers SET staleAlerts = 7"
        case .markAlertsStale: "UPDATE containers SET staleAlerts = 7 WHERE id = ?"
        case .markAlertsRead: "UPDATE containers SET staleAlerts = staleAlerts & ~?2 WHERE id = ?1"
        case .readAlertSubscriptions:
            "SELECT name, subject FROM alertSubscriptions WHERE container = ? AND database = ?"
        case .storeAlertSubscription:
            """
            INSERT INTO alertSubscriptions (container, database, name, subject, state) VALUES (?, ?, ?, ?, 0)
            ON CONFLICT DO UPDATE SET subject = excluded.subject, state = 0
            """
        case .endAlertSubscriptions:
            "UPDATE alertSubscriptions SET state = 1 WHERE container = ? AND database = ? AND state = 0"
        case .removeAlertSubscriptions:
            "DELETE FROM alertSubscriptions WHERE container = ? AND database = ? AND state > 0 AND NOT \(Self.isOnce)"
        case .findEndedAlert: "SELECT 1 FROM alertSubscriptions WHERE container = ? AND state = 1 LIMIT 1"
        case .noteAlertFired:
            """
            UPDATE alertSubscriptions SET state = 2 WHERE container = ? AND database = ? AND name = ? AND \(Self.isOnce)
            """
        case .removeEndedAlerts: "DELETE FROM alertSubscriptions WHERE container = ? AND state = 1"
        case .findFiredAlert:
            "SELECT 1 FROM alertSubscriptions WHERE container = ? AND state = 2 AND database <> 'public' LIMIT 1"
        case .removeFiredAlerts:
            "DELETE FROM alertSubscriptions WHERE container = ? AND state = 2 AND database <> 'public'"
        case .removeAlertSubscription:
            "DELETE FROM alertSubscriptions WHERE container = ? AND database = ? AND name = ?"
        case .storeAlert:
            """
            INSERT INTO alerts (container, database, name, alert, owner, zone, record, count, time)
            VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
            ON CONFLICT (container, database, name) DO UPDATE SET alert = excluded.alert, owner = excluded.owner,
                zone = excluded.zone, record = excluded.record, count = count + 1, time = excluded.time
            """
        case .explainAlert: "UPDATE alerts SET alert = ?4 WHERE container = ?1 AND database = ?2 AND name = ?3"
        case .removeUnexplained: "DELETE FROM alerts WHERE container = ? AND database = ? AND alert IS NULL"
        case .trimAlerts:
            """
            DELETE FROM alerts WHERE number <= (SELECT number FROM alerts ORDER BY number DESC LIMIT 1 OFFSET ?)
            """
        case .stampAlerts: "UPDATE alerts SET time = ? WHERE time IS NULL"
        case .removeOldAlerts: "DELETE FROM alerts WHERE time < ?"
        case .findAlert: "SELECT 1 FROM alerts LIMIT 1"
        case .readAlerts:
            """
            SELECT number, environment, containers.name, database, alerts.name, alert, owner, zone, record, count, time
            FROM alerts JOIN containers ON containers.id = container WHERE alert IS NOT NULL ORDER BY number
            """
        case .reduceAlert: "UPDATE alerts SET count = count - ?2 WHERE number = ?1"
        case .removeShownAlert: "DELETE FROM alerts WHERE number = ? AND count <= 0"
        case .removeAlert: "DELETE FROM alerts WHERE number = ?"
        case .readMuted: "SELECT app FROM mutedApps ORDER BY app"
        case .storeMuted: "INSERT INTO mutedApps (app) VALUES (?) ON CONFLICT (app) DO NOTHING"
        case .removeMuted: "DELETE FROM mutedApps WHERE app = ?"

        case .findZone: "SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND owner = ? AND name = ?"
        case .readZone: "SELECT \(Self.zoneColumns) FROM zones WHERE id = ?"
        case .readZones: "SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND isPresent ORDER BY owner, name"
        case .addZone:
            """
            INSERT INTO zones (container, owner, name, isPresent, mustMake, mustDelete, token, isStale, pass, revision)
            VALUES (?, ?, ?, 0, 0, 0, NULL, 0, 0, 0)
            """
        case .storeZone:
            """
            UPDATE zones SET isPresent = ?, mustMake = ?, mustDelete = ?, reason = ?, isLocal = ?, token = ?, isStale = ?,
                pass = ?, revision = ?, isNew = ? WHERE id = ?
            """
        case .readStaleZone:
            "SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND isStale AND NOT mustMake AND NOT mustDelete LIMIT 1"
        case .readZonesToDelete:
            "SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND mustDelete LIMIT 200"
        case .readZonesToMake:
            "SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND mustMake LIMIT 200"

        case .readRecord:
            "SELECT id, base, isPresent, revision, isLocal, pass FROM records WHERE zone = ? AND name = ?"
        case .addRecord:
            """
            INSERT INTO records (container, zone, name, base, isPresent, revision, isLocal, pass)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (zone, name) DO NOTHING
            """
        case .storeRecord:
            """
            INSERT INTO records (container, zone, name, base, isPresent, revision, isLocal, pass)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET base = excluded.base, isPresent = excluded.isPresent,
                revision = excluded.revision, isLocal = excluded.isLocal, pass = excluded.pass
            """
        case .readRecords:
            """
            SELECT records.name, base, sent, pending, error FROM records
            LEFT JOIN changes ON changes.zone = records.zone AND changes.name = records.name
            WHERE records.zone = ? AND records.name > ? AND isPresent ORDER BY records.name LIMIT ?
            """
        case .readUnlisted:
            """
            SELECT name FROM records WHERE zone = ? AND name > ? AND base IS NOT NULL AND pass <> ?
            ORDER BY name LIMIT ?
            """
        case .hideRecords: "DELETE FROM records WHERE zone = ?"
        case .removeRecord: "DELETE FROM records WHERE zone = ? AND name = ?"
        case .readRevisions:
            """
            SELECT zones.owner, zones.name, records.name, base, sent, pending, error, records.isPresent,
                records.revision, records.isLocal
            FROM records JOIN zones ON zones.id = records.zone
            LEFT JOIN changes ON changes.zone = records.zone AND changes.name = records.name
            WHERE records.container = ? AND records.revision > ? ORDER BY records.revision LIMIT ?
            """
        case .readZoneRevisions:
            """
            SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND revision > ? ORDER BY revision LIMIT ?
            """
        case .readOldDeletion:
            """
            SELECT revision FROM records WHERE container = ? AND NOT isPresent AND base IS NULL
            ORDER BY revision DESC LIMIT 1 OFFSET ?
            """
        case .removeOldDeletions:
            """
            DELETE FROM records WHERE container = ? AND NOT isPresent AND base IS NULL AND revision <= ?
                AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.zone = records.zone AND changes.name = records.name)
            """

        case .readChange: "SELECT sent, pending, error FROM changes WHERE zone = ? AND name = ?"
        case .findChange: "SELECT 1 FROM changes WHERE zone = ? LIMIT 1"
        case .storeChange:
            """
            INSERT INTO changes (zone, name, sent, pending, error) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET sent = excluded.sent, pending = excluded.pending,
                error = excluded.error
            """
        case .removeChange: "DELETE FROM changes WHERE zone = ? AND name = ?"
        case .removeChanges: "DELETE FROM changes WHERE zone = ?"
        case .readZoneToSend:
            """
            SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND isPresent AND NOT mustMake AND NOT mustDelete
                AND EXISTS (SELECT 1 FROM changes WHERE zone = zones.id AND pending IS NOT NULL AND error IS NULL
                    AND NOT \(Self.waitsForUpload))
            LIMIT 1
            """
        case .readToSend:
            """
            SELECT name, pending FROM changes WHERE zone = ? AND pending IS NOT NULL AND error IS NULL
                AND NOT \(Self.waitsForUpload)
            ORDER BY number LIMIT 400
            """
        case .readSent: "SELECT name, sent, pending, error FROM changes WHERE zone = ? AND sent IS NOT NULL"
        case .readUnsettled: "SELECT name, sent, pending, error FROM changes WHERE zone = ? AND error IS NULL"
        case .readRefused:
            """
            SELECT zones.owner, zones.name, changes.name, pending, error, changes.number
            FROM zones CROSS JOIN changes ON changes.zone = zones.id
            WHERE zones.container = ? AND error IS NOT NULL AND changes.number > ? ORDER BY changes.number LIMIT ?
            """

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

        case .readDeviceKey: "SELECT private, code FROM deviceKey WHERE id = 1"
        case .storeDeviceKey:
            """
            INSERT INTO deviceKey (id, private, code) VALUES (1, ?, ?)
            ON CONFLICT (id) DO UPDATE SET private = excluded.private, code = excluded.code
            """
        case .removeDeviceKey: "DELETE FROM deviceKey"
        case .readAccountKeys: "SELECT key FROM accountKeys ORDER BY name"
        case .storeAccountKey: "INSERT INTO accountKeys (name, key) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
        case .removeAccountKeys: "DELETE FROM accountKeys"
        case .readGenerations: "SELECT number, name, statement, wrapped FROM keyGenerations ORDER BY number"
        case .storeGeneration:
            "INSERT INTO keyGenerations (number, name, statement, wrapped) VALUES (?, ?, ?, ?)"
        case .removeGenerations: "DELETE FROM keyGenerations"

        case .readRequest: "SELECT kind, container, zone, key, body, made FROM request WHERE id = 1"
        case .storeRequest:
            "INSERT INTO request (id, kind, container, zone, key, body, made) VALUES (1, ?, ?, ?, ?, ?, ?)"
        case .removeRequest: "DELETE FROM request"
        }
    }

    /// The columns of `ZoneRow`.
    private static let zoneColumns =
        """
        zones.id, zones.container, zones.owner, zones.name, zones.isPresent, zones.mustMake, zones.mustDelete,
        zones.reason, zones.isLocal, zones.token, zones.isStale, zones.pass, zones.revision, zones.isNew
        """

    /// Who has an asset that is removed: the value of none of the `AssetRow.Holders`.
    private static let discarded = 8

    /// The columns of `AssetRow`.
    private static let assetColumns =
        """
        assets.id, assets.zone, assets.digest, assets.size, assets.stored, assets.state, assets.holders, assets.isUploaded,
        assets.sent, assets.attempts
        """

    /// Whether a row of `alertSubscriptions` is a subscription that ends when it fires.
    private static let isOnce = "coalesce(json_extract(subject, '$.once'), 0)"

    /// Whether a row of `assets` has bytes that the hub needs before it accepts a change. The index has the same condition.
    private static let mustUpload = "assets.holders & 2 AND NOT assets.isUploaded AND assets.state IS NULL"

    /// Whether a row of `changes` has an asset that is not uploaded yet.
    private static let waitsForUpload =
        """
        EXISTS (
            SELECT 1 FROM assetHolders JOIN assets ON assets.zone = assetHolders.zone AND assets.digest = assetHolders.digest
            WHERE assetHolders.zone = changes.zone AND assetHolders.name = changes.name AND holder = 2 AND \(mustUpload)
        )
        """
}
