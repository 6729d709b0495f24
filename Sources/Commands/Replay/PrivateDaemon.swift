import CommandLineKit
import Glibc
import Platform

/// A waymarkd for one command: its socket, its state and its settings are in a scratch directory.
final class PrivateDaemon {
    /// The path of its socket.
    let socketPath: String
    private let process: ChildProcess
    private let log: OwnedDescriptor
    private let directory: ScratchDirectory

    /// Starts a daemon that reads this gpsd and marks every position as simulated, with the settings of a file, if one
    /// is given.
    init(in directory: ScratchDirectory, gpsd: String, settings file: String? = nil) throws(CommandFailure) {
        guard let program = Self.program() else {
            throw .failed(
                "DaemonMissing", "There is no waymarkd beside this program or in PATH. Build or install it: make build."
            )
        }
        do throws(SystemError) {
            let socketPath = directory.file("waymark.sock")
            // An empty file, because the settings of the system's daemon must not apply here.
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

    /// Waits until it listens, with enough time for a busy machine to start it.
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
        throw .failed("NotReady", "The private waymarkd did not start in time. Its output:\n\(lastOutput)")
    }

    /// Throws if it has ended; does nothing while it runs.
    func check() throws(CommandFailure) {
        do throws(SystemError) {
            guard let status = try process.exitStatus() else { return }
            throw SystemError("", subject: "\(status)")
        } catch {
            guard error.operation.isEmpty else { throw CommandFailure(error) }
            throw .failed("DaemonEnded", "The private waymarkd \(error.subject). Its output:\n\(lastOutput)")
        }
    }

    /// Stops it and waits for its end.
    func stop() {
        do throws(SystemError) { try process.terminate(graceSeconds: 5) } catch {
            // A process that did not stop is killed when the value is deinitialized.
            return
        }
    }

    /// The end of its output, up to 2,000 bytes.
    private var lastOutput: String {
        let size = lseek(log.number, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 2_000)
        let count = pread(log.number, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The program beside this one, because both are built and installed together, else the one in PATH.
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
