import Glibc

/// Cuts a stream of bytes into messages, each ended by a NUL.
///
/// It holds what is received and not yet taken; how much that may be is for its owner to bound by not reading on.
public struct MessageFramer: Sendable {
    /// A message that has not ended within the limit. The stream cannot be followed any further.
    public struct TooLong: Error, Equatable {
        /// The most bytes a message may have.
        public let limit: Int

        /// An error with this limit.
        public init(limit: Int) {
            self.limit = limit
        }
    }

    /// The most bytes a message may have, without its NUL.
    public let limit: Int
    /// Capacity that is kept when everything has been taken: what a large message needed beyond it is given back.
    private static let retainedCapacity = 1 << 10

    private var buffer: [UInt8] = []
    /// Where the first message that is not yet taken begins.
    private var start = 0
    /// From where on no NUL has been looked for.
    private var searched = 0
    /// When the oldest bytes came that belong to no complete message, where there are such.
    private var partialSince: UInt64?
    /// Complete messages that wait.
    private var complete = 0

    /// A framer without any bytes.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Bytes that are received and not yet taken.
    public var bufferedBytes: Int { buffer.count - start }

    /// Bytes of memory held, for tests of what is given back.
    public var capacity: Int { buffer.capacity }

    /// What is received and not yet taken.
    var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Since when a message waits for its end, in the time given to `append`; nil where none has begun.
    public var unfinishedSince: UInt64? { partialSince }

    /// Whether a complete message waits.
    public var hasMessage: Bool { complete > 0 }

    /// Starts the wait of an unfinished message anew: time in which its owner did not read is not the peer's.
    public mutating func restartWait(at now: UInt64) {
        if partialSince != nil { partialSince = now }
    }

    /// Takes in what was received, at a monotonic time in nanoseconds.
    public mutating func append(_ bytes: some Collection<UInt8>, at now: UInt64) throws(TooLong) {
        guard !bytes.isEmpty else { return }
        buffer.append(contentsOf: bytes)
        // The beginning of the message whose end is looked for.
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

    /// The next complete message without its NUL, or nil where there is none yet.
    public mutating func next() -> [UInt8]? {
        guard complete > 0, let end = firstNUL(from: start) else { return nil }
        let message = Array(buffer[start..<end])
        complete -= 1
        start = end + 1
        if start == buffer.count {
            removeAll()
        } else if start >= buffer.count / 2 {
            compact()
        }
        return message
    }

    /// Forgets everything it holds.
    public mutating func removeAll() {
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.retainedCapacity)
        start = 0
        searched = 0
        lastBoundary = 0
        complete = 0
        partialSince = nil
    }

    /// The end of the last complete message: where the unfinished one begins.
    private var lastBoundary = 0

    /// Where the next NUL is, memchr(3): a message may be long, and each of its bytes is looked at.
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
            buffer.removeSubrange(..<start)
        }
        searched -= start
        lastBoundary -= start
        start = 0
    }
}
