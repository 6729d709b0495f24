/// What the server does wrong when it is told to, so that pauses and retries can be seen.
enum Misbehaviour: Equatable, Sendable {
    /// Answers with this status and stores nothing.
    case status(Int)
    /// Answers 200 with a page for people, as a network does that wants a login first; stores nothing.
    case captive
    /// Stores, and answers 200 in words that acknowledge nothing where the format has such words.
    case wrongBody
    /// Closes the connection without an answer; stores nothing.
    case drop
    /// Stores, and closes the connection without an answer: the sender cannot know.
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

    /// Whether what came is stored all the same.
    var stores: Bool { self == .wrongBody || self == .dropStored }

    /// What is answered; nil for none.
    func reply(retryAfter: Int?) -> HTTPReply? {
        switch self {
        case .status(let status):
            var reply = HTTPReply(status, saying: "as asked for with --fail")
            // No body may follow these.
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

    /// In words, for a person.
    var text: String {
        switch self {
        case .status(let status): "answered \(status)"
        case .captive: "answered a captive portal's page"
        case .wrongBody: "answered in other words than the format's"
        case .drop: "closed the connection"
        case .dropStored: "stored, and closed the connection"
        }
    }
}
