import Glibc
import JSONText
import Platform

/// Two servers of PostgreSQL on loopback, of which Patroni makes one the primary and the other one its synchronous standby,
/// with a server of etcd. Each has a namespace for its processes, so that one is killed as a machine is that loses its power.
public final class PatroniCluster: @unchecked Sendable {
    /// It did not do what the tests need.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened.
        public let description: String
    }

    /// A server of PostgreSQL with the Patroni that manages it.
    private final class Node {
        let name: String
        let database: LoopbackPort
        let control: LoopbackPort
        var process: ChildProcess?

        init(_ name: String) throws {
            self.name = name
            database = try LoopbackPort()
            control = try LoopbackPort()
        }
    }

    /// Whether PostgreSQL, Patroni and etcd are installed, and this process may make namespaces.
    public static let isInstalled: Bool = {
        guard PostgreSQLServer.isInstalled else { return false }
        let missing = ["patroni", "etcd", "psql"].filter { ExecutableSearch.find($0) == nil }
        if !missing.isEmpty {
            print(
                "SKIPPED: the tests with Patroni. Install patroni and etcd-server to run them (Scripts/setup failover)."
            )
        }
        return missing.isEmpty && OtherUser.isPossible && Capability.administer.isHeld
    }()

    private static let password = "for-tests-on-loopback"

    private let directory: TemporaryDirectory
    private let etcdPort: LoopbackPort
    private let peerPort: LoopbackPort
    private var etcd: ChildProcess?
    private let nodes: [Node]

    /// Makes and starts both servers, and waits until the second one is a synchronous standby of the first one.
    public init() throws {
        directory = try TemporaryDirectory()
        (etcdPort, peerPort) = (try LoopbackPort(), try LoopbackPort())
        nodes = [try Node("a"), try Node("b")]
        guard chown(directory.path, OtherUser.nobody, OtherUser.nobody) == 0, chmod(directory.path, 0o755) == 0 else {
            throw SystemError("give away", subject: directory.path)
        }
        let (clients, peers) = ("http://127.0.0.1:\(etcdPort.number)", "http://127.0.0.1:\(peerPort.number)")
        etcd = try launch(
            "etcd",
            "exec setpriv --reuid=\(OtherUser.nobody) --regid=\(OtherUser.nobody) --clear-groups etcd --name e"
                + " --data-dir \(directory.file("etcd")) --listen-client-urls \(clients) --advertise-client-urls \(clients)"
                + " --listen-peer-urls \(peers) --initial-advertise-peer-urls \(peers) --initial-cluster e=\(peers)")
        guard try eventually({ try LoopbackPort.connection(to: etcdPort.number) != nil }) else {
            throw Failure(description: "etcd does not start: \(log("etcd"))")
        }
        for node in nodes {
            try directory.write("\(node.name).yml", try configuration(of: node))
            try start(node)
            // The first one is the primary.
            guard eventually({ leader != nil }) else { throw Failure(description: "no primary: \(log(node.name))") }
        }
        try waitForStandby()
        try execute("CREATE ROLE waymark LOGIN PASSWORD '\(Self.password)'", in: "postgres")
        try execute("CREATE DATABASE waymark OWNER waymark", in: "postgres")
    }

    /// The connection string for a hub: both servers, of which libpq uses the one that can be written to.
    public var address: String {
        let ports = nodes.map { "\($0.database.number)" }.joined(separator: ",")
        return "host=127.0.0.1,127.0.0.1 port=\(ports) dbname=waymark user=waymark password=\(Self.password)"
            + " target_session_attrs=read-write"
    }

    /// The number of the primary; nil while there is none.
    public var leader: Int? { nodes.indices.first { responds($0, "/read-write") } }

    /// Waits until there is a primary with a synchronous standby.
    public func waitForStandby() throws {
        let isReady = eventually(within: 180) {
            guard let leader else { return false }
            return responds(1 - leader, "/sync")
        }
        guard isReady else { throw Failure(description: "no synchronous standby: \(log("a")) \(log("b"))") }
    }

    /// Ends all processes of a server and its Patroni at once.
    public func kill(_ number: Int) throws {
        let node = nodes[number]
        node.process?.signal(SIGKILL)
        guard try node.process?.wait(seconds: 60) != nil,
            try eventually({ try LoopbackPort.connection(to: node.database.number) == nil })
        else { throw Failure(description: "\(node.name) survived SIGKILL") }
        node.process = nil
    }

    /// Starts a server again that was killed.
    public func start(_ number: Int) throws {
        // The process that it names was of a namespace that is no more.
        _ = unlink(directory.file("\(nodes[number].name)/postmaster.pid"))
        try start(nodes[number])
    }

    /// Makes the standby the primary, and the primary a standby, as an administrator does.
    public func switchOver() throws {
        let leader = try knownLeader()
        let answer = try HTTPExchange.perform(
            "POST", "/switchover", body: Array(#"{"leader":"\#(nodes[leader].name)"}"#.utf8),
            port: nodes[leader].control.number)
        guard answer?.status == 200 else { throw Failure(description: "no switchover: \(answer?.body ?? "")") }
    }

    /// What Patroni, PostgreSQL or etcd has written.
    public func log(_ name: String) -> String {
        attempt {
            String(decoding: try BoundedFile.bytes(of: directory.file("\(name).log"), limit: 1 << 24), as: UTF8.self)
        } ?? ""
    }

    private func responds(_ number: Int, _ path: String) -> Bool {
        guard nodes[number].process != nil else { return false }
        let answer = attempt {
            try HTTPExchange.perform("GET", path, port: nodes[number].control.number, seconds: 5)
        }
        return answer??.status == 200
    }

    private func start(_ node: Node) throws {
        node.process = try launch(
            node.name,
            "setpriv --reuid=\(OtherUser.nobody) --regid=\(OtherUser.nobody) --clear-groups patroni"
                + " \(directory.file("\(node.name).yml")) & wait")
    }

    /// Runs a script of the shell as the first process of a namespace, with which all others end.
    private func launch(_ name: String, _ script: String) throws -> ChildProcess {
        let path = directory.file("\(name).log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        }
        return try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/unshare",
                ["--pid", "--ipc", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", script],
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": directory.path],
                output: .descriptor(log.number), error: .descriptor(log.number), isGuarded: true))
    }

    /// The number of the primary, once it responds: a server that the machine delays does not respond in time.
    private func knownLeader() throws -> Int {
        var found: Int?
        _ = eventually {
            found = leader
            return found != nil
        }
        guard let found else { throw Failure(description: "there is no primary") }
        return found
    }

    private func execute(_ sql: String, in database: String) throws {
        let leader = try knownLeader()
        let address =
            "host=127.0.0.1 port=\(nodes[leader].database.number) dbname=\(database) user=postgres"
            + " password=\(Self.password)"
        let run = try CompletedProcess.run(ExecutableSearch.find("psql") ?? "psql", ["-qd", address, "-c", sql])
        guard run.status == .exited(0) else { throw Failure(description: "\(sql): \(run.error)") }
    }

    private func configuration(of node: Node) throws -> String {
        func account(_ name: String) -> String { "{username: \(name), password: \(Self.password)}" }
        return """
            scope: waymark
            name: \(node.name)
            restapi:
              listen: 127.0.0.1:\(node.control.number)
              connect_address: 127.0.0.1:\(node.control.number)
            etcd3:
              hosts: 127.0.0.1:\(etcdPort.number)
            bootstrap:
              dcs:
                ttl: 10
                loop_wait: 2
                retry_timeout: 3
                synchronous_mode: true
                postgresql:
                  use_pg_rewind: true
                  remove_data_directory_on_rewind_failure: true
                  remove_data_directory_on_diverged_timelines: true
                  parameters:
                    max_connections: 100
                    shared_buffers: 32MB
              initdb: [encoding: UTF8, locale: C, data-checksums]
            postgresql:
              listen: 127.0.0.1:\(node.database.number)
              connect_address: 127.0.0.1:\(node.database.number)
              data_dir: \(directory.file(node.name))
              bin_dir: \(try PostgreSQLServer.folder())
              pgpass: \(directory.file("\(node.name).pgpass"))
              authentication:
                superuser: \(account("postgres"))
                replication: \(account("replicator"))
                rewind: \(account("rewinder"))
              parameters:
                unix_socket_directories: \(directory.path)
              pg_hba:
              - host all all 127.0.0.1/32 scram-sha-256
              - host replication all 127.0.0.1/32 scram-sha-256
            """
    }

    // The servers end before their folder is removed.
    deinit {
        for number in nodes.indices where nodes[number].process != nil { _ = attempt { try kill(number) } }
        etcd?.signal(SIGKILL)
        _ = attempt { try etcd?.wait(seconds: 60) }
    }
}
