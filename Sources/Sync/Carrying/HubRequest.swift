import HTTP

/// A request to the hub.
struct HubRequest: Equatable {
    var method: HTTPMethod
    /// The address below the hub's own.
    var path: String
    /// The idempotency key; empty for a request that may be repeated as often as one likes.
    var key = ""
    var body: [UInt8] = []
    /// Whether the answer may be a stream of events.
    var acceptsStream = false
}
