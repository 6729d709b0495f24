/// A request that a server has received.
public struct ServedRequest: Sendable {
    /// `GET`, `POST`.
    public var method: String
    /// The parts of the path between slashes, decoded, so that a part can contain a slash.
    public var path: [String]
    /// The names and values of the query, decoded, in order.
    public var query: [(name: String, value: String)]
    /// The headers by their names in lower case. Of a header that occurs twice, the last one counts.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// A request of these parts.
    public init(
        method: String, path: [String] = [], query: [(name: String, value: String)] = [],
        headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// A request without a body to a target: a path and perhaps a query, as they stand in the request line.
    init(method: String, target: String) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { FormText.decode(ArraySlice($0), plusIsSpace: false) }
        self.init(
            method: method, path: path.first == "" ? Array(path.dropFirst()) : path,
            query: parts.count > 1 ? FormText.pairs(Array(parts[1])) : [])
    }

    /// The path as a person writes it.
    public var pathText: String { "/" + path.joined(separator: "/") }
    /// The value of `Authorization`; nil without one.
    public var authorization: String? { headers["authorization"] }
    /// The first value of a name in the query; nil without one.
    public func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
