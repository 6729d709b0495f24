import RecordTables

// All SQL of this engine that differs from that of the others.

/// The statements of transactions and locks, and those that only this engine has.
///
/// A statement is planned once for a connection, often while its tables are still small. Rows that are found by lists of names are
/// therefore joined so that no plan can read all rows of a zone, or of a table, and compare them with the list: OFFSET makes
/// PostgreSQL evaluate the subquery for each name, by the index that begins with all that it compares.
enum RecordStatement: String, CaseIterable {
    case beginReading = "begin to read"
    case beginWriting = "begin to write"
    case commit = "commit"
    case undo = "undo a transaction"
    case lock = "lock"
    case lockAll = "lock in order"
    case tryLock = "try to lock"
    case readHubKey = "read the hubs' key"
    case storeHubKey = "store the hubs' key"
    case readRecords = "read records"
    case readAllChildren = "read the children of records"
    case readSomeChanges = "read some changes"
    case readSomeWrittenChanges = "read some changes for a page"
    case notify = "notify other hubs"
    case storePart = "store a part of an asset"
    case readPart = "read a part of an asset"
    case removeParts = "remove the bytes of an asset"

    /// The statement.
    var sql: String {
        switch self {
        // One snapshot for all statements.
        case .beginReading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        // A snapshot for each statement, so that what is read after a lock is as the holder before has committed it: a
        // transaction is visible to new snapshots before its locks are released.
        case .beginWriting: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        case .commit: "COMMIT"
        case .undo: "ROLLBACK"
        case .lock: "SELECT pg_advisory_xact_lock($1)"
        // One after the other, as they are in the list.
        case .lockAll: "SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key"
        case .tryLock: "SELECT pg_try_advisory_xact_lock($1)"
        case .readHubKey: "SELECT key FROM hub WHERE single"
        case .storeHubKey: "INSERT INTO hub (key) VALUES ($1) ON CONFLICT (single) DO UPDATE SET key = excluded.key"
        case .readRecords:
            """
            SELECT stored.* FROM unnest($2::text[]) AS asked (name)
            CROSS JOIN LATERAL (
                SELECT name, counter, type, deleted, content, previous, parent FROM records
                WHERE zone = $1 AND name = asked.name
                OFFSET 0
            ) AS stored
            """
        case .readAllChildren:
            """
            SELECT stored.* FROM unnest($2::text[]) AS asked (name)
            CROSS JOIN LATERAL (
                SELECT name, deleted FROM records WHERE zone = $1 AND parent = asked.name OFFSET 0
            ) AS stored
            """
        case .readSomeChanges:
            """
            SELECT name, counter, type, deleted, content, previous, parent FROM records
            WHERE zone = $1 AND counter > $2 AND (deleted IS NULL OR counter > $3) ORDER BY counter LIMIT $4
            """
        case .readSomeWrittenChanges:
            """
            SELECT name, counter, type, deleted, content FROM records
            WHERE zone = $1 AND counter > $2 AND (deleted IS NULL OR counter > $3) ORDER BY counter LIMIT $4
            """
        case .storePart: "INSERT INTO assetParts (asset, position, bytes) VALUES ($1, $2, $3)"
        case .readPart:
            """
            SELECT substring(bytes FROM ($2 - position + 1)::integer FOR $3::bigint::integer) FROM assetParts
            WHERE asset = $1 AND position <= $2 ORDER BY position DESC LIMIT 1
            """
        case .removeParts: "DELETE FROM assetParts WHERE asset = $1"
        // A transaction of its own after the one with the changes, which does not wait for the disk: while a transaction that
        // notifies is committed, PostgreSQL lets no other one that notifies begin to be.
        case .notify:
            """
            SELECT set_config('synchronous_commit', 'off', true), pg_notify('waymark_devices', name)
            FROM unnest($1::text[]) AS name
            """
        }
    }
}

extension TableStatement {
    /// The statement for PostgreSQL.
    var ownSQL: String {
        // The number of the parameter after the next question mark.
        var number = 0
        return portableSQL.reduce(into: "") { text, character in
            guard character == "?" else { return text.append(character) }
            number += 1
            text += "$\(number)"
        }
    }

    private var portableSQL: String {
        switch self {
        // These two are used without a lock, and remove rows that other transactions may be changing. They skip such rows
        // instead of waiting, so that nobody waits for a transaction that waits. A push that is being renewed stays, as it
        // does if it was renewed before; if the renewal is undone, the push is delivered once more.
        case .removePush:
            """
            DELETE FROM pushes WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM pushes
                WHERE container = ? AND account = ? AND device = ? AND owner = ? AND zone = ? AND subscription = ?
                    AND position <= ?
                FOR UPDATE SKIP LOCKED))
            """
        case .removeOldAnswers:
            """
            DELETE FROM answers WHERE number = ANY (ARRAY (
                SELECT number FROM answers WHERE time < ? ORDER BY time LIMIT ? FOR UPDATE SKIP LOCKED))
            """
        default: sql
        }
    }
}

