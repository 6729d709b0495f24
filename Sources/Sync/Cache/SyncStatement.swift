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
    case removeAlertSubscriptions = "remove the subscriptions with alerts of a database"
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
    case findRecord = "find any record of a zone"
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
        case .removeContainers: "DELETE FROM containers"

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
            ORDER BY environment, name
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
            "INSERT INTO alertSubscriptions (container, database, name, subject) VALUES (?, ?, ?, ?)"
        case .removeAlertSubscriptions: "DELETE FROM alertSubscriptions WHERE container = ? AND database = ?"
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
        case .findRecord: "SELECT 1 FROM records WHERE zone = ? LIMIT 1"
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
                AND EXISTS (SELECT 1 FROM changes WHERE zone = zones.id AND pending IS NOT NULL AND error IS NULL)
            LIMIT 1
            """
        case .readToSend:
            """
            SELECT name, pending FROM changes WHERE zone = ? AND pending IS NOT NULL AND error IS NULL
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

    /// The steps to the present tables.
    static let steps = [
        """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE account (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            hub TEXT NOT NULL,
            pin BLOB,
            token TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            isRemoved INTEGER NOT NULL
        );
        CREATE TABLE containers (
            id INTEGER PRIMARY KEY,
            environment TEXT NOT NULL,
            name TEXT NOT NULL,
            isRegistered INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            forgottenThrough INTEGER NOT NULL,
            UNIQUE (environment, name)
        );
        CREATE TABLE databases (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            scope INTEGER NOT NULL,
            token BLOB,
            isStale INTEGER NOT NULL,
            PRIMARY KEY (container, scope)
        ) WITHOUT ROWID;
        CREATE TABLE zones (
            id INTEGER PRIMARY KEY,
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            isPresent INTEGER NOT NULL,
            mustMake INTEGER NOT NULL,
            mustDelete INTEGER NOT NULL,
            reason TEXT,
            isLocal INTEGER NOT NULL DEFAULT 0,
            token BLOB,
            isStale INTEGER NOT NULL,
            pass INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            UNIQUE (container, owner, name)
        );
        CREATE INDEX zones_by_revision ON zones (container, revision);
        CREATE TABLE records (
            id INTEGER PRIMARY KEY,
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            zone INTEGER NOT NULL REFERENCES zones ON DELETE CASCADE,
            name TEXT NOT NULL,
            base TEXT,
            isPresent INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            isLocal INTEGER NOT NULL,
            pass INTEGER NOT NULL,
            UNIQUE (zone, name)
        );
        CREATE INDEX records_by_revision ON records (container, revision);
        CREATE TABLE changes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            zone INTEGER NOT NULL REFERENCES zones ON DELETE CASCADE,
            name TEXT NOT NULL,
            sent TEXT,
            pending TEXT,
            error TEXT,
            UNIQUE (zone, name)
        );
        CREATE TABLE request (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            kind INTEGER NOT NULL,
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            zone INTEGER REFERENCES zones ON DELETE CASCADE,
            key TEXT NOT NULL,
            body TEXT NOT NULL,
            made INTEGER NOT NULL
        );
        """,
        """
        ALTER TABLE account ADD COLUMN copy TEXT NOT NULL DEFAULT '';
        UPDATE account SET copy = lower(hex(randomblob(16)));
        """,
        """
        ALTER TABLE containers ADD COLUMN hubRevision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE containers ADD COLUMN reportedRevision INTEGER NOT NULL DEFAULT 0;
        """,
        """
        ALTER TABLE account ADD COLUMN identifierKey BLOB;
        CREATE TABLE identifierReaders (
            app TEXT NOT NULL,
            container TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (app, container)
        ) WITHOUT ROWID;
        """,
        """
        CREATE TABLE firedSubscriptions (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            database TEXT NOT NULL,
            name TEXT NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (container, database, name)
        ) WITHOUT ROWID;
        CREATE INDEX fired_by_revision ON firedSubscriptions (container, revision);
        """,
        """
        CREATE TABLE deviceKey (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            private BLOB NOT NULL,
            code BLOB
        );
        CREATE TABLE accountKeys (
            name BLOB PRIMARY KEY,
            key BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE keyGenerations (
            number INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            statement TEXT NOT NULL,
            wrapped BLOB NOT NULL
        );
        """,
        """
        ALTER TABLE containers ADD COLUMN staleAlerts INTEGER NOT NULL DEFAULT 7;
        ALTER TABLE databases ADD COLUMN isListed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE zones ADD COLUMN isNew INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE alertSubscriptions (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            database TEXT NOT NULL,
            name TEXT NOT NULL,
            subject TEXT NOT NULL,
            PRIMARY KEY (container, database, name)
        ) WITHOUT ROWID;
        CREATE TABLE alerts (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            database TEXT NOT NULL,
            name TEXT NOT NULL,
            alert TEXT,
            owner TEXT,
            zone TEXT,
            record TEXT,
            count INTEGER NOT NULL,
            time INTEGER,
            UNIQUE (container, database, name)
        );
        CREATE TABLE mutedApps (app TEXT PRIMARY KEY) WITHOUT ROWID;
        """,
    ]
}
