import Glibc
import Platform

/// Lines that come in through a descriptor which is waited for elsewhere.
struct TypedLines {
    /// What a read brought.
    enum Reading {
        case lines([[UInt8]])
        /// A line of more bytes than are taken: it was thrown away.
        case tooLong
        case end
    }

    private let descriptor: Int32
    private let limit: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    /// Lines of a descriptor, each of at most so many bytes.
    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Reads once, which does not wait where the descriptor is readable. An end without a line's end is no line.
    mutating func read() throws(SystemError) -> Reading {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count: Int
        do throws(SystemError) {
            count = try retrying("read") { Glibc.read(descriptor, &buffer, buffer.count) }
        } catch  where error.code == EAGAIN {
            return .lines([])
        } catch  where error.code == EIO {
            // A terminal that was hung up.
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

    /// Forgets what has come of a line.
    mutating func forget() {
        rest = []
        isSkipping = false
    }
}
