import Glibc
import Platform

/// A file system of which nobody serves the requests, fuse(4): every access to it waits, until it is unmounted with the
/// last reference or the waiting process is killed.
public final class HungFileSystem: Sendable {
    private let path: String
    private let device: OwnedDescriptor

    /// Mounts it over a folder, which needs root. What is in the folder is still there for those that have it open.
    public init(over path: String) throws {
        self.path = path
        let device = try OwnedDescriptor("open", subject: "/dev/fuse") { open("/dev/fuse", O_RDWR | O_CLOEXEC) }
        let options = "fd=\(device.number),rootmode=40000,user_id=0,group_id=0"
        try retrying("mount", subject: path) { mount("hung", path, "fuse", UInt(MS_NOSUID | MS_NODEV), options) }
        self.device = device
    }

    /// Whether this process may mount one, and the system has them.
    public static var isPossible: Bool {
        do {
            let directory = try TemporaryDirectory()
            _ = try HungFileSystem(over: directory.path)
            return true
        } catch {
            return false
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
