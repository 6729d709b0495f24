import Configuration
import Cryptography
import Events
import Glibc
import Journal
import Location
import Platform
import Protection
import Varlink

/// Owns the lock state of the machine's data, or of a user's: loads the file of keys, performs operations with secrets, and hands
/// the keys that the state permits to the journal. It holds no key longer than the state permits.
@DaemonActor
final class DataProtection {
    /// The user whose data it is; nil for the machine's.
    let user: UInt32?
    let journal: EventJournal
    let recorder: EventRecorder
    let changes: Changes
    let clock: any TimeSource
    let files: ProtectionFiles
    /// The locks of users, if this is the machine's.
    weak var users: UserProtections?
    /// The cost of a new passphrase.
    var cost: @Sendable () -> PassphraseHash = { .moderate() }

    /// The machine's secret, which the locks of users have as well.
    private let note: MachineSecretNote
    /// The machine's secret as the journal reported it.
    var machine: MachineSecretReport { note.report }
    /// Whether the file of keys, or the record of attempts, may still need the former secret of the machine.
    private(set) var needsFormerSecret = false
    /// The secrets and wrapped keys; nil where no passphrase was set.
    var file: KeyFile?
    /// Why there is a file of keys that cannot be used, for people.
    private(set) var problem: String?
    var lock = DataLock()
    var record = AttemptRecord()
    private var available = AvailableKeys(machine: nil)
    /// Whether the data is closed because it may belong to somebody else than before: nothing unlocks it.
    var isSuspended = false
    /// Whether a secret is being tried, or the keys are being removed.
    private(set) var isOperating = false
    /// Whether the machine's secret is being exchanged. This concerns the locks of all users, also later ones.
    var isRenewing: Bool {
        get { note.isRenewing }
        set { note.isRenewing = newValue }
    }
    /// Whether an operation of this lock, or the exchange of the machine's secret, refuses others.
    var isBusy: Bool { isOperating || isRenewing }
    /// Who requested a lock during the present operation. An operation that unlocks locks right after.
    private(set) var lockRequest: String?
    /// Erasures that were requested while the lock was busy.
    var pendingErasures: [@DaemonActor @Sendable (SystemError?) -> Void] = []
    private var timer: TimerSource?
    /// The times after which the data is locked by itself.
    private var times = (afterUnlock: Duration.zero, whenIdle: Duration.zero)
    /// Who began to lock.
    private var locker = ""
    private let earlyCalls: EarlyCalls
    let queue: SecretQueue

