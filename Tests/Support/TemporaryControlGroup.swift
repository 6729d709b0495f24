import Glibc
import Platform

/// A control group for one test in the hierarchy that systemd uses. Needs root, and is not possible on every machine.
public final class TemporaryControlGroup {
    /// Its folder.
    public let folder: String
    /// Its path from the top of the hierarchy.
    public let path: String
    private let made: [String]

    /// Where the hierarchy of version 2 is; nil where this process may make nothing in it.
    public static let hierarchy: String? = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        geteuid() == 0 && access($0, W_OK) == 0 && access("\($0)/cgroup.controllers", R_OK) == 0
            && access("\($0)/cgroup.procs", W_OK) == 0
    }

    /// Makes the group of this path, `/NAME.slice/UNIT.service`, with the groups above it that are missing.
    public init(_ path: String) throws(SystemError) {
        guard let hierarchy = Self.hierarchy else { throw SystemError("make a control group", code: ENOTSUP) }
        var made: [String] = []
        var code: Int32 = 0
        for _ in 0..<100 {
            code = Self.make(path, in: hierarchy, &made)
            if code == 0 {
                (folder, self.path, self.made) = (hierarchy + path, path, made)
                return
            }
            for folder in made.reversed() { _ = rmdir(folder) }
            // Another test has just removed a parent group that it had created.
            guard code == ENOENT || code == ENODEV else { break }
        }
        throw SystemError("make a control group", code: code, subject: path)
    }

    /// Makes a group and those above it, and says which are new; errno where that fails, or 0.
    private static func make(_ path: String, in hierarchy: String, _ made: inout [String]) -> Int32 {
        var folder = hierarchy
        made = []
        for component in path.split(separator: "/") {
            folder += "/\(component)"
            if mkdir(folder, 0o755) == 0 { made.append(folder) } else if errno != EEXIST { return errno }
        }
        return 0
    }

    /// Writes to one of its files.
    public func write(_ text: String, to file: String) throws(SystemError) {
        let path = "\(folder)/\(file)"
        let descriptor = try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CLOEXEC) }
        try retrying("write", subject: path) { Glibc.write(descriptor.number, text, text.utf8.count) }
    }

    deinit {
        // A process that was killed and waited for may be counted a little longer.
        for folder in made.reversed() { _ = eventually(within: 2) { rmdir(folder) == 0 || errno != EBUSY } }
    }
}
