import Authorization
import Location
import Platform
import Varlink

/// A client's call of `GetSatellites` or `MonitorSatellites`.
@DaemonActor
final class SkyStream: LocationCall {
    let call: Call
    let session: ClientSession
    let once: Bool
    var feed = PositionFeed.none
    private var timer: TimerSource?

    /// The time limit of a single reply.
    private static let patience = Duration.seconds(10)

    /// Waits for a report of the receiver. If only one reply is wanted, `onTimeout` is called when none came in time.
    init(
        _ call: Call, session: ClientSession, once: Bool, onTimeout: @escaping @DaemonActor (SkyStream) -> Void
    ) throws(SystemError) {
        self.call = call
        self.session = session
        self.once = once
        guard once else { return }
        timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in
            guard let self else { return }
            onTimeout(self)
        }
        timer?.arm(after: Self.patience)
    }

    /// Delivers what the client may see of the sky.
    func deliver(_ disclosure: SkyDisclosure) {
        timer = nil
        session.note(.full)
        let reply = EncodedReply(continues: !once) { writer in
            writer.key("sky")
            disclosure.write(to: &writer)
        }
        if once { call.reply(reply) } else { call.offer { _ in reply } }
    }

    func withdraw() {
        call.discardOffered()
    }
}
