import Glibc

/// The identity of the current boot of the machine.
public enum BootIdentity {
    /// The result of `current` when the identity cannot be read.
    public static let unknown = "unknown"

    /// The kernel's random identifier of this boot, random(4); `unknown` if /proc cannot be read.
    public static func current() -> String {
        var bytes = [UInt8](repeating: 0, count: 36)
        let path = "/proc/sys/kernel/random/boot_id"
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
            let count = try retrying("read", subject: path) { read(file.number, &bytes, bytes.count) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        } catch {
            // The journal works without this identity, because its times and order do not depend on it. Code that has
            // to recognize the same boot must treat `unknown` as a different one.
            return unknown
        }
    }
}
