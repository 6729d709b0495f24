import CLinux
import Glibc
import Platform
import TestSupport
import Testing

/// A process of `Application.run`, in the surroundings of a test's choice.
final class LifeCycle {
    private let process: ChildProcess
    private let record: String

    /// Starts one whose state and record are in this directory, with the daemon at a socket, or without one.
    init(
        in directory: TemporaryDirectory, _ options: [String], surroundings: DaemonSurroundings = DaemonSurroundings(),
        socket: String? = nil
    ) throws {
        record = directory.file("record")
        let state = directory.file("state")
        if mkdir(state, 0o700) != 0, errno != EEXIST { throw SystemError("make a folder", subject: state) }
        var surroundings = surroundings
        surroundings.program = try Products.program("waymark-sleeper")
        surroundings.environment = ["WAYMARK_SOCKET=\(socket ?? directory.file("no.sock"))"]
        let command = try surroundings.command() + [record, "life", state] + options
        process = try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), input: .pipe, error: .inherited, isGuarded: true))
    }

    /// The lines so far, of all processes with this directory.
    var lines: [String] {
        get throws {
            guard access(record, F_OK) == 0 else { return [] }
            return String(decoding: try BoundedFile.bytes(of: record, limit: 1 << 20), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    /// Has it do something.
    func order(_ word: String) throws(SystemError) {
        let text = word + "\n"
        try retrying("order") { waymark_write_quietly(process.inputPipe, text, text.utf8.count) }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { process.signal(number) }

    /// Whether the lines are these in time.
    func writes(_ expected: [String]) throws -> Bool {
        try eventually(within: Patience.daemon) { try lines == expected }
    }

    /// How it has ended.
    func end() throws -> Platform.ExitStatus? { try process.wait(seconds: 60) }
}
