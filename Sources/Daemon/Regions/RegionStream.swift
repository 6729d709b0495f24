import Platform
import RegionStorage
import Varlink

/// A client's call of `Regions.Monitor`. It reads stored events in pages and sends them in order; the next page is read
/// when the client has received the one before.
@DaemonActor
final class RegionStream: LocationCall {
    enum State {
        /// The store reads a page, or the client has to receive one.
        case busy
        /// More events were stored meanwhile.
        case busyAgain
        /// All stored events are sent.
        case waiting
        /// Nothing may be sent at present.
        case paused
    }

    let call: Call
    let session: ClientSession
    let key: MonitorKey
    /// The number of the last event that the client has; nil for those that are acknowledged.
    var after: Int64?
    var state = State.waiting
    /// It needs no receiver: its monitor does, with or without it.
    var feed = PositionFeed.none

    init(_ call: Call, session: ClientSession, key: MonitorKey, after: Int64?) {
        self.call = call
        self.session = session
        self.key = key
        self.after = after
    }

    /// Events are not offered: each is sent, or not read yet.
    func withdraw() {}
}
