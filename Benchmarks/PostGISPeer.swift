import Glibc
import Location
import Platform
import TestSupport

/// PostGIS: the circles' centres with a GiST index, in a server of its own (Debian: postgresql-15-postgis-3), which runs as
/// an unprivileged user in a temporary folder and is ended and removed.
final class PostGISPeer: RegionQueries {
    private static let programs = "/usr/lib/postgresql/15/bin"
    private let folder: String
    private let server: ChildProcess
    private let shell: SQLShell

    /// Nil where it is not installed.
    init?() throws {
        guard ExecutableSearch.isExecutable("\(Self.programs)/initdb"),
            access("/usr/share/postgresql/15/extension/postgis.control", R_OK) == 0,
            let client = ExecutableSearch.find("psql"), let drop = ExecutableSearch.find("setpriv")
        else { return nil }
        // A folder that the other user can reach.
        var template = Array("/tmp/waymark-postgis-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        var entrance: [String] = []
        if geteuid() == 0 {
            entrance = [drop, "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
            let owned = try CompletedProcess.run("/bin/chown", ["nobody:nogroup", folder])
            guard owned.status.isSuccess else { throw RecordedRoute.Failure(description: owned.error) }
        }
        let data = "\(folder)/data"
        let made =
            entrance + [
                "\(Self.programs)/initdb", "-D", data, "-A", "trust", "-U", "bench", "--no-locale", "-E", "UTF8",
            ]
        let result = try CompletedProcess.run(made[0], Array(made[1...]), seconds: 300)
        guard result.status.isSuccess else { throw RecordedRoute.Failure(description: result.error) }
        let command =
            entrance + [
                "\(Self.programs)/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c",
                "logging_collector=off",
            ]
        server = try ChildProcess(
            ChildProcess.Launch(command[0], Array(command[1...]), output: .null, error: .null, isGuarded: true))
        shell = SQLShell(
            program: client,
            arguments: ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "bench", "postgres"],
            preamble: "SET client_min_messages = error;\n")
        let isReady = try eventually(within: 60) {
            do {
                try shell.run("SELECT 1;")
                return true
            } catch is RecordedRoute.Failure {
                return false
            }
        }
        guard isReady else { throw RecordedRoute.Failure(description: "PostgreSQL does not start") }
    }

    func end() throws {
        // A fast shutdown.
        server.signal(SIGINT)
        _ = try server.wait(seconds: 60)
        _ = try CompletedProcess.run("/bin/rm", ["-rf", folder])
    }

    /// Imports the lines of a file.
    func load(_ file: String, _ data: RegionData, places: [Coordinate]) throws -> (RegionFigures, near: [String]) {
        try shell.run("CREATE EXTENSION postgis;")
        let seconds = try shell.run(
            """
            CREATE TEMP TABLE raw (
                number integer, identifier text, longitude float8, latitude float8, radius float8);
            \\copy raw FROM '\(file)' CSV
            BEGIN;
            CREATE TABLE places (
                id integer PRIMARY KEY, identifier text UNIQUE, radius float8, place geography(POINT, 4326));
            INSERT INTO places SELECT number, identifier, radius,
                ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography FROM raw;
            CREATE INDEX ON places USING gist (place);
            CREATE TABLE events (id serial PRIMARY KEY, place integer, time bigint);
            COMMIT;
            ANALYZE places;
            CHECKPOINT;

            """
        ).seconds
        var figures = try figures(shell, data, places: places)
        figures.importSeconds = seconds
        let bytes = try shell.run("SELECT pg_total_relation_size('places');").output
        figures.megabytes = Double(bytes.split(separator: "\n").first ?? "").map { $0 / 1e6 }
        let near = try shell.run(places.map(near).joined(separator: "\n")).output.split(separator: "\n").map(
            String.init)
        return (figures, near)
    }

    private func found(around place: Coordinate, within metres: Double) -> String {
        let point = "ST_SetSRID(ST_MakePoint(\(place.longitude), \(place.latitude)), 4326)::geography"
        return """
            FROM places WHERE ST_DWithin(place, \(point), \(metres)) AND ST_Distance(place, \(point)) - radius
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
