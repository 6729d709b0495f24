import CLinux
import Configuration
import Cryptography
import Glibc
import Platform
import Protection
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Journal

/// What is requested while the key of a secret is being derived, or while the machine's secret is being exchanged.
@Suite(.timeLimit(.minutes(15))) struct DataProtectionBusyTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    // The exchange of the machine's secret

    @Test @DaemonActor
    func `the machine's secret is not exchanged while the first passphrase of a user is being set`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        bench.gate.block()
        let first = try bench.setPassphrase()
        try await bench.waitForDerivation()
        let early = bench.renew()
        #expect(try await early.outcome() == .busy)
        bench.gate.release()
        #expect(try await first.outcome() == nil)
        let late = bench.renew()
        #expect(try await late.outcome() == nil)
        try await bench.waitUntilFormerSecretIsRemoved()
        let restarted = try #require(try bench.ownAfterRestart())
        #expect(restarted.problem == nil)
        #expect(restarted.file != nil)
        await bench.close()
    }

    @Test @DaemonActor
    func `the first passphrase of a user is refused while the machine's secret is being exchanged`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        try await bench.makeMachineSecret()
        let renewal = bench.renew()
        let early = try bench.setPassphrase()
        #expect(try await early.outcome() == .busy)
        #expect(try await renewal.outcome() == nil)
        let late = try bench.setPassphrase()
        #expect(try await late.outcome() == nil)
        try await bench.waitUntilFormerSecretIsRemoved()
        let restarted = try #require(try bench.ownAfterRestart())
        #expect(restarted.problem == nil)
        await bench.close()
    }

    @Test @DaemonActor
    func `an erasure that is requested during an exchange of the machine's secret follows it`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        let first = try bench.setPassphrase()
        #expect(try await first.outcome() == nil)
        let renewal = bench.renew()
        let erasure = bench.erase()
        #expect(try await renewal.outcome() == nil)
        #expect(try await erasure.outcome() == nil)
        #expect(!bench.hasKeyFile)
        await bench.close()
    }

    // Locks

    @Test @DaemonActor
    func `a lock that is requested while a secret is being tried follows the unlock`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        let first = try bench.setPassphrase()
        #expect(try await first.outcome() == nil)
        let own = try #require(bench.users.own(BusyBench.user))
        let requests: [@DaemonActor () -> Void] = [
            { own.lock(by: "operator 0") },
            { bench.users.screenLocked(of: BusyBench.user) },
            { bench.users.sessionsEnded(of: BusyBench.user) },
        ]
        for request in requests {
            own.close(by: "test")
            try await bench.run(.unlock, on: own, during: request)
            #expect(bench.isLockingOrLocked(own))
        }
        own.close(by: "test")
        try await bench.run(.switchOff, on: own) { own.lock(by: "operator 0") }
        #expect(own.isEnding)
        #expect(bench.isLockingOrLocked(own))
        await bench.close()
    }

    @Test @DaemonActor
    func `an unlock of unlocked data does not cancel a lock that is requested after it`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        let first = try bench.setPassphrase()
        #expect(try await first.outcome() == nil)
        let own = try #require(bench.users.own(BusyBench.user))
        try await bench.run(.unlock, on: own) { own.lock(by: "operator 0") }
        #expect(bench.isLockingOrLocked(own))
        // A lock that was requested before does not affect a later unlock.
        try await bench.run(.unlock, on: own) {}
        #expect(!bench.isLockingOrLocked(own))
        await bench.close()
    }

    @Test @DaemonActor
    func `a screen that is locked while a first passphrase is being set locks the data after it`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        bench.gate.block()
        let first = try bench.setPassphrase()
        try await bench.waitForDerivation()
        bench.users.screenLocked(of: BusyBench.user)
        bench.gate.release()
        #expect(try await first.outcome() == nil)
        let own = try #require(bench.users.own(BusyBench.user))
        #expect(bench.isLockingOrLocked(own))
        await bench.close()
    }

    // Accounts

    @Test @DaemonActor
    func `an erasure that is requested while a first passphrase is being set removes its keys`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        bench.gate.block()
        let first = try bench.setPassphrase()
        try await bench.waitForDerivation()
        let erasure = bench.erase()
        bench.gate.release()
        #expect(try await erasure.outcome() == nil)
        #expect(try await first.outcome() != nil)
        #expect(!bench.hasKeyFile)
        #expect(bench.users.own(BusyBench.user) == nil)
        await bench.close()
    }

    @Test @DaemonActor
    func `keys whose first passphrase was being set when the account was suspended are erased later`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        bench.gate.block()
        let first = try bench.setPassphrase()
        try await bench.waitForDerivation()
        bench.users.suspend(BusyBench.user)
        bench.gate.release()
        #expect(try await first.outcome() == .suspended)
        #expect(bench.hasKeyFile)
        #expect(bench.users.owners == [BusyBench.user])
        #expect(bench.users.protection(of: BusyBench.user).access == .neverUnlocked)
        let erasure = bench.erase()
        #expect(try await erasure.outcome() == nil)
        #expect(!bench.hasKeyFile)
        await bench.close()
    }

    @Test @DaemonActor
    func `an erasure removes a file of keys that was not read`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        try directory.write("state/protection/\(BusyBench.user).keys", "keys")
        #expect(bench.hasKeyFile)
        let erasure = bench.erase()
        #expect(try await erasure.outcome() == nil)
        #expect(!bench.hasKeyFile)
        await bench.close()
    }

    @Test @DaemonActor
    func `an erasure of a file of keys that cannot be used removes its problem as well`() async throws {
        let bench = try BusyBench(directory)
        try await bench.open()
        try directory.write("state/protection/\(BusyBench.user).keys", "keys")
        bench.users.load()
        #expect(bench.users.own(BusyBench.user)?.problem != nil)
        let erasure = bench.erase()
        #expect(try await erasure.outcome() == nil)
        #expect(bench.users.own(BusyBench.user) == nil)
        await bench.close()
    }
}

