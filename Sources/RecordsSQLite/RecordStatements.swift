/// All SQL of the engine, by what each statement does. Documentation/sync.md describes the tables.
///
/// Every statement finds its rows by a key or an index; a test compares SQLite's plan of each with that.
enum RecordStatement: String, CaseIterable {
    case beginReading = "begin to read"
    case beginWriting = "begin to write"
    case commit = "commit"
    case beginPart = "begin a transaction of a group"
    case endPart = "end a transaction of a group"
    case undoPart = "undo a transaction of a group"

    case readDeviceOfToken = "read the device of a token"
    case readAccountDevices = "read the devices of an account"
    case readAllDevices = "read all devices"
    case storeAccountDevice = "store a device of an account"
    case removeAccountDevice = "remove a device of an account"
    case readContainers = "read the containers of a device"
    case readInvitationOfCode = "read the invitation of a code"
    case readInvitations = "read the invitations to an account"
    case readAllInvitations = "read all invitations"
    case storeInvitation = "store an invitation"
    case removeInvitation = "remove an invitation"

    case readDatabase = "read a database"
    case findDatabase = "find a database"
    case addDatabase = "add a database"
    case storeDatabase = "store a database"
    case readZone = "read a zone"
    case findZone = "find a zone"
    case addZone = "add a zone"
    case storeZone = "store a zone"
    case removeZone = "remove a zone"
    case removeRecords = "remove the records of a zone"
    case removeParticipants = "remove the participants of a zone"
    case readListedZone = "read a listed zone"
    case readList = "read a list of zones"
    case storeListedZone = "list a zone"
    case removeListedZone = "remove a zone from a list"

    case readParticipants = "read participants"
    case readParticipant = "read a participant"
    case readSharedZones = "read the zones shared with an account"
    case storeParticipant = "store a participant"
    case removeParticipant = "remove a participant"

    case readRecord = "read a record"
    case storeRecord = "store a record"
    case readChanges = "read changes"
    case removeDeletion = "remove a deletion"

    case readAnswer = "read an answer"
    case storeAnswer = "store an answer"

    case readSubscriptions = "read subscriptions"
    case storeSubscription = "store a subscription"
    case removeSubscription = "remove a subscription"
    case readDevices = "read devices"
    case storeDevice = "store a device"
    case removeDevice = "remove a device"
    case readPushes = "read pushes"
    case storePush = "store a push"
    case removePush = "remove a push"
    case removePushes = "remove the pushes of a device"

    case readOldDeletions = "read old deletions"
    case readOldListedZones = "read old deletions of zones"
    case removeOldAnswers = "remove old answers"

