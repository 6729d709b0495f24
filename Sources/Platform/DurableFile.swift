import Glibc

/// A small file that is replaced atomically: after a power cut it has either the old content or the new one.
public enum DurableFile {
    /// The name of the new file until it replaces the old one. A crash may leave it behind.
    public static func draft(of name: String) -> String { "\(name).new" }

    /// Writes a new file with mode 0600 and renames it over the old one; file and directory are synchronized. `noun`
    /// names the file in errors: "the device key". After an error the new file is removed, so that it occupies nothing of
    /// a full disk.
    public static func replace(
        _ name: String, in directory: String, with contents: [UInt8], noun: String
    ) throws(SystemError) {
        let path = "\(directory)/\(name)"
        let draft = draft(of: path)
        do throws(SystemError) {
            try write(contents, to: draft, noun: noun)
            try putInPlace(name, in: directory, noun: noun)
        } catch {
            _ = unlink(draft)
            throw error
        }
    }

    /// Renames the new file, which is synchronized, over the old one, and makes that durable.
    public static func putInPlace(_ name: String, in directory: String, noun: String) throws(SystemError) {
        let path = "\(directory)/\(name)"
        try retrying("put \(noun) in its place", subject: path) { rename(draft(of: path), path) }
        try synchronize(directory: directory)
    }

    /// Makes changes of the names in a directory durable, fsync(2).
    public static func synchronize(directory: String) throws(SystemError) {
        let handle = try OwnedDescriptor("open", subject: directory) {
            open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        try retrying("synchronize", subject: directory) { fsync(handle.number) }
    }

    private static func write(_ contents: [UInt8], to draft: String, noun: String) throws(SystemError) {
        let file = try OwnedDescriptor("make \(noun)", subject: draft) {
            open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        try retrying("close \(noun) to others", subject: draft) { fchmod(file.number, 0o600) }
        var written = 0
        while written < contents.count {
            written += try retrying("write \(noun)", subject: draft) {
                contents[written...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            }
        }
        try retrying("synchronize \(noun)", subject: draft) { fsync(file.number) }
    }
}
