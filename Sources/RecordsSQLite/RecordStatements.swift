import RecordTables
import Storage

// All SQL of this engine that differs from that of the others.

/// The statements that begin and end transactions.
enum RecordStatement: String, CaseIterable, NamedStatement {
    case beginReading = "begin to read"
    case beginWriting = "begin to write"
    case commit = "commit"
    case beginPart = "begin a transaction of a group"
    case endPart = "end a transaction of a group"
    case undoPart = "undo a transaction of a group"

    /// The statement.
    var sql: String {
        switch self {
        case .beginReading: "BEGIN"
        case .beginWriting: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .beginPart: "SAVEPOINT part"
        case .endPart: "RELEASE part"
        case .undoPart: "ROLLBACK TO part"
        }
    }
}

extension TableStatement {
    /// The statement for SQLite. CROSS JOIN keeps the order of the tables, sqlite.org/optoverview.html.
    var ownSQL: String {
        switch self {
        case .readSharedZones, .readOldDeletions, .readOldListedZones, .readOldUploads, .readEntries,
            .readEntriesBackwards:
            sql.split(separator: " JOIN ", maxSplits: 1).joined(separator: " CROSS JOIN ")
        default: sql
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
            hierarchy INTEGER NOT NULL DEFAULT 0,
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
        CREATE TABLE records (
            number INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,
            name TEXT NOT NULL,
            counter INTEGER NOT NULL,
            type TEXT NOT NULL,
            deleted INTEGER,
            content BLOB,
            previous BLOB,
            parent TEXT,
            UNIQUE (zone, name)
        );
        CREATE INDEX records_by_counter ON records (zone, counter);
        CREATE INDEX records_by_deletion ON records (deleted) WHERE deleted IS NOT NULL;
        CREATE INDEX records_by_parent ON records (zone, parent) WHERE parent IS NOT NULL;
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
            query BLOB,
            PRIMARY KEY (database, name)
        ) WITHOUT ROWID;
        CREATE TABLE devices (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            PRIMARY KEY (account, device, container)
        ) WITHOUT ROWID;
        CREATE INDEX devices_by_container ON devices (container, account);
        CREATE TABLE recordTypes (
            container TEXT NOT NULL,
            name TEXT NOT NULL,
            definition BLOB NOT NULL,
            unfilled TEXT,
            PRIMARY KEY (container, name)
        ) WITHOUT ROWID;
        CREATE INDEX recordTypes_unfilled ON recordTypes (container, name) WHERE unfilled IS NOT NULL;
        CREATE TABLE entries (
            zone INTEGER NOT NULL,
            field TEXT NOT NULL,
            key BLOB NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (zone, field, key, record)
        ) WITHOUT ROWID;
        CREATE TABLE publicSubscriptions (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            query BLOB NOT NULL,
            field TEXT NOT NULL,
            key BLOB NOT NULL,
            PRIMARY KEY (container, account, name)
        ) WITHOUT ROWID;
        CREATE INDEX publicSubscriptions_by_value ON publicSubscriptions (container, type, field, key);
        CREATE TABLE pushes (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            device TEXT NOT NULL,
            owner TEXT NOT NULL,
            zone TEXT NOT NULL,
            subscription TEXT NOT NULL,
            kind INTEGER NOT NULL,
            holder TEXT NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (account, device, container, owner, zone, subscription)
        ) WITHOUT ROWID;
        CREATE TABLE participants (
            zone INTEGER NOT NULL,
            account TEXT NOT NULL,
            permission TEXT NOT NULL,
            hasAccepted INTEGER NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (zone, account, record)
        ) WITHOUT ROWID;
        CREATE INDEX participants_by_account ON participants (account);
        CREATE TABLE teams (
            container TEXT NOT NULL,
            account TEXT NOT NULL,
            rights TEXT NOT NULL,
            isAgent INTEGER NOT NULL,
            PRIMARY KEY (container, account)
        ) WITHOUT ROWID;
        -- The bytes of assets are in files of their own.
        CREATE TABLE assets (
            number INTEGER PRIMARY KEY,
            zone INTEGER,
            digest BLOB NOT NULL,
            size INTEGER NOT NULL,
            account TEXT NOT NULL,
            received INTEGER NOT NULL,
            state BLOB,
            time INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX assets_by_digest ON assets (zone, digest, account) WHERE zone IS NOT NULL;
        CREATE INDEX assets_discarded ON assets (zone, number);
        CREATE INDEX assets_by_account ON assets (account) WHERE account <> '';
        CREATE INDEX assets_by_time ON assets (time) WHERE account <> '' AND zone IS NOT NULL;
        CREATE TABLE assetUses (
            zone INTEGER NOT NULL,
            digest BLOB NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (zone, digest, record)
        ) WITHOUT ROWID;
        """
    ]
}
