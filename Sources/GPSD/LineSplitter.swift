import Glibc
import Platform

/// Splits a stream of bytes into lines, independent of the boundaries of reads.
///
/// A line within one read is passed on as a slice; only an incomplete line at the end of a read is copied.
public struct LineSplitter: Sendable {
    /// The longest line that is passed on, in bytes without its end.
    public let limit: Int
    /// The number of lines over the limit, which were dropped as a whole.
    public private(set) var droppedLines = 0

    /// The state of an incomplete line.
    public enum Remainder: Equatable, Sendable {
        /// The beginning of the line; empty between two lines.
        case beginning([UInt8])
        /// The line is dropped up to its end, because it is over the limit or its beginning is unknown.
        case dropped
    }

    private var carry: [UInt8] = []
    private var isDropping = false

    /// A splitter that drops lines of more than this many bytes. gpsd's own longest lines are below 10 KiB.
    public init(limit: Int = 64 * 1024) {
        self.limit = limit
    }

    /// Discards the incomplete line of a connection that ended, or continues with that of a connection that was handed
    /// over.
    public mutating func reset(to remainder: Remainder = .beginning([])) {
        carry.eraseAll()
        switch remainder {
        case .beginning(let bytes) where bytes.count <= limit:
            carry += bytes
            isDropping = false
        case .beginning, .dropped: isDropping = true
        }
    }

    /// The incomplete line, to be handed over with the connection.
    public var remainder: Remainder { isDropping ? .dropped : .beginning(carry) }

    /// Calls the body for each line that these bytes complete, without line feed and carriage return. Empty lines are
    /// skipped.
    public mutating func feed(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var start = 0
        while let end = Self.lineFeed(in: bytes, from: start) {
            let piece = bytes.extracting(start..<end)
            start = end + 1
            if isDropping {
                isDropping = false
            } else if carry.isEmpty {
                emit(piece, body)
            } else if append(piece) {
                var line: [UInt8] = []
                swap(&line, &carry)
                emit(line.span, body)
                line.eraseAll()
                swap(&line, &carry)
            } else {
                isDropping = false
            }
        }
        if !isDropping { append(bytes.extracting(start..<bytes.count)) }
    }

    private mutating func emit(_ line: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        guard line.count <= limit else {
            droppedLines += 1
            return
        }
        var count = line.count
        while count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        if count > 0 { body(line.extracting(0..<count)) }
    }

    /// Whether the incomplete line is within the limit. If not, it is discarded and the rest of it will be dropped.
    @discardableResult
    private mutating func append(_ piece: Span<UInt8>) -> Bool {
        guard carry.count + piece.count <= limit else {
            droppedLines += 1
            carry = []
            isDropping = true
            return false
        }
        piece.withUnsafeBufferPointer { carry.append(contentsOf: $0) }
        return true
    }

    private static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard start < buffer.count, let base = buffer.baseAddress else { return nil }
            // memchr is limited to the count of the buffer.
            guard let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start) else { return nil }
            return UnsafeRawPointer(base).distance(to: found)
        }
    }
}