/// Blocks the derivation of a key until it is released.
private final class DerivationGate: Sendable {
    private let state = Mutex((isBlocked: false, hasArrived: false))
    private let reading: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try retrying("pipe") { pipe2(&ends, O_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Whether a derivation waits, or has waited, since `block`.
    var hasArrived: Bool { state.withLock { $0.hasArrived } }

    /// The next derivation waits.
    func block() { state.withLock { $0 = (true, false) } }

    /// The derivation that waits continues, and later ones do not wait.
    func release() {
        state.withLock { $0.isBlocked = false }
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    /// Waits while this is blocked.
    func pass() {
        let isBlocked = state.withLock {
            $0.hasArrived = true
            return $0.isBlocked
        }
        guard isBlocked else { return }
        var byte: UInt8 = 0
        _ = read(reading, &byte, 1)
    }
}

/// A call whose result the test waits for later.
@DaemonActor
private final class PendingCall {
    private var isDone = false
    private var failure: ProtectionFailure?

    func end(_ failure: ProtectionFailure?) { (isDone, self.failure) = (true, failure) }

    /// Waits for the end of the call. Returns why it has failed.
    func outcome() async throws -> ProtectionFailure? {
        #expect(try await eventually(isolation: #isolation) { isDone })
        return failure
    }
}

/// The locks of a machine without a passphrase and of one user, over a real journal.
@DaemonActor
private final class BusyBench {
    nonisolated static let user: UInt32 = 1_000

    let machine: DataProtection
    let users: UserProtections
    let gate: DerivationGate
    private let journal: JournalSupervisor
    private let directory: String

    init(_ directory: TemporaryDirectory) throws {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        settings.protection.locksWithScreen = true
        settings.protection.locksAtLogout = true
        self.directory = settings.journal.stateDirectory
        let (changes, clock, gate) = (Changes(), SystemClock(), try DerivationGate())
        self.gate = gate
        journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
        machine = try DataProtection(
            directory: settings.journal.stateDirectory, journal: journal.journal,
            recorder: EventRecorder(journal: journal.journal), changes: changes, clock: clock)
        machine.cost = {
            gate.pass()
            return .fresh(passes: 1, memory: 8_192)
        }
        users = UserProtections(machine)
        users.apply(settings.protection)
        changes.react = { [weak self] in self?.react(to: $0) }
    }

    private func react(to change: Change) {
        if case .machineSecretFound(let report) = change { machine.receive(report) }
    }

    func open() async throws {
        #expect(try await eventually(isolation: #isolation) { journal.status.state == .running })
    }

    func close() async {
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }

    func makeMachineSecret() async throws {
        let result = await withCheckedContinuation { continuation in
            journal.journal.machineSecret { continuation.resume(returning: $0) }
        }
        machine.receive(try result.get())
    }

    /// Waits until the gate blocks a derivation.
    func waitForDerivation() async throws {
        #expect(try await eventually(isolation: #isolation) { gate.hasArrived })
    }

    /// Waits until nothing opens with the former secret of the machine any more.
    func waitUntilFormerSecretIsRemoved() async throws {
        #expect(try await eventually(isolation: #isolation) { machine.formerSecret == nil })
    }

    /// Sets the first passphrase of the user.
    func setPassphrase() throws -> PendingCall {
        let call = PendingCall()
        users.setPassphrase(try Self.secret(), of: Self.user, by: "user 1000") { call.end(Self.failure(of: $0)) }
        return call
    }

    func renew() -> PendingCall {
        let call = PendingCall()
        machine.renewMachineSecret(by: "operator 0") { call.end($0) }
        return call
    }

    /// Removes the keys of the user.
    func erase() -> PendingCall {
        let call = PendingCall()
        users.erase(Self.user) { error in call.end(error.map { ProtectionFailure.unavailable($0.description) }) }
        return call
    }

    /// Performs an operation, and calls `body` while its key is being derived.
    func run(
        _ operation: ProtectionWorker.Operation, on protection: DataProtection, during body: @DaemonActor () -> Void
    ) async throws {
        gate.block()
        let call = PendingCall()
        protection.perform(operation, with: .passphrase(try Self.secret()), by: "operator 0") {
            call.end(Self.failure(of: $0))
        }
        try await waitForDerivation()
        body()
        gate.release()
        #expect(try await call.outcome() == nil)
    }

    /// Whether the data is locked, or will be after the grace time.
    func isLockingOrLocked(_ protection: DataProtection) -> Bool {
        switch protection.lock.state {
        case .locking, .locked: true
        case .open, .neverUnlocked, .unlocked: false
        }
    }

    var hasKeyFile: Bool { access("\(directory)/protection/\(Self.user).keys", F_OK) == 0 }

    /// The lock of the user as the next start of the daemon reads it.
    func ownAfterRestart() throws -> DataProtection? {
        let restarted = try DataProtection(
            directory: directory, journal: journal.journal, recorder: EventRecorder(journal: journal.journal),
            changes: Changes(), clock: SystemClock())
        restarted.receive(machine.machine)
        let users = UserProtections(restarted)
        users.load()
        return users.own(Self.user)
    }

    private static func secret() throws -> Secret { try Secret("correct horse") }

    private static func failure(
        of result: Result<ProtectionWorker.Outcome, ProtectionFailure>
    ) -> ProtectionFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }
}
