import Upload

/// Puts an answer together from what libcurl hands over: bounded, whatever the other side sends.
///
/// | of | kept | the rest |
/// | --- | --- | --- |
/// | the head | 64 lines, 16 KiB | dropped |
/// | the body, unpacked | `HTTPAnswer.longestBody` | never received: the connection is given up |
struct AnswerCollector {
    static let mostHeaders = 64
    static let mostHeadBytes = 16_384

    private(set) var head = HTTPHead()
    private(set) var body: [UInt8] = []
    private var headBytes = 0
    private var isHeadOver = false
    /// Whether the body is longer than what is looked at.
    private(set) var isFull = false

    /// Takes a line of the head, with its end: the answer's own, one of an answer that only announces it, or one that
    /// follows the body.
    mutating func appendLine(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            head.removeAll()
            headBytes = 0
            isHeadOver = false
            return
        }
        let content = Self.trimmed(line)
        guard !content.isEmpty else {
            isHeadOver = true
            return
        }
        headBytes += line.count
        // What follows the body could say otherwise than the head.
        guard !isHeadOver, head.count < Self.mostHeaders, headBytes <= Self.mostHeadBytes,
            let colon = content.firstIndex(of: UInt8(ascii: ":")), !content.contains(UInt8(ascii: "\n"))
        else { return }
        head.append(
            name: UnsafeRawBufferPointer(rebasing: content[..<colon]),
            value: Self.trimmed(UnsafeRawBufferPointer(rebasing: content[(colon + 1)...])))
    }

    /// Takes a piece of the body; whether there is room for more.
    mutating func appendBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        let room = HTTPAnswer.longestBody - body.count
        body.append(contentsOf: piece.prefix(room))
        isFull = piece.count > room
        return !isFull
    }

    /// The answer, with this status; the collector is as new afterwards.
    mutating func finish(status: Int) -> HTTPAnswer {
        defer { reset() }
        return HTTPAnswer(status: status, head: head, body: body)
    }

    /// Begins anew, and leaves nothing of what was collected in memory.
    mutating func reset() { self = AnswerCollector() }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var (start, end) = (0, bytes.count)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
