import Platform
import Varlink

/// Calls that came before the journal and the file of keys were read, and depend on whether there is a passphrase. Somebody who
/// unlocks the machine as soon as the daemon answers is not to be informed that there is none.
@DaemonActor
final class EarlyCalls {
    private struct Waiting {
        let run: @DaemonActor () -> Void
        let fail: @DaemonActor (ProtectionFailure) -> Void
    }

    /// The most calls that wait.
    private static let most = 1_024
    /// How long they do.
    private static let patience = Duration.seconds(5)

    private let clock: any TimeSource
    private var waiting = FairQueue<ConnectionShare, Waiting>(capacity: most)
    private var timer: TimerSource?
    /// Whether calls are run at once from now on.
    private var isOver = false

    init(clock: any TimeSource) { self.clock = clock }

    /// Runs a call: now, or at the end of this time. It fails if that does not come soon enough, or its client's share has too many
    /// calls that wait.
    func add(
        of share: ConnectionShare, _ run: @escaping @DaemonActor () -> Void,
        orFail fail: @escaping @DaemonActor (ProtectionFailure) -> Void
    ) {
        guard !isOver else { return run() }
        let isFirst = waiting.isEmpty
        for refused in waiting.add(Waiting(run: run, fail: fail), of: share) {
            refused.fail(.unavailable("too many calls of this user wait until the journal was read"))
        }
        guard isFirst else { return }
        do throws(SystemError) {
            timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.giveUp() }
            timer?.arm(after: Self.patience, clock: clock)
        } catch {
            giveUp()
        }
    }

    /// Runs the waiting calls.
    func end() {
        isOver = true
        for call in drain() { call.run() }
    }

    private func giveUp() {
        for call in drain() { call.fail(.unavailable("the journal, which is read first, is not readable yet")) }
    }

    private func drain() -> [Waiting] {
        timer?.cancel()
        timer = nil
        return waiting.removeAll()
    }
}
