import Glibc

/// The names of the files in a folder, readdir(3).
public enum FileNames {
    /// All names but `.` and `..`, in no order.
    public static func list(in folder: String) throws(SystemError) -> [String] {
        guard let listing = opendir(folder) else { throw SystemError("list", subject: folder) }
        defer { closedir(listing) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(listing) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemError("list", subject: folder) }
        return names
    }
}
