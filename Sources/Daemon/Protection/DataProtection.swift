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
    private let changes: Changes
    private let clock: any TimeSource
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
    private(set) var file: KeyFile?
    /// Why there is a file of keys that cannot be used, for people.
    private(set) var problem: String?
    private(set) var lock = DataLock()
    private(set) var record = AttemptRecord()
    private var available = AvailableKeys(machine: nil)
    /// Whether the data is closed because it may belong to somebody else than before: nothing unlocks it.
    var isSuspended = false
    /// Whether a secret is being tried, or the machine's secret is being exchanged.
    var isBusy = false
    private var timer: TimerSource?
    /// The times after which the data is locked by itself.
    private var times = (afterUnlock: Duration.zero, whenIdle: Duration.zero)
    /// Who began to lock.
    private var locker = ""
    private let earlyCalls: EarlyCalls
    private let queue: SecretQueue

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

    // Locking

    /// Locks the data after the grace time.
    func lock(by locker: String) {
        if case .unlocked = lock.state { self.locker = locker }
        perform(lock.lock(at: clock.monotonicNanoseconds))
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

    private func perform(_ effects: [DataLock.Effect]) {
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

    private func use(_ keys: AvailableKeys, then completion: @escaping @DaemonActor @Sendable () -> Void = {}) {
        available = keys
        if hasPassphrase { StackErasure.enable() }
        journal.setKeys(keys, of: user) { result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { Log.warning("the journal did not take the keys: \(error)") }
                completion()
            }
        }
    }

    // Secrets

    /// Receives what an operation has changed, or why nothing was.
    typealias Completion = @Sendable @DaemonActor (Result<ProtectionWorker.Outcome, ProtectionFailure>) -> Void

    /// Sets the first passphrase, after the files of keys were read.
    func setPassphrase(_ secret: Secret, by caller: String, completion: @escaping Completion) {
        if isSuspended { return completion(.failure(.suspended)) }
        if let problem { return completion(.failure(.unavailable(problem))) }
        guard file == nil else { return completion(.failure(isEnding ? .ending : .passphraseExists)) }
        guard !isBusy else { return completion(.failure(.busy)) }
        isBusy = true
        journal.machineSecret { [weak self] result in
            DaemonActor.assumeIsolated {
                guard let self else { return }
                self.isBusy = false
                switch result {
                case .success(let report):
                    self.receive(report)
                    self.run(
                        { $0.make(.passphrase(secret), $1) }, "passphraseSet", unlocks: true, caller, completion)
                case .failure(let error): completion(.failure(.unavailable(error.description)))
                }
            }
        }
    }

    /// Performs an operation if the secret is right, after the files of keys were read.
    func perform(
        _ operation: ProtectionWorker.Operation, with secret: UnlockSecret, by caller: String,
        completion: @escaping Completion
    ) {
        if isSuspended { return completion(.failure(.suspended)) }
        if let problem { return completion(.failure(.unavailable(problem))) }
        guard let file else { return completion(.failure(.noPassphrase)) }
        guard !isEnding || operation.unlocks else { return completion(.failure(.ending)) }
        record.limiter.adjust(to: now)
        guard wait == 0 else { return completion(.failure(.tooManyAttempts(wait))) }
        let now = now
        run(
            { $0.perform(operation, on: file, with: secret, $1, at: now) }, operation.change,
            unlocks: operation.unlocks,
            caller, completion)
    }

    private func run(
        _ body: @escaping @Sendable (ProtectionWorker, AttemptRecord) -> ProtectionWorker.Report, _ change: String?,
        unlocks: Bool, _ caller: String, _ completion: @escaping Completion
    ) {
        guard !isBusy else { return completion(.failure(.busy)) }
        guard let secret = machine.secret else {
            return completion(.failure(.unavailable(machine.problem ?? "the machine's secret is missing")))
        }
        isBusy = true
        let (files, record, cost) = (files, record, cost)
        let isQueued = queue.add { [weak self] in
            let report = body(ProtectionWorker(files: files, machine: secret, cost: cost()), record)
            DaemonActor.post { self?.finish(report, change, unlocks: unlocks, caller, completion) }
        } orFail: { [weak self] error in
            self?.isBusy = false
            completion(.failure(.unavailable(error.description)))
        }
        guard !isQueued else { return }
        isBusy = false
        completion(.failure(.busy))
    }

    private func finish(
        _ report: ProtectionWorker.Report, _ change: String?, unlocks: Bool, _ caller: String,
        _ completion: @escaping Completion
    ) {
        isBusy = false
        record = report.record
        guard !isSuspended else {
            // What is on the disk is not replaced by something older, if the account is given back its data.
            if file != nil, case .success(let outcome) = report.result { file = outcome.file }
            return completion(.failure(.suspended))
        }
        switch report.result {
        case .failure(let failure):
            if failure == .wrongSecret {
                recorder.record(
                    Event(
                        .dataUnlockRefused, uid: user,
                        details: ["by": .text(caller), "failures": .integer(Int64(record.limiter.failures))]))
            }
            completion(.failure(failure))
        case .success(let outcome):
            let isFirst = file == nil
            file = outcome.file
            if let change {
                recorder.record(
                    Event(
                        .protectionChanged, uid: user,
                        details: [
                            "by": .text(caller), "change": .text(change),
                            "number": .integer(Int64(outcome.slot.number)),
                        ]))
            }
            guard unlocks else {
                changes.report(.statusDetailChanged)
                return completion(.success(outcome))
            }
            let wasUnlocked = lock.access == .unlocked && !isFirst
            if !wasUnlocked {
                recorder.record(
                    Event(
                        .dataUnlocked, uid: user,
                        details: ["by": .text(caller), "with": .text(outcome.slot.kind.word)]))
            }
            let effects = lock.unlock(at: clock.monotonicNanoseconds)
            // The reply follows when the journal uses the keys, so that a read after it is not refused.
            use(AvailableKeys(machine: nil, file: outcome.file, keys: outcome.keys, state: .unlocked)) { [weak self] in
                self?.perform(effects)
                completion(.success(outcome))
            }
            // A new file of keys gives the recordings their classes at once.
            if isFirst { changes.report(.protectedDataChanged) }
        }
    }

    /// Stores that the keys are to be removed, without a secret, after which nothing is sealed with them any more. The data stays
    /// locked if it is.
    func beginEnd(
        by caller: String, completion: @escaping @DaemonActor @Sendable (Result<KeyFile, ProtectionFailure>) -> Void
    ) {
        if let problem { return completion(.failure(.unavailable(problem))) }
        guard let file, let secret = machine.secret else { return completion(.failure(.noPassphrase)) }
        guard !isBusy else { return completion(.failure(.busy)) }
        isBusy = true
        let (files, before) = (files, record)
        let finish = { @DaemonActor @Sendable [weak self] (result: Result<(KeyFile, AttemptRecord), SystemError>) in
            guard let self else { return }
            isBusy = false
            switch result {
            case .failure(let error): completion(.failure(.unavailable(error.description)))
            case .success(let (ending, record)):
                (self.file, self.record) = (ending, record)
                recorder.record(
                    Event(
                        .protectionChanged, uid: user, details: ["by": .text(caller), "change": .text("resetBegun")]))
                close(by: caller)
                use(AvailableKeys(machine: nil, file: ending)) { completion(.success(ending)) }
                changes.report(.protectedDataChanged)
            }
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "protection") {
                let ending = file.isEnding ? file : file.ending()
                var record = before
                let result: Result<(KeyFile, AttemptRecord), SystemError>
                do throws(SystemError) {
                    if !file.isEnding { try files.store(ending, &record, machine: secret) }
                    result = .success((ending, record))
                } catch { result = .failure(error) }
                DaemonActor.post { [result] in finish(result) }
            }
        } catch { finish(.failure(error)) }
    }

    /// Removes the keys, after everything was brought back to the class none, or to other keys; or, with `evenUnended`, although
    /// something is still sealed with them.
    func end(
        evenUnended: Bool = false, completion: @escaping @DaemonActor @Sendable (SystemError?) -> Void
    ) {
        guard isEnding || evenUnended, !isBusy else { return completion(SystemError("remove the keys", code: EBUSY)) }
        isBusy = true
        let files = files
        let finish = { @DaemonActor @Sendable [weak self] (error: SystemError?) in
            self?.ended(error)
            completion(error)
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "protection") {
                var failure: SystemError?
                do throws(SystemError) { try files.remove() } catch { failure = error }
                DaemonActor.post { [failure] in finish(failure) }
            }
        } catch { finish(error) }
    }

    private func ended(_ error: SystemError?) {
        isBusy = false
        if let error { return Log.warning("the keys of data protection cannot be removed: \(error)") }
        (file, record) = (nil, AttemptRecord())
        lock.end()
        recorder.record(Event(.protectionChanged, uid: user, details: ["change": .text("switchedOff")]))
        use(AvailableKeys(machine: nil))
        changes.report(.protectedDataChanged)
    }
}
