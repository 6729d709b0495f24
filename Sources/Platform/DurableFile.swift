import Glibc

/// A small file that is replaced as a whole: after a power cut there is the old content or the new one, never half.
public enum DurableFile {
    /// Writes beside the file and renames over it, file and directory synchronized; its mode is 0600. `noun` is what an
    /// error calls it: "the device key".
    public static func replace(
        _ name: String, in directory: String, with contents: [UInt8], noun: String
    ) throws(SystemError) {
        let path = "\(directory)/\(name)"
        let draft = "\(path).new"
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
        try retrying("put \(noun) in its place", subject: path) { rename(draft, path) }
        try synchronize(directory: directory)
    }

    /// Makes the names in a directory durable, fsync(2).
    public static func synchronize(directory: String) throws(SystemError) {
        let handle = try OwnedDescriptor("open", subject: directory) {
            open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        try retrying("synchronize", subject: directory) { fsync(handle.number) }
    }
}
