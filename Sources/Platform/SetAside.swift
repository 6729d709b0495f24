import Glibc

/// What becomes of a state file that cannot be used: it is kept under another name, for who wants to see what became of it.
public enum SetAside {
    /// The most that are kept of one name.
    public static let most = 100

    /// Renames a file to `NAME.damaged-1`, or the first number that is free, durably, and returns its new name. It may be
    /// anything, a directory too. `noun` is what an error calls it: "the device key".
    ///
    /// To be called by who alone uses the directory.
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
