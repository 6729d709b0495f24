import Authorization
import Interfaces
import Location
import Platform
import Varlink

/// A client's call of `GetPosition` that waits for a fix.
@DaemonActor
final class PositionQuery {
    let call: Call
    let request: PositionRequest
    private let gate: Gate
    private(set) var requester: Requester
    private var timer: TimerSource?

    /// Waits; calls `onTimeout` when the time is over.
    init(
        _ call: Call, request: PositionRequest, requester: Requester, gate: Gate,
        onTimeout: @escaping @DaemonActor (PositionQuery) -> Void
    ) throws(SystemError) {
        self.call = call
        self.request = request
        self.requester = requester
        self.gate = gate
        timer = try TimerSource(accuracy: .milliseconds(10)) { [unowned self] in onTimeout(self) }
        timer?.arm(after: .seconds(request.timeout))
    }

    /// Whether a fix is exact enough.
    func accepts(_ fix: Fix) -> Bool {
        request.desiredAccuracy.map { fix.horizontalAccuracy <= $0 } ?? true
    }

    /// Answers with a fix, as far as the gate lets it through.
    func answer(_ fix: Fix) {
        timer = nil
        call.reply(fix, for: requester, through: gate)
    }

    /// Answers that there is none.
    func answer(_ reason: PositionUnavailable) {
        timer = nil
        call.fail(reason)
    }

    /// Who may see what has changed; says whether the call is over by that.
    func update(_ requester: Requester) -> Bool {
        self.requester = requester
        guard let refusal = gate.refusal(for: requester) else { return false }
        timer = nil
        call.fail(refusal)
        return true
    }
}

extension Call {
    /// Ends the call with a position, or with the gate's refusal.
    func reply(_ fix: Fix, for requester: Requester, through gate: Gate) {
        do throws(Refusal) {
            let disclosure = try gate.view(of: fix, for: requester)
            reply { writer in
                writer.key("position")
                disclosure.write(to: &writer)
            }
        } catch {
            fail(error)
        }
    }
}
