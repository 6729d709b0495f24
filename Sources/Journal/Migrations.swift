import Storage

/// The migration steps to the schema of this release. Steps are only ever appended; a released step is never changed.
/// `PRAGMA user_version` is the number of steps that were applied to a database.
enum Migrations {
    /// "Waym": marks the file as a journal (sqlite.org/fileformat2.html, application ID).
    static let applicationID: Int32 = 0x5761_796d

    /// The steps, the first making version 1.
    static let steps: [String] = [
        """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('retentionFloor', 1);
        CREATE TABLE boots (id INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE);
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            time INTEGER NOT NULL,
            monotonic INTEGER NOT NULL,
            boot INTEGER NOT NULL REFERENCES boots (id),
            kind TEXT NOT NULL,
            app TEXT,
            uid INTEGER,
            details TEXT NOT NULL
        );
        CREATE INDEX events_by_time ON events (time);
        CREATE INDEX events_by_kind ON events (kind);
        CREATE INDEX events_by_app ON events (app, uid) WHERE app IS NOT NULL;
        """,
        // Authorization. A journal with boots is an older one, which had no authorization. Into a new journal the
        // authorization of a database that was set aside may still have to be restored.
        """
        CREATE TABLE grants (
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            permission TEXT NOT NULL,
            accuracy TEXT NOT NULL,
            wasAskedAlways INTEGER NOT NULL,
            decidedAt INTEGER,
            decidedBy TEXT,
            decidedByUID INTEGER,
            binding TEXT,
            PRIMARY KEY (app, uid)
        ) WITHOUT ROWID;
        CREATE TABLE prompts (
            id INTEGER PRIMARY KEY,
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            kind TEXT NOT NULL,
            purposeKey TEXT,
            proposesFullAccuracy INTEGER NOT NULL,
            raisedAt INTEGER NOT NULL
        );
        CREATE TABLE promptTexts (
            prompt INTEGER NOT NULL REFERENCES prompts (id),
            field TEXT NOT NULL,
            locale TEXT NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (prompt, field, locale)
        ) WITHOUT ROWID;
        CREATE TABLE state (name TEXT PRIMARY KEY NOT NULL, value NOT NULL) WITHOUT ROWID;
        INSERT INTO state SELECT 'authorizationRestored', 1 WHERE EXISTS (SELECT 1 FROM boots);
        """,
        // Recordings. A recording's numbers are 1, 2, 3 … `last`; each number above `floor` is a position, a dead
        // letter or in a gap. Coordinates, and messages that may repeat them, are only in payloads, so that payloads
        // can be encrypted in the future.
        """
        CREATE TABLE recordings (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            desiredAccuracy REAL,
            distanceFilter REAL,
            interval REAL,
            onRevoke TEXT NOT NULL,
            isStarted INTEGER NOT NULL,
            startedAt INTEGER NOT NULL,
            last INTEGER NOT NULL DEFAULT 0,
            cursor INTEGER NOT NULL DEFAULT 0,
            floor INTEGER NOT NULL DEFAULT 0,
            kept INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0,
            deadLetters INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            isErased INTEGER NOT NULL DEFAULT 0
        );
        CREATE UNIQUE INDEX recordings_by_key ON recordings (uid, app, identifier) WHERE isErased = 0;
        CREATE TABLE positions (
            recording INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            payload BLOB NOT NULL,
            PRIMARY KEY (recording, seq)
        ) WITHOUT ROWID;
        CREATE TABLE deadLetters (
            recording INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            status INTEGER NOT NULL,
            rejectedAt INTEGER NOT NULL,
            payload BLOB NOT NULL,
            PRIMARY KEY (recording, seq)
        ) WITHOUT ROWID;
        CREATE TABLE gaps (
            recording INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (recording, first)
        ) WITHOUT ROWID;
        CREATE TABLE marks (
            recording INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (recording, seq)
        ) WITHOUT ROWID;
        CREATE TABLE salvage (
            recording INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            next INTEGER NOT NULL,
            last INTEGER NOT NULL
        );
        """,
        // Before the first release, the third schema temporarily had no table for salvaged recordings.
        """
        CREATE TABLE IF NOT EXISTS salvage (
            recording INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            next INTEGER NOT NULL,
            last INTEGER NOT NULL
        );
        """,
        // Events about an app have, besides the number of the journal, a number among the app's own events, which the
        // app sees. The first one is the event's time in seconds, which is later than any number that the app may have
        // had in another file.
        """
        ALTER TABLE events ADD COLUMN appSeq INTEGER;
        CREATE TABLE audiences (
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (app, uid)
        ) WITHOUT ROWID;
        UPDATE events SET appSeq = numbered.number FROM (
            SELECT seq AS numberedSeq, max(min(time) OVER audience / 1000000, 1) - 1
                + row_number() OVER (PARTITION BY app, uid ORDER BY seq) AS number
            FROM events WHERE app IS NOT NULL AND uid IS NOT NULL
            WINDOW audience AS (PARTITION BY app, uid)
        ) AS numbered WHERE seq = numbered.numberedSeq;
        INSERT INTO audiences SELECT app, uid, max(appSeq) FROM events WHERE appSeq IS NOT NULL GROUP BY app, uid;
        DROP INDEX events_by_app;
        CREATE INDEX events_by_app ON events (app, uid, appSeq) WHERE app IS NOT NULL;
        """,
        // The accounts to which the data of user ids belongs. Data of an earlier release belongs to the account that
        // has the number when this release checks it first.
        """
        CREATE TABLE accounts (
            uid INTEGER PRIMARY KEY NOT NULL,
            name TEXT,
            state TEXT NOT NULL,
            otherName TEXT,
            since INTEGER,
            absentSeconds INTEGER NOT NULL
        );
        """,
        // The ages of accounts. The accounts of an earlier release get the age that this release finds first.
        """
        ALTER TABLE accounts ADD COLUMN homeBirth INTEGER;
        """,
        // How many acknowledged positions of a recording its destination has accepted, and how many the filter of the
        // destination has left out. What was acknowledged before is not known, and not counted.
        """
        ALTER TABLE recordings ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE recordings ADD COLUMN filtered INTEGER NOT NULL DEFAULT 0;
        """,
        // Payloads are sealed. Those of an earlier release have no segment, which is accepted of numbers up to `unsealed`;
        // they are sealed after the journal was opened, in transactions of their own.
        """
        ALTER TABLE positions ADD COLUMN class INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE positions ADD COLUMN segment INTEGER;
        ALTER TABLE deadLetters ADD COLUMN class INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE deadLetters ADD COLUMN segment INTEGER;
        ALTER TABLE recordings ADD COLUMN unsealed INTEGER NOT NULL DEFAULT 0;
        UPDATE recordings SET unsealed = last;
        INSERT INTO meta SELECT 'unsealed', 1 WHERE EXISTS (SELECT 1 FROM recordings);
        CREATE TABLE segments (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            recording INTEGER NOT NULL,
            isDeadLetter INTEGER NOT NULL,
            class INTEGER NOT NULL,
            keyFile BLOB NOT NULL,
            began INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            wrapped BLOB NOT NULL
        );
        CREATE INDEX segments_by_recording ON segments (recording, isDeadLetter, first);
        """,
    ]

    /// The first version that has accounts.
    static let firstWithAccounts: Int64 = 6

    /// The first version in which accounts have an age.
    static let firstWithHomeBirths: Int64 = 7

    /// The first version in which recordings have the counts of their uploads.
    static let firstWithUploadCounts: Int64 = 8

    /// The first version in which payloads are sealed.
    static let firstWithSegments: Int64 = 9

    /// The first version that has recordings.
    static let firstWithRecordings: Int64 = 3

    /// The version this release reads and writes.
    static var newest: Int32 { schema.newest }

    /// The journal's file and its steps.
    static let schema = DatabaseSchema(
        fileName: "journal.db", lockName: "journal.lock", noun: "a journal of Waymark", applicationID: applicationID,
        steps: steps)
}
