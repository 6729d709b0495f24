import Cryptography
import Events
import Journal
import Platform
import Protection
import Storage

// The exchange of the machine's secret. First the rows of the journal are brought to the new one, in one transaction; then the
// file of keys and the record of attempts. Each of them says by the name of its secret which of the two opens it, and the former
// secret is removed last, so that the exchange goes on after a crash at any point: at the next start, without a command.

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
        guard !isBusy else { return completion(.busy) }
        isBusy = true
        journal.renewMachineSecret { [weak self] result in
            DaemonActor.assumeIsolated { self?.exchangeFiles(result, old, caller, completion) }
        }
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
            isBusy = false
            return completion(.unavailable(error.description))
        }
        guard let secret = report.secret, let former = report.former, !former.isEqual(to: secret) else {
            isBusy = false
            return completion(report.problem.map(ProtectionFailure.unavailable) ?? missing(report))
        }
        let isNew = !secret.isEqual(to: old)
        let (files, now) = (files, now)
        let finish = { @DaemonActor @Sendable [weak self] (outcome: Result<ExchangedFiles, SystemError>) in
            self?.finishRenewal(outcome, report, isNew, caller, completion)
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "protection") {
                let outcome: Result<ExchangedFiles, SystemError>
                do throws(SystemError) {
                    let hasExchanged = try files.exchange(from: former, to: secret, at: now)
                    let record = files.loadRecord(machine: secret, at: now)
                    outcome = .success(
                        ExchangedFiles(
                            hasExchanged: hasExchanged, record: record, keys: files.loadKeys(machine: secret, record)))
                } catch { outcome = .failure(error) }
                DaemonActor.post { finish(outcome) }
            }
        } catch { finish(.failure(error)) }
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
        _ outcome: Result<ExchangedFiles, SystemError>, _ report: MachineSecretReport, _ isNew: Bool, _ caller: String,
        _ completion: @escaping @DaemonActor @Sendable (ProtectionFailure?) -> Void
    ) {
        isBusy = false
        receive(report)
        switch outcome {
        case .failure(let error):
            renewalFailed(error)
            return completion(.unavailable(problem ?? error.description))
        case .success(let files):
            let wasUnusable = problem != nil
            if case .success(let keys) = files.keys { renewed(with: (keys, files.record)) }
            if isNew || files.hasExchanged { reportRenewal(by: caller) }
            if wasUnusable { load() } else { forgetFormerSecret() }
            completion(nil)
        }
    }

    /// Records that everything has the new secret of the machine.
    func reportRenewal(by caller: String?) {
        var details: EventDetails = ["change": .text("machineSecretRenewed")]
        if let caller { details.append("by", .text(caller)) }
        recorder.record(Event(.protectionChanged, details: details))
    }

    /// Removes the former secret where the daemon has made it, after nothing needs it any more.
    func forgetFormerSecret() {
        guard case .stateDirectory = machine.place, machine.formerPath != nil, machine.problem == nil, problem == nil,
            !needsFormerSecret
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
        return (path, needsFormerSecret || problem != nil || machine.problem != nil)
    }
}
