import Cryptography
import Glibc
import Location
import Platform
import Protection
import Storage

extension JournalWriter {
    /// Reads the machine's secret once. Without it nothing is sealed or opened, and everything else works.
    func loadMachineSecret() {
        guard machineSecret == nil, machineProblem == nil else { return }
        do throws(SystemError) {
            if let secret = try options.machineSecret.place(in: path).load() { try use(secret) }
        } catch { machineProblem = error.description }
        loadFormerSecret()
    }

    /// Reads the former secret, which is there while the secret is exchanged.
    private func loadFormerSecret() {
        (formerSecret, formerProblem) = (nil, nil)
        do throws(SystemError) { formerSecret = try options.machineSecret.place(in: path).loadFormer() } catch {
            formerProblem = error.description
        }
    }

    /// Reports the secret, or that there is none yet.
    func reportMachineSecret() { outlet.report(.machineSecret(machineReport)) }

    private var machineReport: MachineSecretReport {
        var report = MachineSecretReport()
        report.place = options.machineSecret.place(in: path)
        (report.secret, report.problem) = (machineSecret, machineProblem)
        (report.former, report.hasExchanged) = (formerSecret, hasExchanged)
        if formerSecret != nil || formerProblem != nil { report.formerPath = report.place.formerPath }
        return report
    }

    /// The machine's secret, which is made if there is none yet.
    func preparedMachineSecret() throws(StorageError) -> MachineSecretReport {
        let store = try openedStore()
        try prepareMachineSecret(store)
        if machineSecret == nil {
            throw StorageError(
                "use the machine's secret", .protectedDataUnavailable, machineProblem ?? "it cannot be made")
        }
        return machineReport
    }

    /// Exchanges the secret of this file's rows if they were sealed with the former one, and refuses a secret that is neither.
    /// Where it is missing, none is made in its stead.
    func checkMachineSecret(_ store: EventStore) throws(StorageError) {
        guard let name = try store.machineName() else { return }
        guard let machineSecret else {
            machineProblem = machineProblem ?? "the secret with which the recordings were sealed is missing: restore it"
            return
        }
        guard name != MachineIdentity.name(of: machineSecret) else { return }
        if let formerSecret, MachineIdentity.name(of: formerSecret) == name {
            return try exchange(formerSecret, machineSecret, of: store)
        }
        machineProblem = obstacle
        self.machineSecret = nil
        keys = Keyring()
        store.recordings.setKeys(keys)
    }

    /// Why neither secret is the one of the rows, with the next step.
    private var obstacle: String {
        if let formerProblem {
            return
                "it is another secret than the one with which the recordings were sealed, and the former one cannot be"
                + " used: \(formerProblem)"
        }
        if formerSecret != nil {
            return
                "neither it nor the former one, \(options.machineSecret.place(in: path).formerPath), is the secret with"
                + " which the recordings were sealed: restore that one"
        }
        return
            "it is another secret than the one with which the recordings were sealed: restore that one, or provide it as the"
            + " former one, \(options.machineSecret.place(in: path).formerPath)"
    }

    /// Wraps the keys of the rows of the class none with another secret, in one transaction with the name of that secret: after
    /// a crash the file has one of the two secrets, and its name says which one.
    private func exchange(
        _ former: SymmetricKey, _ secret: SymmetricKey, of store: EventStore
    ) throws(StorageError) {
        let wrapping: (former: SymmetricKey, present: SymmetricKey)
        do throws(SystemError) {
            wrapping = (try MachineKey.derived(from: former), try MachineKey.derived(from: secret))
        } catch { throw StorageError(error) }
        try store.commit { () throws(StorageError) in
            try store.rewrapSegments(from: wrapping.former, to: wrapping.present)
            try store.setMachineName(MachineIdentity.name(of: secret))
        }
        // From here on the file has the new secret, and nothing that fails may bring back the former one, which opens
        // no row any more. What is known about segments is forgotten: none opens with the key that it was read with.
        hasExchanged = true
        store.recordings.setKeys(keys)
        // The log has the keys as they were wrapped before.
        requestEmptyLog(of: store)
    }

    /// Exchanges the machine's secret. One in the state directory is made anew; in other places the administrator has provided
    /// the new one and the former one. What was interrupted before goes on.
    func renewMachineSecret() throws(StorageError) -> MachineSecretReport {
        commitWaiting()
        let store = try openedStore()
        let place = options.machineSecret.place(in: path)
        loadFormerSecret()
        guard let working = machineSecret else { return machineReport }
        let (before, formerBefore) = (keys, formerSecret)
        do throws(StorageError) {
            guard let new = try newSecret(in: place, working) else { return machineReport }
            do throws(SystemError) { try use(new) } catch { throw StorageError(error) }
            if let name = try store.machineName(), name != MachineIdentity.name(of: new) {
                guard let formerSecret, MachineIdentity.name(of: formerSecret) == name else {
                    throw StorageError(
                        "exchange the machine's secret", .protectedDataUnavailable,
                        "\(place.path) has another secret than before, and \(place.formerPath) is not the one of before:"
                            + " provide that one")
                }
                try exchange(formerSecret, new, of: store)
            }
        } catch {
            (machineSecret, keys, formerSecret) = (working, before, formerBefore)
            throw error
        }
        store.recordings.setKeys(keys)
        return machineReport
    }

