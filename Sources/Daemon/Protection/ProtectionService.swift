import Cryptography
import Interfaces
import Journal
import Platform
import Protection
import Varlink

/// `io.waymark.Protection`: the lock states, and the secrets that unlock them, for operators and users.
@DaemonActor
final class ProtectionService: ProtectionInterface.Handler {
    private let protections: UserProtections
    private let clients: Clients
    private let accounts: AccountRetention
    private let journal: JournalSupervisor
    private let copies: CopyKeyMonitors
    /// The calls of `Monitor`, and what they were sent last.
    private var monitors: [ObjectIdentifier: (call: Call, last: Availability?)] = [:]

    init(
        protections: UserProtections, clients: Clients, accounts: AccountRetention, journal: JournalSupervisor,
        copies: CopyKeyMonitors
    ) {
        self.protections = protections
        self.clients = clients
        self.accounts = accounts
        self.journal = journal
        self.copies = copies
    }

    /// The present state of the machine's lock.
    var status: ProtectionInterface.Report { report(on: nil, rowsToSeal) }

    /// The rows of all users as they were counted last.
    private var rowsToSeal: RowsToSeal {
        var rows = RowsToSeal()
        rows.all = journal.rowsToSeal
        return rows
    }

    /// Passes the present state of the machine's lock, or of a user's, with the rows of that user.
    private func report(
        on user: UInt32?, _ body: @escaping @DaemonActor @Sendable (ProtectionInterface.Report) -> Void
    ) {
        guard let user else { return body(status) }
        journal.journal.rowsToSeal(of: user) { [self] result in
            DaemonActor.assumeIsolated {
                let rows = if case .success(let rows) = result { rows } else { RowsToSeal() }
                body(report(on: user, rows))
            }
        }
    }

