import CLinux
import Glibc
import Platform

/// A recording of a receiver's data, split into sentences with the times at which they are due.
public struct RecordingFile: Sendable {
    /// A part that is sent at once: an NMEA sentence with its line end, or other bytes.
    public struct Part: Equatable, Sendable {
        /// Its position in `bytes`.
        public let range: Range<Int>
        /// Nanoseconds after the start of the recording.
        public let offsetNanoseconds: UInt64
    }

    /// The source of the parts' times.
    public enum Timing: Equatable, Sendable {
        /// The times in its sentences.
        case sentences
        /// The speed of a serial line, because the sentences contain no times.
        case baud(Int)
    }

    /// The largest recording in bytes, because it is stored in memory as a whole.
    public static let limitBytes = 64 << 20
    /// The default speed of a serial line, with eight data bits, one start and one stop bit.
    public static let defaultBaud = 9_600

    /// The content, without comments at the beginning.
    public let bytes: [UInt8]
    /// The parts in order, which together are all of the bytes.
    public let parts: [Part]
    /// The source of the parts' times.
    public let timing: Timing

    /// Reads a file. Lines that begin with `#` before the first other line are comments, as in gpsd's own recordings.
    public init(path: String, baud: Int = RecordingFile.defaultBaud) throws(ReplayError) {
        let bytes: [UInt8]
        do {
            bytes = try Self.read(path)
        } catch {
            throw .unreadable(error)
        }
        guard bytes.count <= Self.limitBytes else { throw .tooLarge(path: path, limitBytes: Self.limitBytes) }
        self.init(bytes: bytes, baud: baud)
        guard !parts.isEmpty else { throw .empty(path: path) }
    }

    /// A recording with this content, which may be empty.
    public init(bytes: [UInt8], baud: Int = RecordingFile.defaultBaud) {
        let start = Self.endOfComments(bytes)
        let bytes = Array(bytes[start...])
        let ranges = SentenceSplitter.split(bytes)
        var schedule = SentenceSchedule()
        let offsets = ranges.map { schedule.offset(of: bytes[$0]) }
        self.bytes = bytes
        if schedule.hasTimes {
            timing = .sentences
            parts = zip(ranges, offsets).map { Part(range: $0, offsetNanoseconds: $1) }
        } else {
            let baud = max(1, baud)
            timing = .baud(baud)
            // A byte takes ten bits on the line. A part is due when its last bit has been transmitted.
            parts = ranges.map {
                Part(range: $0, offsetNanoseconds: UInt64($0.upperBound) * 10_000_000_000 / UInt64(baud))
            }
        }
    }

    /// The duration at the original speed.
    public var durationNanoseconds: UInt64 { parts.last?.offsetNanoseconds ?? 0 }

    private static func endOfComments(_ bytes: [UInt8]) -> Int {
        var start = 0
        while start < bytes.count, bytes[start] == UInt8(ascii: "#") {
            guard let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return bytes.count }
            start = newline + 1
        }
        return start
    }

    /// The file's content, up to one byte more than the limit.
    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limitBytes {
            let count = try retrying("read", subject: path) { Glibc.read(file.number, &buffer, buffer.count) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
