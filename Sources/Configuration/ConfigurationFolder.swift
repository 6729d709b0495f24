import Glibc
import Platform

/// A folder of configuration files, such as the drop-ins of the main file: `waymark.conf.d`.
public struct ConfigurationFolder {
    /// The limit of files in a folder.
    static let maximumFiles = 256

    let path: String

    /// The folder of this path.
    public init(path: String) {
        self.path = path
    }

    init(beside mainFile: String) {
        path = mainFile + ".d"
    }

    /// The paths of its `*.conf` files in the order of their names' bytes; none where there is no folder.
    public func files() throws(ConfigurationProblem) -> [String] {
        guard let folder = opendir(path) else {
            let code = errno
            if code == ENOENT { return [] }
            throw ConfigurationProblem(file: path, "cannot list it: \(SystemError.text(code))")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = Self.name(of: entry)
            guard name.hasSuffix(".conf"), !name.hasPrefix(".") else { continue }
            guard names.count < Self.maximumFiles else {
                throw ConfigurationProblem(
                    file: path, "has more than \(Self.maximumFiles) *.conf files. Join or remove some")
            }
            names.append(name)
        }
        let code = errno
        guard code == 0 else { throw ConfigurationProblem(file: path, "cannot list it: \(SystemError.text(code))") }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { path + "/" + $0 }
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        // readdir(3) ends d_name with NUL inside the entry.
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
