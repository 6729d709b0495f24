import Upload

/// A method of HTTP.
public enum HTTPMethod: String, Sendable {
    /// Asks for a resource.
    case get = "GET"
    /// Sends a body to a resource.
    case post = "POST"
    /// Replaces a resource by a body.
    case put = "PUT"
    /// Changes a resource by a body.
    case patch = "PATCH"
    /// Removes a resource.
    case delete = "DELETE"

    /// Whether a request with this method has a body.
    var hasBody: Bool { self == .post || self == .put || self == .patch }
}

/// A request. Its URL and its body may contain positions or secrets and are never logged.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL: http or https, without a user or a password.
    public var url: String
    /// The header fields, without those that the client adds: `Authorization`, `Content-Length`, `Accept-Encoding`,
    /// `Host`.
    public var headers: [HTTPAnswer.Header]
    /// The value of `Idempotency-Key`; empty for none.
    public var key: String
    /// The body; only POST, PUT and PATCH have one.
    public var body: [UInt8]

    /// A request of these parts.
    public init(
        _ method: HTTPMethod, url: String, headers: [HTTPAnswer.Header] = [], key: String = "",
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.key = key
        self.body = body
    }

    /// Whether a URL is free of characters that could add another line to the head.
    static func isWellFormed(url: String) -> Bool { !url.utf8.contains { $0 <= 0x20 || $0 == 0x7F } }

    /// Whether each header is exactly one line.
    static func areWellFormed(_ headers: [HTTPAnswer.Header]) -> Bool {
        headers.allSatisfy { header in
            !header.name.isEmpty && header.name.utf8.allSatisfy(Self.isNameByte) && isValue(header.value)
        }
    }

    /// Whether a text can be the value of a header.
    static func isValue(_ text: String) -> Bool {
        func isAllowed(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }
        // This check runs for each request, so it uses contiguous bytes, which most strings have.
        return text.utf8.withContiguousStorageIfAvailable { bytes in bytes.allSatisfy(isAllowed) }
            ?? text.utf8.allSatisfy(isAllowed)
    }

    /// The bytes of a token (RFC 9110 section 5.6.2).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The outcome of a request.
public enum HTTPOutcome: Equatable, Sendable {
    /// A response from the destination, or from a server in its place.
    case answered(HTTPAnswer)
    /// No response.
    case failed(UploadFailure)
}
