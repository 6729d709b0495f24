import Storage

/// The SQL for the account, containers, zones, records, changes and keys of the copy, by what each statement does. `AlertStatement` and
/// `AssetStatement` have the rest of the copy's SQL. Documentation/sync.md describes the tables.
///
/// Every statement finds its rows by a key or an index; a test compares SQLite's plan of each with that.
enum SyncStatement: String, CaseIterable, NamedStatement {
    case readAccount = "read the account"
    case storeAccount = "store the account"
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
    case readStaleDatabase = "find a database to fetch"
    case storeDatabase = "store a database"
    case markDatabaseStale = "mark a database as changed"
    case markAllStale = "mark all databases as changed"
    case hasList = "find whether the list of zones was fetched"

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
        // `isStale` is a number: how many marks of the database no complete fetch has covered that began after them.
        case .readStaleDatabase: "SELECT scope, token, isStale FROM databases WHERE container = ? AND isStale LIMIT 1"
        case .storeDatabase:
            """
            UPDATE databases SET token = ?1,
                isStale = CASE WHEN ?2 THEN max(isStale, 1) ELSE max(isStale - ?3, 0) END,
                isListed = CASE WHEN ?1 IS NULL THEN 0 WHEN ?2 THEN isListed ELSE 1 END
            WHERE container = ?4 AND scope = ?5
            """
        case .markDatabaseStale: "UPDATE databases SET isStale = isStale + 1 WHERE container = ? AND scope = ?"
        case .markAllStale: "UPDATE databases SET isStale = isStale + 1"
        case .hasList: "SELECT isListed FROM databases WHERE container = ? AND scope = ?"

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
            SELECT records.name, base, sent, pending, error, restoration FROM records
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
            SELECT zones.owner, zones.name, records.name, base, sent, pending, error, restoration,
                records.isPresent, records.revision, records.isLocal
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

        case .readChange: "SELECT sent, pending, error, restoration FROM changes WHERE zone = ? AND name = ?"
        case .findChange: "SELECT 1 FROM changes WHERE zone = ? LIMIT 1"
        case .storeChange:
            """
            INSERT INTO changes (zone, name, sent, pending, error, restoration) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET sent = excluded.sent, pending = excluded.pending,
                error = excluded.error, restoration = excluded.restoration
            """
        case .removeChange: "DELETE FROM changes WHERE zone = ? AND name = ?"
        case .removeChanges: "DELETE FROM changes WHERE zone = ?"
        case .readZoneToSend:
            """
            SELECT \(Self.zoneColumns) FROM zones WHERE container = ? AND isPresent AND NOT mustMake AND NOT mustDelete
                AND EXISTS (SELECT 1 FROM changes WHERE zone = zones.id AND \(Self.isToSend))
            LIMIT 1
            """
        case .readToSend:
            """
            SELECT name, sent, pending, error, restoration FROM changes WHERE zone = ? AND \(Self.isToSend)
            ORDER BY number LIMIT 400
            """
        case .readSent:
            "SELECT name, sent, pending, error, restoration FROM changes WHERE zone = ? AND sent IS NOT NULL"
        case .readUnsettled:
            """
            SELECT name, sent, pending, error, restoration FROM changes
            WHERE zone = ? AND (error IS NULL OR sent IS NOT NULL OR restoration IS NOT NULL)
            """
        case .readRefused:
            """
            SELECT zones.owner, zones.name, changes.name, pending, error, changes.number
            FROM zones CROSS JOIN changes ON changes.zone = zones.id
            WHERE zones.container = ? AND error IS NOT NULL AND changes.number > ? ORDER BY changes.number LIMIT ?
            """

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

    /// Whether a row of `changes` has something to send.
    private static let isToSend =
        "(pending IS NOT NULL AND error IS NULL OR restoration IS NOT NULL) AND NOT \(waitsForUpload)"

    /// Whether a row of `changes` has an asset that is not uploaded yet.
    private static let waitsForUpload =
        """
        EXISTS (
            SELECT 1 FROM assetHolders JOIN assets ON assets.zone = assetHolders.zone AND assets.digest = assetHolders.digest
            WHERE assetHolders.zone = changes.zone AND assetHolders.name = changes.name AND holder = 2
                AND \(AssetStatement.mustUpload)
        )
        """
}
