import Authorization
import Location
import Platform
import Varlink

/// A client's call of `MonitorVisits`.
@DaemonActor
final class VisitStream: LocationCall {
    let call: Call
    let session: ClientSession
    var feed = PositionFeed.none
    /// Seconds since 1970; visits that ended since then and were not sent yet are sent first. Nil for none.
    private var since: Double?
    /// The visit that was sent last without a departure.
    private var announced: Visit?
    /// Whether it waits for stored visits that cannot be read, because visits are sent in their order.
    private(set) var isWaiting = false

    init(_ call: Call, session: ClientSession, since: Double?) {
        self.call = call
        self.session = session
        self.since = since
    }

    /// Whom the visits are observed for.
    var key: VisitKey { VisitKey(app: session.process?.app.id, uid: session.process?.app.id.uid ?? session.userID) }

    /// Makes a stream of past visits wait while they are locked.
    func wait(isLocked: Bool) { isWaiting = isLocked && since != nil }

    /// Delivers the stored visits that the client has requested and does not have yet, and the present one.
    func deliver(_ book: VisitBook, _ decision: Decision) {
        if let since { for visit in book.ended(since: since) { deliver(visit, decision) } }
        if let current = book.current, current.arrival != announced?.arrival || announced == nil {
            deliver(current, decision)
        }
    }

    /// Delivers a visit if the decision allows it.
    func deliver(_ visit: Visit, _ decision: Decision) {
        guard !isWaiting, let disclosure = decision.view(of: visit) else { return }
        if let departure = visit.departure {
            announced = nil
            // A microsecond later, so that it is not sent again when the stream resumes.
            since = departure.secondsSinceEpoch + 0.000_001
        } else {
            announced = visit
        }
        session.countPosition(.full)
        call.reply(
            EncodedReply(continues: true) { writer in
                writer.key("visit")
                disclosure.write(to: &writer)
            })
    }

    /// Visits are not offered: they are few, and each is queued.
    func withdraw() {}
}
