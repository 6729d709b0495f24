import Durations
import Interfaces
import Platform

/// Tells the daemon how the uploader stands: the newest only, one at a time, and never in a hurry about numbers.
///
/// A new state is told at once, as long as there are few of them; how much was sent meanwhile once a second at most.
@DaemonActor
final class StatusReporter {
    private let clock: any TimeSource
    private let compose: @DaemonActor () -> UploadStatus?
    private let send: @DaemonActor (UploadStatus, @escaping @DaemonActor () -> Void) -> Void
    private var timer: TimerSource?
    /// Whether something is to be told, and whether that is a new state.
    private var isDue = false
    private var isNews = false
    private var reported: UploadStatus?
    private var reportedAt: UInt64?
    private var isSending = false
    /// How many states may be told without waiting.
    private var allowance = mostAtOnce

    private static let mostAtOnce = 4
    private static let pause = Duration.milliseconds(500)
    private static let pauseOfNumbers = Duration.seconds(1)

    /// `compose` says how it stands, nil where it is no more; `send` tells it and calls back once that is done.
    init(
        clock: any TimeSource, compose: @escaping @DaemonActor () -> UploadStatus?,
        send: @escaping @DaemonActor (UploadStatus, @escaping @DaemonActor () -> Void) -> Void
    ) throws(SystemError) {
        self.clock = clock
        self.compose = compose
        self.send = send
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.report() }
    }

    /// It stands otherwise than before: in another state, or only with other numbers.
    func changed(isNews: Bool) {
        isDue = true
        if isNews { self.isNews = true }
        // Numbers wait with what waits already.
        if isNews || timer?.isArmed == false { schedule() }
    }

    /// Whoever has heard it is gone, and somebody else hears it from the beginning.
    func beginAnew() {
        reported = nil
        reportedAt = nil
        isSending = false
        changed(isNews: true)
    }

    /// Tells nothing more.
    func close() {
        timer?.cancel()
        isDue = false
    }

    private func schedule() {
        guard isDue, !isSending else { return }
        guard let reportedAt else { return report() }
        let now = clock.monotonicNanoseconds
        if now >= reportedAt.after(Self.pause) { allowance = Self.mostAtOnce }
        if isNews, allowance > 0 {
            allowance -= 1
            return report()
        }
        let due = reportedAt.after(isNews ? Self.pause : Self.pauseOfNumbers)
        if due <= now { return report() }
        timer?.arm(at: due)
    }

    private func report() {
        guard isDue, !isSending else { return }
        timer?.disarm()
        isDue = false
        isNews = false
        guard let status = compose(), status != reported else { return }
        reported = status
        reportedAt = clock.monotonicNanoseconds
        isSending = true
        send(status) { [weak self] in
            guard let self else { return }
            isSending = false
            schedule()
        }
    }
}
