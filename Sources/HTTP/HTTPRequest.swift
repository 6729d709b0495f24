import Upload

/// A request. Its address and its body may hold positions or secrets: they stand in no log.
public struct HTTPRequest: Sendable {
    /// Its method.
    public var method: UploadRequest.Method
    /// Where to: http or https, without a user or a password.
    public var url: String
    /// The head, but for what the client adds itself: `Authorization`, `Content-Length`, `Accept-Encoding`, `Host`.
    public var headers: [HTTPAnswer.Header]
    /// The value of `Idempotency-Key`; empty for none.
    public var key: String
    /// The body; only a POST has one.
    public var body: [UInt8]

    /// A request of these parts.
    public init(
        _ method: UploadRequest.Method, url: String, headers: [HTTPAnswer.Header] = [], key: String = "",
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.key = key
        self.body = body
    }

    /// Whether an address is one line of the head and nothing else.
    static func isWellFormed(url: String) -> Bool { !url.utf8.contains { $0 <= 0x20 || $0 == 0x7F } }

    /// Whether headers are what they look like: no line of them holds another one.
    static func areWellFormed(_ headers: [HTTPAnswer.Header]) -> Bool {
        headers.allSatisfy { header in
            !header.name.isEmpty && header.name.utf8.allSatisfy(Self.isNameByte) && isValue(header.value)
        }
    }

    /// Whether a text can be the value of a header.
    static func isValue(_ text: String) -> Bool {
        func isAllowed(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }
        // Each request has a value of its own to be looked at: by bytes in a row, which most texts have.
        return text.utf8.withContiguousStorageIfAvailable { bytes in bytes.allSatisfy(isAllowed) }
            ?? text.utf8.allSatisfy(isAllowed)
    }

    /// A token's bytes, RFC 9110 section 5.6.2.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// What came of a request.
public enum HTTPOutcome: Equatable, Sendable {
    /// The destination, or something in its place, has answered.
    case answered(HTTPAnswer)
    /// Nobody has.
    case failed(UploadFailure)
}
