import Authorization
import Location
import Platform
import Tracking
import Varlink

/// A client's call of `MonitorHeading`.
@DaemonActor
final class HeadingStream: LocationCall {
    let call: Call
    let session: ClientSession
    var feed = PositionFeed.none
    private var subscription: HeadingSubscription

    /// The change in degrees after which a heading is sent, where the client requests no other.
    private static let usualFilter = 1.0

    init(_ call: Call, session: ClientSession, filter: Double?) {
        self.call = call
        self.session = session
        subscription = HeadingSubscription(filter: filter ?? Self.usualFilter)
    }

    /// Delivers a heading if it is due. Only the newest is sent to a client that does not read.
    func deliver(_ disclosure: HeadingDisclosure) {
        guard subscription.isDue(disclosure.heading) else { return }
        session.note(.full)
        let reply = EncodedReply(continues: true) { writer in
            writer.key("heading")
            disclosure.write(to: &writer)
        }
        call.offer { _ in reply }
    }

    /// After this the next heading is due, because the client may have missed one.
    func withdraw() {
        call.discardOffered()
        subscription.reset()
    }
}
