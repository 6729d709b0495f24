import Events
import Journal
import Platform
import Protection

/// Operations with a secret: they are refused, or performed by a thread, and what they have changed takes effect.
extension DataProtection {
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
}