extension TableStatement {
    /// The types of the columns of a statement that stores rows of which a transaction can have many; nil for others.
    var columnTypes: [ColumnType]? {
        switch self {
        case .storeRecord: [.integer, .text, .integer, .text, .integer, .bytes, .bytes, .text]
        case .storeAnswer: [.text, .text, .text, .text, .bytes, .bytes, .integer]
        case .storeZone: [.text, .text, .text, .integer, .integer, .integer, .integer]
        case .storeDatabase: [.text, .integer, .text, .integer, .integer, .integer]
        case .storeListedZone: [.integer, .text, .text, .integer, .integer, .integer, .text, .integer]
        case .addEntry: [.integer, .text, .bytes, .text]
        case .addAssetUse: [.integer, .bytes, .text]
        default: nil
        }
    }

    /// Whether the statement only reads.
    var isReading: Bool { sql.hasPrefix("SELECT") }

    /// The statement for many rows, whose parameters are a list for each column.
    func sqlOfRows(_ types: [ColumnType]) -> String {
        let lists = types.enumerated().map { "$\($0 + 1)::\($1.list)" }.joined(separator: ", ")
        let values = "VALUES (" + [String](repeating: "?", count: types.count).joined(separator: ", ") + ")"
        return sql.replacing(values, with: "SELECT * FROM unnest(\(lists))")
    }
}

extension RecordStatement {
    /// The settings of a connection. The timeouts keep a hub that is stopped in the middle of a transaction from stopping the
    /// others; the keepalives let the server notice a machine that is there no longer. A commit is durable also where the server's default is another one.
    /// Each statement has an index, and plans are made while tables may be empty: none may read a whole table for that.
    /// Where there is no other plan, that setting makes it seem expensive, for which PostgreSQL would compile it.
    static let settings = """
        SET search_path = waymark;
        SET lock_timeout = '30s';
        SET idle_in_transaction_session_timeout = '60s';
        SET tcp_keepalives_idle = 10;
        SET tcp_keepalives_interval = 5;
        SET tcp_keepalives_count = 3;
        SET enable_seqscan = off;
        SET jit = off;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """

    /// Receives the notifications of other hubs.
    static let listen = "LISTEN waymark_devices"

    /// How many connections to the database have ended without their program's doing, for example because it was killed:
    /// PostgreSQL counts them when the connection ends.
    static let countLostPrograms = """
        SELECT sessions_abandoned + sessions_fatal + sessions_killed FROM pg_stat_database
        WHERE datname = current_database()
        """

