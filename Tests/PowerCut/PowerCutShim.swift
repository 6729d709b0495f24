import Glibc
import Platform
import TestSupport

/// The shim that logs a program's changes of the files below a folder, and the log of one program.
public struct PowerCutShim {
    /// The folder whose files are watched.
    public let folder: String
    private let library: PreloadedLibrary
    private let log: String

    /// Compiles the shim into a directory, where the log goes as well. The folder is none of that directory's, or one
    /// that nobody else writes to, and its path has no links.
    public init(watching folder: String, in directory: TemporaryDirectory) throws {
        self.folder = folder
        library = try PreloadedLibrary("power-cut", in: directory)
        log = directory.file("power-cut.log")
    }

    /// The C compiler of Swift's toolchain, or another; nil where there is none.
    public static let compiler = ExecutableSearch.find("clang") ?? ExecutableSearch.find("cc")

    /// What happens to the program instead of one of its operations on the folder.
    public enum Fault: Sendable {
        /// The operation fails with this error number, errno(3).
        case error(Int32)
        /// The process is killed.
        case kill
    }

    /// The prefix of the command of a watched program. Only one of all watched programs at a time may write below the
    /// folder. With a fault, the operation of this number, counted from 1, is not done. Further libraries are loaded as well.
    public func entrance(
        syncMicroseconds: Int = 500, fault: (operation: Int, Fault)? = nil, steps: StepCounter? = nil,
        with others: [PreloadedLibrary] = []
    ) -> [String] {
        let libraries = ([library] + others).map(\.path).joined(separator: ":")
        var command = [
            "/usr/bin/env", "LD_PRELOAD=\(libraries)", "WAYMARK_CUT_FOLDER=\(folder)", "WAYMARK_CUT_LOG=\(log)",
            "WAYMARK_CUT_SYNC_MICROSECONDS=\(syncMicroseconds)",
        ]
        if let steps { command.append("WAYMARK_CUT_STEPS=\(steps.path)") }
        guard let (operation, fault) = fault else { return command }
        command.append("WAYMARK_CUT_FAULT_AT=\(operation)")
        if case .error(let code) = fault { command.append("WAYMARK_CUT_FAULT=\(code)") }
        return command
    }

    /// The log so far, and begins a new one: to be called when the program has ended.
    public func drainLog() throws(SystemError) -> [UInt8] {
        let bytes = try BoundedFile.bytes(of: log, limit: 1 << 30)
        try retrying("remove", subject: log) { unlink(log) }
        return bytes
    }

    /// The steps in a log, by their order: what would be done, and the file's name below the folder.
    public static func steps(in log: [UInt8]) throws(DiskLogError) -> [String] {
        try DiskRecord.read(log).compactMap { if case .step(_, let text) = $0 { text } else { nil } }
    }
}
