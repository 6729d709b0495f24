import Glibc
import Platform

/// The times at which the kernel wakes a thread, as traced by the kernel (sched_waking, Documentation/trace/ftrace.rst
/// of Linux): the data for the thread are there then, however long it waits for a processor.
final class WakeTrace {
    private static let instances = "/sys/kernel/tracing/instances"
    private let folder: String

    /// Begins to trace; nil where the kernel does not do that, or not for this user.
    init?(of thread: pid_t) {
        guard thread > 0 else { return nil }
        let folder = "\(Self.instances)/waymark-\(getpid())-\(thread)"
        guard mkdir(folder, 0o700) == 0 else { return nil }
        self.folder = folder
        let settings = [
            ("trace_clock", "mono"), ("events/sched/sched_waking/filter", "pid == \(thread)"),
            ("events/sched/sched_waking/enable", "1"),
        ]
        for (name, text) in settings where !Self.write(text, to: "\(folder)/\(name)") { return nil }
    }

    deinit { rmdir(folder) }

    /// The traced times so far, in nanoseconds of CLOCK_MONOTONIC, to the microsecond and in order.
    func instants() throws(SystemError) -> [UInt64] {
        let bytes = try BoundedFile.bytes(of: "\(folder)/trace", limit: 64 << 20)
        var instants: [UInt64] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            // TASK-PID [CPU] FLAGS SECONDS.MICROSECONDS: EVENT: ...
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard let place = words.firstIndex(of: "sched_waking:"), place > 0 else { continue }
            let parts = words[place - 1].dropLast().split(separator: ".")
            guard parts.count == 2, parts[1].count == 6, let seconds = UInt64(parts[0]), let rest = UInt64(parts[1])
            else { continue }
            instants.append(seconds * 1_000_000_000 + rest * 1_000)
        }
        return instants.sorted()
    }

    /// The number of the calling thread, from /proc/thread-self; 0 where there is no /proc.
    static var callingThread: pid_t {
        LinkTarget.read("/proc/thread-self")?.split(separator: "/").last.flatMap { pid_t($0) } ?? 0
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
}
