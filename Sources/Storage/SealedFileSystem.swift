import CSQLite
import Cryptography
import Glibc
import Synchronization

/// A key for databases whose file and write-ahead log are sealed page by page, and the file system of SQLite that does so
/// (sqlite.org/vfs.html).
///
/// A database is opened by the text of `address`, which names the file system and the number of the key in this process. The
/// key lasts as long as this object, and in a file that is open until that is closed.
package final class SealedFileSystem: Sendable {
    private static let name = "waymark-sealed"
    private static let parameter = "sealed"
    /// The keys of this process, by the number in the address.
    private static let keys = Mutex<(last: Int, keys: [Int: SymmetricKey])>((0, [:]))

    private let number: Int

    /// A file system that seals with this key. Throws if SQLite does not accept a file system.
    package init(_ key: SymmetricKey) throws(StorageError) {
        guard Self.isRegistered else {
            throw StorageError("seal a database", .sqlite(SQLITE_NOMEM), "SQLite accepts no further file system")
        }
        number = Self.keys.withLock { state in
            state.last += 1
            state.keys[state.last] = key
            return state.last
        }
    }

    deinit { Self.keys.withLock { [number] in $0.keys[number] = nil } }

    /// The text by which SQLite opens the database of a path, sqlite.org/uri.html.
    func address(of path: String) -> String { "\(Self.uri(path))?vfs=\(Self.name)&\(Self.parameter)=\(number)" }

    /// The text by which a connection to a sealed database opens a plain one.
    static func plainAddress(of path: String) -> String {
        let name = sqlite3_vfs_find(nil).flatMap { $0.pointee.zName }.map { String(cString: $0) }
        return "\(uri(path))?vfs=\(name ?? "unix")"
    }

    private static func uri(_ path: String) -> String {
        var text = "file:"
        for byte in path.utf8 {
            // Everything that has a meaning in an address, and what is not ASCII.
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%"), byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#")
            {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        }
        return text
    }

    /// The key for a file name that SQLite has made from an address; nil if that names none.
    static func key(of name: sqlite3_filename) -> SymmetricKey? {
        guard let text = sqlite3_uri_parameter(name, parameter), let number = Int(String(cString: text)) else {
            return nil
        }
        return keys.withLock { $0.keys[number] }
    }

    /// Whether SQLite knows the file system: it is registered once, and remains.
    private static let isRegistered: Bool = {
        guard sqlite3_initialize() == SQLITE_OK, let parent = sqlite3_vfs_find(nil) else { return false }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: sqlite3_vfs())
        own.pointee.iVersion = 2
        own.pointee.szOsFile = Int32(SealedFile.headSize) + parent.pointee.szOsFile
        own.pointee.mxPathname = parent.pointee.mxPathname
        own.pointee.zName = UnsafePointer(name.withCString { strdup($0) })
        own.pointee.pAppData = UnsafeMutableRawPointer(parent)
        own.pointee.xOpen = { own, name, file, flags, outFlags in
            SealedFile.open(SealedFileSystem.parent(own), name, file, flags, outFlags)
        }
        own.pointee.xDelete = { own, name, sync in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xDelete(parent, name, sync)
        }
        own.pointee.xAccess = { own, name, flags, result in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xAccess(parent, name, flags, result)
        }
        own.pointee.xFullPathname = { own, name, count, path in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xFullPathname(parent, name, count, path)
        }
        own.pointee.xRandomness = { own, count, bytes in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xRandomness(parent, count, bytes)
        }
        own.pointee.xSleep = { own, microseconds in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xSleep(parent, microseconds)
        }
        own.pointee.xCurrentTime = { own, time in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xCurrentTime(parent, time)
        }
        own.pointee.xCurrentTimeInt64 = { own, time in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xCurrentTimeInt64(parent, time)
        }
        own.pointee.xGetLastError = { own, count, text in
            let parent = SealedFileSystem.parent(own)
            return parent.pointee.xGetLastError(parent, count, text)
        }
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()

    private static func parent(_ own: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs> {
        guard let data = own?.pointee.pAppData else {
            preconditionFailure("the file system was registered with a parent")
        }
        return data.assumingMemoryBound(to: sqlite3_vfs.self)
    }
}
