import CommandLineKit
import Glibc
import Platform

/// A waymarkd of one command's own: its socket, its state and its settings are in a scratch directory.
final class PrivateDaemon {
    /// Where it listens.
    let socketPath: String
    private let process: ChildProcess
    private let log: OwnedDescriptor
    private let directory: ScratchDirectory

    /// Starts one that reads this gpsd and calls every position simulated, with the settings of a file where one is given.
    init(in directory: ScratchDirectory, gpsd: String, settings file: String? = nil) throws(CommandFailure) {
        guard let program = Self.program() else {
            throw .failed(
                "DaemonMissing", "There is no waymarkd beside this program or in PATH. Build or install it: make build."
            )
        }
        do throws(SystemError) {
            let socketPath = directory.file("waymark.sock")
            // An empty file: the settings of the system's daemon are none of this one's business.
            let settings = file ?? directory.file("waymark.conf")
            if file == nil { try Self.create(settings).close() }
            let log = try Self.create(directory.file("log"))
            process = try ChildProcess(
                ChildProcess.Launch(
                    program,
                    [
                        "--config", settings, "--state-directory", directory.file("state"), "--socket", socketPath,
                        "--gpsd", gpsd, "--log-level", "warning", "--simulated",
                    ], output: .descriptor(log.number), error: .descriptor(log.number)))
            self.directory = directory
            self.socketPath = socketPath
            self.log = log
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Becomes readable when it has ended.
    var exitDescriptor: Int32 { process.exitDescriptor }

    /// Waits until it listens, as long as a busy machine may take to start it.
    func waitUntilListening(_ interruption: Interruption) throws(CommandFailure) {
        let deadline = PollDeadline(seconds: 20)
        while !deadline.hasPassed {
            try check()
            do throws(SystemError) {
                try UnixSocket.connect(path: socketPath).close()
                return
            } catch {
                guard error.code == ENOENT || error.code == ECONNREFUSED else { throw CommandFailure(error) }
            }
            try interruption.pause(.milliseconds(10))
        }
        throw .failed("NotReady", "The private waymarkd did not start in time. It said:\n\(lastOutput)")
    }

    /// Throws what it ended with; nothing happens while it runs.
    func check() throws(CommandFailure) {
        do throws(SystemError) {
            guard let status = try process.exitStatus() else { return }
            throw SystemError("", subject: "\(status)")
        } catch {
            guard error.operation.isEmpty else { throw CommandFailure(error) }
            throw .failed("DaemonEnded", "The private waymarkd \(error.subject). It said:\n\(lastOutput)")
        }
    }

    /// Ends it and waits until it is gone.
    func stop() {
        do throws(SystemError) { try process.terminate(graceSeconds: 5) } catch {
            // What remains is ended with the value itself.
            return
        }
    }

    /// The end of what it wrote, up to 2,000 bytes.
    private var lastOutput: String {
        let size = lseek(log.number, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 2_000)
        let count = pread(log.number, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The one beside this program, as both are built and installed together, else the one in PATH.
    private static func program() -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        if let slash = own.lastIndex(of: "/") {
            let beside = own[..<slash] + "/waymarkd"
            if ExecutableSearch.isExecutable(String(beside)) { return String(beside) }
        }
        return ExecutableSearch.find("waymarkd", alsoIn: ["/usr/sbin", "/usr/local/sbin"])
    }

    private static func create(_ path: String) throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("create", subject: path) { open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
    }
}
