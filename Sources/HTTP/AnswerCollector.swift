import Upload

/// Collects a response from libcurl's callbacks, bounded whatever the other side sends.
///
/// | part | limit | beyond the limit |
/// | --- | --- | --- |
/// | head | 64 lines, 16 KiB | dropped |
/// | body, decompressed | `HTTPSettings.longestAnswer` | not received: the connection is closed |
struct AnswerCollector {
    static let mostHeaders = 64
    static let mostHeadBytes = 16_384

    private let longestBody: Int
    private(set) var head = HTTPHead()
    private(set) var body: [UInt8] = []
    private var headBytes = 0
    private var isHeadOver = false
    /// Whether the body is longer than the limit.
    private(set) var isFull = false

    /// A collector of bodies up to this length, in bytes.
    init(longestBody: Int = HTTPAnswer.longestBody) { self.longestBody = longestBody }

    /// Handles a header line with its line end: of the final response, of an interim response, or of the trailers after
    /// the body.
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
        // Trailers must not override the head.
        guard !isHeadOver, head.count < Self.mostHeaders, headBytes <= Self.mostHeadBytes,
            let colon = content.firstIndex(of: UInt8(ascii: ":")), !content.contains(UInt8(ascii: "\n"))
        else { return }
        head.append(
            name: UnsafeRawBufferPointer(rebasing: content[..<colon]),
            value: Self.trimmed(UnsafeRawBufferPointer(rebasing: content[(colon + 1)...])))
    }

    /// Whether the body is a stream of server-sent events.
    var isEventStream: Bool {
        HTTPAnswer(status: 200, head: head, body: []).headers.contains {
            $0.name.lowercased() == "content-type" && $0.value.lowercased().hasPrefix("text/event-stream")
        }
    }

    /// Appends a piece of the body; whether there is room for more.
    mutating func appendBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        let room = longestBody - body.count
        body.append(contentsOf: piece.prefix(room))
        isFull = piece.count > room
        return !isFull
    }

    /// The response with this status; the collector is reset.
    mutating func finish(status: Int) -> HTTPAnswer {
        defer { reset() }
        return HTTPAnswer(status: status, head: head, body: body)
    }

    /// Resets the collector and erases everything collected from memory.
    mutating func reset() { self = AnswerCollector(longestBody: longestBody) }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var (start, end) = (0, bytes.count)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
