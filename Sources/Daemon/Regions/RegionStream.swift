import Platform
import RegionStorage
import Varlink

/// The state of a client's call of `Regions.Monitor`. `RegionService` reads the stored events for it in pages and sends them
/// in order, and reads the next page when the client has received the one before.
@DaemonActor
final class RegionStream: LocationCall {
    enum State {
        /// A page is read from the store, or the client has not received it yet.
        case busy
        /// The same, and more events were stored meanwhile, so that another page is read afterwards.
        case busyAgain
        /// No page is read: nothing was read yet, or all stored events are sent.
        case waiting
        /// Nothing may be sent at present, nor a page that is being read.
        case paused
    }

    let call: Call
    let session: ClientSession
    let key: MonitorKey
    /// The number of the last event that was sent; nil for the last one that was acknowledged.
    var after: Int64?
    var state = State.waiting
    /// None: the monitor needs positions, whether or not a client watches its events.
    var feed = PositionFeed.none

    init(_ call: Call, session: ClientSession, key: MonitorKey, after: Int64?) {
        self.call = call
        self.session = session
        self.key = key
        self.after = after
    }

    /// Does nothing, because no unsent event is queued for the client: `RegionService` checks the gate after it has read a
    /// page, and before it sends it.
    func withdraw() {}
}