    /// The secret that is to be used instead of the present one; nil if there is none.
    private func newSecret(
        in place: MachineSecretPlace, _ working: SymmetricKey
    ) throws(StorageError) -> SymmetricKey? {
        do throws(SystemError) {
            guard let stored = try place.load() else { return nil }
            if !stored.isEqual(to: working) { return stored }
            guard case .stateDirectory = place else { return nil }
            // A former secret that is the present one was stored by an exchange that ended before the new one was made.
            guard formerSecret.map({ $0.isEqual(to: working) }) ?? true else { return nil }
            let new = try place.exchange(working)
            formerSecret = working
            return new
        } catch { throw StorageError(error) }
    }

    /// Removes the former secret from the state directory, after nothing is sealed with it any more.
    func forgetFormerSecret() throws(StorageError) -> MachineSecretReport {
        let place = options.machineSecret.place(in: path)
        if case .stateDirectory = place {
            do throws(SystemError) { try place.removeFormer() } catch { throw StorageError(error) }
        }
        loadFormerSecret()
        return machineReport
    }

    /// Makes the machine's secret if there is none yet, and stores its name, before a row is sealed.
    func prepareMachineSecret(_ store: EventStore) throws(StorageError) {
        guard !isMachineNamed else { return }
        if machineSecret == nil, machineProblem == nil {
            do throws(SystemError) {
                try use(try options.machineSecret.place(in: path).make())
            } catch { throw StorageError(error) }
            store.recordings.setKeys(keys)
            reportMachineSecret()
        }
        guard let machineSecret else { return }
        let name = MachineIdentity.name(of: machineSecret)
        if try store.machineName() != name {
            try store.commit { () throws(StorageError) in try store.setMachineName(name) }
        }
        isMachineNamed = true
    }

    /// Sets the keys of the classes that lock, of a user or the machine. What was recorded before that was requested is sealed with
    /// the former keys first, if it can be written.
    func setKeys(_ new: AvailableKeys, of user: UInt32?) {
        commitWaiting()
        keys.set(new, of: user)
        store?.recordings.setKeys(keys, changedOf: user)
        intake.pending.withLock { $0.positions.keysChanged() }
        commitWaiting()
    }

    /// Sets the classes of recordings, and seals the rows of other ones again.
    func setClasses(_ classes: RecordingClasses) {
        commitWaiting()
        self.classes = classes
        store?.recordings.setClasses(classes)
        commitWaiting()
    }

    /// Whether rows remain that are sealed with the present keys of the machine, or of a user. What was queued is stored before.
    func remainsSealed(of user: UInt32?) throws(StorageError) -> Bool {
        commitWaiting()
        let remains = try openedStore().recordings.remainsSealed(of: user)
        if remains { commitWaiting() }
        return remains
    }

    /// Erases all rows of a user that are sealed with the keys of a file, which nobody has any more.
    func eraseSealed(with keyFile: [UInt8], of user: UInt32) throws(StorageError) {
        commitWaiting()
        let store = try openedStore()
        var isDone = false
        while !isDone {
            isDone = try store.recordings.noteSealed(with: keyFile, of: user) == 0
            commitWaiting()
            guard isDone || store.recordings.unreadable.isEmpty else {
                throw StorageError("erase positions", .system(EAGAIN), "the journal cannot be written at present")
            }
        }
        requestEmptyLog(of: try openedStore())
    }

    private func use(_ secret: SymmetricKey) throws(SystemError) {
        keys = keys.with(machine: try MachineKey.derived(from: secret))
        machineSecret = secret
    }
}

extension EventJournal {
    /// Sets the keys of the classes that lock, of the machine or of a user; that of the class `none` is the journal's own. Keys
    /// without a file remove those of a user. `completion` is called when the former keys are no longer in use by the journal.
    public func setKeys(
        _ keys: AvailableKeys, of user: UInt32? = nil,
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void = { _ in }
    ) {
        intake.pending.withLock { $0.positions.expectKeys() }
        request(mustRun: true, completion) { writer throws(StorageError) in writer.setKeys(keys, of: user) }
    }

    /// About how many stored rows of a user's recordings are still to be sealed with their class and keys.
    public func rowsToSeal(
        of user: UInt32, completion: @escaping @Sendable (Result<RowsToSeal, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in
            try writer.openedStore().recordings.rowsToSeal(of: user)
        }
    }

    /// The machine's secret, which is made if there is none yet.
    public func machineSecret(
        completion: @escaping @Sendable (Result<MachineSecretReport, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.preparedMachineSecret() }
    }

    /// Exchanges the machine's secret for another one, as far as rows are sealed with it. The `problem` of the report says
    /// why it was not done.
    public func renewMachineSecret(
        completion: @escaping @Sendable (Result<MachineSecretReport, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.renewMachineSecret() }
    }

    /// Removes the former secret from the state directory; in other places it is the administrator's.
    public func forgetFormerSecret(
        completion: @escaping @Sendable (Result<MachineSecretReport, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.forgetFormerSecret() }
    }

    /// Sets the classes of recordings. Their rows of lesser classes are sealed again; with `lowers`, also those that are sealed with
    /// the keys of the machine.
    public func setClasses(_ classes: [RecordingID: ProtectionClass], lowers: Bool = false) {
        post { $0.setClasses(RecordingClasses(classes: classes, lowers: lowers)) }
    }

    /// Erases all rows of a user that are sealed with the keys of a file, which nobody has any more. They are counted as dropped.
    public func eraseSealed(
        with keyFile: [UInt8], of user: UInt32, completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.eraseSealed(with: keyFile, of: user) }
    }

    /// Whether rows remain that are sealed with the present keys of a user, which are being switched off; or with those of the
    /// machine, after `setClasses` has lowered all classes to none.
    public func remainsSealed(
        of user: UInt32? = nil, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void
    ) {
        request(completion) { writer throws(StorageError) in try writer.remainsSealed(of: user) }
    }
}
