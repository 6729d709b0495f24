import CSQLite
import Glibc
import Platform

/// The first hundred bytes of a database file (sqlite.org/fileformat2.html section 1.3), read without SQLite, so that
/// a file that is not ours is left exactly as it is.
struct DatabaseHeader: Equatable {
    /// `PRAGMA user_version`: big-endian at 60.
    let userVersion: Int32
    /// `PRAGMA application_id`: big-endian at 68.
    let applicationID: Int32

    /// Whether a file with these file and schema formats is one that SQLite writes: 1 or 2 at 18 and 19, at most 4,
    /// big-endian, at 44.
    let isWritable: Bool

    /// How many bytes it has.
    static let length = 100

    /// Nil where the bytes are not a database's.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
        userVersion = Self.integer(bytes[60..<64])
        applicationID = Self.integer(bytes[68..<72])
        isWritable = (1...2).contains(bytes[18]) && (1...2).contains(bytes[19]) && Self.integer(bytes[44..<48]) <= 4
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Refuses a file that its header already says is not ours to write. Says nothing of an empty, a missing or a
    /// damaged one: SQLite judges those. To be called while no connection is open.
    static func check(path: String) throws(JournalError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        var bytes = [UInt8](repeating: 0, count: length)
        let count: Int
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
            count = try retrying("read", subject: path) { read(file.number, &bytes, length) }
        } catch {
            throw JournalError(error)
        }
        guard count == length, let header = DatabaseHeader(bytes) else { return }
        // A new file's first page is written before its first migration: both numbers are still 0 then.
        if header.applicationID == 0, header.userVersion == 0 { return }
        // SQLite would not call it damaged but refuse it, or open it for reading only.
        if header.applicationID == Migrations.applicationID, !header.isWritable {
            throw JournalError("open \(path)", .sqlite(SQLITE_CORRUPT), "its header is damaged")
        }
        try Migrations.check(application: header.applicationID, version: header.userVersion, path: path)
    }
}
