-- A journal as schema 1 was, with a little in it.
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
PRAGMA journal_mode = WAL;
PRAGMA user_version = 1;
