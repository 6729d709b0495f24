import Glibc
import Platform

/// The resources that a process has used so far, proc(5).
struct ProcessCost {
    /// Seconds of processor time, in user and kernel mode.
    var processorSeconds: Double
    /// Voluntary context switches of all its threads, which count its wake-ups.
    var voluntarySwitches: Int
    /// Bytes resident.
    var resident: Int

    init(of process: pid_t) throws(SystemError) {
        let stat = try Self.read("/proc/\(process)/stat")
        // After the name in parentheses: state is field 3, utime and stime are fields 14 and 15.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
        processorSeconds = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        resident = Self.value("VmRSS:", in: try Self.read("/proc/\(process)/status")) * 1_024
        voluntarySwitches = 0
        for thread in try Self.threads(of: process) {
            do throws(SystemError) {
                let status = try Self.read("/proc/\(process)/task/\(thread)/status")
                voluntarySwitches += Self.value("voluntary_ctxt_switches:", in: status)
            } catch  where error.code == ENOENT || error.code == ESRCH {
                // The thread has ended since the folder was read.
                continue
            }
        }
    }

    private static func value(_ name: String, in text: String) -> Int {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    private static func threads(of process: pid_t) throws(SystemError) -> [String] {
        guard let folder = opendir("/proc/\(process)/task") else { throw SystemError("open", subject: "task folder") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = Glibc.readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if Int(name) != nil { names.append(name) }
        }
        return names
    }

    private static func read(_ path: String) throws(SystemError) -> String {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = try retrying("read", subject: path) { Glibc.read(file.number, &bytes, bytes.count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
