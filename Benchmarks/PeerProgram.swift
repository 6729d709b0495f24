import Glibc
import Platform
import TestSupport

/// A program in C, compiled on demand, that records the times itself.
final class PeerProgram: Witness {
    let name: String
    private let process: ChildProcess

    /// The program of this name in Benchmarks/Peers, and its libraries, by pkg-config(1)'s names.
    init(
        _ name: String, _ arguments: [String] = [], called title: String, libraries: [String] = [],
        in directory: TemporaryDirectory
    ) throws {
        self.name = title
        let program = try Self.compile(name, libraries: libraries, in: directory)
        process = try ChildProcess(ChildProcess.Launch(program, arguments, output: .pipe, isGuarded: true))
        // It prints one line when it listens.
        guard try PollDeadline(seconds: 60).poll(process.outputPipe, for: POLLIN) else {
            throw OwnNetwork.Unavailable(description: "\(name) does not begin to listen")
        }
        var line = [UInt8](repeating: 0, count: 6)
        _ = read(process.outputPipe, &line, line.count)
    }

    /// Compiles the program of this name in Benchmarks/Peers where that is still to be done, and returns its path.
    static func compile(
        _ name: String, libraries: [String] = [], in directory: TemporaryDirectory
    ) throws -> String {
        let program = directory.file(name)
        if access(program, X_OK) != 0 {
            let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
            let source = "/\(folder)/Peers/\(name).c"
            let flags = libraries.isEmpty ? "" : "$(pkg-config --cflags --libs \(libraries.joined(separator: " ")))"
            let run = try CompletedProcess.run("/bin/sh", ["-ec", "cc -O2 -o \"$0\" \"$1\" \(flags)", program, source])
            guard run.status.isSuccess else {
                throw OwnNetwork.Unavailable(
                    description:
                        "\(name).c was not compiled (Scripts/setup bench installs its dependencies): \(run.error)"
                )
            }
        }
        return program
    }

    var processID: pid_t { process.processID }

    func end() throws -> Testimony {
        process.signal(SIGTERM)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let deadline = PollDeadline(seconds: 10)
        while try deadline.poll(process.outputPipe, for: POLLIN) {
            let count = read(process.outputPipe, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        try process.terminate()
        let instants = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { UInt64($0) }
        return Testimony(losses: instants, gains: instants)
    }
}
