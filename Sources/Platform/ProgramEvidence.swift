import Glibc

/// The program that a process runs, as far as it is known.
public enum ProgramEvidence: Equatable, Sendable {
    /// The file at this path of this system.
    case file(String)
    /// Unknown, for this reason: the rest of a sentence that begins with "its program".
    case unknown(String)

    /// The program of the process with this number, from /proc/PID/exe, proc(5).
    ///
    /// That path is the process's own view: in a mount namespace of its own, any user can mount any file over any path.
    /// So the file that the process runs has to be the same file that this system has at that path.
    ///
    /// prctl(2) with PR_SET_MM_MAP or PR_SET_MM_EXE_FILE changes the link. Any user may do that in a user namespace of
    /// its own, and thereby for any process that shares memory with one in such a namespace. So the program is unknown
    /// for a process in another user namespace than the caller's, and for a process that has no code of the file
    /// mapped. A process that also maps the other program's file, for which it needs the permission to read that file,
    /// is not detected.
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

    /// Why the user namespace of a process makes its link unreliable; nil if it is in this process's own namespace.
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

    /// Whether a process has the file at this path mapped as code, /proc/PID/maps of proc(5). Compares the path and not
    /// the device number, because some file systems (btrfs, overlayfs) report another number there than in stat(2).
    private static func executes(_ path: String, _ processID: pid_t) -> Bool {
        let wanted = escaped(path)
        do throws(SystemError) {
            let maps = try OwnedDescriptor("open") { open("/proc/\(processID)/maps", O_RDONLY | O_CLOEXEC) }
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            // The program's mappings are at or near the beginning, so the first lines nearly always suffice.
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

    /// By default a process may have 65,530 mappings at most, vm.max_map_count.
    private static let maximumMapsReads = 1_024

    /// A line is `ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH`, with spaces before the path.
    static func isCode(of path: [UInt8], _ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > path.count, line.suffix(path.count).elementsEqual(path) else { return false }
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count == 6, fields[1].dropFirst(2).first == UInt8(ascii: "x") else { return false }
        return fields[5].drop { $0 == UInt8(ascii: " ") }.elementsEqual(path)
    }

    /// In that file a line feed within a path is written as an octal escape.
    private static func escaped(_ path: String) -> [UInt8] {
        path.utf8.flatMap { $0 == UInt8(ascii: "\n") ? Array("\\012".utf8) : [$0] }
    }
}