    /// How many other connections of hubs the database has.
    static let countHubs = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'waymark-hub' AND pid <> pg_backend_pid()
        """

    /// What the schema waymark has: `none` without it, `empty`, `foreign`, or `own`.
    static let inspectSchema = """
        SELECT CASE
            WHEN to_regnamespace('waymark') IS NULL THEN 'none'
            WHEN to_regclass('waymark.waymarkSchema') IS NOT NULL THEN 'own'
            WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('waymark')) THEN 'foreign'
            ELSE 'empty' END
        """

    /// The version of the tables.
    static let readVersion = "SELECT version FROM waymark.waymarkSchema"
    static let makeSchema = "CREATE SCHEMA waymark"
    static let makeVersion = """
        CREATE TABLE waymark.waymarkSchema (single BOOLEAN PRIMARY KEY DEFAULT true CHECK (single), version BIGINT NOT NULL);
        INSERT INTO waymark.waymarkSchema (version) VALUES (0)
        """
    /// Waits for another hub that makes the tables.
    static let lockSchema = "SELECT pg_advisory_xact_lock(\(Int64(bitPattern: LockKey.schema.number)))"

    /// Stores the version that a step has made.
    static func storeVersion(_ version: Int) -> String { "UPDATE waymark.waymarkSchema SET version = \(version)" }

    /// The steps to the present tables, the first making version 1. Steps are only ever appended.
    static let steps: [String] = [
        """
        CREATE TABLE hub (single BOOLEAN PRIMARY KEY DEFAULT true CHECK (single), key BYTEA NOT NULL);
        CREATE TABLE accountDevices (
            account TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            token BYTEA NOT NULL UNIQUE,
            joined BIGINT NOT NULL,
            PRIMARY KEY (account, device)
        );
        CREATE TABLE invitations (
            account TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            code BYTEA NOT NULL UNIQUE,
            expires BIGINT NOT NULL,
            PRIMARY KEY (account, device)
        );
        CREATE TABLE databases (
            number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            container TEXT COLLATE "C" NOT NULL,
            kind BIGINT NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            counter BIGINT,
            removedThrough BIGINT,
            zones BIGINT,
            UNIQUE (container, kind, account)
        );
        CREATE TABLE zones (
            number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            container TEXT COLLATE "C" NOT NULL,
            owner TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            incarnation BIGINT,
            counter BIGINT,
            removedThrough BIGINT,
            hierarchy BIGINT NOT NULL DEFAULT 0,
            UNIQUE (container, owner, name)
        );
        CREATE TABLE feed (
            database BIGINT NOT NULL,
            owner TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL,
            isPresent BIGINT NOT NULL,
            deletedAt BIGINT,
            reason TEXT COLLATE "C",
            deletionTime BIGINT,
            PRIMARY KEY (database, owner, name)
        );
        CREATE INDEX feed_by_position ON feed (database, position);
        CREATE INDEX feed_by_deletion ON feed (deletionTime) WHERE isPresent = 0 AND deletionTime IS NOT NULL;
        CREATE TABLE participants (
            zone BIGINT NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            permission TEXT COLLATE "C" NOT NULL,
            hasAccepted BIGINT NOT NULL,
            record TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (zone, account, record)
        );
        CREATE INDEX participants_by_account ON participants (account);
        CREATE TABLE records (
            number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            zone BIGINT NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            counter BIGINT NOT NULL,
            type TEXT COLLATE "C" NOT NULL,
            deleted BIGINT,
            content BYTEA,
            previous BYTEA,
            parent TEXT COLLATE "C",
            UNIQUE (zone, name)
        );
        CREATE INDEX records_by_counter ON records (zone, counter);
        CREATE INDEX records_by_deletion ON records (deleted) WHERE deleted IS NOT NULL;
        CREATE INDEX records_by_parent ON records (zone, parent) WHERE parent IS NOT NULL;
        CREATE TABLE answers (
            number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            container TEXT COLLATE "C" NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            request TEXT COLLATE "C" NOT NULL,
            digest BYTEA NOT NULL,
            answer BYTEA NOT NULL,
            time BIGINT NOT NULL,
            UNIQUE (container, account, device, request)
        );
        CREATE INDEX answers_by_time ON answers (time);
        CREATE TABLE subscriptions (
            database BIGINT NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            owner TEXT COLLATE "C",
            zone TEXT COLLATE "C",
            query BYTEA,
            PRIMARY KEY (database, name)
        );
        CREATE TABLE devices (
            container TEXT COLLATE "C" NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (account, device, container)
        );
        CREATE INDEX devices_by_container ON devices (container, account);
        CREATE TABLE pushes (
            container TEXT COLLATE "C" NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            owner TEXT COLLATE "C" NOT NULL,
            zone TEXT COLLATE "C" NOT NULL,
            subscription TEXT COLLATE "C" NOT NULL,
            kind BIGINT NOT NULL,
            holder TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL,
            PRIMARY KEY (account, device, container, owner, zone, subscription)
        );
        CREATE TABLE recordTypes (
            container TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            definition BYTEA NOT NULL,
            unfilled TEXT COLLATE "C",
            PRIMARY KEY (container, name)
        );
        CREATE INDEX recordTypes_unfilled ON recordTypes (container, name) WHERE unfilled IS NOT NULL;
        CREATE TABLE entries (
            zone BIGINT NOT NULL,
            field TEXT COLLATE "C" NOT NULL,
            key BYTEA NOT NULL,
            record TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (zone, field, key, record)
        );
        CREATE TABLE publicSubscriptions (
            container TEXT COLLATE "C" NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            type TEXT COLLATE "C" NOT NULL,
            query BYTEA NOT NULL,
            field TEXT COLLATE "C" NOT NULL,
            key BYTEA NOT NULL,
            PRIMARY KEY (container, account, name)
        );
        CREATE INDEX publicSubscriptions_by_value ON publicSubscriptions (container, type, field, key);
        CREATE TABLE teams (
            container TEXT COLLATE "C" NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            rights TEXT COLLATE "C" NOT NULL,
            isAgent BIGINT NOT NULL,
            PRIMARY KEY (container, account)
        );
        CREATE TABLE assets (
            number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            zone BIGINT,
            digest BYTEA NOT NULL,
            size BIGINT NOT NULL,
            account TEXT COLLATE "C" NOT NULL,
            received BIGINT NOT NULL,
            state BYTEA,
            time BIGINT NOT NULL
        );
        CREATE UNIQUE INDEX assets_by_digest ON assets (zone, digest, account) WHERE zone IS NOT NULL;
        CREATE INDEX assets_discarded ON assets (zone, number);
        CREATE INDEX assets_by_account ON assets (account) WHERE account <> '';
        CREATE INDEX assets_by_time ON assets (time) WHERE account <> '' AND zone IS NOT NULL;
        CREATE TABLE assetUses (
            zone BIGINT NOT NULL,
            digest BYTEA NOT NULL,
            record TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (zone, digest, record)
        );
        CREATE TABLE assetParts (
            asset BIGINT NOT NULL,
            position BIGINT NOT NULL,
            bytes BYTEA NOT NULL,
            PRIMARY KEY (asset, position)
        );
        -- These bytes are as good as random as a rule: PostgreSQL does not try to compress them.
        ALTER TABLE assetParts ALTER COLUMN bytes SET STORAGE EXTERNAL;
        """
    ]
}
