import Glibc
import Platform

/// Splits a stream of bytes into messages, each terminated by a NUL.
///
/// It buffers received data until it is consumed. Its owner limits the amount by not reading.
public struct MessageFramer: Sendable {
    /// A message longer than the limit. The rest of the stream cannot be interpreted.
    public struct TooLong: Error, Equatable {
        /// The maximum length of a message in bytes.
        public let limit: Int

        /// An error with this limit.
        public init(limit: Int) {
            self.limit = limit
        }
    }

    /// The maximum length of a message in bytes, without its NUL.
    public let limit: Int
    /// The buffer capacity that is retained when all data was consumed; the excess that a large message needed is
    /// released.
    private static let retainedCapacity = 1 << 10

    private var buffer: [UInt8] = []
    /// The beginning of the first message that was not consumed.
    private var start = 0
    /// The position up to which NULs have been searched.
    private var searched = 0
    /// When the oldest byte of the incomplete message was received; nil if there is none.
    private var partialSince: UInt64?
    /// The number of complete messages.
    private var complete = 0

    /// A framer without data.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The number of bytes that were received and not consumed.
    public var bufferedBytes: Int { buffer.count - start }

    /// The capacity of the buffer in bytes, for tests of its release.
    public var capacity: Int { buffer.capacity }

    /// The bytes that were received and not consumed.
    var rest: ArraySlice<UInt8> { buffer[start...] }

    /// When the incomplete message began, as the time given to `append`; nil if there is none.
    public var unfinishedSince: UInt64? { partialSince }

    /// Whether there is a complete message.
    public var hasMessage: Bool { complete > 0 }

    /// Restarts the time of an incomplete message, because time in which its owner did not read does not count against
    /// the peer.
    public mutating func restartWait(at now: UInt64) {
        if partialSince != nil { partialSince = now }
    }

    /// Appends received bytes, with the monotonic time in nanoseconds.
    public mutating func append(_ bytes: some Collection<UInt8>, at now: UInt64) throws(TooLong) {
        guard !bytes.isEmpty else { return }
        buffer.append(contentsOf: bytes)
        // The beginning of the message whose end is searched.
        var begin = lastBoundary
        var endedOne = false
        while let end = firstNUL(from: searched) {
            guard end - begin <= limit else { throw TooLong(limit: limit) }
            complete += 1
            endedOne = true
            begin = end + 1
            searched = begin
        }
        searched = buffer.count
        lastBoundary = begin
        guard buffer.count - begin <= limit else { throw TooLong(limit: limit) }
        if begin == buffer.count {
            partialSince = nil
        } else if partialSince == nil || endedOne {
            partialSince = now
        }
    }

    /// The next complete message without its NUL, or nil if there is none yet.
    public mutating func next() -> [UInt8]? {
        guard complete > 0, let end = firstNUL(from: start) else { return nil }
        let message = Array(buffer[start..<end])
        buffer.erase(start..<end)
        complete -= 1
        start = end + 1
        if start == buffer.count {
            removeAll()
        } else if start >= buffer.count / 2 {
            compact()
        }
        return message
    }

    /// Discards all data.
    public mutating func removeAll() {
        if buffer.capacity <= Self.retainedCapacity { buffer.eraseAll() } else { buffer = [] }
        start = 0
        searched = 0
        lastBoundary = 0
        complete = 0
        partialSince = nil
    }

    /// The end of the last complete message, where the incomplete one begins.
    private var lastBoundary = 0

    /// The position of the next NUL. With memchr(3), because messages may be long.
    private func firstNUL(from index: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard index < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + index, 0, bytes.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func compact() {
        if buffer.capacity > Self.retainedCapacity, buffer.count - start <= Self.retainedCapacity {
            buffer = Array(buffer[start...])
        } else {
            // The rest moves to the front, and leaves a copy behind it.
            let rest = buffer.count - start
            buffer.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start...])) }
            buffer.erase(rest..<buffer.count)
            buffer.removeLast(start)
        }
        searched -= start
        lastBoundary -= start
        start = 0
    }
}
