import Authorization
import CLinux
import Configuration
import Cryptography
import Glibc
import Interfaces
import Platform
import TestSupport
import Testing

@testable import Daemon
@testable import Journal
@testable import Storage

/// Values that the journal refuses to store or to erase, as the visits of an app.
@Suite(.timeLimit(.minutes(15))) struct ProtectedValuesTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @Test @DaemonActor
    func `a plain value whose sealed one was refused is sealed when the journal runs again`() async throws {
        let bench = try ValuesBench(directory)
        try await bench.open()
        try await bench.storePlain()
        try await bench.setPassphrase()
        #expect(try bench.count("value NOT LIKE 'sealed %'") == 1)
        do {
            let other = try bench.lock()
            bench.visits.protectionChanged()
            #expect(try await bench.isBlocked())
            try other.execute("ROLLBACK", as: "unlock")
        }
        #expect(try await eventually { () async throws -> Bool in try bench.count("value LIKE 'sealed %'") == 1 })
        #expect(try bench.count("value NOT LIKE 'sealed %'") == 0)
        await bench.close()
    }

    @Test @DaemonActor
    func `an erasure that was refused is performed when the journal runs again`() async throws {
        let bench = try ValuesBench(directory)
        try await bench.open()
        try await bench.storePlain()
        do {
            let other = try bench.lock()
            bench.visits.erase { $0 == ValuesBench.key }
            #expect(try await bench.isBlocked())
            #expect(try bench.count("true") == 1)
            try other.execute("ROLLBACK", as: "unlock")
        }
        #expect(try await eventually { () async throws -> Bool in try bench.count("true") == 0 })
        await bench.close()
    }

    @Test @DaemonActor
    func `an erasure that was refused because too much was pending is performed later`() async throws {
        let bench = try ValuesBench(directory)
        try await bench.open()
        try await bench.storePlain()
        bench.visits.retryPause = .milliseconds(20)
        try await bench.journal.journal.whileOverloaded { bench.visits.erase { $0 == ValuesBench.key } }
        #expect(try await eventually { () async throws -> Bool in try bench.count("true") == 0 })
        #expect(bench.states == [.running])
        await bench.close()
    }
}

/// The visits of one app in a real journal, and the lock of a machine. Only the test reports a change of the lock.
@DaemonActor
private final class ValuesBench {
    nonisolated static let key = VisitKey(app: AppID(uid: 7, name: "trailmap"), uid: 7)

    let visits: VisitBooks
    let journal: JournalSupervisor
    private let protection: DataProtection
    private let path: String
    /// The states of the journal.
    private(set) var states: [DaemonStatus.Journal.State] = []

    init(_ directory: TemporaryDirectory) throws {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        path = directory.file("state/journal.db")
        let (changes, clock) = (Changes(), ManualClock())
        journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
        protection = try DataProtection(
            directory: settings.journal.stateDirectory, journal: journal.journal,
            recorder: EventRecorder(journal: journal.journal), changes: changes, clock: clock)
        protection.cost = { .fresh(passes: 1, memory: 8_192) }
        visits = try VisitBooks(ProtectedValues(protection, journal: journal.journal), changes: changes)
        changes.react = { [weak self] in self?.react(to: $0) }
    }

    private func react(to change: Change) {
        switch change {
        case .machineSecretFound(let report): protection.receive(report)
        case .journalStateChanged:
            states.append(journal.status.state)
            visits.journalChanged(to: journal.status)
        default: break
        }
    }

    func open() async throws {
        #expect(try await eventually(isolation: #isolation) { journal.status.state == .running })
    }

    /// Whether the journal gets to a state in which it cannot write.
    func isBlocked() async throws -> Bool {
        try await eventually(isolation: #isolation) { journal.status.state == .full }
    }

    func close() async {
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }

    /// Stores a visit as it is stored without a passphrase, and restores it as after a start.
    func storePlain() async throws {
        let text = #"{"ended":[{"latitude":47,"longitude":8,"accuracy":5,"arrival":1780300800}]}"#
        let name = Self.key.savedName
        let result = await withCheckedContinuation { continuation in
            journal.journal.append([], changes: [.value(name, text)]) { continuation.resume(returning: $0) }
        }
        try result.get()
        visits.restore([name: text])
    }

    func setPassphrase() async throws {
        let secret = try Secret("correct horse")
        let failure: ProtectionFailure? = await withCheckedContinuation { continuation in
            protection.setPassphrase(secret, by: "operator 0") { result in
                switch result {
                case .success: continuation.resume(returning: nil)
                case .failure(let failure): continuation.resume(returning: failure)
                }
            }
        }
        #expect(failure == nil)
    }

    /// Locks the journal as another program does, until the transaction of the connection ends.
    func lock() throws -> Database {
        let other = try Database(path: path)
        try other.execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE", as: "lock")
        return other
    }

    /// How many stored values of the name meet a condition in SQL.
    func count(_ condition: String) throws -> Int64? {
        try Database(path: path, isReadOnly: true).integer(
            "SELECT count(*) FROM state WHERE name = 'value:\(Self.key.savedName)' AND \(condition)", as: "test")
    }
}
