import Authorization
import Location
import Platform
import Varlink

/// A client's call of `GetSatellites` or `MonitorSatellites`.
@DaemonActor
final class SkyStream {
    let call: Call
    private let gate: Gate
    private var requester: Requester
    private let once: Bool
    private var timer: TimerSource?

    /// How long a single answer is waited for.
    private static let patience = Duration.seconds(10)

    /// Waits for the receiver to tell; calls `onTimeout` where it does not and only one answer is wanted.
    init(
        _ call: Call, requester: Requester, gate: Gate, once: Bool,
        onTimeout: @escaping @DaemonActor (SkyStream) -> Void
    ) throws(SystemError) {
        self.call = call
        self.gate = gate
        self.requester = requester
        self.once = once
        guard once else { return }
        timer = try TimerSource(accuracy: .milliseconds(10)) { [unowned self] in onTimeout(self) }
        timer?.arm(after: Self.patience)
    }

    /// Gives the client the sky, as far as the gate lets it through.
    func deliver(_ sky: SkyView) {
        do throws(Refusal) {
            let disclosure = try gate.view(of: sky, for: requester)
            timer = nil
            let reply = EncodedReply(continues: !once) { writer in
                writer.key("sky")
                disclosure.write(to: &writer)
            }
            if once { call.reply(reply) } else { call.offer { _ in reply } }
        } catch {
            call.fail(error)
        }
    }

    /// Who may see what has changed.
    func update(_ requester: Requester) {
        self.requester = requester
        guard let refusal = gate.refusal(for: requester) else { return }
        call.discardOffered()
        call.fail(refusal)
    }
}
