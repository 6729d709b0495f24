import Glibc
import Platform

/// A file or folder that is examined before it is opened.
///
/// Opening has side effects: for a FIFO it releases a process that waits at the other end, and for a device it can
/// rewind a tape or reset a board. A folder that other users can write to can contain a link to either, and the link
/// can change at any time. So the name is resolved once with O_PATH, which does not open the file (open(2)). What is
/// opened later is the examined inode, even if the name refers to another file by then.
struct ExaminedFile: ~Copyable {
    /// The file's status of fstat(2).
    let status: stat
    /// Whether the last component of its path is a symbolic link.
    let isLinked: Bool
    private let handle: OwnedDescriptor

    /// O_PATH, which the Glibc module lacks.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Resolves a path, including symbolic links.
    init(_ path: String) throws(SystemError) {
        let end = try Self.end(of: path)
        let handle = OwnedDescriptor(adopting: end.number)
        let status = try Self.examine(handle)
        self.status = status
        self.isLinked = end.isLinked
        self.handle = handle
    }

    /// Whether it is a regular file.
    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }

    /// Whether it is a folder.
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }

    /// Whether it is null(4): major 1, minor 3.
    var isNullDevice: Bool { status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 1 << 8 | 3 }

    /// Opens the examined inode for reading. Only a regular file or a folder may be opened.
    func open() throws(SystemError) -> OwnedDescriptor {
        guard isRegular || isFolder else { throw SystemError("open", code: EINVAL) }
        // O_NONBLOCK: a lease on the file causes an error instead of blocking, fcntl(2).
        return try OwnedDescriptor("open") {
            Glibc.open(Self.link(to: handle), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        }
    }

    /// Whether its resolved path is below a folder, or the folder itself. False if either path cannot be determined.
    func isBelow(_ folder: String) throws(SystemError) -> Bool {
        let folder = try Self.resolve(folder, O_DIRECTORY)
        guard let path = Self.path(of: handle), let above = Self.path(of: folder) else { return false }
        return path == above || path.hasPrefix(above == "/" ? "/" : above + "/")
    }

    /// A descriptor of the file at the end of a path's links, and whether the last component is a link.
    private static func end(of path: String) throws(SystemError) -> (number: Int32, isLinked: Bool) {
        let named = try resolve(path, O_NOFOLLOW)
        guard try examine(named).st_mode & S_IFMT == S_IFLNK else { return (named.release(), false) }
        return (try resolve(path, 0).release(), true)
    }

    private static func resolve(_ path: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("open") { Glibc.open(path, Self.pathOnly | O_CLOEXEC | flags) }
    }

    private static func examine(_ handle: borrowing OwnedDescriptor) throws(SystemError) -> stat {
        var status = stat()
        let number = handle.number
        try retrying("examine") { fstat(number, &status) }
        return status
    }

    private static func link(to handle: borrowing OwnedDescriptor) -> String { "/proc/self/fd/\(handle.number)" }

    private static func path(of handle: borrowing OwnedDescriptor) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link(to: handle), &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
