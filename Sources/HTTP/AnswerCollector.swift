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

    private(set) var headers: [HTTPAnswer.Header] = []
    private(set) var body: [UInt8] = []
    private var headBytes = 0
    private var isHeadOver = false
    /// Whether the body is longer than what is looked at.
    private(set) var isFull = false

    /// Takes a line of the head, with its end: the answer's own, one of an answer that only announces it, or one that
    /// follows the body.
    mutating func takeLine(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            headers.removeAll(keepingCapacity: true)
            headBytes = 0
            isHeadOver = false
            return
        }
        let content = Self.trimmed(line[...])
        guard !content.isEmpty else {
            isHeadOver = true
            return
        }
        headBytes += line.count
        // What follows the body could say otherwise than the head.
        guard !isHeadOver, headers.count < Self.mostHeaders, headBytes <= Self.mostHeadBytes,
            let colon = content.firstIndex(of: UInt8(ascii: ":"))
        else { return }
        headers.append(
            HTTPAnswer.Header(
                String(decoding: content[..<colon], as: UTF8.self),
                String(decoding: Self.trimmed(content[(colon + 1)...]), as: UTF8.self)))
    }

    /// Takes a piece of the body; whether there is room for more.
    mutating func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        let room = HTTPAnswer.longestBody - body.count
        body.append(contentsOf: piece.prefix(room))
        isFull = piece.count > room
        return !isFull
    }

    /// The answer, with this status; the collector is as new afterwards.
    mutating func finish(status: Int) -> HTTPAnswer {
        defer { reset() }
        return HTTPAnswer(status: status, headers: headers, body: body)
    }

    /// Begins anew.
    mutating func reset() { self = AnswerCollector() }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}
