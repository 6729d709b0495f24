import Cryptography
import Glibc
import JSONText
import Platform
import TestSupport

/// Saves into a hub over PostgreSQL, beside programs in C that run the same statements with libpq.
///
/// Copies of one database are used in turn: in the first one the hub's statements are logged, in the second one the hub is measured,
/// and in the others peers run what was logged, in the same transactions: `libpq-server` for the same clients, which it answers, and
/// `libpq-replay` as fast as it can, for nobody.
enum DatabaseBenchmark {
    static func run(rounds: Int) throws {
        let server = try PostgreSQLServer(
            isDurable: true,
            settings: [
                "logging_collector=on", "log_destination=jsonlog", "log_filename=statements",
                "log_parameter_max_length=-1", "shared_buffers=128MB",
            ])
        let directory = try TemporaryDirectory()
        let peer = try PeerProgram.compile("libpq-replay", libraries: ["libpq"], in: directory)
        _ = try PeerProgram.compile("libpq-server", libraries: ["libpq"], in: directory)
        try administer(server.address(of: "postgres"), "CREATE DATABASE machines")
        let tokens = try machines(server)
        print(
            "saves of records of 200 bytes into PostgreSQL, each acknowledged after it is on the disk; medians of \(rounds)"
        )
        for (clients, batch, requests) in [(1, 1, 1_000), (16, 1, 8_000), (64, 1, 16_000), (4, 400, 100)] {
            var serving: [Double] = []
            var waiting: [Double] = []
            var reading: [Double] = []
            var pipelined: [Double] = []
            var rates: [Double] = []
            var groups: [Double] = []
            for _ in 0..<rounds {
                let records = Double(requests * batch)
                let before = logSize(server)
                let logged = "options='-c log_statement=all'"
                _ = try rate(server, tokens.prefix(clients), requests, batch, logged)
                let log = try StatementLog(path: part(of: server, after: before, in: directory))
                groups.append(Double(requests) / Double(max(log.commits, 1)))
                let file = try directory.write("statements", bytes: log.bytes)
                let measured = try rate(server, tokens.prefix(clients), requests, batch, "")
                rates.append(measured)
                serving.append(
                    measured / (try serve(server, tokens.prefix(clients), requests, batch, file, directory)))
                waiting.append(measured * (try replay(server, peer, file, [])) / records)
                reading.append(measured * (try replay(server, peer, file, ["reading"])) / records)
                pipelined.append(measured * (try replay(server, peer, file, ["pipelined"])) / records)
            }
            func text(_ values: [Double], _ digits: Int) -> String { Text.fixed(Distribution(values).median, digits) }
            print(
                "  \(clients) at a time, \(batch) in a request: \(text(rates, 0)) records/s,"
                    + " \(text(serving, 2)) of the peer's that answers the same clients; of those without clients"
                    + " \(text(waiting, 2)) of the one that waits for each result, \(text(reading, 2)) of the one that"
                    + " waits for its reads and its commit, \(text(pipelined, 2)) of the one that waits for its commit only;"
                    + " \(text(groups, 1)) requests in a transaction")
        }
    }

    /// Has a machine join and make the zone into which all save, and writes the others into the database, because a hub admits
    /// only a few in a minute. Returns their tokens.
    private static func machines(_ server: PostgreSQLServer) throws -> [String] {
        let address = server.address(of: "machines")
        let hub = try RunningHub(database: address)
        let first = try hub.join("first")
        _ = try first.exchange(
            "POST", "\(RunningHub.container)/private/zones", key: "zone", body: #"{"save":["notes"]}"#)
        try hub.end()
        let tokens = (0..<64).map { _ in RandomBytes.make(32) }
        let rows = tokens.enumerated().map { number, token in
            "('alice', 'd\(number)', '\\x\(HexText.text(Digest.digest(of: Array("device ".utf8) + token)))', 0)"
        }
        try administer(address, "INSERT INTO waymark.accountDevices VALUES \(rows.joined(separator: ", "))")
        return tokens.map(HexText.text)
    }

    /// The records a second of a hub on a fresh copy of the database.
    private static func rate(
        _ server: PostgreSQLServer, _ tokens: ArraySlice<String>, _ requests: Int, _ batch: Int, _ options: String
    ) throws -> Double {
        try copy(server)
        let hub = try RunningHub(database: "\(server.address(of: "copy")) \(options)")
        let clients = try tokens.map { try HubClient(port: hub.port.number, token: $0) }
        let seconds = try secondsToSave(requests, batch, clients)
        try hub.end()
        return Double(requests * batch) / seconds
    }

    /// The records a second of the peer that answers clients, on a fresh copy of the database.
    private static func serve(
        _ server: PostgreSQLServer, _ tokens: ArraySlice<String>, _ requests: Int, _ batch: Int, _ file: String,
        _ directory: TemporaryDirectory
    ) throws -> Double {
        try copy(server)
        let port = try LoopbackPort()
        let peer = try PeerProgram(
            "libpq-server",
            [
                server.address(of: "copy"), file, "\(port.number)", "\(tokens.count)", "\(requests / tokens.count)",
            ], called: "a server in C", libraries: ["libpq"], in: directory)
        let clients = try tokens.map { try HubClient(port: port.number, token: $0) }
        let seconds = try secondsToSave(requests, batch, clients)
        _ = try peer.end()
        return Double(requests * batch) / seconds
    }

    private static func secondsToSave(_ requests: Int, _ batch: Int, _ clients: [HubClient]) throws -> Double {
        let start = SystemClock().monotonicNanoseconds
        try RunningHub.save(requests, batch: batch, from: clients)
        return Double(SystemClock().monotonicNanoseconds - start) / 1e9
    }

    /// The seconds of the peer on a fresh copy of the database.
    private static func replay(
        _ server: PostgreSQLServer, _ peer: String, _ file: String, _ options: [String]
    ) throws -> Double {
        try copy(server)
        let run = try CompletedProcess.run(peer, [server.address(of: "copy"), file] + options, seconds: 600)
        guard run.status.isSuccess, let nanoseconds = Double(run.output.split(separator: "\n").first ?? "") else {
            throw HubClient.Failure(description: "the peer failed: \(run.error)")
        }
        return nanoseconds / 1e9
    }

    private static func copy(_ server: PostgreSQLServer) throws {
        for statement in [
            "DROP DATABASE IF EXISTS copy WITH (FORCE)", "CREATE DATABASE copy TEMPLATE machines", "CHECKPOINT",
        ] {
            try administer(server.address(of: "postgres"), statement)
        }
    }

    private static func administer(_ address: String, _ statement: String) throws {
        let run = try CompletedProcess.run(
            "/usr/bin/psql", ["-q", "-c", statement, address], seconds: 120)
        guard run.status.isSuccess else { throw HubClient.Failure(description: "\(statement): \(run.error)") }
    }

    /// The size of the log, in bytes; 0 before there is one.
    private static func logSize(_ server: PostgreSQLServer) -> Int {
        var status = stat()
        return stat(server.statementLog, &status) == 0 ? Int(status.st_size) : 0
    }

    /// What was logged since the log had this size, in a file of its own.
    private static func part(of server: PostgreSQLServer, after size: Int, in directory: TemporaryDirectory) throws
        -> String
    {
        try directory.write(
            "log", bytes: Array(try BoundedFile.bytes(of: server.statementLog, limit: 1 << 30).dropFirst(size)))
    }
}
