import Durations

/// How pushes come from the hub: by a stream of events, or by a request that is answered with the next one where a proxy waits for the
/// end of a response before it passes the response on.
///
/// The hub sends something at once when a stream begins. If nothing arrives for a while, the stream is given up until the network is
/// another one; a request that waits works everywhere.
struct PushChannel: Equatable {
    /// How long the beginning of a stream is waited for.
    static let patience = Duration.seconds(15)
    /// A stream without an event that ends earlier than this is not begun again at once.
    static let shortest = Duration.seconds(5)

    /// Whether the next request is for a stream.
    private(set) var streams = true
    private var begun: UInt64?
    /// Whether the stream has begun to arrive.
    private(set) var isHeard = false
    private var hasEvents = false

    /// A request is sent.
    mutating func begin(at now: UInt64) { (begun, isHeard, hasEvents) = (now, false, false) }

    /// When the stream is given up; nil if it has begun, or none is waited for.
    var deadline: UInt64? {
        guard streams, !isHeard else { return nil }
        return begun?.after(Self.patience)
    }

    /// Something has arrived.
    mutating func hear(events: Int) {
        isHeard = true
        if events > 0 { hasEvents = true }
    }

    /// Whether the stream is given up now.
    mutating func expire(at now: UInt64) -> Bool {
        guard let deadline, now >= deadline else { return false }
        (streams, begun) = (false, nil)
        return true
    }

    /// The request has ended. Returns whether the next one is sent later, because a stream that ends at once would be begun without
    /// end.
    mutating func end(at now: UInt64) -> Bool {
        defer { begun = nil }
        guard streams, isHeard, !hasEvents, let begun else { return false }
        return now < begun.after(Self.shortest)
    }

    /// Another network may have no such proxy.
    mutating func networkChanged() { self = PushChannel() }
}
