-- A journal as schema 8 was, with a little in it.
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = 1466005869;
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
INSERT INTO boots VALUES (1, '00000000-0000-0000-0000-000000000001');
INSERT INTO events VALUES (1, 1799999990000000, 5, 1, 'serviceStarted', NULL, NULL, '{"version":"0.1.0"}');
INSERT INTO events VALUES (2, 1799999991000000, 6, 1, 'note', NULL, 0, '{"text":"the antenna is on the roof"}');
INSERT INTO events VALUES (3, 1799999992000000, 7, 1, 'serviceStopped', NULL, NULL, '{"reason":"SIGTERM"}');
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
INSERT INTO grants VALUES ('way', 1000, 'always', 'full', 1, 1799999991000000, 'operator', 0, NULL);
INSERT INTO grants VALUES ('other', 1000, 'denied', 'full', 0, 1799999991500000, 'person', 1000, NULL);
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
INSERT INTO recordings (uuid, app, uid, identifier, onRevoke, isStarted, startedAt, last, cursor)
    VALUES ('6f9619ff-8b86-4d01-b42d-00c04fc964ff', 'way', 1000, 'way', 'keep', 1, 1799999991000000, 0, 0);
PRAGMA journal_mode = WAL;
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
CREATE TABLE accounts (
    uid INTEGER PRIMARY KEY NOT NULL,
    name TEXT,
    state TEXT NOT NULL,
    otherName TEXT,
    since INTEGER,
    absentSeconds INTEGER NOT NULL
);
INSERT INTO accounts VALUES (1000, 'jane', 'present', NULL, NULL, 0);
ALTER TABLE accounts ADD COLUMN homeBirth INTEGER;
ALTER TABLE recordings ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE recordings ADD COLUMN filtered INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 8;
