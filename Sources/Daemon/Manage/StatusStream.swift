import Interfaces
import Platform
import Varlink

/// The calls of `Manage.Monitor`: each receives the status at once, then when it changes, at most once a second, and
/// every ten seconds while positions are in use. Without such a call there is no cost.
@DaemonActor
final class StatusStream {
    private let report: StatusReport
    private let clock: any TimeSource
    private var calls: [ObjectIdentifier: Call] = [:]
    private var timer: TimerSource?
    private var reportedAt: UInt64 = 0

    private static let shortestPause: UInt64 = 1_000_000_000
    private static let longestPause: UInt64 = 10_000_000_000

    init(_ report: StatusReport, clock: any TimeSource) throws(SystemError) {
        self.report = report
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.notify() }
    }

    /// Adds a call, which receives the status at once.
    func add(_ call: Call) {
        calls[ObjectIdentifier(call)] = call
        call.onEnd = { [weak self, unowned call] in self?.remove(call) }
        let reply = encoded()
        call.offer { _ in reply }
        schedule(report.isReceiverNeeded ? Self.longestPause : nil)
    }

    /// Called when something in the status has changed.
    func changed() {
        guard !calls.isEmpty else { return }
        schedule(Self.shortestPause)
    }

    /// Ends the calls that the condition rejects.
    func end(unless isAllowed: @DaemonActor (Call) -> Bool, _ fail: @DaemonActor (Call) -> Void) {
        for call in Array(calls.values) where !isAllowed(call) {
            call.discardOffered()
            fail(call)
            remove(call)
        }
    }

    private func remove(_ call: Call) {
        calls[ObjectIdentifier(call)] = nil
        if calls.isEmpty { timer?.disarm() }
    }

    private func notify() {
        reportedAt = clock.monotonicNanoseconds
        let reply = encoded()
        for call in calls.values { call.offer { _ in reply } }
        due = nil
        schedule(report.isReceiverNeeded ? Self.longestPause : nil)
    }

    private var due: UInt64?

    /// Schedules the next update for this time after the last one, unless an earlier one is scheduled.
    private func schedule(_ pause: UInt64?) {
        guard let pause, !calls.isEmpty else { return }
        let instant = max(reportedAt + pause, clock.monotonicNanoseconds)
        if let due, due <= instant { return }
        due = instant
        timer?.arm(at: instant)
    }

    private func encoded() -> EncodedReply {
        EncodedReply(ManageInterface.Monitor.Reply(status: report.status()), continues: true)
    }
}
