/// The tables of the copy, as each version has made them of those of the one before.
extension SyncStatement {
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
            isRemoved INTEGER NOT NULL,
            copy TEXT NOT NULL,
            identifierKey BLOB NOT NULL
        );
        CREATE TABLE containers (
            id INTEGER PRIMARY KEY,
            environment TEXT NOT NULL,
            name TEXT NOT NULL,
            isRegistered INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            forgottenThrough INTEGER NOT NULL,
            hubRevision INTEGER NOT NULL DEFAULT 0,
            reportedRevision INTEGER NOT NULL DEFAULT 0,
            staleAlerts INTEGER NOT NULL DEFAULT 7,
            UNIQUE (environment, name)
        );
        CREATE TABLE databases (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            scope INTEGER NOT NULL,
            token BLOB,
            isStale INTEGER NOT NULL,
            isListed INTEGER NOT NULL DEFAULT 0,
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
            isNew INTEGER NOT NULL DEFAULT 0,
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
            restoration TEXT,
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
        CREATE TABLE identifierReaders (
            app TEXT NOT NULL,
            container TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (app, container)
        ) WITHOUT ROWID;
        CREATE TABLE firedSubscriptions (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            database TEXT NOT NULL,
            name TEXT NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (container, database, name)
        ) WITHOUT ROWID;
        CREATE INDEX fired_by_revision ON firedSubscriptions (container, revision);
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
        CREATE TABLE alertSubscriptions (
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            database TEXT NOT NULL,
            name TEXT NOT NULL,
            subject TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
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
        CREATE TABLE assets (
            id INTEGER PRIMARY KEY,
            container INTEGER NOT NULL REFERENCES containers ON DELETE CASCADE,
            zone INTEGER NOT NULL REFERENCES zones ON DELETE CASCADE,
            digest TEXT NOT NULL,
            size INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            state BLOB,
            holders INTEGER NOT NULL,
            isUploaded INTEGER NOT NULL,
            sent INTEGER,
            attempts INTEGER NOT NULL,
            used INTEGER NOT NULL,
            reserved INTEGER NOT NULL,
            UNIQUE (zone, digest)
        );
        CREATE INDEX assets_by_use ON assets (holders, used, stored);
        CREATE INDEX assets_by_container ON assets (container, holders, size);
        CREATE INDEX assets_to_upload ON assets (container, id)
            WHERE holders & 2 AND NOT isUploaded AND state IS NULL;
        CREATE TABLE assetParts (
            id INTEGER PRIMARY KEY,
            asset INTEGER NOT NULL REFERENCES assets ON DELETE CASCADE,
            position INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            UNIQUE (asset, position)
        );
        CREATE TABLE assetHolders (
            zone INTEGER NOT NULL REFERENCES zones ON DELETE CASCADE,
            name TEXT NOT NULL,
            holder INTEGER NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (zone, name, holder, digest)
        ) WITHOUT ROWID;
        CREATE INDEX assetHolders_by_digest ON assetHolders (zone, digest);
        """
    ]
}
