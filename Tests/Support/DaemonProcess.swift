import CLinux
import Glibc
import Platform

/// A waymarkd for one test, as any user: its state, its socket and its configuration are in a temporary directory.
public final class DaemonProcess {
    /// The daemon did not start.
    public struct NotReady: Error, CustomStringConvertible {
        /// Why, with its log.
        public let description: String
    }

    /// The directory that holds `state`, `waymark.sock`, `waymark.conf` and `log`.
    public let directory: TemporaryDirectory
    /// The path of its socket.
    public let socketPath: String
    /// Its arguments.
    public let arguments: [String]
    private let surroundings: DaemonSurroundings
    private var process: ChildProcess

    /// Starts the daemon that was built with the tests and waits until its socket accepts.
    ///
    /// The directory may be that of an earlier daemon, whose state it then uses. A daemon with `knowsLogins` false runs
    /// as on a machine without logind, where an app's own declaration of being in use is accepted: this needs root.
    /// Where it runs as another user, the directory is changed to that user.
    public init(
        in directory: TemporaryDirectory? = nil, configuration: String = "", gpsd: String = "none",
        logLevel: String = "debug", more: [String] = [], knowsLogins: Bool = true,
        surroundings: DaemonSurroundings = DaemonSurroundings(), seconds: Double = 60
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        socketPath = directory.file("waymark.sock")
        let file = try directory.write("waymark.conf", configuration)
        arguments =
            [
                "--config", file, "--state-directory", directory.file("state"), "--socket", socketPath, "--gpsd", gpsd,
                "--log-level", logLevel,
            ] + more
        var surroundings = surroundings
        if !knowsLogins { surroundings.knowsLogins = false }
        self.surroundings = surroundings
        if let user = surroundings.user {
            let path = directory.path
            try retrying("give away", subject: path) { chown(path, user, user) }
        }
        process = try Self.launch(arguments, in: directory, surroundings)
        try waitUntilReady(seconds: seconds)
    }

    /// The process's number.
    public var processID: pid_t { process.processID }
    /// Becomes readable when it has ended.
    public var exitDescriptor: Int32 { process.exitDescriptor }

    /// Its log so far, over restarts.
    public var log: String {
        let descriptor = open(directory.file("log"), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Sends it a signal.
    public func signal(_ number: Int32) { process.signal(number) }

    /// Waits for its end; nil where it still runs after `seconds`.
    public func wait(seconds: Double = 60) throws -> ExitStatus? { try process.wait(seconds: seconds) }

    /// Ends it with SIGTERM, with SIGKILL after a grace period.
    @discardableResult
    public func stop(graceSeconds: Double = 60) throws -> ExitStatus {
        try process.terminate(graceSeconds: graceSeconds)
    }

    /// Starts it again with the same arguments and directory, after `stop()` or a crash.
    public func restart(seconds: Double = 60) throws {
        _ = try process.terminate(graceSeconds: 0)
        process = try Self.launch(arguments, in: directory, surroundings)
        try waitUntilReady(seconds: seconds)
    }

    private static func launch(
        _ arguments: [String], in directory: TemporaryDirectory, _ surroundings: DaemonSurroundings
    ) throws -> ChildProcess {
        let path = directory.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        let command = try surroundings.command() + arguments
        return try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), output: .descriptor(log.number), error: .descriptor(log.number),
                isGuarded: true))
    }

    private func waitUntilReady(seconds: Double) throws {
        let deadline = PollDeadline(seconds: seconds)
        while !deadline.hasPassed {
            if let status = try process.exitStatus() {
                throw NotReady(description: "waymarkd \(status):\n\(log)")
            }
            if accepts() { return }
            _ = try PollDeadline(seconds: 0.005).poll(exitDescriptor, for: POLLIN)
        }
        throw NotReady(description: "waymarkd did not accept connections at \(socketPath) in \(seconds) s:\n\(log)")
    }

    private func accepts() -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(socketPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
    }
}
