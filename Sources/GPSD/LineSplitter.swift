import Glibc

/// Cuts a stream of bytes into lines, wherever the reads happened to fall.
///
/// A line that lies within one read is handed on as a slice of it; only the half line at a read's end is copied.
public struct LineSplitter: Sendable {
    /// The longest line that is handed on, in bytes without its end.
    public let limit: Int
    /// Lines over the limit: each was dropped to its end.
    public private(set) var droppedLines = 0

    /// What has been received of a line whose end has not come yet.
    public enum Remainder: Equatable, Sendable {
        /// The beginning of the line; empty between two lines.
        case beginning([UInt8])
        /// The line is to be dropped up to its end: it is over the limit, or its beginning is not known.
        case dropped
    }

    private var carry: [UInt8] = []
    private var isDropping = false

    /// A splitter that drops lines of more than so many bytes. gpsd's own longest lines stay below 10 KiB.
    public init(limit: Int = 64 * 1024) {
        self.limit = limit
    }

    /// Forgets the half line of a connection that ended, or goes on with that of a connection that was handed over.
    public mutating func reset(to remainder: Remainder = .beginning([])) {
        carry.removeAll(keepingCapacity: true)
        switch remainder {
        case .beginning(let bytes) where bytes.count <= limit:
            carry += bytes
            isDropping = false
        case .beginning, .dropped: isDropping = true
        }
    }

    /// What has been received of the line whose end has not come yet, to be handed over with the connection.
    public var remainder: Remainder { isDropping ? .dropped : .beginning(carry) }

    /// Hands on each line that these bytes complete, without its line feed or carriage return; empty ones are skipped.
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
                line.removeAll(keepingCapacity: true)
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

    /// Whether the half line is still within the limit; if not, it is gone and the rest of it will be dropped.
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
            // memchr stays within the count of the buffer.
            guard let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start) else { return nil }
            return UnsafeRawPointer(base).distance(to: found)
        }
    }
}
