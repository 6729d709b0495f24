import Glibc
import Platform

/// A server of PostgreSQL for tests, run by an unprivileged user, with a Unix socket only.
public final class PostgreSQLServer: @unchecked Sendable {
    /// It did not do what the tests need.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened.
        public let description: String

        /// A failure with this description.
        public init(description: String) { self.description = description }
    }

    /// The folder of Debian's newest PostgreSQL; nil if there is none.
    private static let programs: String? = {
        let folder = "/usr/lib/postgresql"
        let versions = DirectoryListing.names(folder).compactMap { Int($0) }.sorted()
        let newest = versions.last { ExecutableSearch.isExecutable("\(folder)/\($0)/bin/initdb") }
        if newest == nil { print("SKIPPED: the tests with PostgreSQL. Install postgresql to run them.") }
        return newest.map { "\(folder)/\($0)/bin" }
    }()

    /// The folder of PostgreSQL's programs.
    static func folder() throws -> String {
        guard let programs else { throw Failure(description: "PostgreSQL is not installed") }
        return programs
    }

    /// Whether PostgreSQL is installed.
    public static var isInstalled: Bool { programs != nil }

    /// The user that owns nothing: PostgreSQL refuses to run as root.
    private static let user = OtherUser.nobody

    private let directory: TemporaryDirectory
    private let programs: String
    private let isDurable: Bool
    private let settings: [String]
    private var process: ChildProcess?

    /// Makes an empty server and starts it.
    /// - Parameters:
    ///   - isDurable: Whether it synchronizes its files, so that it loses nothing when it is killed with the machine.
    ///   - settings: Further settings, as "name=value".
    public init(isDurable: Bool = false, settings: [String] = []) throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        self.programs = programs
        self.isDurable = isDurable
        self.settings = settings
        directory = try TemporaryDirectory(in: !isDurable && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
        if geteuid() == 0, chown(directory.path, Self.user, Self.user) != 0 {
            throw SystemError("give away", subject: directory.path)
        }
        let made = try launch(
            "initdb",
            ["-D", data, "-U", "waymark", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"])
        guard try made.wait(seconds: 120) == .exited(0) else { throw Failure(description: "initdb failed: \(log)") }
        try start()
    }

    private var data: String { directory.file("data") }

    /// The connection string of a database.
    public func address(of database: String) -> String { "host=\(directory.path) user=waymark dbname=\(database)" }

    /// Where it logs statements, if its settings say so and name the file `statements`.
    public var statementLog: String { "\(data)/log/statements.json" }

    /// What it has written.
    public var log: String {
        attempt { String(decoding: try BoundedFile.bytes(of: directory.file("log"), limit: 1 << 24), as: UTF8.self) }
            ?? ""
    }

    private func launch(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let path = directory.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        }
        var command = ["\(programs)/\(program)"] + arguments
        if geteuid() == 0 {
            command = ["/usr/bin/setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"] + command
        }
        return try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
                output: .descriptor(log.number), error: .descriptor(log.number), isGuarded: true))
    }

    /// Starts it, and waits until it accepts connections.
    public func start() throws {
        let all =
            [
                "fsync=\(isDurable ? "on" : "off")", "listen_addresses=", "unix_socket_directories=\(directory.path)",
                "max_connections=200", "shared_buffers=32MB", "autovacuum=off", "log_min_messages=warning",
            ] + settings
        let process = try launch("postgres", ["-D", data] + all.flatMap { ["-c", $0] })
        self.process = process
        let state = directory.file("data/postmaster.pid")
        let isReady = try eventually {
            if try process.exitStatus() != nil { return true }
            guard let bytes = attempt({ try BoundedFile.bytes(of: state, limit: 4_096) }) else { return false }
            // The last line is the state, and the first one the process, which may be one that was killed.
            let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            return lines.first == "\(process.processID)" && lines.last?.hasPrefix("ready") == true
        }
        guard isReady, try process.exitStatus() == nil else { throw Failure(description: "it does not start: \(log)") }
    }

    /// Ends it at once, without a checkpoint: SIGQUIT, which also ends the processes of all connections.
    public func kill() throws {
        guard let process else { return }
        _ = Glibc.kill(process.processID, SIGQUIT)
        guard try process.wait(seconds: 60) != nil else { throw Failure(description: "it survived SIGQUIT") }
        self.process = nil
    }

    // Its folder is removed after that.
    deinit { _ = attempt { try kill() } }
}
