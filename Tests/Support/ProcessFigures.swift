import Glibc
import Platform

/// The kernel's counters of a running process, proc(5).
public struct ProcessFigures: Sendable {
    /// KiB in memory now, and the most there have been.
    public let residentKiB, peakKiB: Int
    /// KiB in memory now that are in no file: without the program's own pages, which come and go.
    public let anonymousKiB: Int
    /// Milliseconds of processor time since it began.
    public let processorMilliseconds: Int
    /// Descriptors that are open.
    public let openDescriptors: Int

    /// Reads the counters of a process.
    public init(_ processID: pid_t) throws(SystemError) {
        let status = try Self.read("/proc/\(processID)/status")
        residentKiB = Self.number(after: "VmRSS:", in: status)
        anonymousKiB = Self.number(after: "RssAnon:", in: status)
        peakKiB = Self.number(after: "VmHWM:", in: status)
        // The name, in parentheses, may hold blanks; user and system time are the 14th and 15th field.
        let fields = try Self.read("/proc/\(processID)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
        processorMilliseconds = ticks * 1_000 / sysconf(Int32(_SC_CLK_TCK))
        openDescriptors = DirectoryListing.names("/proc/\(processID)/fd").count
    }

    private static func number(after key: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func read(_ path: String) throws(SystemError) -> String {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = try retrying("read", subject: path) { Glibc.read(file.number, &buffer, buffer.count) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
