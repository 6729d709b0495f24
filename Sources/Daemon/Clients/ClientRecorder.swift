import Accounts
import Authorization
import Journal
import Location
import Platform

/// Records the events that apps and users' programs cause. Those beyond their limits are only counted.
@DaemonActor
final class ClientRecorder {
    /// Records without a limit.
    let events: EventRecorder
    private let accounts: UserAccounts
    private let clock: any TimeSource
    private var allowance = NoteAllowance()
    /// Fires when omitted events are to be reported.
    private var timer: TimerSource?

    init(events: EventRecorder, accounts: UserAccounts, clock: any TimeSource) throws(SystemError) {
        self.events = events
        self.accounts = accounts
        self.clock = clock
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.reportMissing() }
    }

    /// Records an event that an app or a user's program has caused, within its limits.
    func record(_ event: Event) {
        if mayRecord(event) { events.record(event) }
    }

    /// Whether such an event is within its limits; counts it otherwise.
    func mayRecord(_ event: Event) -> Bool {
        let account = event.uid.flatMap(accounts.budgetAccount)
        if allowance.consume(event, account: account, at: Instant(clock)) { return true }
        for exhaustion in allowance.drainExhaustions() { events.record(exhaustion) }
        if timer?.isArmed == false { armTimer() }
        return false
    }

    /// Records the numbers of all omitted events, at the end of the daemon.
    func reportAllMissing() {
        for event in allowance.allReports() { events.record(event) }
        timer?.disarm()
    }

    private func reportMissing() {
        for event in allowance.reports(at: Instant(clock)) { events.record(event) }
        armTimer()
    }

    private func armTimer() {
        if let next = allowance.nextReport { timer?.arm(at: next) }
    }
}
