import CLinux
import CSystemd
import Glibc
import Synchronization

/// The daemon's log: structured fields into the systemd journal where the daemon's standard error is connected to it,
/// plain lines on standard error elsewhere. Never a coordinate above `debug`.
public enum Log {
    /// How much a line matters, the priorities of syslog(3).
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        /// The word for it in configuration files and on the command line.
        public var name: String { "\(self)" }

        /// The level of this name.
        public init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// Whether one matters more than another.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a line has in the systemd journal beside its message, systemd.journal-fields(7): elsewhere it is left out.
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

    /// The program that writes, as lines name it.
    public static var program: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// The least important level that is still written.
    public static var level: Level {
        get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Something failed that somebody has to look after.
    public static func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.error, message, fields)
    }

    /// Something is not as it should be, and the daemon goes on.
    public static func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.warning, message, fields)
    }

    /// Something normal that an administrator wants to know.
    public static func notice(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.notice, message, fields)
    }

    /// What happens, step by step.
    public static func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
        write(.info, message, fields)
    }

    /// What a developer wants to know.
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
        // One buffer with every field, and the fields as windows into it: sd_journal_sendv(3) copies them out.
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
        // A line of another program's making must not look like one of ours.
        var bytes = line.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        bytes.append(UInt8(ascii: "\n"))
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether `$JOURNAL_STREAM` names the file that standard error is, systemd.exec(5).
    private static func standardErrorIsJournal() -> Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }
}
