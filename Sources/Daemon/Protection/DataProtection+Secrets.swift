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
        beginOperation()
        journal.machineSecret { [weak self] result in
            DaemonActor.assumeIsolated {
                guard let self else { return }
                switch result {
                case .success(let report):
                    self.receive(report)
                    self.run(
                        { $0.make(.passphrase(secret), $1) }, "passphraseSet", unlocks: true, caller, completion)
                case .failure(let error): self.refuse(.unavailable(error.description), completion)
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
        guard !isBusy else { return completion(.failure(.busy)) }
        beginOperation()
        let now = now
        run(
            { $0.perform(operation, on: file, with: secret, $1, at: now) }, operation.change,
            unlocks: operation.unlocks,
            caller, completion)
    }

    /// Runs the operation that has begun.
    private func run(
        _ body: @escaping @Sendable (ProtectionWorker, AttemptRecord) -> ProtectionWorker.Report, _ change: String?,
        unlocks: Bool, _ caller: String, _ completion: @escaping Completion
    ) {
        guard pendingErasures.isEmpty else { return refuse(Self.erasing, completion) }
        guard let secret = machine.secret else {
            return refuse(.unavailable(machine.problem ?? "the machine's secret is missing"), completion)
        }
        let (files, record, cost) = (files, record, cost)
        let isQueued = queue.add { [weak self] in
            let report = body(ProtectionWorker(files: files, machine: secret, cost: cost()), record)
            DaemonActor.post { self?.finish(report, change, unlocks: unlocks, caller, completion) }
        } orFail: { [weak self] error in
            guard let self else { return completion(.failure(.unavailable(error.description))) }
            refuse(.unavailable(error.description), completion)
        }
        if !isQueued { refuse(.busy, completion) }
    }

    /// Ends an operation that has changed nothing.
    private func refuse(_ failure: ProtectionFailure, _ completion: Completion) {
        endOperation()
        completion(.failure(failure))
        performPendingErasures()
    }

    /// Why an operation has no effect if the data was erased meanwhile.
    private static let erasing = ProtectionFailure.unavailable("the data of this user is being erased")

    /// The data stays closed after an operation. The file of keys that the operation has stored is used nevertheless:
    /// an erasure removes it, and it opens the data if the account is given back its data.
    private func staysClosed(_ result: Result<ProtectionWorker.Outcome, ProtectionFailure>) {
        guard case .success(let outcome) = result else { return }
        let isFirst = file == nil
        file = outcome.file
        guard isFirst else { return }
        lock.found()
        use(AvailableKeys(machine: nil, file: outcome.file))
        changes.report(.protectedDataChanged)
    }

    private func finish(
        _ report: ProtectionWorker.Report, _ change: String?, unlocks: Bool, _ caller: String,
        _ completion: @escaping Completion
    ) {
        endOperation()
        defer { performPendingErasures() }
        record = report.record
        guard !isSuspended, pendingErasures.isEmpty else {
            staysClosed(report.result)
            return completion(.failure(isSuspended ? .suspended : Self.erasing))
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
            let effects = unlock()
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
