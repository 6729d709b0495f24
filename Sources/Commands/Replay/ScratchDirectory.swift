import Glibc
import Platform

/// A private directory for files of this process, which is removed at its end.
final class ScratchDirectory {
    /// Its absolute path.
    let path: String

    /// Makes one under TMPDIR, or /tmp, mkdtemp(3).
    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/waymark-replay-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in", subject: parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit { Self.remove(path, depth: 0) }

    /// Removes the entry; of a link only the link itself.
    private static func remove(_ path: String, depth: Int) {
        if depth < 8, let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var status = stat()
                let inner = "\(path)/\(name)"
                guard name != ".", name != "..", lstat(inner, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { remove(inner, depth: depth + 1) } else { unlink(inner) }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
