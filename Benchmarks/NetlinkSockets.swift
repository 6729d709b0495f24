import Glibc
import Platform
import TestSupport

/// The kernel's counters of a process's netlink sockets.
enum NetlinkSockets {
    /// Messages that a process's sockets had no room for: /proc/PID/net/netlink, of those that it has open.
    static func dropped(by process: pid_t) throws -> Int {
        let own = try inodes(of: process)
        let text = String(
            decoding: try BoundedFile.bytes(of: "/proc/\(process)/net/netlink", limit: 1 << 20), as: UTF8.self)
        return text.split(separator: "\n").reduce(0) { sum, line in
            // sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count == 10, own.contains(String(fields[9])) else { return sum }
            return sum + (Int(fields[8]) ?? 0)
        }
    }

    private static func inodes(of process: pid_t) throws(SystemError) -> Set<String> {
        guard let folder = opendir("/proc/\(process)/fd") else { throw SystemError("open", subject: "fd folder") }
        defer { closedir(folder) }
        var inodes: Set<String> = []
        while let entry = Glibc.readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/\(process)/fd/\(name)", &target, target.count)
            guard count > 0 else { continue }
            // socket:[12345]
            inodes.insert(
                String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self).filter(\.isNumber))
        }
        return inodes
    }
}