    /// The present state of the machine's lock, or of a user's.
    private func report(on user: UInt32?, _ rows: RowsToSeal) -> ProtectionInterface.Report {
        let machine = protections.machine
        guard let protection = user == nil ? machine : user.flatMap(protections.own) else {
            return report(on: user, nil, state: .open, rows)
        }
        let state: ProtectionInterface.State =
            if protection.problem != nil || machine.machine.problem != nil {
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
        return report(on: user, protection, state: state, rows)
    }

    private func report(
        on user: UInt32?, _ protection: DataProtection?, state: ProtectionInterface.State, _ rows: RowsToSeal
    ) -> ProtectionInterface.Report {
        let machine = protections.machine
        let place: ProtectionInterface.SecretPlace =
            switch machine.machine.place {
            case .credential: .credential
            case .file: .file
            case .stateDirectory: .stateDirectory
            }
        return ProtectionInterface.Report(
            user: user.map { Int64($0) }, state: state, lockedIn: protection?.lockedIn,
            slots: (protection?.file?.slots ?? []).map {
                ProtectionInterface.Slot(number: Int64($0.number), kind: .init(rawValue: $0.kind.word))
            },
            machineSecret: place, machineSecretPath: machine.machine.place.path,
            formerSecretPath: machine.formerSecret?.path,
            isFormerSecretNeeded: machine.formerSecret?.isNeeded ?? false,
            problem: protection?.problem ?? machine.machine.problem,
            failures: Int64(protection?.record.limiter.failures ?? 0), wait: protection?.wait ?? 0,
            rowsToSeal: rows.all, isEnding: protection?.isEnding ?? false,
            isWaitingForMachine: user != nil && rows.locked > 0 && protection?.access == .unlocked)
    }

    /// The state of the machine's lock, or of a user's, for a call that could not wait until the files of keys were read. That a
    /// file exists is known without reading it.
    private func earlyReport(on user: UInt32?, _ failure: ProtectionFailure) -> ProtectionInterface.Report {
        var status = report(on: user, user == nil ? rowsToSeal : RowsToSeal())
        let files = protections.machine.files
        if status.state == .open, (user.map(files.of) ?? files).hasKeys, case .unavailable(let reason) = failure {
            status.state = .unusable
            status.problem = "\(reason). See waymark status"
        }
        return status
    }

    func status(_ call: MethodCall<ProtectionInterface.Status>) throws(ProtectionInterface.Failure) {
        let user = try target(call.parameters.user, call.connection)
        protections.machine.whenLoaded(for: clients.share(of: call.connection.peer)) { [self] in
            // Longer than for other calls: a number of rows from before would say that all are sealed.
            guard let user else {
                return journal.refresh(within: .seconds(5)) { call.reply(.init(status: self.status)) }
            }
            report(on: user) { call.reply(.init(status: $0)) }
        } orFail: { [self] failure in
            call.reply(.init(status: earlyReport(on: user, failure)))
        }
    }

    func setPassphrase(_ call: MethodCall<ProtectionInterface.SetPassphrase>) throws(ProtectionInterface.Failure) {
        let user = try target(call.parameters.user, call.connection)
        let (secret, caller) = (try Self.passphrase(call.parameters.passphrase), caller(call.connection))
        let reply = {
            @DaemonActor @Sendable [self, call = call.later]
            (result: Result<ProtectionWorker.Outcome, ProtectionFailure>) in
            switch result {
            case .success: report(on: user) { call.reply(.init(status: $0)) }
            case .failure(let failure): call.fail(.init(failure))
            }
        }
        let share = clients.share(of: call.connection.peer)
        guard let user else {
            return protections.machine.whenLoaded(for: share) { [self] in
                protections.machine.setPassphrase(secret, by: caller, completion: reply)
            } orFail: {
                reply(.failure($0))
            }
        }
        guard user == call.connection.peer.userID else {
            throw .notOperator(message: "Only user \(user) can set the passphrase of that user. Nothing was changed.")
        }
        accounts.obstacleToKeys(user) { [self] obstacle in
            if let obstacle { return reply(.failure(.noOwnKeys(obstacle))) }
            protections.machine.whenLoaded(for: share) { [self] in
                // The account to which the keys belong is stored before them.
                accounts.seen(user, stores: true)
                protections.setPassphrase(secret, of: user, by: caller, completion: reply)
            } orFail: {
                reply(.failure($0))
            }
        }
    }

    func changePassphrase(_ call: MethodCall<ProtectionInterface.ChangePassphrase>) throws(ProtectionInterface.Failure)
    {
        let request = call.parameters
        let new = UnlockSecret.passphrase(try Self.passphrase(request.passphrase))
        try perform(.change(to: new), request.secret, request.isRecovery, request.user, call) { .init(status: $0) }
    }

    func addPassphrase(_ call: MethodCall<ProtectionInterface.AddPassphrase>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
        let new = UnlockSecret.passphrase(try Self.passphrase(request.passphrase))
        try perform(.add(new), request.secret, request.isRecovery, request.user, call) { .init(status: $0) }
    }

    func addRecovery(_ call: MethodCall<ProtectionInterface.AddRecovery>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
        let user = try target(request.user, call.connection)
        let secret = try Self.secret(request.secret, request.isRecovery)
        perform(.addRecovery, with: secret, of: user, by: call.connection) { [self, call = call.later] result in
            switch result {
            case .success(let outcome):
                let words = outcome.words?.withBytes { String(decoding: $0, as: UTF8.self) } ?? ""
                report(on: user) { call.reply(.init(words: words, status: $0)) }
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    func addCredential(_ call: MethodCall<ProtectionInterface.AddCredential>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
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
        try perform(.add(.credential(credential)), request.secret, request.isRecovery, 0, call) { .init(status: $0) }
    }

    func remove(_ call: MethodCall<ProtectionInterface.Remove>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
        try perform(.remove(Int(request.number)), request.secret, request.isRecovery, request.user, call) {
            .init(status: $0)
        }
    }

    func switchOff(_ call: MethodCall<ProtectionInterface.SwitchOff>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
        try perform(.switchOff, request.secret, request.isRecovery, request.user, call) { .init(status: $0) }
    }

    func renewMachineSecret(_ call: MethodCall<ProtectionInterface.RenewMachineSecret>) {
        let caller = caller(call.connection)
        let machine = protections.machine
        machine.whenLoaded(for: clients.share(of: call.connection.peer)) { [self, call = call.later] in
            machine.renewMachineSecret(by: caller) { failure in
                if let failure { return call.fail(.init(failure)) }
                call.reply(.init(status: self.status))
            }
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    func lock(_ call: MethodCall<ProtectionInterface.Lock>) throws(ProtectionInterface.Failure) {
        let caller = caller(call.connection)
        let user = try target(call.parameters.user, call.connection)
        protections.machine.whenLoaded(for: clients.share(of: call.connection.peer)) { [self, call = call.later] in
            let protection = user.map(protections.own) ?? protections.machine
            guard let protection, protection.hasPassphrase else { return call.fail(.init(noPassphrase(user))) }
            protection.lock(by: caller)
            report(on: user) { call.reply(.init(status: $0)) }
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    func unlock(_ call: MethodCall<ProtectionInterface.Unlock>) throws(ProtectionInterface.Failure) {
        let request = call.parameters
        try perform(.unlock, request.secret, request.isRecovery, request.user, call) { .init(status: $0) }
    }

    func reset(_ call: MethodCall<ProtectionInterface.Reset>) throws(ProtectionInterface.Failure) {
        let caller = caller(call.connection)
        guard let user = try target(call.parameters.user, call.connection) else {
            throw .init(
                .invalidSlot("the machine's lock cannot be reset: waymark protection switch-off needs a secret"))
        }
        protections.machine.whenLoaded(for: clients.share(of: call.connection.peer)) { [self, call = call.later] in
            protections.reset(user, by: caller) { [self] failure in
                if let failure { return call.fail(.init(failure)) }
                report(on: user) { call.reply(.init(status: $0)) }
            }
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    // Whose lock

    /// The user whose lock a call means; nil for the machine's.
    private func target(
        _ named: Int64?, _ connection: ServerConnection
    ) throws(ProtectionInterface.Failure) -> UInt32? {
        let (own, isOperator) = (connection.peer.userID, clients.isOperator(connection))
        guard let named else { return isOperator ? nil : own }
        guard let user = UInt32(exactly: named), isOperator || user == own else {
            throw .notOperator(message: "Only operators may name another user. Nothing was changed.")
        }
        return user == 0 ? nil : user
    }

    /// Without own keys there is nothing of a user's to lock.
    private func noPassphrase(_ user: UInt32?) -> ProtectionFailure { user == nil ? .noPassphrase : .noOwnPassphrase }

    /// Performs an operation on a lock if the secret is right, and replies with the lock's status.
    private func perform<Method: VarlinkMethod>(
        _ operation: ProtectionWorker.Operation, _ secret: String, _ isRecovery: Bool?, _ named: Int64?,
        _ call: MethodCall<Method>, _ reply: @escaping @Sendable (ProtectionInterface.Report) -> Method.Reply
    ) throws(ProtectionInterface.Failure)
    where Method.Failure == ProtectionInterface.Failure, Method.Reply: VarlinkMembers {
        let user = try target(named, call.connection)
        let secret = try Self.secret(secret, isRecovery)
        perform(operation, with: secret, of: user, by: call.connection) { [self, call = call.later] result in
            switch result {
            case .success: report(on: user) { call.reply(reply($0)) }
            case .failure(let failure): call.fail(.init(failure))
            }
        }
    }

    private func perform(
        _ operation: ProtectionWorker.Operation, with secret: UnlockSecret, of user: UInt32?,
        by connection: ServerConnection, completion: @escaping DataProtection.Completion
    ) {
        let caller = caller(connection)
        protections.machine.whenLoaded(for: clients.share(of: connection.peer)) { [self] in
            guard let protection = user.map(protections.own) ?? protections.machine else {
                return completion(.failure(.noOwnPassphrase))
            }
            protection.perform(operation, with: secret, by: caller, completion: completion)
        } orFail: {
            completion(.failure($0))
        }
    }

    // Notifications

    /// What a monitor is sent; the time until the lock apart.
    private struct Availability: Equatable {
        var isAvailable: Bool
        var isEnding: Bool
    }

    func monitor(_ call: MethodCall<ProtectionInterface.Monitor>) {
        let id = ObjectIdentifier(call.call)
        monitors[id] = (call.call, nil)
        call.call.onEnd = { [weak self] in self?.monitors[id] = nil }
        offer(to: id)
    }

    /// Called when data becomes available or unavailable, or the latter was announced.
    func changed() {
        copies.changed()
        for id in Array(monitors.keys) { offer(to: id) }
    }

    /// Sends the state of the lock that concerns a caller, if it is another one than before: the locks of others are not the caller's
    /// concern.
    private func offer(to id: ObjectIdentifier) {
        guard let monitor = monitors[id] else { return }
        let protection = protections.protection(of: monitor.call.connection.peer.userID)
        let new = Availability(isAvailable: protection.access == .unlocked, isEnding: protection.lockedIn != nil)
        guard new != monitor.last else { return }
        monitors[id]?.last = new
        let reply = EncodedReply(
            ProtectionInterface.Monitor.Reply(
                isProtectedDataAvailable: new.isAvailable, becomesUnavailableIn: protection.lockedIn),
            continues: true)
        monitor.call.offer { _ in reply }
    }

    // Copies of records

    func monitorCopyKey(_ call: MethodCall<ProtectionInterface.MonitorCopyKey>) throws(ProtectionInterface.Failure) {
        try copies.monitor(call)
    }

    func releaseCopyKey(_ call: MethodCall<ProtectionInterface.ReleaseCopyKey>) throws(ProtectionInterface.Failure) {
        try copies.release(call)
    }

    // Parameters

    private func caller(_ connection: ServerConnection) -> String {
        "\(clients.isOperator(connection) ? "operator" : "user") \(connection.peer.userID)"
    }

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
