import Glibc

/// Which boot this is.
public enum BootIdentity {
    /// What `current` says where it cannot be known.
    public static let unknown = "unknown"

    /// The kernel's name for this boot, random(4); `unknown` where /proc cannot be read.
    public static func current() -> String {
        var bytes = [UInt8](repeating: 0, count: 36)
        let path = "/proc/sys/kernel/random/boot_id"
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
            let count = try retrying("read", subject: path) { read(file.number, &bytes, bytes.count) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        } catch {
            // A journal without boots' names is better than none: times and order do not depend on them. Whoever has to
            // know that it is the same boot knows nothing then.
            return unknown
        }
    }
}
