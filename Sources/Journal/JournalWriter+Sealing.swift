import Cryptography
import Location
import Platform
import Protection

extension JournalWriter {
    /// Reads the machine's secret once. Without it nothing is sealed or opened, and everything else works.
    func loadMachineSecret() {
        guard machineSecret == nil, machineProblem == nil else { return }
        do throws(SystemError) {
            if let secret = try options.machineSecret.place(in: path).load() { try use(secret) }
        } catch { machineProblem = error.description }
    }

    /// Reports the secret, or that there is none yet.
    func reportMachineSecret() { outlet.report(.machineSecret(machineReport)) }

    private var machineReport: MachineSecretReport {
        var report = MachineSecretReport()
        report.place = options.machineSecret.place(in: path)
        (report.secret, report.problem) = (machineSecret, machineProblem)
        return report
    }

    /// The machine's secret, which is made if there is none yet.
    func preparedMachineSecret() throws(JournalError) -> MachineSecretReport {
        let store = try openedStore()
        try prepareMachineSecret(store)
        if machineSecret == nil {
            throw JournalError(
                "use the machine's secret", .protectedDataUnavailable, machineProblem ?? "it cannot be made")
        }
        return machineReport
    }

    /// Refuses a secret that is not the one with which this file's rows were sealed.
    func checkMachineSecret(_ store: EventStore) throws(JournalError) {
        guard let machineSecret, let name = try store.machineName() else { return }
        guard name != MachineIdentity.name(of: machineSecret) else { return }
        machineProblem = "it is another secret than the one with which the recordings were sealed: restore that one"
        self.machineSecret = nil
        keys = AvailableKeys(machine: nil)
        store.recordings.setKeys(keys)
    }

    /// Makes the machine's secret if there is none yet, and stores its name, before a row is sealed.
    func prepareMachineSecret(_ store: EventStore) throws(JournalError) {
        guard !isMachineNamed else { return }
        if machineSecret == nil, machineProblem == nil {
            do throws(SystemError) {
                try use(try options.machineSecret.place(in: path).make())
            } catch { throw JournalError(error) }
            store.recordings.setKeys(keys)
            reportMachineSecret()
        }
        guard let machineSecret else { return }
        let name = MachineIdentity.name(of: machineSecret)
        if try store.machineName() != name {
            try store.commit { () throws(JournalError) in try store.setMachineName(name) }
        }
        isMachineNamed = true
    }

    /// Sets the keys of the classes that lock. What is queued is sealed with the former keys first, if it can be written.
    func setKeys(_ new: AvailableKeys) {
        commitWaiting()
        keys = keys.machine.map(new.with(machine:)) ?? new
        store?.recordings.setKeys(keys)
        commitWaiting()
    }

    /// Sets the classes of recordings, and seals the rows of other ones again.
    func setClasses(_ classes: RecordingClasses) {
        commitWaiting()
        self.classes = classes
        store?.recordings.setClasses(classes)
        commitWaiting()
    }

    /// Whether rows remain that are sealed with the keys of the present file. What was queued is stored before.
    func remainsSealed() throws(JournalError) -> Bool {
        commitWaiting()
        let remains = try openedStore().recordings.remainsSealed()
        if remains { commitWaiting() }
        return remains
    }

    private func use(_ secret: SymmetricKey) throws(SystemError) {
        keys = keys.with(machine: try MachineKey.derived(from: secret))
        machineSecret = secret
    }
}

extension EventJournal {
    /// Sets the keys of the classes that lock; that of the class `none` is the journal's own. `completion` is called when the
    /// former keys are no longer in use by the journal.
    public func setKeys(
        _ keys: AvailableKeys, completion: @escaping @Sendable (Result<Void, JournalError>) -> Void = { _ in }
    ) {
        request(mustRun: true, completion) { writer throws(JournalError) in writer.setKeys(keys) }
    }

    /// Moves the write-ahead log into the file and empties it, so that it has no earlier version of a value. Where that fails,
    /// the log is overwritten by what is written next.
    public func emptyLog() {
        post { writer in
            do throws(JournalError) { try writer.openedStore().emptyLog() } catch {
                Log.warning("the journal's log could not be emptied: \(error)")
            }
        }
    }

    /// The machine's secret, which is made if there is none yet.
    public func machineSecret(
        completion: @escaping @Sendable (Result<MachineSecretReport, JournalError>) -> Void
    ) {
        request(completion) { writer throws(JournalError) in try writer.preparedMachineSecret() }
    }

    /// Sets the classes of recordings. Their rows of lesser classes are sealed again; with `lowers`, also those of stricter ones.
    public func setClasses(_ classes: [RecordingID: ProtectionClass], lowers: Bool = false) {
        post { $0.setClasses(RecordingClasses(classes: classes, lowers: lowers)) }
    }

    /// Whether rows remain that are sealed with the keys of the present file, after `setClasses` has lowered all classes to none.
    public func remainsSealed(completion: @escaping @Sendable (Result<Bool, JournalError>) -> Void) {
        request(completion) { writer throws(JournalError) in try writer.remainsSealed() }
    }
}
