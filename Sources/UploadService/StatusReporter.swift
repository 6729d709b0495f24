import Durations
import Interfaces
import Platform

/// Reports the status of the uploader to the daemon: only the newest, one report at a time.
///
/// A new state is reported at once, as long as there are few of them; changed counters at most once a second.
@DaemonActor
final class StatusReporter {
    private let clock: any TimeSource
    private let link: DaemonLink
    /// The process whose status is reported.
    weak var process: UploadProcess?
    private var timer: TimerSource?
    /// Whether a report is due, and whether it contains a new state.
    private var isDue = false
    private var isNews = false
    private var reported: UploadStatus?
    private var reportedAt: UInt64?
    private var isSending = false
    /// How many new states may be reported without a delay.
    private var allowance = mostAtOnce

    private static let mostAtOnce = 4
    private static let pause = Duration.milliseconds(500)
    private static let pauseOfNumbers = Duration.seconds(1)

    init(clock: any TimeSource, link: DaemonLink) throws(SystemError) {
        self.clock = clock
        self.link = link
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.report() }
    }

    /// The status has changed: in its state, or only in its counters.
    func changed(isNews: Bool) {
        isDue = true
        if isNews { self.isNews = true }
        // Counters are included in a report that is already scheduled.
        if isNews || timer?.isArmed == false { schedule() }
    }

    /// The receiver of the earlier reports has disconnected: the new one gets a complete report.
    func beginAnew() {
        reported = nil
        reportedAt = nil
        isSending = false
        changed(isNews: true)
    }

    /// Sends no more reports.
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
        guard let status = process?.status, status != reported else { return }
        reported = status
        reportedAt = clock.monotonicNanoseconds
        isSending = true
        link.report(status) { [weak self] in
            guard let self else { return }
            isSending = false
            schedule()
        }
    }
}
