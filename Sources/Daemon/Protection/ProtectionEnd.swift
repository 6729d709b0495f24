import Journal
import Platform
import Storage

/// Ends data protection after somebody has switched it off: waits until everything that was sealed with the keys of the file has
/// been brought back to the class none, durably, and then has the keys removed.
///
/// That protection is being switched off stands in the file of keys. So a crash, a power cut and a lock only interrupt it, and it
/// continues with the next unlock: until the keys are removed, they open what is sealed still.
@DaemonActor
final class ProtectionEnd {
    private let protection: DataProtection
    private let journal: EventJournal
    private let visits: VisitBooks
    private let regions: RegionRegistry
    private let copies: CopyKeys
    private var timer: TimerSource?
    /// Whether the journal is being examined, or the keys are being removed.
    private var isBusy = false

    /// The pause between two examinations.
    private static let pause = Duration.seconds(1)

    init(
        _ protection: DataProtection, journal: EventJournal, visits: VisitBooks, regions: RegionRegistry,
        copies: CopyKeys
    ) throws(SystemError) {
        self.protection = protection
        self.journal = journal
        self.visits = visits
        self.regions = regions
        self.copies = copies
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.timePassed() }
    }

    /// The lock state has changed, or protection was switched off.
    func review() {
        guard protection.isEnding, protection.access == .unlocked else {
            timer?.disarm()
            return
        }
        if timer?.isArmed == false { timer?.arm(after: Self.pause) }
    }

    private func timePassed() {
        review()
        guard protection.isEnding, protection.access == .unlocked, !isBusy else { return }
        // What could not be stored before is tried again.
        visits.protectionChanged()
        regions.protectionChanged()
        guard visits.arePlain, regions.arePlain, copies.release() else { return }
        isBusy = true
        journal.remainsSealed { [weak self] result in
            DaemonActor.assumeIsolated { self?.examined(result) }
        }
    }

    private func examined(_ result: Result<Bool, StorageError>) {
        // A key may have been made meanwhile, or a release have failed.
        guard case .success(false) = result, visits.arePlain, regions.arePlain, copies.release() else {
            isBusy = false
            return
        }
        protection.end { [weak self] in self?.isBusy = false }
    }
}
