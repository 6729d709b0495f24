import Cryptography
import Location
import Platform
import Protection

/// Performs the operations with secrets, on a thread of its own: deriving a key from a passphrase takes about a second and
/// 256 MiB, and neither the loop nor the storage thread may wait for it.
struct ProtectionWorker: Sendable {
    let files: ProtectionFiles
    let machine: SymmetricKey
    /// The cost of a new passphrase.
    let cost: PassphraseHash

    /// What an operation has changed.
    struct Outcome: Sendable {
        var file: KeyFile
        var record: AttemptRecord
        var keys: UnlockedKeys
        /// The slot whose secret was given or changed.
        var slot: Keyslot
        /// The words of a new recovery key.
        var words: Secret?
    }

    /// The result of an operation, and the record of attempts after it.
    struct Report: Sendable {
        let result: Result<Outcome, ProtectionFailure>
        let record: AttemptRecord
    }

    /// What is to be done after a secret was found to be right.
    enum Operation: Sendable {
        case unlock
        case change(to: UnlockSecret)
        case add(UnlockSecret)
        case addRecovery
        case remove(Int)
        case switchOff
    }

    /// Makes the first file of keys.
    func make(_ secret: UnlockSecret, _ record: AttemptRecord) -> Report {
        // The numbers of a file that was removed do not restrict a new one.
        var record = AttemptRecord()
        do throws(KeyFile.Failure) {
            let (file, keys) = try KeyFile.make(for: secret, of: files.user, machine: machine, cost: cost)
            guard let slot = file.slots.first else { return Report(result: .failure(.noPassphrase), record: record) }
            return stored(file, keys, slot, &record, isFirst: true)
        } catch { return Report(result: .failure(ProtectionFailure(error)), record: record) }
    }

    /// Performs an operation if the secret is right. The attempt is counted before, as a wrong one: whoever kills the daemon, or cuts
    /// the power, before a wrong secret is refused gains no attempt.
    func perform(
        _ operation: Operation, on file: KeyFile, with secret: UnlockSecret, _ record: AttemptRecord, at now: UTCTime
    ) -> Report {
        var record = record
        let before = record.limiter
        record.limiter.fail(at: now)
        let obstacle = obstacle(toStoring: record)
        // On a full disk the right secret unlocks still, unless there was a wrong one.
        if let obstacle, before != AttemptLimiter() { return Report(result: .failure(obstacle), record: record) }
        let opened: (keys: UnlockedKeys, slot: Keyslot)
        do throws(KeyFile.Failure) { opened = try file.open(with: secret, machine: machine) } catch {
            if error != .wrongSecret {
                // It was not tried.
                record.limiter = before
                if let obstacle = self.obstacle(toStoring: record) {
                    Log.warning("an attempt stays counted: \(obstacle)")
                }
            }
            return Report(result: .failure(obstacle ?? ProtectionFailure(error)), record: record)
        }
        record.limiter.succeed()
        record.use(file)
        if let obstacle = self.obstacle(toStoring: record) { Log.warning("an attempt stays counted: \(obstacle)") }
        do throws(KeyFile.Failure) {
            switch operation {
            case .unlock:
                if opened.slot.isCarried, let report = settle(file, opened, secret, record) { return report }
                let outcome = Outcome(file: file, record: record, keys: opened.keys, slot: opened.slot)
                return Report(result: .success(outcome), record: record)
            case .change(let new):
                let changed = try file.replacing(opened.slot.number, by: new, opened.keys, machine: machine, cost: cost)
                return stored(changed, opened.keys, changed.slots.max { $0.number < $1.number } ?? opened.slot, &record)
            case .add(let new):
                let changed = try file.adding(new, opened.keys, machine: machine, cost: cost)
                return stored(changed, opened.keys, changed.slots.last ?? opened.slot, &record)
            case .addRecovery:
                let key: SymmetricKey
                let words: Secret
                do throws(SystemError) {
                    key = try SymmetricKey.random()
                    words = try RecoveryKey.text(of: key)
                } catch { throw .system(error) }
                let changed = try file.adding(.recovery(key), opened.keys, machine: machine, cost: cost)
                return stored(changed, opened.keys, changed.slots.last ?? opened.slot, &record, words)
            case .switchOff: return stored(file.ending(), opened.keys, opened.slot, &record)
            case .remove(let number):
                let slot = file.slots.first { $0.number == number } ?? opened.slot
                return stored(try file.removing(number), opened.keys, slot, &record)
            }
        } catch { return Report(result: .failure(ProtectionFailure(error)), record: record) }
    }

    /// Stores the record of attempts, durably. Returns why that is not possible.
    private func obstacle(toStoring record: AttemptRecord) -> ProtectionFailure? {
        do throws(SystemError) { try files.store(record, machine: machine) } catch {
            return .unavailable(error.description)
        }
        return nil
    }

    /// Removes what is left of a former secret of the machine from the slot that was opened. Nil if that is not possible at
    /// present: the slot still opens, and it is tried again with the next unlock.
    private func settle(
        _ file: KeyFile, _ opened: (keys: UnlockedKeys, slot: Keyslot), _ secret: UnlockSecret, _ record: AttemptRecord
    ) -> Report? {
        var record = record
        do throws(SystemError) {
            let settled = try file.settling(opened.slot.number, with: secret, opened.keys, machine: machine)
            let slot = settled.slots.first { $0.number == opened.slot.number } ?? opened.slot
            let report = stored(settled, opened.keys, slot, &record)
            if case .success = report.result { return report }
            return nil
        } catch {
            Log.warning("a secret stays wrapped with the machine's former secret: \(error)")
            return nil
        }
    }

    private func stored(
        _ file: KeyFile, _ keys: UnlockedKeys, _ slot: Keyslot, _ record: inout AttemptRecord, _ words: Secret? = nil,
        isFirst: Bool = false
    ) -> Report {
        do throws(SystemError) {
            if isFirst {
                try files.storeFirst(file, &record, machine: machine)
            } else {
                try files.store(file, &record, machine: machine)
            }
        } catch { return Report(result: .failure(.unavailable(error.description)), record: record) }
        let outcome = Outcome(file: file, record: record, keys: keys, slot: slot, words: words)
        return Report(result: .success(outcome), record: record)
    }
}

extension ProtectionWorker.Operation {
    /// The word for the change in events; nil if nothing is changed.
    var change: String? {
        switch self {
        case .unlock: nil
        case .change: "passphraseChanged"
        case .add(.credential): "credentialAdded"
        case .add: "passphraseAdded"
        case .addRecovery: "recoveryAdded"
        case .remove: "secretRemoved"
        case .switchOff: "switchOffBegun"
        }
    }

    /// Whether the data is unlocked afterwards. Who changes a secret does not unlock what is locked.
    var unlocks: Bool {
        switch self {
        case .unlock, .switchOff: true
        case .change, .add, .addRecovery, .remove: false
        }
    }
}
