import Events
import Journal
import Glibc
import Platform
import Protection

/// Removes the keys, when protection is switched off or an operator resets the keys of a user.
extension DataProtection {
    /// Stores that the keys are to be removed, without a secret, after which nothing is sealed with them any more. The data stays
    /// locked if it is.
    func beginEnd(
        by caller: String, completion: @escaping @DaemonActor @Sendable (Result<KeyFile, ProtectionFailure>) -> Void
    ) {
        if let problem { return completion(.failure(.unavailable(problem))) }
        guard let file, let secret = machine.secret else { return completion(.failure(.noPassphrase)) }
        guard !isBusy else { return completion(.failure(.busy)) }
        beginOperation()
        let (files, before) = (files, record)
        let finish = { @DaemonActor @Sendable [weak self] (result: Result<(KeyFile, AttemptRecord), SystemError>) in
            guard let self else { return }
            endOperation()
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
            performPendingErasures()
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
        beginOperation()
        let files = files
        let hadKeys = hasPassphrase || files.hasKeys
        let finish = { @DaemonActor @Sendable [weak self] (error: SystemError?) in
            self?.ended(error, hadKeys: hadKeys)
            completion(error)
            self?.performPendingErasures()
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "protection") {
                var failure: SystemError?
                do throws(SystemError) { try files.remove() } catch { failure = error }
                DaemonActor.post { [failure] in finish(failure) }
            }
        } catch { finish(error) }
    }

    /// Closes the data, and removes the keys although something is sealed with them. If an operation is running, this
    /// follows it, and removes the file of keys that the operation has stored.
    func erase(
        by caller: String, completion: @escaping @DaemonActor @Sendable (SystemError?) -> Void
    ) {
        close(by: caller)
        pendingErasures.append(completion)
        performPendingErasures()
    }

    /// Performs the erasures that were requested while the lock was busy.
    func performPendingErasures() {
        guard !isBusy, !pendingErasures.isEmpty else { return }
        let completions = pendingErasures
        pendingErasures = []
        end(evenUnended: true) { error in
            for completion in completions { completion(error) }
        }
    }

    private func ended(_ error: SystemError?, hadKeys: Bool) {
        endOperation()
        if let error { return Log.warning("the keys of data protection cannot be removed: \(error)") }
        (file, record) = (nil, AttemptRecord())
        fileWasRemoved()
        lock.end()
        guard hadKeys else { return }
        recorder.record(Event(.protectionChanged, uid: user, details: ["change": .text("switchedOff")]))
        use(AvailableKeys(machine: nil))
        changes.report(.protectedDataChanged)
    }
}
