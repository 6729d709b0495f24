import Journal
import Platform
import Storage

/// Ends data protection after somebody has switched it off, for the machine or for a user: waits until everything that was sealed
/// with the keys of the file has been brought back to the class none, or to the machine's keys, durably, and then has the keys
/// removed.
///
/// That protection is being switched off stands in the file of keys. So a crash, a power cut and a lock only interrupt it, and it
/// continues with the next unlock: until the keys are removed, they open what is sealed still.
@DaemonActor
final class ProtectionEnd {
    private let users: UserProtections
    private let journal: EventJournal
    private let visits: VisitBooks
    private let regions: RegionRegistry
    private let copies: CopyKeys
    private var timer: TimerSource?
    /// The locks of which the journal is being examined, or whose keys are being removed.
    private var busy: Set<UInt32?> = []

    /// The pause between two examinations.
    private static let pause = Duration.seconds(1)

    init(
        _ users: UserProtections, journal: EventJournal, visits: VisitBooks, regions: RegionRegistry, copies: CopyKeys
    ) throws(SystemError) {
        self.users = users
        self.journal = journal
        self.visits = visits
        self.regions = regions
        self.copies = copies
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.timePassed() }
    }

    /// The locks that are being switched off, and open.
    private var ending: [DataProtection] {
        ([users.machine] + users.all).filter { $0.isEnding && $0.access == .unlocked }
    }

    /// A lock state has changed, or protection was switched off.
    func review() {
        guard !ending.isEmpty else {
            timer?.disarm()
            return
        }
        if timer?.isArmed == false { timer?.arm(after: Self.pause) }
    }

    private func timePassed() {
        review()
        for protection in ending where !busy.contains(protection.user) { examine(protection) }
    }

    private func examine(_ protection: DataProtection) {
        if protection.user == nil {
            // What could not be stored before is tried again.
            visits.protectionChanged()
            regions.protectionChanged()
        }
        guard isPlain(protection) else { return }
        busy.insert(protection.user)
        journal.remainsSealed(of: protection.user) { [weak self] result in
            DaemonActor.assumeIsolated { self?.examined(protection, result) }
        }
    }

    /// Visits, regions and copies of records are sealed with the keys of the machine. A key of a copy may have been made, or a
    /// release have failed, since this was asked before.
    private func isPlain(_ protection: DataProtection) -> Bool {
        protection.user != nil || visits.arePlain && regions.arePlain && copies.release()
    }

    private func examined(_ protection: DataProtection, _ result: Result<Bool, StorageError>) {
        let user = protection.user
        guard case .success(false) = result, isPlain(protection) else {
            busy.remove(user)
            return
        }
        protection.end { [weak self] _ in
            self?.busy.remove(user)
            if let user { self?.users.forget(user) }
        }
    }
}
