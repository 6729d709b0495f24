import HTTPServing

/// A deliberate failure of the server, for tests of pauses and retries.
enum Misbehaviour: Equatable, Sendable {
    /// Replies with this status and stores nothing.
    case status(Int)
    /// Replies 200 with a web page, like a network that requires a login; stores nothing.
    case captive
    /// Stores, and replies 200 with a body that does not acknowledge, if the format has such a body.
    case wrongBody
    /// Closes the connection without a response; stores nothing.
    case drop
    /// Stores, and closes the connection without a response: the sender cannot know the result.
    case dropStored

    /// The words of the command line.
    static let words = "a status such as 503, captive, wrong-body, drop or drop-stored"

    init?(_ text: String) {
        switch text {
        case "captive": self = .captive
        case "wrong-body": self = .wrongBody
        case "drop": self = .drop
        case "drop-stored": self = .dropStored
        default:
            guard let status = Int(text), (200...599).contains(status) else { return nil }
            self = .status(status)
        }
    }

    /// Whether the points are stored all the same.
    var stores: Bool { self == .wrongBody || self == .dropStored }

    /// The response; nil for none.
    func reply(retryAfter: Int?) -> HTTPReply? {
        switch self {
        case .status(let status):
            var reply = HTTPReply(status, saying: "requested with --fail")
            // These statuses must have no body.
            if status == 204 || status == 304 { reply = HTTPReply(status) }
            reply.retryAfter = retryAfter
            return reply
        case .captive:
            let page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please log in.</body></html>\n"
            return HTTPReply(200, type: "text/html; charset=utf-8", body: Array(page.utf8))
        case .wrongBody: return HTTPReply(200, json: #"{"result":"perhaps"}"#)
        case .drop, .dropStored: return nil
        }
    }

    /// The failure, for people.
    var text: String {
        switch self {
        case .status(let status): "replied \(status)"
        case .captive: "replied with a captive portal's page"
        case .wrongBody: "replied without the format's acknowledgement"
        case .drop: "closed the connection"
        case .dropStored: "stored, and closed the connection"
        }
    }
}
