import Cryptography
import HTTP
import JSONText
import Upload

/// A request to the hub.
struct HubRequest: Equatable {
    var method: HTTPMethod
    /// The address below the hub's own.
    var path: String
    /// The idempotency key; empty for a request that may be repeated as often as one likes.
    var key = ""
    var body: [UInt8] = []
    /// The media type of the body.
    var type = "application/json"
    /// Header fields of this request only.
    var headers: [HTTPAnswer.Header] = []
    /// Whether the answer may be a stream of events.
    var acceptsStream = false
    /// Longer than a hub needs for the answer on a slow network.
    var time = Duration.seconds(60)

    /// A new idempotency key.
    static func newKey() -> String { HexText.text(RandomBytes.make(16)) }
}
