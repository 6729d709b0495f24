import Glibc
import Platform
import TestSupport

/// A program of the project that serves for one test, in a folder of its own and with its output in `log` there.
package final class ServedProgram: @unchecked Sendable {
    package let folder: TemporaryDirectory
    private let name: String
    private let arguments: [String]
    private let entrance: [String]
    private let isServing: () throws -> Bool
    private var process: ChildProcess

    package var processID: Int32 { process.processID }

    /// Starts the program with these arguments, and waits until it serves. The prefix of its command changes its user or its
    /// control group.
    package init(
        _ name: String, in folder: TemporaryDirectory, _ arguments: [String], entrance: [String] = [],
        isServing: @escaping () throws -> Bool
    ) throws {
        self.folder = folder
        self.name = name
        self.arguments = arguments
        self.entrance = entrance
        self.isServing = isServing
        process = try Self.launch(name, folder, arguments, entrance)
        try waitUntilServing()
    }

    private static func launch(
        _ name: String, _ folder: TemporaryDirectory, _ arguments: [String], _ entrance: [String]
    ) throws -> ChildProcess {
        let path = folder.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        let command = entrance + [try Products.program(name)] + arguments
        return try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), output: .descriptor(log.number), error: .descriptor(log.number),
                isGuarded: true))
    }

    private func waitUntilServing() throws {
        let serves = try eventually { try process.exitStatus() != nil || isServing() }
        guard serves, try process.exitStatus() == nil else {
            throw HubProcess.Failure(description: "it does not serve: \(log)")
        }
    }

    /// Ends it by SIGKILL and starts it again, after what happens meanwhile.
    package func crash(_ meanwhile: () throws -> Void = {}) throws {
        process.signal(SIGKILL)
        guard try process.wait(seconds: 60) != nil else { throw HubProcess.Failure(description: "it survived SIGKILL") }
        try meanwhile()
        try start()
    }

    /// Ends it in order.
    package func stop() throws {
        let status = try process.terminate(graceSeconds: 30)
        guard status == .exited(0) else { throw HubProcess.Failure(description: "it \(status): \(log)") }
    }

    /// Starts it again.
    package func start() throws {
        process = try Self.launch(name, folder, arguments, entrance)
        try waitUntilServing()
    }

    package var log: String {
        attempt { String(decoding: try BoundedFile.bytes(of: folder.file("log"), limit: 1 << 20), as: UTF8.self) } ?? ""
    }
}
