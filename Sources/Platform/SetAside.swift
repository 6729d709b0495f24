import Glibc

/// Renames a state file that cannot be used, so that it can be examined later.
public enum SetAside {
    /// The most renamed files of one name.
    public static let most = 100

    /// Renames a file durably to `NAME.damaged-1`, or the first free number, and returns its new name. The file may be
    /// of any type, including a directory. `noun` names it in errors: "the device key".
    ///
    /// The caller must be the only user of the directory.
    public static func rename(_ name: String, in directory: String, noun: String) throws(SystemError) -> String {
        let path = "\(directory)/\(name)"
        for attempt in 1...most {
            let aside = "\(name).damaged-\(attempt)"
            var status = stat()
            if lstat("\(directory)/\(aside)", &status) == 0 { continue }
            try retrying("set \(noun) aside", subject: path) { Glibc.rename(path, "\(directory)/\(aside)") }
            try DurableFile.synchronize(directory: directory)
            return aside
        }
        throw SystemError("set \(noun) aside", code: EEXIST, subject: path)
    }
}
