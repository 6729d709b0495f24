/// The response to a request.
public struct HTTPReply: Equatable, Sendable {
    /// The status code, RFC 9110 section 15.
    public var status: Int
    /// The value of `Content-Type`; nil without a body.
    public var type: String?
    /// The body.
    public var body: [UInt8]
    /// Seconds, for `Retry-After`.
    public var retryAfter: Int?
    /// Further headers.
    public var headers: [Header] = []

    /// A header of a response.
    public struct Header: Equatable, Sendable {
        /// The name.
        public var name: String
        /// The value, without line breaks.
        public var value: String

        /// A header of these two.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A response of these parts.
    public init(_ status: Int, type: String? = nil, body: [UInt8] = [], retryAfter: Int? = nil) {
        self.status = status
        self.type = type
        self.body = body
        self.retryAfter = retryAfter
    }

    /// A response of JSON.
    public init(_ status: Int, json: [UInt8]) {
        self.init(status, type: "application/json", body: json)
    }

    /// A response of JSON.
    public init(_ status: Int, json: String) {
        self.init(status, json: Array(json.utf8))
    }

    /// An error with a sentence for people.
    public init(_ status: Int, saying text: String) {
        self.init(status, type: "text/plain; charset=utf-8", body: Array((text + "\n").utf8))
    }
}
