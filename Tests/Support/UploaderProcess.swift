import Glibc
import Platform

/// A waymark-upload for one test: its destination's file and its credentials are in a directory of its own.
public final class UploaderProcess {
    private let directory: TemporaryDirectory
    private let program: String
    private let name: String
    private let arguments: [String]
    private let environment: [String: String]
    private var process: ChildProcess

    /// Starts a program of `TestApps` that is a copy of waymark-upload, for the recording of this name, with a file of
    /// this text and these credentials.
    public init(
        _ program: String, _ name: String = "home", to socketPath: String, configuration: String,
        credentials: [String: String] = [:], environment: [String: String] = [:]
    ) throws {
        self.environment = environment
        directory = try TemporaryDirectory()
        self.program = program
        self.name = name
        let file = try directory.write("\(name).conf", configuration)
        try directory.write("credentials/README", "")
        for (name, text) in credentials { try directory.write("credentials/\(name)", text) }
        arguments = [name, "--config", file, "--socket", socketPath, "--log-level", "debug"]
        process = try Self.launch(program, arguments, environment, directory)
    }

    /// Its number.
    public var processID: pid_t { process.processID }

    /// Its log so far, over restarts.
    public var log: String {
        do throws(SystemError) {
            return String(decoding: try BoundedFile.bytes(of: directory.file("log"), limit: 64 << 20), as: UTF8.self)
        } catch {
            return ""
        }
    }

    /// Replaces its file and makes it read it again.
    public func reload(_ configuration: String) throws {
        try directory.write("\(name).conf", configuration)
        process.signal(SIGHUP)
    }

    /// Writes a credential, which is read at the next reload.
    public func writeCredential(_ name: String, _ text: String) throws {
        try directory.write("credentials/\(name)", text)
    }

    /// Ends it by SIGKILL, and waits until it has ended.
    public func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 60)
    }

    /// Starts it again after `kill` or `stop`.
    public func restart() throws {
        _ = try process.terminate(graceSeconds: 0)
        process = try Self.launch(program, arguments, environment, directory)
    }

    /// Ends it with SIGTERM, with SIGKILL after a grace period.
    @discardableResult
    public func stop(graceSeconds: Double = 60) throws -> ExitStatus {
        try process.terminate(graceSeconds: graceSeconds)
    }

    private static func launch(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ directory: TemporaryDirectory
    ) throws -> ChildProcess {
        let path = directory.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        return try ChildProcess(
            ChildProcess.Launch(
                program, arguments,
                environment: [
                    "PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": directory.file("credentials"),
                    // Neither may see a position.
                    "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
                ].merging(environment) { $1 },
                output: .descriptor(log.number), error: .descriptor(log.number), isGuarded: true))
    }
}
