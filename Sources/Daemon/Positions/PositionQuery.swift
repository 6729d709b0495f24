import Authorization
import Interfaces
import Location
import Platform
import Varlink

/// A client's call of `GetPosition` that waits for a fix.
@DaemonActor
final class PositionQuery: LocationCall {
    let call: Call
    let session: ClientSession
    let request: PositionRequest
    var feed = PositionFeed.none
    private var timer: TimerSource?

    /// Starts the timer. `onTimeout` is called after the requested time plus `delay` seconds.
    init(
        _ call: Call, request: PositionRequest, session: ClientSession, delay: Double,
        onTimeout: @escaping @DaemonActor (PositionQuery) -> Void
    ) throws(SystemError) {
        self.call = call
        self.request = request
        self.session = session
        timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in
            guard let self else { return }
            onTimeout(self)
        }
        timer?.arm(after: .seconds(request.waitingTime + delay))
    }

    /// Whether a fix is accurate enough.
    func accepts(_ fix: Fix) -> Bool {
        request.desiredAccuracy.map { fix.horizontalAccuracy <= $0 } ?? true
    }

    /// Replies with a position.
    func answer(_ disclosure: Disclosure) {
        timer = nil
        call.reply(disclosure, for: session)
    }

    /// Replies that there is no position.
    func answer(_ reason: PositionUnavailable) {
        timer = nil
        call.fail(reason)
    }

    func withdraw() {}
}

extension Call {
    /// Ends the call with a position.
    func reply(_ disclosure: Disclosure, for session: ClientSession) {
        session.countPosition(disclosure.position.accuracy)
        reply { writer in
            writer.key("position")
            disclosure.write(to: &writer)
        }
    }
}
