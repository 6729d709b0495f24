import Glibc
import MQTT
import Platform
import Synchronization
import TestSupport
import Upload

/// mosquitto(8) on loopback, with the test's own configuration.
@DaemonActor
final class Broker {
    /// The broker did not start.
    struct NotReady: Error {}

    /// Whether a broker is installed.
    nonisolated static let isPossible =
        program != nil && passwordProgram != nil && subscriber != nil && TestCertificates.isPossible
    nonisolated private static let program = ExecutableSearch.find("mosquitto", alsoIn: ["/usr/sbin"])
    nonisolated private static let passwordProgram = ExecutableSearch.find("mosquitto_passwd")
    nonisolated private static let subscriber = ExecutableSearch.find("mosquitto_sub")

    /// Its port of 127.0.0.1, for the whole life of the value.
    var port: UInt16 { held.number }
    private let held: LoopbackPort
    private let directory: TemporaryDirectory
    private var process: ChildProcess?

    /// Starts a broker that accepts everybody and stores sessions on disk.
    init(_ lines: [String] = ["allow_anonymous true"], users: [(name: String, password: String)] = []) async throws {
        directory = try TemporaryDirectory()
        held = try LoopbackPort()
        let passwords = try directory.write("passwords", "")
        for user in users {
            let result = try CompletedProcess.run(
                Self.passwordProgram ?? "", ["-b", passwords, user.name, user.password])
            guard result.status.isSuccess else { throw NotReady() }
        }
        let common = [
            "listener \(held.number) 127.0.0.1", "user root", "persistence true",
            "persistence_location \(directory.path)/",
            "autosave_interval 1", "autosave_on_changes true", "log_dest none", "max_queued_messages 0",
        ]
        let secrets = users.isEmpty ? [] : ["password_file \(passwords)"]
        try directory.write("configuration", (common + secrets + lines).joined(separator: "\n") + "\n")
        try await start()
    }

    /// Writes a file to the broker's folder.
    func write(_ name: String, _ text: String) throws -> String { try directory.write(name, text) }

    /// Starts the broker again on the same port.
    func start() async throws {
        process = try ChildProcess(
            ChildProcess.Launch(
                Self.program ?? "", ["-c", directory.file("configuration")], isGuarded: true))
        let port = port
        guard try await soon({ RawListener.canConnect(to: port) }) else { throw NotReady() }
    }

    /// Publishes a message as another client, and waits until the broker has it.
    func publish(_ topic: String, _ message: String, isRetained: Bool = false) throws {
        let file = try directory.write("message", message)
        let result = try CompletedProcess.run(
            ExecutableSearch.find("mosquitto_pub") ?? "",
            ["-h", "127.0.0.1", "-p", String(port), "-t", topic, "-q", "1", "-f", file] + (isRetained ? ["-r"] : []))
        guard result.status.isSuccess else { throw NotReady() }
    }

    func signal(_ number: Int32) { process?.signal(number) }

    /// Kills the broker.
    func kill() throws {
        process?.signal(SIGKILL)
        _ = try process?.terminate()
        process = nil
    }

    /// An independent client that prints topic and message on lines; it ends after `count` messages.
    func subscriber(_ topic: String, count: Int, user: String? = nil, password: String? = nil) async throws
        -> Subscriber
    {
        // stdbuf(1) makes its output line-buffered.
        var arguments = [
            "-oL", Self.subscriber ?? "", "-h", "127.0.0.1", "-p", String(port), "-t", topic, "-q", "1", "-v", "-C",
            String(count), "-d",
        ]
        if let user, let password { arguments += ["-u", user, "-P", password] }
        return try await Subscriber(
            ChildProcess(
                ChildProcess.Launch("/usr/bin/stdbuf", arguments, output: .pipe, isGuarded: true)))
    }

    /// The output of a subscriber.
    @DaemonActor
    final class Subscriber {
        private let process: ChildProcess
        private var text: [UInt8] = []
        private var isOver = false

        init(_ process: ChildProcess) async throws {
            self.process = process
            // With -d the client reports that the broker has accepted the subscription.
            guard
                try await soon({
                    self.read(); return self.printed.contains("SUBACK")
                })
            else { throw NotReady() }
        }

        private var printed: String { String(decoding: text, as: UTF8.self) }

        /// Reads the available output.
        private func read() {
            var entry = pollfd(fd: process.outputPipe, events: Int16(POLLIN), revents: 0)
            while !isOver, poll(&entry, 1, 0) > 0 {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = Glibc.read(process.outputPipe, &buffer, buffer.count)
                if count > 0 { text += buffer[..<count] } else { isOver = true }
            }
        }

        /// The messages received until the client ended, or until no more arrive.
        func messages() async throws -> [String] {
            _ = try await soon {
                self.read(); return self.isOver
            }
            return printed.split(separator: "\n").map(String.init).filter {
                !$0.hasPrefix("Client ") && !$0.hasPrefix("Subscribed")
            }
        }
    }
}

/// A listening socket on loopback whose connections the test handles itself, each on its own thread.
final class RawListener: Sendable {
    private let listener: OwnedDescriptor
    let port: UInt16

    /// Listens; each connection is closed after `serve`.
    init(_ serve: @escaping @Sendable (Int32) -> Void) throws {
        listener = try OwnedDescriptor("make a socket") {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        let number = listener.number
        var (port, status) = (UInt16(0), Int32(-1))
        Self.withAddress(0) { address, length in
            var length = length
            status =
                bind(number, address, length) == 0 && listen(number, 16) == 0
                ? getsockname(number, address, &length) : -1
            port = UInt16(bigEndian: UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
        guard status == 0 else { throw SystemError("listen") }
        self.port = port
        try DetachedThread.start(name: "raw-listener") { [self] in
            while true {
                let connection = accept(listener.number, nil, nil)
                guard connection >= 0 else { return }
                serve(connection)
                _ = close(connection)
            }
        }
    }

    func stop() { shutdown(listener.number, Int32(SHUT_RDWR)) }

    static func canConnect(to port: UInt16) -> Bool {
        let number = connection(to: port)
        if number >= 0 { close(number) }
        return number >= 0
    }

    /// A connected socket, or -1.
    static func connection(to port: UInt16) -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var status: Int32 = -1
        withAddress(port) { status = connect(number, $0, $1) }
        if status != 0 { close(number) }
        return status == 0 ? number : -1
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Void) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafeMutablePointer(to: &address) { pointer in
            // A socket address of its kind, and its length.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// A relay to a broker whose connections a test can cut.
final class Relay: Sendable {
    private final class Cut: Sendable {
        private let state = Mutex(false)
        var isDone: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    private let listener: RawListener
    private let end = Cut()

    init(to port: UInt16) throws {
        let end = end
        listener = try RawListener { near in
            let far = RawListener.connection(to: port)
            guard far >= 0 else { return }
            defer { close(far) }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !end.isDone {
                var entries = [near, far].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&entries, 2, 5) > 0 else { continue }
                for (from, to) in [(0, 1), (1, 0)] where entries[from].revents != 0 {
                    let count = read(entries[from].fd, &buffer, buffer.count)
                    guard count > 0, send(entries[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
                }
            }
        }
    }

    var port: UInt16 { listener.port }
    /// Closes every connection, so that both sides detect the end.
    func cut() { end.set() }
    func stop() {
        end.set()
        listener.stop()
    }
}
