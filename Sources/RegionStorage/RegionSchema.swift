import Storage

/// The tables of `regions.sqlite`: Documentation/storage.md explains them.
enum RegionSchema {
    /// "Wayr": marks the file (sqlite.org/fileformat2.html, application ID).
    static let applicationID: Int32 = 0x5761_7972

    /// The steps, the first making version 1. Steps are only ever appended.
    static let steps: [String] = [
        """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('next', 1);
        CREATE TABLE monitors (
            id INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            name TEXT NOT NULL,
            list INTEGER NOT NULL,
            regions INTEGER NOT NULL,
            last INTEGER NOT NULL,
            acknowledged INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            droppedAt INTEGER NOT NULL,
            UNIQUE (uid, app, name)
        );
        CREATE TABLE lists (
            id INTEGER PRIMARY KEY,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            forgottenAt INTEGER NOT NULL,
            isReset INTEGER NOT NULL
        );
        CREATE TABLE regions (
            number INTEGER PRIMARY KEY,
            list INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            state INTEGER NOT NULL,
            since INTEGER,
            epoch INTEGER NOT NULL,
            payload BLOB NOT NULL
        );
        CREATE INDEX regions_not_outside ON regions (list, state) WHERE state <> 0;
        CREATE TABLE names (
            list INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (list, identifier)
        ) WITHOUT ROWID;
        CREATE VIRTUAL TABLE boxes USING rtree (number, lowX, highX, lowY, highY, lowZ, highZ);
        CREATE TABLE events (
            monitor INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            kind INTEGER NOT NULL,
            detail INTEGER,
            time INTEGER NOT NULL,
            crossed INTEGER,
            flags INTEGER NOT NULL,
            latitude REAL,
            longitude REAL,
            accuracy REAL,
            PRIMARY KEY (monitor, seq)
        ) WITHOUT ROWID;
        """
    ]

    /// The columns of an event, for `StoredRegionEvent`.
    static let eventColumns = "seq, identifier, kind, detail, time, crossed, flags, latitude, longitude, accuracy"

    /// The file, which is plain or sealed.
    static let database = SealableDatabase(
        plain: DatabaseSchema(
            fileName: "regions.sqlite", lockName: "regions.lock", noun: "Waymark's regions",
            applicationID: applicationID, steps: steps),
        sealedName: RegionStore.sealedFileName, noun: "the regions",
        lost: "the file of keys is missing; restore protection.keys")
}