    /// The statement.
    var sql: String {
        switch self {
        case .beginReading: "BEGIN"
        case .beginWriting: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .beginPart: "SAVEPOINT part"
        case .endPart: "RELEASE part"
        case .undoPart: "ROLLBACK TO part"
        case .readDeviceOfToken: "SELECT account, device, token, joined FROM accountDevices WHERE token = ?"
        case .readAccountDevices:
            "SELECT account, device, token, joined FROM accountDevices WHERE account = ?"
        case .readAllDevices:
            """
            SELECT account, device, token, joined FROM accountDevices
            WHERE (account, device) > (?, ?) ORDER BY account, device LIMIT ?
            """
        case .storeAccountDevice:
            """
            INSERT INTO accountDevices (account, device, token, joined) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE SET token = excluded.token, joined = excluded.joined
            """
        case .removeAccountDevice: "DELETE FROM accountDevices WHERE account = ? AND device = ?"
        case .readContainers: "SELECT container FROM devices WHERE account = ? AND device = ?"
        case .readInvitationOfCode: "SELECT account, device, code, expires FROM invitations WHERE code = ?"
        case .readInvitations:
            "SELECT account, device, code, expires FROM invitations WHERE account = ?"
        case .readAllInvitations:
            """
            SELECT account, device, code, expires FROM invitations
            WHERE (account, device) > (?, ?) ORDER BY account, device LIMIT ?
            """
        case .storeInvitation:
            """
            INSERT INTO invitations (account, device, code, expires) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, device) DO UPDATE SET code = excluded.code, expires = excluded.expires
            """
        case .removeInvitation: "DELETE FROM invitations WHERE account = ? AND device = ?"
        case .readDatabase:
            "SELECT counter, removedThrough, zones FROM databases WHERE container = ? AND kind = ? AND account = ?"
        case .findDatabase: "SELECT number FROM databases WHERE container = ? AND kind = ? AND account = ?"
        case .addDatabase: "INSERT INTO databases (container, kind, account) VALUES (?, ?, ?) RETURNING number"
        case .storeDatabase:
            """
            INSERT INTO databases (container, kind, account, counter, removedThrough, zones) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, kind, account) DO UPDATE SET
                counter = excluded.counter, removedThrough = excluded.removedThrough, zones = excluded.zones
            """
        case .readZone:
            "SELECT incarnation, counter, removedThrough FROM zones WHERE container = ? AND owner = ? AND name = ?"
        case .findZone: "SELECT number FROM zones WHERE container = ? AND owner = ? AND name = ?"
        case .addZone: "INSERT INTO zones (container, owner, name) VALUES (?, ?, ?) RETURNING number"
        case .storeZone:
            """
            INSERT INTO zones (container, owner, name, incarnation, counter, removedThrough) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, owner, name) DO UPDATE SET
                incarnation = excluded.incarnation, counter = excluded.counter, removedThrough = excluded.removedThrough
            """
        case .removeZone: "DELETE FROM zones WHERE number = ?"
        case .removeRecords: "DELETE FROM records WHERE zone = ?"
        case .removeParticipants: "DELETE FROM participants WHERE zone = ?"
        case .readListedZone:
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime FROM feed
            WHERE database = ? AND owner = ? AND name = ?
            """
        case .readList:
            """
            SELECT owner, name, position, isPresent, deletedAt, reason, deletionTime FROM feed
            WHERE database = ? AND position > ? ORDER BY position LIMIT ?
            """
        case .storeListedZone:
            """
            INSERT INTO feed (database, owner, name, position, isPresent, deletedAt, reason, deletionTime)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (database, owner, name) DO UPDATE SET
                position = excluded.position, isPresent = excluded.isPresent, deletedAt = excluded.deletedAt,
                reason = excluded.reason, deletionTime = excluded.deletionTime
            """
        case .removeListedZone: "DELETE FROM feed WHERE database = ? AND owner = ? AND name = ?"
        case .readParticipants: "SELECT account, permission, hasAccepted FROM participants WHERE zone = ?"
        case .readParticipant:
            "SELECT account, permission, hasAccepted FROM participants WHERE zone = ? AND account = ?"
        case .readSharedZones:
            """
            SELECT p.account, p.permission, p.hasAccepted, z.container, z.owner, z.name
            FROM participants AS p CROSS JOIN zones AS z ON z.number = p.zone
            WHERE p.account = ? AND z.container = ?
            """
        case .storeParticipant:
            """
            INSERT INTO participants (zone, account, permission, hasAccepted) VALUES (?, ?, ?, ?)
            ON CONFLICT (zone, account) DO UPDATE SET
                permission = excluded.permission, hasAccepted = excluded.hasAccepted
            """
        case .removeParticipant: "DELETE FROM participants WHERE zone = ? AND account = ?"
        case .readRecord:
            "SELECT name, counter, type, deleted, content, previous FROM records WHERE zone = ? AND name = ?"
        case .storeRecord:
            """
            INSERT INTO records (zone, name, counter, type, deleted, content, previous) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO UPDATE SET
                counter = excluded.counter, type = excluded.type, deleted = excluded.deleted,
                content = excluded.content, previous = excluded.previous
            """
        case .readChanges:
            """
            SELECT name, counter, type, deleted, content, previous FROM records
            WHERE zone = ? AND counter > ? AND (deleted IS NULL OR counter > ?) ORDER BY counter
            """
        case .removeDeletion: "DELETE FROM records WHERE zone = ? AND name = ? AND deleted IS NOT NULL"
        case .readAnswer:
            """
            SELECT digest, answer, time FROM answers
            WHERE container = ? AND account = ? AND device = ? AND request = ?
            """
        case .storeAnswer:
            """
            INSERT INTO answers (container, account, device, request, digest, answer, time) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, account, device, request) DO UPDATE SET
                digest = excluded.digest, answer = excluded.answer, time = excluded.time
            """
        case .readSubscriptions: "SELECT name, owner, zone FROM subscriptions WHERE database = ?"
        case .storeSubscription:
            """
            INSERT INTO subscriptions (database, name, owner, zone) VALUES (?, ?, ?, ?)
            ON CONFLICT (database, name) DO UPDATE SET owner = excluded.owner, zone = excluded.zone
            """
        case .removeSubscription: "DELETE FROM subscriptions WHERE database = ? AND name = ?"
        case .readDevices: "SELECT device FROM devices WHERE container = ? AND account = ? ORDER BY device"
        case .storeDevice:
            """
            INSERT INTO devices (container, account, device) VALUES (?, ?, ?)
            ON CONFLICT (container, account, device) DO NOTHING
            """
        case .removeDevice: "DELETE FROM devices WHERE container = ? AND account = ? AND device = ?"
        case .readPushes:
            """
            SELECT owner, zone, kind, holder, position, container FROM pushes
            WHERE account = ? AND device = ? LIMIT ?
            """
        case .storePush:
            """
            INSERT INTO pushes (container, account, device, owner, zone, kind, holder, position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (container, account, device, owner, zone) DO UPDATE SET
                kind = excluded.kind, holder = excluded.holder, position = excluded.position
            """
        case .removePush:
            """
            DELETE FROM pushes
            WHERE container = ? AND account = ? AND device = ? AND owner = ? AND zone = ? AND position <= ?
            """
        case .removePushes: "DELETE FROM pushes WHERE container = ? AND account = ? AND device = ?"
        case .readOldDeletions:
            """
            SELECT z.container, z.owner, z.name, r.name FROM records AS r CROSS JOIN zones AS z ON z.number = r.zone
            WHERE r.deleted < ? ORDER BY r.deleted LIMIT ?
            """
        case .readOldListedZones:
            """
            SELECT d.container, d.kind, d.account, f.owner, f.name
            FROM feed AS f CROSS JOIN databases AS d ON d.number = f.database
            WHERE f.isPresent = 0 AND f.deletionTime < ? ORDER BY f.deletionTime LIMIT ?
            """
        case .removeOldAnswers:
            "DELETE FROM answers WHERE number IN (SELECT number FROM answers WHERE time < ? ORDER BY time LIMIT ?)"
        }
    }
}

extension RecordStatement {
    /// "Ways": marks the file (sqlite.org/fileformat2.html, application ID).
    static let applicationID: Int32 = 0x5761_7973

    /// The steps to the present tables, the first making version 1. Steps are only ever appended.
    static let steps: [String] = [
        """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE accountDevices (
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            token BLOB NOT NULL UNIQUE,
            joined INTEGER NOT NULL,
            PRIMARY KEY (account, device)
        ) WITHOUT ROWID;
        CREATE TABLE invitations (
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            code BLOB NOT NULL UNIQUE,
            expires INTEGER NOT NULL,
            PRIMARY KEY (account, device)
        ) WITHOUT ROWID;
        CREATE TABLE databases (
            number INTEGER PRIMARY KEY,
            container TEXT NOT NULL,
            kind INTEGER NOT NULL,
            account TEXT NOT NULL,
            counter INTEGER,
            removedThrough INTEGER,
            zones INTEGER,
            UNIQUE (container, kind, account)
        );
        CREATE TABLE zones (
            number INTEGER PRIMARY KEY,
            container TEXT NOT NULL,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            incarnation INTEGER,
            counter INTEGER,
            removedThrough INTEGER,
            UNIQUE (container, owner, name)
        );
        CREATE TABLE feed (
            database INTEGER NOT NULL,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            position INTEGER NOT NULL,
            isPresent INTEGER NOT NULL,
            deletedAt INTEGER,
            reason TEXT,
            deletionTime INTEGER,
            PRIMARY KEY (database, owner, name)
        ) WITHOUT ROWID;
        CREATE INDEX feed_by_position ON feed (database, position);
        CREATE INDEX feed_by_deletion ON feed (deletionTime) WHERE isPresent = 0 AND deletionTime IS NOT NULL;
        CREATE TABLE participants (
            zone INTEGER NOT NULL,
            account TEXT NOT NULL,
            permission TEXT NOT NULL,
            hasAccepted INTEGER NOT NULL,
            PRIMARY KEY (zone, account)
        ) WITHOUT ROWID;
        CREATE INDEX participants_by_account ON participants (account);
        CREATE TABLE records (
            number INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,
            name TEXT NOT NULL,
            counter INTEGER NOT NULL,
            type TEXT NOT NULL,
            deleted INTEGER,
            content BLOB,
            previous BLOB,
            UNIQUE (zone, name)
        );
        CREATE INDEX records_by_counter ON records (zone, counter);
        CREATE INDEX records_by_deletion ON records (deleted) WHERE deleted IS NOT NULL;
        CREATE TABLE answers (
            number INTEGER PRIMARY KEY,
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            request TEXT NOT NULL,
            digest BLOB NOT NULL,
            answer BLOB NOT NULL,
            time INTEGER NOT NULL,
            UNIQUE (container, account, device, request)
        );
        CREATE INDEX answers_by_time ON answers (time);
        CREATE TABLE subscriptions (
            database INTEGER NOT NULL,
            name TEXT NOT NULL,
            owner TEXT,
            zone TEXT,
            PRIMARY KEY (database, name)
        ) WITHOUT ROWID;
        CREATE TABLE devices (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            PRIMARY KEY (account, device, container)
        ) WITHOUT ROWID;
        CREATE INDEX devices_by_container ON devices (container, account);
        CREATE TABLE pushes (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            owner TEXT NOT NULL,
            zone TEXT NOT NULL,
            kind INTEGER NOT NULL,
            holder TEXT NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (account, device, container, owner, zone)
        ) WITHOUT ROWID;
        """
    ]
}
