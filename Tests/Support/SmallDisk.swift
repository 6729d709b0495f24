import Glibc
import Platform

/// A file system of a given size in memory, unmounted with the last reference.
public final class SmallDisk: Sendable {
    /// Where it is mounted.
    public let path: String
    private let parent: TemporaryDirectory

    /// Mounts one, tmpfs(5), which needs root.
    public init(kibibytes: Int) throws {
        parent = try TemporaryDirectory()
        path = "\(parent.path)/disk"
        mkdir(path, 0o700)
        if mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k") != 0 {
            let error = SystemError("mount", subject: path)
            rmdir(path)
            throw error
        }
    }

    /// Uses every byte that is left, or all but so many kibibytes.
    public func fill(butFor kibibytes: Int = 0) throws {
        let file = try OwnedDescriptor("open") { open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while try freeKibibytes > kibibytes, write(file.number, block, block.count) > 0 {}
    }

    /// What is left.
    public var freeKibibytes: Int {
        get throws {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { throw SystemError("examine", subject: path) }
            return Int(status.f_bavail) * Int(status.f_frsize) / 1_024
        }
    }

    /// Releases it. The file is emptied first: a child that another test is just starting has it open too, and it would exist
    /// as long as that.
    public func free() {
        truncate("\(path)/filler", 0)
        unlink("\(path)/filler")
    }

    /// Makes it read-only, once nobody has a file open for writing: a child that another test is just starting
    /// has this process's descriptors until it executes its program.
    public func makeReadOnly() throws {
        let isDone = eventually {
            mount(nil, path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 || errno != EBUSY
        }
        var status = statvfs()
        guard isDone, statvfs(path, &status) == 0, status.f_flag & UInt(ST_RDONLY) != 0 else {
            throw SystemError("mount read-only", code: EBUSY, subject: path)
        }
    }

    /// Makes it writable again.
    public func makeWritable() throws {
        if mount(nil, path, nil, UInt(MS_REMOUNT), nil) != 0 { throw SystemError("mount writable", subject: path) }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// Whether this process may mount one.
    public static var isPossible: Bool {
        do {
            _ = try SmallDisk(kibibytes: 64)
            return true
        } catch {
            return false
        }
    }
}
