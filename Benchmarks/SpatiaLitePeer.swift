import Glibc
import Location
import Platform
import TestSupport

/// SpatiaLite: the circles' centres with an index, in SQLite's own shell (Debian: libsqlite3-mod-spatialite, sqlite3).
struct SpatiaLitePeer: RegionQueries {
    private let shell: SQLShell
    private let database: String

    /// Nil where it is not installed.
    init?(in directory: TemporaryDirectory) throws {
        guard let program = ExecutableSearch.find("sqlite3") else { return nil }
        database = directory.file("spatialite.db")
        shell = SQLShell(
            program: program, arguments: ["-batch", "-bail", database],
            preamble: ".load mod_spatialite\nPRAGMA synchronous = FULL;\nPRAGMA foreign_keys = ON;\n")
        do { try shell.run("SELECT spatialite_version();") } catch is RecordedRoute.Failure { return nil }
    }

    /// Imports the lines of a file.
    func load(_ file: String, _ data: RegionData, places: [Coordinate]) throws -> (RegionFigures, near: [String]) {
        let seconds = try shell.run(
            """
            PRAGMA journal_mode = WAL;
            SELECT InitSpatialMetaData(1);
            CREATE TEMP TABLE raw (number INTEGER, identifier TEXT, longitude REAL, latitude REAL, radius REAL);
            .mode csv
            .import \(file) raw
            CREATE TABLE places (id INTEGER PRIMARY KEY, identifier TEXT UNIQUE, radius REAL);
            SELECT AddGeometryColumn('places', 'geom', 4326, 'POINT', 'XY');
            BEGIN;
            INSERT INTO places SELECT number, identifier, radius, MakePoint(longitude, latitude, 4326) FROM raw;
            SELECT CreateSpatialIndex('places', 'geom');
            CREATE TABLE events (id INTEGER PRIMARY KEY, place INTEGER, time INTEGER);
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);

            """
        ).seconds
        var figures = try figures(shell, data, places: places)
        figures.importSeconds = seconds
        var status = stat()
        guard stat(database, &status) == 0 else { throw SystemError("examine", subject: database) }
        figures.megabytes = Double(status.st_size) / 1e6
        let near = try shell.run(places.map(near).joined(separator: "\n")).output.split(separator: "\n").map(
            String.init)
        return (figures, near)
    }

    private func found(around place: Coordinate, within metres: Double) -> String {
        // A degree of latitude has at least 110,574 m.
        let north = metres / 110_500
        let east = north / max(0.01, cos(place.latitude * .pi / 180))
        let (latitude, longitude) = (place.latitude, place.longitude)
        return """
            FROM places WHERE ROWID IN (
                SELECT ROWID FROM SpatialIndex WHERE f_table_name = 'places' AND search_frame =
                BuildMbr(\(longitude - east), \(latitude - north), \(longitude + east), \(latitude + north), 4326))
            AND ST_Distance(geom, MakePoint(\(longitude), \(latitude), 4326), 1) - radius
            """
    }

    func near(_ place: Coordinate) -> String {
        "SELECT count(*) \(found(around: place, within: 10_000 + RegionData.largest)) < 10000;"
    }

    func containing(_ place: Coordinate) -> String {
        "SELECT count(*) \(found(around: place, within: RegionData.largest)) < 0;"
    }

    func recordCrossing(_ place: Coordinate) -> String {
        """
        INSERT INTO events (place, time) SELECT id, 1800000000
        \(found(around: place, within: RegionData.largest)) < 0;
        """
    }
}
