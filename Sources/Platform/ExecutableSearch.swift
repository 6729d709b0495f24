import Glibc

/// Finds programs in the directories of PATH and in additional ones.
public enum ExecutableSearch {
    /// The path of the first executable regular file of this name; nil if there is none.
    ///
    /// The additional directories are searched after PATH's. An ordinary user's PATH lacks /usr/sbin, where daemons are
    /// installed.
    public static func find(_ name: String, alsoIn extra: [String] = []) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let directories = path.split(separator: ":").map(String.init) + extra
        return directories.map { "\($0)/\(name)" }.first(where: isExecutable)
    }

    /// Whether a path leads to a regular file that this process may execute, access(2).
    public static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return access(path, X_OK) == 0
    }
}
