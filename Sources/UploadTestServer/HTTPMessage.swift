/// A complete request.
struct HTTPRequest: Sendable {
    /// `GET`, `POST`.
    var method: String
    /// The path without the query, decoded.
    var path: String
    /// The names and values of the query, decoded, in order.
    var query: [(name: String, value: String)] = []
    /// The value of `Authorization`.
    var authorization: String?
    /// The body.
    var body: [UInt8] = []

    /// The longest accepted body: uploads have 1 MiB at most.
    static let longestBody = 4 << 20
}

/// The response to a request.
struct HTTPReply: Equatable, Sendable {
    var status: Int
    var type: String?
    var body: [UInt8]
    /// Seconds, for `Retry-After`.
    var retryAfter: Int?

    init(_ status: Int, type: String? = nil, body: [UInt8] = [], retryAfter: Int? = nil) {
        self.status = status
        self.type = type
        self.body = body
        self.retryAfter = retryAfter
    }

    init(_ status: Int, json: String) {
        self.init(status, type: "application/json", body: Array(json.utf8))
    }

    /// An error with a sentence for people.
    init(_ status: Int, saying text: String) {
        self.init(status, type: "text/plain; charset=utf-8", body: Array((text + "\n").utf8))
    }
}