    /// The lock of the machine.
    init(
        directory: String, journal: EventJournal, recorder: EventRecorder, changes: Changes, clock: any TimeSource
    ) throws(SystemError) {
        user = nil
        note = MachineSecretNote()
        queue = SecretQueue()
        files = ProtectionFiles(directory: directory)
        self.journal = journal
        self.recorder = recorder
        self.changes = changes
        self.clock = clock
        earlyCalls = EarlyCalls(clock: clock)
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.timePassed() }
    }

    /// The lock of a user, beside that of the machine.
    init(of user: UInt32, beside machine: DataProtection) throws(SystemError) {
        self.user = user
        (note, queue, earlyCalls) = (machine.note, machine.queue, machine.earlyCalls)
        files = machine.files.of(user)
        (journal, recorder, changes, clock) = (machine.journal, machine.recorder, machine.changes, machine.clock)
        (times, cost) = (machine.times, machine.cost)
        lock.idleSince = machine.lock.idleSince
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.timePassed() }
    }

    /// Runs a call of a client's share once it is known whether there is a passphrase.
    func whenLoaded(
        for share: ConnectionShare, _ run: @escaping @DaemonActor () -> Void,
        orFail fail: @escaping @DaemonActor (ProtectionFailure) -> Void
    ) {
        earlyCalls.add(of: share, run, orFail: fail)
    }

    // Queries

    /// Whether a passphrase was set, so that recordings have classes that lock.
    var hasPassphrase: Bool { file != nil || problem != nil }
    /// Whether protection is being switched off: nothing is sealed with the keys of a file any more.
    var isEnding: Bool { file?.isEnding ?? false }
    /// Whether new data is sealed with the keys of a file.
    var seals: Bool { hasPassphrase && !isEnding }
    /// Whether a passphrase was set, also before the file of keys was read.
    var mayHavePassphrase: Bool { hasPassphrase || files.hasKeys }
    /// The state by which classes are written and read. With a file that cannot be used nothing is, except for the class none.
    var access: LockState { problem == nil ? lock.access : .neverUnlocked }
    /// Whether data waits for somebody to unlock it for the first time.
    var isNeverUnlocked: Bool { problem == nil && machine.problem == nil && lock.access == .neverUnlocked }
    /// Whether positions of a class can be sealed at present.
    func canWrite(_ protection: ProtectionClass) -> Bool {
        if machine.problem != nil { return false }
        return protection == .none || problem == nil && protection.canBeWritten(lock.access)
    }
    /// Seconds until the next attempt is accepted.
    var wait: Double { record.limiter.wait(at: now) }
    /// Seconds until the data is locked, while that was announced.
    var lockedIn: Double? {
        guard case .locking(let instant) = lock.state else { return nil }
        let now = clock.monotonicNanoseconds
        return Double(instant - min(instant, now)) / 1e9
    }

    var now: UTCTime { UTCTime(microseconds: clock.utcMicroseconds) }

    // Values of the daemon

    /// The class of values that the daemon has in memory while it runs.
    private static let valueClass = ProtectionClass.completeUntilFirstUnlock

    /// Seals a value of the daemon's; nil while that is not possible.
    func seal(_ text: String, name: String) -> SealedValue? {
        do throws(SystemError) { return try SealedValue(text, name: name, Self.valueClass, with: available) } catch {
            Log.error("a value cannot be sealed: \(error)")
            return nil
        }
    }

    /// Opens a value of the daemon's.
    func open(_ value: SealedValue) -> SealedValue.Content {
        do throws(SystemError) { return try value.open(with: available) } catch {
            return .locked(error.description)
        }
    }

    // Start

    /// The journal has read the machine's secret, or has made it.
    func receive(_ report: MachineSecretReport) { note.report = report }

    /// Reads the files of keys, before any recording takes effect. The machine's secret is exchanged before, if a former one is
    /// there.
    func load() {
        // After everything else was loaded as well.
        defer { DaemonActor.post { [earlyCalls] in earlyCalls.end() } }
        users?.load()
        loadOwn()
        forgetFormerSecret()
    }

    /// Reads the file of keys of this lock.
    func loadOwn() {
        problem = nil
        guard let secret = machine.secret else {
            if files.hasKeys {
                problem =
                    "the machine's secret is missing (\(machine.place.path)): \(machine.problem ?? "there is no such file")"
                Log.error("protected data cannot be used: \(problem ?? "")")
            }
            return
        }
        if let former = machine.former, !former.isEqual(to: secret) {
            do throws(SystemError) {
                let hasExchanged = try files.exchange(from: former, to: secret, at: now)
                renewed()
                if user == nil, hasExchanged || machine.hasExchanged { reportRenewal(by: nil) }
            } catch { return renewalFailed(error) }
        }
        record = files.loadRecord(machine: secret, at: now)
        switch files.loadKeys(machine: secret, record) {
        case .success(nil): break
        case .success(let found?):
            file = found
            lock.found()
            use(AvailableKeys(machine: nil, file: found))
            unlockWithCredential()
        case .failure(let error):
            problem = error.text
            Log.error("protected data cannot be used: \(error.text)")
        }
    }

    /// The file of keys cannot be used.
    func disable(because problem: String) { self.problem = problem }

    /// There is no file of keys any more, so that none of its problems remains.
    func fileWasRemoved() { (problem, needsFormerSecret) = (nil, false) }

    /// The file of keys could not be exchanged: it is opened by the former secret only.
    func renewalFailed(_ error: SystemError) {
        needsFormerSecret = true
        problem = "the machine's secret could not be exchanged: \(error). Then: waymark protection renew-machine-secret"
        Log.error("protected data cannot be used: \(problem ?? "")")
    }

    /// The files were exchanged; with what is in them, unless they are to be read as at the start.
    func renewed(with files: (keys: KeyFile?, record: AttemptRecord)? = nil) {
        needsFormerSecret = false
        guard let files else { return }
        (file, record) = (files.keys, files.record)
    }

    /// Applies the times after which the data is locked again.
    func apply(_ settings: Settings.Protection) {
        times = (settings.lockAfter, settings.lockWhenIdle)
        arm()
    }

    /// Nobody has used the machine since this instant; nil if somebody does, or it is not known.
    func idlenessChanged(since instant: UInt64?) {
        lock.idleSince = instant
        arm()
    }

    // Operations

    /// An operation begins, and refuses others.
    func beginOperation() { (isOperating, lockRequest) = (true, nil) }

    /// The operation has ended.
    func endOperation() { isOperating = false }

    // Locking

    /// Locks the data after the grace time; if a secret is being tried, also after it has unlocked the data.
    func lock(by locker: String) {
        if isOperating { lockRequest = locker }
        if case .unlocked = lock.state { self.locker = locker }
        perform(lock.lock(at: clock.monotonicNanoseconds))
    }

    /// Unlocks the data, and begins to lock it again if that was requested while the secret was being tried.
    func unlock() -> [DataLock.Effect] {
        let now = clock.monotonicNanoseconds
        let effects = lock.unlock(at: now)
        guard let lockRequest else { return effects }
        (locker, self.lockRequest) = (lockRequest, nil)
        return effects + lock.lock(at: now)
    }

    /// Closes the data at once, without a notification before.
    func close(by locker: String) {
        self.locker = locker
        perform(lock.close())
    }

    private func timePassed() {
        if let cause = lock.due?.cause { locker = cause.rawValue }
        perform(lock.timePassed(at: clock.monotonicNanoseconds))
    }

    func perform(_ effects: [DataLock.Effect]) {
        arm()
        for effect in effects {
            switch effect {
            case .announce, .useKeys: changes.report(.protectedDataChanged)
            case .dropKeys:
                recorder.record(Event(.dataLocked, uid: user, details: ["by": .text(locker)]))
                // Positions that are recorded from now on are sealed for the locked machine.
                changes.report(.protectedDataChanged)
                let isClosed = lock.access == .neverUnlocked
                let keys = isClosed ? AvailableKeys(machine: nil, file: file) : available.locked()
                use(keys) { [weak self] in self?.changes.report(.protectedDataChanged) }
            }
        }
    }

    private func arm() {
        // Whoever switches protection off has no use for a lock that interrupts it.
        lock.lockAfter = isEnding ? 0 : times.afterUnlock.nanoseconds
        lock.lockWhenIdle = isEnding ? 0 : times.whenIdle.nanoseconds
        if let deadline = lock.deadline { timer?.arm(at: deadline) } else { timer?.disarm() }
    }

    func use(_ keys: AvailableKeys, then completion: @escaping @DaemonActor @Sendable () -> Void = {}) {
        available = keys
        if hasPassphrase { StackErasure.enable() }
        journal.setKeys(keys, of: user) { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.warning("the journal did not take the keys: \(error)") }
                completion()
            }
        }
    }

    /// Receives what an operation has changed, or why nothing was.
    typealias Completion = @Sendable @DaemonActor (Result<ProtectionWorker.Outcome, ProtectionFailure>) -> Void
}
