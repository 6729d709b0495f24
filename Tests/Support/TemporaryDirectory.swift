import Glibc
import Platform

/// A directory for one test, removed with its contents when the value is released.
public final class TemporaryDirectory: Sendable {
    /// Its absolute path.
    public let path: String

    /// Makes one, mkdtemp(3), in a directory, by default TMPDIR or /tmp. The path is short enough for a Unix socket within.
    public init(in directory: String? = nil) throws(SystemError) {
        let parent = directory ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/waymark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in", subject: parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path of something in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in it, with its parent directories, and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws(SystemError) -> String {
        try write(name, bytes: Array(text.utf8))
    }

    /// Writes a file in it, with its parent directories, and returns its path.
    @discardableResult
    public func write(_ name: String, bytes: [UInt8]) throws(SystemError) -> String {
        var directory = path
        for component in name.split(separator: "/").dropLast() {
            directory += "/\(component)"
            if mkdir(directory, 0o755) != 0, errno != EEXIST { throw SystemError("make", subject: directory) }
        }
        let target = file(name)
        let descriptor = try OwnedDescriptor("open", subject: target) {
            open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        }
        var written = 0
        while written < bytes.count {
            written += try retrying("write", subject: target) {
                bytes[written...].withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            }
        }
        return target
    }

    /// Replaces the text of an existing file, in place and never empty: for programs that see it through a mount.
    public func overwrite(_ name: String, _ text: String) throws(SystemError) {
        let target = file(name)
        let descriptor = try OwnedDescriptor("open", subject: target) { open(target, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: target) { Glibc.write(descriptor.number, text, text.utf8.count) }
        try retrying("shorten", subject: target) { ftruncate(descriptor.number, off_t(text.utf8.count)) }
    }

    deinit {
        Self.removeTree(path, depth: 0)
    }

    /// The names of the files in it, or in a subdirectory that begins with a slash, in their order.
    public func names(_ subdirectory: String = "") -> [String] {
        DirectoryListing.names("\(path)\(subdirectory)").sorted()
    }

    /// The contents of a file.
    public func bytes(_ name: String) throws(SystemError) -> [UInt8] {
        let file = try OwnedDescriptor("open", subject: name) { open("\(path)/\(name)", O_RDONLY) }
        let size = Int(lseek(file.number, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        guard pread(file.number, &bytes, size, 0) == size else { throw SystemError("read", subject: name) }
        return bytes
    }

    /// Writes over a part of a file, which is made if it is missing.
    public func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) throws(SystemError) {
        let file = try OwnedDescriptor("open", subject: name) { open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600) }
        guard pwrite(file.number, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemError("write", subject: name)
        }
    }

    /// Removes a file, a link itself, or a directory after all it holds. A directory that cannot be read stays.
    private static func removeTree(_ path: String, depth: Int) {
        var status = stat()
        guard depth < 64, lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in DirectoryListing.names(path) { removeTree("\(path)/\(name)", depth: depth + 1) }
        }
        _ = remove(path)
    }
}
