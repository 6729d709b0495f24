import CSQLite
import Glibc
import Platform

/// An operation of a store that failed, and the reason. It never contains a value that was to be stored.
public struct StorageError: Error, Equatable, CustomStringConvertible {
    /// The reason, for a program.
    public enum Reason: Equatable, Sendable {
        /// SQLite's extended result code, sqlite.org/rescode.html.
        case sqlite(Int32)
        /// An error number of the system, errno(3).
        case system(Int32)
        /// Another process uses the state directory.
        case inUse
        /// A newer release wrote the database, at this schema version.
        case fromTheFuture(version: Int32)
        /// The file is the database of another program.
        case foreign
        /// The file contains something that this program never writes, or its contents cannot be trusted.
        case unreadable
        /// The limit of pending entries is reached.
        case overloaded
        /// The event exceeds the size limit.
        case tooLarge
        /// There is no such recording.
        case noSuchRecording
        /// The recording has no such position, or no such dead letter.
        case noSuchPosition
        /// The data is sealed with a key that is not there at present.
        case protectedDataUnavailable
        /// The store was closed.
        case closed
    }

    /// The operation with its subject, for people: "open /var/lib/waymark/journal.db".
    public let operation: String
    /// The reason, for a program.
    public let reason: Reason
    /// The reason, for people.
    public let message: String

    /// An error of these parts.
    public init(_ operation: String, _ reason: Reason, _ message: String) {
        self.operation = operation
        self.reason = reason
        self.message = message
    }

    /// The error of a system call.
    package init(_ error: SystemError) {
        self.init(
            error.subject.isEmpty ? error.operation : "\(error.operation) \(error.subject)", .system(error.code),
            SystemError.text(error.code))
    }

    /// SQLite's extended result code; 0 (SQLITE_OK) if SQLite did not fail.
    public var extendedCode: Int32 {
        if case .sqlite(let code) = reason { code } else { SQLITE_OK }
    }

    /// The operation and the reason, for people.
    public var description: String { "\(operation): \(message)" }
}

extension StorageError {
    /// SQLite's primary result code; 0 (SQLITE_OK) if SQLite did not fail.
    private var primaryCode: Int32 { extendedCode & 0xff }

    /// Whether the file itself is damaged, so that it has to be set aside.
    package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether the disk, or the file, has no room left.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether the file cannot be opened, read or written, for a reason outside of it.
    package var isInaccessible: Bool { [SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN].contains(primaryCode) }

    /// The error for contents of a file that this program never writes: the file is damaged.
    package static func damage(_ operation: String, _ message: String) -> StorageError {
        StorageError(operation, .sqlite(SQLITE_CORRUPT), message)
    }

    /// Whether SQL failed for its names: a table is missing that the schema version promises.
    package var isMissingTable: Bool { extendedCode == SQLITE_ERROR }

    /// Whether a later attempt may succeed: missing space, a failing disk, another program's lock. A journal that has
    /// run before (`hasRun`) recovers from every file system error; one that never did reports it and stays closed.
    package func isPassing(hasRun: Bool) -> Bool {
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

    /// Whether the connection is still usable after this error. After any other error it is opened again.
    package var leavesConnectionUsable: Bool { [SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }
}
