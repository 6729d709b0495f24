import Glibc
import JSONText
import Platform
import Varlink

/// A waymark-upload-test-server for one test, at one port of loopback for as long as the value exists, or on a socket
/// that the test has created.
public final class UploadServerProcess {
    /// It did not start, or its output is not understood.
    public struct Failure: Error, CustomStringConvertible {
        /// Why, with its output.
        public let description: String
    }

    /// The port of 127.0.0.1, for the whole life of the value; 0 where the socket is the test's.
    public var port: UInt16 { held?.number ?? 0 }
    /// The path of the file with the received points.
    public let file: String
    private let held: LoopbackPort?
    private let directory: TemporaryDirectory
    private let arguments: [String]
    private let program: [String]
    private var process: ChildProcess

    /// Starts one and waits until it listens. `more` are further arguments, `socket` a socket to listen on instead of a
    /// port, and `program` the program to start instead.
    public init(more: [String] = [], socket: Int32? = nil, program: [String]? = nil) throws {
        directory = try TemporaryDirectory()
        file = directory.file("points.jsonl")
        held = socket == nil ? try LoopbackPort() : nil
        self.program = try program ?? [Products.program("waymark-upload-test-server")]
        let place = held.map { ["--port", "\($0.number)"] } ?? ["--standard-input"]
        arguments = place + ["--file", file, "--json"]
        process = try Self.launch(self.program + arguments + more, socket, directory)
        try waitUntilListening()
    }

    /// Its address as it begins an URL.
    public var address: String { "http://127.0.0.1:\(port)" }
    /// Becomes readable when it has ended.
    public var exitDescriptor: Int32 { process.exitDescriptor }

    /// Ends it by SIGKILL, and waits until it has ended.
    public func kill() throws {
        process.signal(SIGKILL)
        guard try process.wait(seconds: 60) != nil else { throw Failure(description: "it survived SIGKILL") }
    }

    /// Starts it again after `kill` or `stop`, at the same port and with the same file; other arguments may be given.
    public func restart(more: [String] = [], socket: Int32? = nil) throws {
        _ = try process.terminate(graceSeconds: 0)
        process = try Self.launch(program + arguments + more, socket, directory)
        try waitUntilListening()
    }

    /// Ends it in order and returns its summary of all received data.
    public func stop() throws -> JSON {
        let status = try process.terminate(graceSeconds: 60)
        guard status == .exited(0), let summary = lines.last, summary["event"] == "summary" else {
            throw Failure(description: "it \(status):\n\(output)")
        }
        return summary
    }

    /// The size of its stored points in bytes, which grows with each.
    public func storedBytes() throws(SystemError) -> Int64 {
        var status = stat()
        guard stat(file, &status) == 0 else {
            if errno == ENOENT { return 0 }
            throw SystemError("examine", subject: file)
        }
        return Int64(status.st_size)
    }

    /// The ids in its file, in the order in which they were stored.
    public func storedIDs() throws -> [String] {
        let text = String(decoding: try BoundedFile.bytes(of: file, limit: 1 << 30), as: UTF8.self)
        var ids: [String] = []
        // The last part is empty, or a line that a kill cut off.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let id = try JSON.parse(Array(line.utf8))["id"]?.stringValue { ids.append(id) }
        }
        return ids
    }

    /// Its output since its last start, an object per line.
    public var lines: [JSON] {
        output.split(separator: "\n").compactMap { line in
            do throws(JSONError) { return try JSON.parse(Array(line.utf8)) } catch { return nil }
        }
    }

    private var output: String {
        do throws(SystemError) {
            return String(decoding: try BoundedFile.bytes(of: directory.file("output"), limit: 1 << 30), as: UTF8.self)
        } catch {
            return ""
        }
    }

    private static func launch(
        _ command: [String], _ socket: Int32?, _ directory: TemporaryDirectory
    ) throws -> ChildProcess {
        let path = directory.file("output")
        let output = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        return try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), input: socket.map { .descriptor($0) } ?? .null,
                output: .descriptor(output.number), error: .descriptor(output.number), isGuarded: true))
    }

    private func waitUntilListening() throws {
        let listens = try eventually(within: 60) {
            if try process.exitStatus() != nil { return true }
            return lines.contains { $0["event"] == "listening" }
        }
        guard listens, try process.exitStatus() == nil else {
            throw Failure(description: "it does not listen:\n\(output)")
        }
    }
}
