import CLinux
import CommandLineKit
import Glibc
import Platform

/// The destination of an export: standard output, or a file that appears under its name only once it is complete.
final class ExportFile {
    private let path: String?
    private let temporary: String
    private let descriptor: OwnedDescriptor?
    private let number: Int32
    private let output: Output
    private let overwrites: Bool
    private var isFinished = false

    /// Standard output without a path; otherwise a temporary file beside it, mkstemp(3).
    init(path: String?, overwrites: Bool) throws(CommandFailure) {
        self.path = path
        self.overwrites = overwrites
        guard let path else {
            temporary = ""
            descriptor = nil
            number = STDOUT_FILENO
            output = Output()
            return
        }
        if !overwrites, access(path, F_OK) == 0 { throw Self.exists(path) }
        var template = Array("\(path).XXXXXX".utf8CString)
        number = mkstemp(&template)
        guard number >= 0 else { throw CommandFailure(SystemError("create a file beside", subject: path)) }
        temporary = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        descriptor = OwnedDescriptor(adopting: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        output = Output(descriptor: number)
        // mkstemp makes the file private; an exported file has the usual permissions.
        let mask = umask(0)
        umask(mask)
        fchmod(number, 0o666 & ~mask)
    }

    /// Adds text; on standard output it is written at once.
    func write(_ text: String) throws(CommandFailure) {
        if text.isEmpty { return }
        output.bytes(text.utf8)
        do throws(OutputError) { try output.flush() } catch { throw CommandFailure(error) }
    }

    /// Renames the file. An existing one is replaced only with `--force`, even if it was created in the meantime.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        do throws(SystemError) {
            try retrying("write", subject: path) { fsync(number) }
            if overwrites {
                try retrying("rename to", subject: path) { rename(temporary, path) }
            } else {
                try retrying("name", subject: path) { link(temporary, path) }
                unlink(temporary)
            }
            isFinished = true
        } catch {
            throw error.code == EEXIST ? Self.exists(path) : CommandFailure(error)
        }
    }

    private static func exists(_ path: String) -> CommandFailure {
        .failed("FileExists", "\(path) exists already: choose another name, or replace it with --force.")
    }

    deinit {
        if path != nil, !isFinished { unlink(temporary) }
    }
}
