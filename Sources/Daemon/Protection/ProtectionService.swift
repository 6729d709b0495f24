import Cryptography
import Interfaces
import Journal
import Platform
import Protection
import Varlink

/// `io.waymark.Protection`: the lock state for every program, the secrets for operators.
@DaemonActor
final class ProtectionService: ProtectionInterface.Handler {
    private let protection: DataProtection
    private let journal: JournalSupervisor
    private let copies: CopyKeyMonitors
    /// The calls of `Monitor`.
    private var monitors: [ObjectIdentifier: Call] = [:]

    init(protection: DataProtection, journal: JournalSupervisor, copies: CopyKeyMonitors) {
        self.protection = protection
        self.journal = journal
        self.copies = copies
    }

    /// The present state.
    var status: ProtectionInterface.Report {
        let protection = protection
        let state: ProtectionInterface.State =
            if protection.problem != nil || protection.machine.problem != nil {
                .unusable
            } else {
                switch protection.lock.state {
                case .open: .open
                case .neverUnlocked: .neverUnlocked
                case .locked: .locked
                case .unlocked: .unlocked
                case .locking: .locking
                }
            }
        let place: ProtectionInterface.SecretPlace =
            switch protection.machine.place {
            case .credential: .credential
            case .file: .file
            case .stateDirectory: .stateDirectory
            }
        return ProtectionInterface.Report(
            state: state, lockedIn: protection.lockedIn,
            slots: (protection.file?.slots ?? []).map {
                ProtectionInterface.Slot(number: Int64($0.number), kind: .init(rawValue: $0.kind.word))
            },
            machineSecret: place, machineSecretPath: protection.machine.place.path,
            formerSecretPath: protection.formerSecret?.path,
            isFormerSecretNeeded: protection.formerSecret?.isNeeded ?? false,
            problem: protection.problem ?? protection.machine.problem,
            failures: Int64(protection.record.limiter.failures), wait: protection.wait, rowsToSeal: journal.rowsToSeal,
            isEnding: protection.isEnding)
    }

    func status(_ call: MethodCall<ProtectionInterface.Status>) {
        protection.whenLoaded { [self] in
            // Longer than for other calls: a number of rows from before would say that all are sealed.
            journal.refresh(within: .seconds(5)) { call.reply(.init(status: self.status)) }
        } orFail: { [self] _ in
            call.reply(.init(status: status))
        }
    }

    func setPassphrase(_ call: MethodCall<ProtectionInterface.SetPassphrase>) throws(ProtectionInterface.Failure) {
        let secret = try Self.passphrase(call.parameters.passphrase)
        protection.setPassphrase(secret, by: Self.caller(call.connection)) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func changePassphrase(_ call: MethodCall<ProtectionInterface.ChangePassphrase>) throws(ProtectionInterface.Failure)
    {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let new = UnlockSecret.passphrase(try Self.passphrase(request.passphrase))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.change(to: new), with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func addPassphrase(_ call: MethodCall<ProtectionInterface.AddPassphrase>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let new = UnlockSecret.passphrase(try Self.passphrase(request.passphrase))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.add(new), with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func addRecovery(_ call: MethodCall<ProtectionInterface.AddRecovery>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.addRecovery, with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success(let outcome):
                let words = outcome.words?.withBytes { String(decoding: $0, as: UTF8.self) } ?? ""
                call.reply(.init(words: words, status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func addCredential(_ call: MethodCall<ProtectionInterface.AddCredential>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let secret = try Self.secret(request.secret, request.isRecovery)
        let credential: SymmetricKey?
        do throws(SystemError) { credential = try DataProtection.credential() } catch {
            throw .init(.unavailable(error.description))
        }
        guard let credential else {
            throw .init(
                .invalidSecret(
                    "the service manager passes no credential \(DataProtection.credentialName) of 32 bytes to the daemon"
                ))
        }
        protection.perform(.add(.credential(credential)), with: secret, by: caller) {
            [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func remove(_ call: MethodCall<ProtectionInterface.Remove>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.remove(Int(request.number)), with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func switchOff(_ call: MethodCall<ProtectionInterface.SwitchOff>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.switchOff, with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func renewMachineSecret(_ call: MethodCall<ProtectionInterface.RenewMachineSecret>) {
        let caller = Self.caller(call.connection)
        protection.whenLoaded { [self, call = call.later] in
            protection.renewMachineSecret(by: caller) { failure in
                if let failure { return call.fail(.init(failure)) }
                call.reply(.init(status: self.status))
            }
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    func lock(_ call: MethodCall<ProtectionInterface.Lock>) {
        let caller = Self.caller(call.connection)
        protection.whenLoaded { [self, call = call.later] in
            guard protection.hasPassphrase else { return call.fail(.init(.noPassphrase)) }
            protection.lock(by: caller)
            call.reply(.init(status: status))
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    func unlock(_ call: MethodCall<ProtectionInterface.Unlock>) throws(ProtectionInterface.Failure) {
        let (request, caller) = (call.parameters, Self.caller(call.connection))
        let secret = try Self.secret(request.secret, request.isRecovery)
        protection.perform(.unlock, with: secret, by: caller) { [self, call = call.later] result in
            switch result {
            case .success: call.reply(.init(status: status))
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    // Notifications

    func monitor(_ call: MethodCall<ProtectionInterface.Monitor>) {
        monitors[ObjectIdentifier(call.call)] = call.call
        call.call.onEnd = { [weak self, unowned call = call.call] in self?.monitors[ObjectIdentifier(call)] = nil }
        offer(to: [call.call])
    }

    /// Called when the data becomes available or unavailable, or the latter was announced.
    func changed() {
        copies.changed()
        offer(to: Array(monitors.values))
    }

    private func offer(to calls: [Call]) {
        guard !calls.isEmpty else { return }
        let reply = EncodedReply(
            ProtectionInterface.Monitor.Reply(
                isProtectedDataAvailable: protection.access == .unlocked, becomesUnavailableIn: protection.lockedIn),
            continues: true)
        for call in calls { call.offer { _ in reply } }
    }

    // Copies of records

    func monitorCopyKey(_ call: MethodCall<ProtectionInterface.MonitorCopyKey>) throws(ProtectionInterface.Failure) {
        try copies.monitor(call)
    }

    func releaseCopyKey(_ call: MethodCall<ProtectionInterface.ReleaseCopyKey>) throws(ProtectionInterface.Failure) {
        try copies.release(call)
    }

    // Parameters

    private static func caller(_ connection: ServerConnection) -> String { "operator \(connection.peer.userID)" }

    private static func passphrase(_ text: String) throws(ProtectionInterface.Failure) -> Secret {
        guard (1...PassphraseHash.longest).contains(text.utf8.count) else {
            throw .init(.invalidSecret("a passphrase has 1 to \(PassphraseHash.longest) bytes"))
        }
        do throws(SystemError) { return try Secret(text) } catch { throw .init(.unavailable(error.description)) }
    }

    private static func secret(
        _ text: String, _ isRecovery: Bool?
    ) throws(ProtectionInterface.Failure) -> UnlockSecret {
        let secret = try passphrase(text)
        guard isRecovery == true else { return .passphrase(secret) }
        do throws(RecoveryKey.Mistake) { return .recovery(try RecoveryKey.key(of: secret)) } catch {
            throw .init(.invalidSecret(error.description))
        }
    }
}
