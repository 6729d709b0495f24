import Glibc
import Platform

/// The contents of a directory, readdir(3).
public enum DirectoryListing {
    /// The names in it except `.` and `..`, unordered; empty where it cannot be read.
    public static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The regular files in it, with their contents. One that another program removes meanwhile is not among them.
    public static func files(_ path: String) throws(SystemError) -> [(name: String, bytes: [UInt8])] {
        var files: [(name: String, bytes: [UInt8])] = []
        for name in names(path) {
            var status = stat()
            guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            do throws(SystemError) {
                files.append((name, try BoundedFile.bytes(of: "\(path)/\(name)", limit: 1 << 28)))
            } catch {
                guard error.code == ENOENT else { throw error }
            }
        }
        return files
    }

    /// Whether a path leads to a directory, and not through a link at its end, lstat(2).
    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
