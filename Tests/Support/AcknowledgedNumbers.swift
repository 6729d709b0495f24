import Glibc
import Platform

/// The numbers of the operations that a program has acknowledged, one a line, in the file `acknowledged` of a folder: what has
/// to be there after the program was killed or the power was cut.
public struct AcknowledgedNumbers: ~Copyable {
    private let file: OwnedDescriptor

    /// Continues the file of a folder, which is made if it is missing.
    public init(in folder: String) throws(SystemError) {
        let path = Self.path(in: folder)
        file = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
    }

    /// Writes that an operation was acknowledged.
    public func append(_ number: Int) throws(SystemError) {
        let line = "\(number)\n"
        try retrying("write", subject: "acknowledged") { write(file.number, line, line.utf8.count) }
    }

    /// The file's path.
    public static func path(in folder: String) -> String { "\(folder)/acknowledged" }

    /// The number of the first operation that was not acknowledged, by the contents of the file.
    public static func next(_ contents: [UInt8]) -> Int {
        let lines = contents.split(separator: UInt8(ascii: "\n"))
        return lines.last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 + 1 } ?? 0
    }

    /// The number of the first operation that was not acknowledged in a folder.
    public static func next(in folder: String) throws(SystemError) -> Int {
        let path = path(in: folder)
        return access(path, F_OK) == 0 ? next(try BoundedFile.bytes(of: path, limit: 1 << 24)) : 0
    }

    /// Starts a program, and kills it with SIGKILL once so many operations are acknowledged in a folder. Returns whether it came
    /// so far.
    public static func kill(
        _ program: String, _ arguments: [String], in folder: String, after goal: Int
    ) throws -> Bool {
        let process = try ChildProcess(
            ChildProcess.Launch(program, arguments, output: .inherited, error: .inherited, isGuarded: true))
        let isWorking = try eventually { try next(in: folder) >= goal }
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 60)
        return isWorking
    }
}
