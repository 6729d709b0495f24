import CSQLite
import Glibc
import Platform

/// What the journal could not do, and why. It never holds a value that was to be stored.
public struct JournalError: Error, Equatable, CustomStringConvertible {
    /// Why, for a program.
    public enum Reason: Equatable, Sendable {
        /// SQLite's extended result code, sqlite.org/rescode.html.
        case sqlite(Int32)
        /// An error number of the system, errno(3).
        case system(Int32)
        /// Another process has the state directory.
        case inUse
        /// A newer release wrote the database, at this schema version.
        case fromTheFuture(version: Int32)
        /// The file is a database of something else.
        case foreign
        /// It holds what nothing of ours writes, or what is in it cannot be trusted.
        case unreadable
        /// More waits than the journal may hold.
        case overloaded
        /// The event is larger than the journal takes.
        case tooLarge
        /// There is no such recording.
        case noSuchRecording
        /// The recording has no such position, or no such dead letter.
        case noSuchPosition
        /// The journal was closed.
        case closed
    }

    /// What was tried, as a person would say it, with its subject: "open /var/lib/waymark/journal.db".
    public let operation: String
    /// Why, for a program.
    public let reason: Reason
    /// Why, in words.
    public let message: String

    /// An error of these parts.
    public init(_ operation: String, _ reason: Reason, _ message: String) {
        self.operation = operation
        self.reason = reason
        self.message = message
    }

    /// The same error as the system's call gave it.
    init(_ error: SystemError) {
        self.init(
            error.subject.isEmpty ? error.operation : "\(error.operation) \(error.subject)", .system(error.code),
            SystemError.text(error.code))
    }

    /// SQLite's extended result code, 0 (SQLITE_OK) where it was not SQLite that failed.
    public var extendedCode: Int32 {
        if case .sqlite(let code) = reason { code } else { SQLITE_OK }
    }

    /// The operation and the reason in words.
    public var description: String { "\(operation): \(message)" }
}

extension JournalError {
    /// Whether the file itself is damaged, so that setting it aside is the remedy.
    var isDamage: Bool {
        let primary = extendedCode & 0xff
        return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB
    }

    /// Whether trying again later may help: space, a disk that fails, another program's lock. A journal that has run
    /// before (`hasRun`) gets over everything the file system can say; one that never did says so and stays closed.
    func isPassing(hasRun: Bool) -> Bool {
        let always = [SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_PROTOCOL]
        switch reason {
        case .sqlite(let code):
            return always.contains(code & 0xff) || hasRun && [SQLITE_READONLY, SQLITE_CANTOPEN].contains(code & 0xff)
        case .system(let code):
            return hasRun || [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM].contains(code)
        default:
            return false
        }
    }

    /// Whether the connection that met it is as good as before. After any other error it is opened afresh.
    var leavesConnectionUsable: Bool {
        let primary = extendedCode & 0xff
        return primary == SQLITE_FULL || primary == SQLITE_BUSY || primary == SQLITE_LOCKED
    }
}
