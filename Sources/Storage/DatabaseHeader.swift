import CSQLite
import Glibc
import Platform

/// The first hundred bytes of a database file (sqlite.org/fileformat2.html section 1.3), read without SQLite, so that a
/// foreign file is not modified.
struct DatabaseHeader: Equatable {
    /// `PRAGMA user_version`: big-endian at 60.
    let userVersion: Int32
    /// `PRAGMA application_id`: big-endian at 68.
    let applicationID: Int32

    /// Whether SQLite writes files with these file and schema formats: 1 or 2 at 18 and 19, at most 4, big-endian, at
    /// 44.
    let isWritable: Bool

    /// The length of the header in bytes.
    static let length = 100

    /// Nil if the bytes are not the header of a database.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
        userVersion = Self.integer(bytes[60..<64])
        applicationID = Self.integer(bytes[68..<72])
        isWritable = (1...2).contains(bytes[18]) && (1...2).contains(bytes[19]) && Self.integer(bytes[44..<48]) <= 4
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Refuses a file whose header shows that it belongs to another program or a newer release. An empty, missing or
    /// damaged file passes: SQLite decides about those. Call this while no connection is open.
    static func check(path: String, _ schema: DatabaseSchema) throws(StorageError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        var bytes = [UInt8](repeating: 0, count: length)
        let count: Int
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
            count = try retrying("read", subject: path) { read(file.number, &bytes, length) }
        } catch {
            throw StorageError(error)
        }
        guard count == length, let header = DatabaseHeader(bytes) else { return }
        // The first page of a new file is written before its first migration: both numbers are still 0 then.
        if header.applicationID == 0, header.userVersion == 0 { return }
        // SQLite would not report damage but refuse the file, or open it read-only.
        if header.applicationID == schema.applicationID, !header.isWritable {
            throw StorageError("open \(path)", .sqlite(SQLITE_CORRUPT), "its header is damaged")
        }
        try schema.check(application: header.applicationID, version: header.userVersion, path: path)
    }
}
