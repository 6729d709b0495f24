import Cryptography
import Events
import Journal
import Location
import Platform
import Protection
import Storage

// The exchange of the machine's secret. First the rows of the journal are brought to the new one, in one transaction; then the
// file of keys and the record of attempts. Each of them begins with a name that is derived from the secret
// which opens it, so that it is known which of the two secrets that is. The former secret is removed last, so that the exchange
// goes on after a crash at any point: at the next start, without a command.

extension DataProtection {
    /// Exchanges the machine's secret, or continues an exchange. The keys that are unlocked stay so. `completion` receives why
    /// nothing, or not everything, was done.
    func renewMachineSecret(
        by caller: String, completion: @escaping @DaemonActor @Sendable (ProtectionFailure?) -> Void
    ) {
        if let problem = machine.problem { return completion(.unavailable(problem)) }
        if let problem, !needsFormerSecret { return completion(.unavailable(problem)) }
        guard let old = machine.secret else {
            return completion(.noNewSecret("no secret was made yet, because nothing was recorded"))
        }
        guard !together.contains(where: \.isBusy) else { return completion(.busy) }
        isRenewing = true
        journal.renewMachineSecret { [weak self] result in
            DaemonActor.assumeIsolated { self?.exchangeFiles(result, old, caller, completion) }
        }
    }

    /// The locks whose files have the machine's secret: that of the machine, and those of users, also of a user whose
    /// first passphrase is being set.
    private var together: [DataProtection] { [self] + (users?.known ?? []) }

    /// Operations are accepted again, and erasures that were requested meanwhile are performed.
    private func endRenewal() {
        isRenewing = false
        for one in together { one.performPendingErasures() }
    }

    /// The rows have the new secret: the files follow, on a thread of their own because they are synchronized.
    private func exchangeFiles(
        _ result: Result<MachineSecretReport, StorageError>, _ old: SymmetricKey, _ caller: String,
        _ completion: @escaping @DaemonActor @Sendable (ProtectionFailure?) -> Void
    ) {
        let report: MachineSecretReport
        switch result {
        case .success(let found): report = found
        case .failure(let error):
            endRenewal()
            return completion(.unavailable(error.description))
        }
        guard let secret = report.secret, let former = report.former, !former.isEqual(to: secret) else {
            endRenewal()
            return completion(report.problem.map(ProtectionFailure.unavailable) ?? missing(report))
        }
        let isNew = !secret.isEqual(to: old)
        let (all, now) = (together, now)
        let files = all.map(\.files)
        let finish = { @DaemonActor @Sendable [weak self] (outcomes: [Result<ExchangedFiles, SystemError>]) in
            self?.finishRenewal(Array(zip(all, outcomes)), report, isNew, caller, completion)
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "protection") {
                let outcomes = files.map { Self.exchange($0, former, secret, now) }
                DaemonActor.post { finish(outcomes) }
            }
        } catch { finish(all.map { _ in .failure(error) }) }
    }

    private nonisolated static func exchange(
        _ files: ProtectionFiles, _ former: SymmetricKey, _ secret: SymmetricKey, _ now: UTCTime
    ) -> Result<ExchangedFiles, SystemError> {
        do throws(SystemError) {
            let hasExchanged = try files.exchange(from: former, to: secret, at: now)
            let record = files.loadRecord(machine: secret, at: now)
            return .success(
                ExchangedFiles(
                    hasExchanged: hasExchanged, record: record, keys: files.loadKeys(machine: secret, record)))
        } catch { return .failure(error) }
    }

    private func missing(_ report: MachineSecretReport) -> ProtectionFailure {
        switch report.place {
        case .stateDirectory(let path): .noNewSecret("the secret \(path) cannot be exchanged")
        case .file(let path), .credential(let path):
            .noNewSecret(
                "\(path) is the secret that is in use. Provide a new one there, and this one as \(report.place.formerPath):"
                    + " the page protection.md has the commands")
        }
    }

    /// What the files have after an exchange.
    private struct ExchangedFiles: Sendable {
        let hasExchanged: Bool
        let record: AttemptRecord
        let keys: Result<KeyFile?, ProtectionProblem>
    }

    private func finishRenewal(
        _ outcomes: [(DataProtection, Result<ExchangedFiles, SystemError>)], _ report: MachineSecretReport,
        _ isNew: Bool,
        _ caller: String, _ completion: @escaping @DaemonActor @Sendable (ProtectionFailure?) -> Void
    ) {
        receive(report)
        isRenewing = false
        defer { endRenewal() }
        var (failure, hasExchanged): (ProtectionFailure?, Bool) = (nil, false)
        var unusable: [DataProtection] = []
        for (protection, outcome) in outcomes {
            switch outcome {
            case .failure(let error):
                protection.renewalFailed(error)
                failure = failure ?? .unavailable(protection.problem ?? error.description)
            case .success(let files):
                if protection.problem != nil { unusable.append(protection) }
                hasExchanged = hasExchanged || files.hasExchanged
                switch files.keys {
                case .success(let keys): protection.renewed(with: (keys, files.record))
                // One that could not be used before either is read again below.
                case .failure(let error):
                    if protection.problem == nil { failure = failure ?? .unavailable(error.text) }
                }
            }
        }
        if let failure { return completion(failure) }
        if isNew || hasExchanged { reportRenewal(by: caller) }
        // Locks that could be used before stay unlocked, or locked, as they are.
        for protection in unusable { protection.loadOwn() }
        forgetFormerSecret()
        completion(nil)
    }

    /// Records that everything has the new secret of the machine.
    func reportRenewal(by caller: String?) {
        var details: EventDetails = ["change": .text("machineSecretRenewed")]
        if let caller { details.append("by", .text(caller)) }
        recorder.record(Event(.protectionChanged, details: details))
    }

    /// Removes the former secret where the daemon has made it, after nothing needs it any more.
    func forgetFormerSecret() {
        guard case .stateDirectory = machine.place, machine.formerPath != nil, machine.problem == nil,
            together.allSatisfy({ $0.problem == nil && !$0.needsFormerSecret })
        else { return }
        journal.forgetFormerSecret { [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success(let report): self?.receive(report)
                case .failure(let error): Log.warning("the former secret of the machine was not removed: \(error)")
                }
            }
        }
    }

    /// The path of the former secret, and whether something may still need it; nil if there is none.
    var formerSecret: (path: String, isNeeded: Bool)? {
        guard let path = machine.formerPath else { return nil }
        let isNeeded = together.contains { $0.needsFormerSecret || $0.problem != nil }
        return (path, isNeeded || machine.problem != nil)
    }
}
