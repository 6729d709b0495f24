import Glibc

/// Which program a process runs, as far as it may be known.
public enum ProgramEvidence: Equatable, Sendable {
    /// The file of this path on this system.
    case file(String)
    /// Not known, and why: the rest of a sentence that begins with "its program".
    case unknown(String)

    /// The program of the process of this number, from /proc/PID/exe, proc(5).
    ///
    /// The path there is the process's own view: in a mount namespace of its own anybody can lay any file over any path.
    /// So the file that it runs has to be the very one that this system has at that path.
    ///
    /// prctl(2) with PR_SET_MM_MAP or PR_SET_MM_EXE_FILE changes what the link says, and is permitted to everybody in a user
    /// namespace of their own, and from there to any process that shares its memory with one in such a namespace. So the
    /// program of a process in another user namespace than the caller's is not known, and neither is that of a process
    /// that executes nothing of the file. A process that also maps the other program's file, which takes the
    /// permission to read it, is not recognized.
    public static func of(processID: pid_t) -> ProgramEvidence {
        let link = "/proc/\(processID)/exe"
        if let objection = namespaceObjection(processID) { return .unknown(objection) }
        guard let path = LinkTarget.read(link) else {
            return .unknown("may not be read: \(SystemError.text(errno))")
        }
        var (running, present) = (stat(), stat())
        guard stat(link, &running) == 0 else { return .unknown("may not be read: \(SystemError.text(errno))") }
        let deleted = " (deleted)"
        guard stat(path, &present) == 0 else {
            return .unknown(
                path.hasSuffix(deleted)
                    ? "was replaced or removed since it was started: start it again"
                    : "is not on this system at its path")
        }
        guard running.st_dev == present.st_dev, running.st_ino == present.st_ino else {
            return .unknown("is another file than the one that this system has at its path")
        }
        guard executes(path, processID) else {
            return .unknown("was changed while it ran: it executes nothing of \(path)")
        }
        return .file(path)
    }

    /// Why the user namespace of a process makes its word worthless; nil where it is in this process's own.
    private static func namespaceObjection(_ processID: pid_t) -> String? {
        var (own, other) = (stat(), stat())
        // A kernel without user namespaces has no such files.
        guard stat("/proc/self/ns/user", &own) == 0 else { return nil }
        guard stat("/proc/\(processID)/ns/user", &other) == 0 else {
            return "may not be read: \(SystemError.text(errno))"
        }
        guard own.st_dev == other.st_dev, own.st_ino == other.st_ino else {
            return "runs in a user namespace of its own, in which a process can pretend to be any program"
        }
        return nil
    }

    /// Whether a process has the file of this path mapped as code, /proc/PID/maps of proc(5). The path and not the number of
    /// the device is compared: some file systems (btrfs, overlayfs) show another number there than stat(2) does.
    private static func executes(_ path: String, _ processID: pid_t) -> Bool {
        let wanted = escaped(path)
        do throws(SystemError) {
            let maps = try OwnedDescriptor("open") { open("/proc/\(processID)/maps", O_RDONLY | O_CLOEXEC) }
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            // The program comes first, or nearly so: its first lines are enough for all but the most unusual.
            for _ in 0..<maximumMapsReads {
                let count = try retrying("read") { read(maps.number, &buffer, buffer.count) }
                if count == 0 { return false }
                rest += buffer[..<count]
                var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = lines.popLast().map(Array.init) ?? []
                if lines.contains(where: { isCode(of: wanted, $0) }) { return true }
            }
        } catch {
            return false
        }
        return false
    }

    /// 65,530 mappings are the most that a process may have by default, vm.max_map_count.
    private static let maximumMapsReads = 1_024

    /// A line is `ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH`, with spaces before the path.
    static func isCode(of path: [UInt8], _ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > path.count, line.suffix(path.count).elementsEqual(path) else { return false }
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count == 6, fields[1].dropFirst(2).first == UInt8(ascii: "x") else { return false }
        return fields[5].drop { $0 == UInt8(ascii: " ") }.elementsEqual(path)
    }

    /// In that file a line feed in a path is written as octal digits.
    private static func escaped(_ path: String) -> [UInt8] {
        path.utf8.flatMap { $0 == UInt8(ascii: "\n") ? Array("\\012".utf8) : [$0] }
    }
}
