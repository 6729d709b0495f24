import Glibc
import JSONText
import Platform
import TestSupport
import Varlink

/// A mosquitto of one test, with a persistent client that has subscribed to everything.
final class BrokerProcess {
    /// How it is spoken to besides: with TLS.
    struct Encryption {
        /// The subscriber's output.
        var identity: TestCertificates.Identity
        /// The authority of the client certificates that it requires; nil for none.
        var authority: String?
    }

    /// It did not come up.
    struct NotReady: Error {}

    /// Whether this machine has one.
    static let isPossible = [broker, subscriber].allSatisfy(ExecutableSearch.isExecutable)

    private static let broker = "/usr/sbin/mosquitto"
    private static let subscriber = "/usr/bin/mosquitto_sub"

    /// The port without TLS.
    var port: UInt16 { ports[0].number }
    /// The port with TLS, if it has one.
    var encryptedPort: UInt16 { ports[1].number }
    /// Where the broker requires authentication, the subscriber gets a listener of its own.
    private var subscriberPort: UInt16 { ports[passwords == nil ? 0 : 2].number }
    private let ports: [LoopbackPort]
    private let directory: TemporaryDirectory
    private let passwords: String?
    private var process: ChildProcess?
    private var listener: ChildProcess?

    /// Starts one. With a user and a password it accepts only that user and the subscriber.
    init(_ encryption: Encryption? = nil, user: (name: String, password: String)? = nil) throws {
        directory = try TemporaryDirectory()
        ports = try (0..<3).map { _ in try LoopbackPort() }
        if let user {
            let file = try directory.write("passwords", "")
            let result = try CompletedProcess.run(
                "/usr/bin/mosquitto_passwd", ["-b", file, user.name, user.password])
            guard result.status.isSuccess else { throw NotReady() }
            passwords = file
        } else {
            passwords = nil
        }
        try start(encryption)
        let path = directory.file("messages")
        let output = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        // The subscription is active once the subscriber receives a message that was published for this purpose.
        let command =
            "/usr/bin/stdbuf -oL \(Self.subscriber) -h 127.0.0.1 -p \(subscriberPort) -c -i witness -q 1 -t '#' -d"
        listener = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh", ["-c", "until \(command); do sleep 0.1; done"], output: .descriptor(output.number),
                isGuarded: true))
        try waitUntilSubscribed()
    }

    /// Ends it with SIGTERM, at which it persists confirmed messages, and starts it again, optionally with another
    /// certificate.
    func restart(_ encryption: Encryption? = nil) throws {
        let before = subscriptions
        try stop()
        try start(encryption)
        guard eventually(within: 60, { subscriptions > before }) else { throw NotReady() }
    }

    /// Ends it until `restart`.
    func stop() throws { _ = try process?.terminate(graceSeconds: 10) }

    private func start(_ encryption: Encryption?) throws {
        let access = passwords.map { "allow_anonymous false\npassword_file \($0)" } ?? "allow_anonymous true"
        var doors = [(port, access)]
        if let encryption {
            var lines = "\(access)\ncertfile \(encryption.identity.certificate)\nkeyfile \(encryption.identity.key)"
            if let authority = encryption.authority { lines += "\ncafile \(authority)\nrequire_certificate true" }
            doors.append((encryptedPort, lines))
        }
        if subscriberPort != port { doors.append((subscriberPort, "allow_anonymous true")) }
        let file = try directory.write(
            "mosquitto.conf",
            """
            per_listener_settings true
            persistence true
            persistence_location \(directory.path)/
            log_dest none
            max_queued_messages 0
            \(geteuid() == 0 ? "user root" : "")
            \(doors.map { "listener \($0.0) 127.0.0.1\n\($0.1)" }.joined(separator: "\n"))

            """)
        process = try ChildProcess(ChildProcess.Launch(Self.broker, ["-c", file], isGuarded: true))
    }

    private func waitUntilSubscribed() throws {
        guard eventually(within: 60, { subscriptions > 0 }) else { throw NotReady() }
    }

    private var subscriptions: Int { text.split(separator: "SUBACK").count - 1 }

    private var text: String {
        do throws(SystemError) {
            return String(
                decoding: try BoundedFile.bytes(of: directory.file("messages"), limit: 256 << 20), as: UTF8.self)
        } catch {
            return ""
        }
    }

    /// Publishes a message as another client, so many times in a row, and waits until the broker has it.
    func publish(_ topic: String, _ message: String, times: Int = 1) throws {
        let repeats = times > 1 ? ["--repeat", "\(times)"] : []
        let result = try CompletedProcess.run(
            "/usr/bin/mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(subscriberPort)", "-t", topic, "-q", "1", "-m", message] + repeats)
        guard result.status.isSuccess else { throw NotReady() }
    }

    /// What the broker retains under topics that match a filter: topic and message, one a line. Ends after half a second.
    func retained(_ filter: String) throws -> [String] {
        let result = try CompletedProcess.run(
            Self.subscriber,
            ["-h", "127.0.0.1", "-p", "\(subscriberPort)", "-t", filter, "-v", "--retained-only", "-W", "1"])
        // 27 is the end of the time.
        guard result.status.isSuccess || result.status == .exited(27) else { throw NotReady() }
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The received objects, in order.
    var messages: [JSON] {
        text.split(separator: "\n").compactMap { line in
            guard line.first == "{" else { return nil }
            do throws(JSONError) { return try JSON.parse(Array(line.utf8)) } catch { return nil }
        }
    }

    /// The topics of the received messages, in order, from mosquitto_sub's log.
    var topics: [String] {
        text.split(separator: "\n").compactMap { line in
            guard line.contains("received PUBLISH") else { return nil }
            let parts = line.split(separator: "'")
            return parts.count > 1 ? String(parts[1]) : nil
        }
    }

    /// The ids of the received positions, in order, each as often as it arrived.
    var ids: [String] {
        text.split(separator: "\n").compactMap { line in
            guard line.first == "{" else { return nil }
            do throws(JSONError) { return try JSON.parse(Array(line.utf8))["_id"]?.stringValue } catch { return nil }
        }
    }

    /// The numbers of the received positions, in order.
    var numbers: [Int64] { ids.compactMap { $0.split(separator: "/").last.flatMap { Int64($0) } } }

    func end() throws {
        _ = try listener?.terminate(graceSeconds: 1)
        _ = try process?.terminate(graceSeconds: 2)
    }
}
