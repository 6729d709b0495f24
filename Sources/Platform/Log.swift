import CLinux
import CSystemd
import Glibc
import Synchronization

/// The daemon's log: structured fields in the systemd journal if standard error is connected to it, otherwise plain
/// lines on standard error. No line of any level has coordinates in it.
public enum Log {
    /// The importance of a line: the priorities of syslog(3).
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        /// Its name in configuration files and on the command line.
        public var name: String { "\(self)" }

        /// The level of this name.
        public init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// Whether the left one is less important.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// An additional field of a line in the systemd journal, systemd.journal-fields(7). Omitted on standard error.
    public struct Field: Equatable, Sendable {
        /// Its name: capital letters, digits and `_`.
        public let name: String
        /// Its value.
        public let value: String

        /// A field of this name.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private static let threshold = Atomic<Int>(Level.info.rawValue)
    private static let toJournal: Bool = standardErrorIsJournal()

    private static let name = Mutex("waymarkd")

    /// The name of the program in log lines.
    public static var program: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// The least important level that is written.
    public static var level: Level {
        get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// A failure that an administrator has to correct.
    public static func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.error, message, fields)
    }

    /// An irregularity after which the program continues.
    public static func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.warning, message, fields)
    }

    /// A normal event that is significant for an administrator.
    public static func notice(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.notice, message, fields)
    }

    /// A single step of normal operation.
    public static func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.info, message, fields)
    }

    /// Information for developers.
    public static func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.debug, message, fields)
    }

    private static func write(_ level: Level, _ message: () -> String, _ fields: () -> [Field]) {
        guard level.rawValue <= threshold.load(ordering: .relaxed) else { return }
        if toJournal {
            writeToJournal(level, message(), fields())
        } else {
            writeToStandardError(level, message())
        }
    }

    private static func writeToJournal(_ level: Level, _ message: String, _ fields: [Field]) {
        var text = ["MESSAGE=\(message)", "PRIORITY=\(level.rawValue)", "SYSLOG_IDENTIFIER=\(program)"]
        for field in fields { text.append("\(field.name)=\(field.value)") }
        // One buffer with all fields, and pointers into it; sd_journal_sendv(3) copies them.
        var bytes: [UInt8] = []
        var lengths: [Int] = []
        for field in text {
            bytes.append(contentsOf: field.utf8)
            lengths.append(field.utf8.count)
        }
        bytes.withUnsafeMutableBytes { buffer in
            guard var start = buffer.baseAddress else { return }
            let vectors = lengths.map { length in
                defer { start += length }
                return iovec(iov_base: start, iov_len: length)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }

    private static func writeToStandardError(_ level: Level, _ message: String) {
        let line = "\(program): \(level.name): \(message)"
        // Control characters are replaced, so that text from elsewhere cannot imitate further log lines.
        var bytes = line.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        bytes.append(UInt8(ascii: "\n"))
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether `$JOURNAL_STREAM` identifies the file of standard error, systemd.exec(5).
    private static func standardErrorIsJournal() -> Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }
}
