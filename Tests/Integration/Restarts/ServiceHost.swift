import CLinux
import Glibc
import Platform
import TestSupport
import Testing

/// A daemon under a small real service manager, which stores descriptors for it as systemd does, and kills and starts
/// it on request.
final class ServiceHost {
    let directory: TemporaryDirectory
    /// The socket that clients connect to; the manager listens on it, whether the daemon runs or not.
    let socketPath: String
    private let process: ChildProcess
    private var rest: [UInt8] = []

    /// Starts manager and daemon and waits until it is ready.
    init(
        in directory: TemporaryDirectory? = nil, configuration: String = "", gpsd: String = "none",
        mostDescriptors: Int = 4_096, logLevel: String = "info", isOlderKernel: Bool = false, more: [String] = [],
        surroundings: DaemonSurroundings = DaemonSurroundings()
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        socketPath = directory.file("handed.sock")
        var environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let path = directory.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        process = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/python3",
                [
                    try Products.file("Tests/Integration/Foreign/manager.py"), directory.file("notify"), socketPath,
                    String(mostDescriptors), isOlderKernel ? "older-kernel" : "this-kernel", "--",
                ] + (try surroundings.command()) + [
                    "--config", try directory.write("waymark.conf", configuration), "--state-directory",
                    directory.file("state"), "--socket", directory.file("own.sock"), "--gpsd", gpsd, "--log-level",
                    logLevel,
                ] + more, environment: environment, input: .pipe, output: .pipe, error: .descriptor(log.number),
                isGuarded: true))
        try start()
    }

    deinit {
        // It ends its daemon, too.
        process.signal(SIGTERM)
        do { _ = try process.wait(seconds: 60) } catch { Issue.record(error) }
    }

    /// Starts the daemon and waits until it is ready.
    func start() throws {
        let answer = try notify("start", seconds: 60)
        #expect(answer.hasPrefix("ready"), "\(answer)\n\(log)")
    }

    /// Ends the daemon with a signal and waits until it has ended.
    func kill(_ signal: Int32) throws { _ = try notify("kill \(signal)", seconds: 60) }

    /// Ends the daemon and starts it again.
    func restart(_ signal: Int32) throws {
        try kill(signal)
        try start()
    }

    /// Spoils the file with the state of the connections that a daemon handed over: `garbage`, `truncated`, `newer`.
    func spoilHandover(_ flaw: String) throws { _ = try notify("spoil \(flaw)", seconds: 10) }

    /// How many descriptors of clients a daemon that has ended left.
    var storedClients: Int {
        get throws { try storedNames().count { $0.hasPrefix("waymark-client-") } }
    }

    /// Whether it left its connection to gpsd.
    var isReceiverStored: Bool {
        get throws { try storedNames().contains("waymark-gpsd") }
    }

    /// Whether nothing is stored.
    var isStoreEmpty: Bool {
        get throws { try storedNames().isEmpty }
    }

    /// The content of each stored descriptor, as far as it can be read: of a file all of it, of a socket what is queued.
    func storedContents() throws -> [(name: String, bytes: [UInt8])] {
        let copies = try TemporaryDirectory()
        #expect(try notify("copy \(copies.path)", seconds: 60).hasPrefix("copied "))
        return try DirectoryListing.files(copies.path).map { file in
            (String(file.name.drop { $0 != "-" }.dropFirst()), file.bytes)
        }
    }

    /// The store, as the daemon reaches it.
    func store() throws -> DescriptorStore {
        try DescriptorStore(path: directory.file("notify"), capacity: nil)
    }

    private func storedNames() throws -> [Substring] {
        Array(try notify("stored", seconds: 10).split(separator: " ").dropFirst(2))
    }

    /// Releases all stored descriptors, as when a service is stopped for good.
    func forget() throws { _ = try notify("forget", seconds: 10) }

    /// The log of the daemon over all its runs.
    var log: String {
        do {
            return String(decoding: try BoundedFile.bytes(of: directory.file("log"), limit: 16 << 20), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    private func notify(_ order: String, seconds: Double) throws -> String {
        let line = Array("\(order)\n".utf8)
        try retrying("command the service manager") { waymark_write_quietly(process.inputPipe, line, line.count) }
        let deadline = PollDeadline(seconds: seconds)
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard try deadline.poll(process.outputPipe, for: POLLIN) else {
                throw SystemError("wait for the service manager", code: ETIMEDOUT, subject: order)
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(process.outputPipe, &buffer, buffer.count)
            guard count > 0 else { throw SystemError("read from the service manager", code: EPIPE, subject: log) }
            rest += buffer[..<count]
        }
    }
}
