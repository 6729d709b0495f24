import Glibc
import Platform

/// Lines from a descriptor that another part waits for.
struct TypedLines {
    /// The result of a read.
    enum Reading {
        case lines([[UInt8]])
        /// A line longer than the limit, which was discarded.
        case tooLong
        case end
    }

    private let descriptor: Int32
    private let limit: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    /// Lines of a descriptor, with this limit in bytes for each.
    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Reads once, without waiting where the descriptor is readable. Text without a line end before the end of the
    /// input is ignored.
    mutating func read() throws(SystemError) -> Reading {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count: Int
        do throws(SystemError) {
            count = try retrying("read") { Glibc.read(descriptor, &buffer, buffer.count) }
        } catch  where error.code == EAGAIN {
            return .lines([])
        } catch  where error.code == EIO {
            // The terminal was hung up.
            return .end
        }
        guard count > 0 else { return .end }
        rest += buffer[..<count]
        var lines: [[UInt8]] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if !isSkipping { lines.append(Array(rest[..<end])) }
            isSkipping = false
            rest.removeSubrange(...end)
        }
        guard rest.count > limit else { return .lines(lines) }
        rest = []
        let wasSkipping = isSkipping
        isSkipping = true
        return wasSkipping || !lines.isEmpty ? .lines(lines) : .tooLong
    }

    /// Discards the beginning of an unfinished line.
    mutating func forget() {
        rest = []
        isSkipping = false
    }
}
