import Authorization
import Configuration
import Interfaces
import Location
import Platform
import TestSupport
import Testing

@testable import Daemon
@testable import Journal

/// A `RecordingRegistry` with a real journal and a real gate, and the test as its receiver.
@DaemonActor
final class RecordingBench {
    nonisolated static let app = AppID(uid: 1_000, name: "trailmap")

    let authorizer: Authorizer
    let registry: RecordingRegistry
    let journal: JournalSupervisor
    let ledger: PositionLedger
    private(set) var needs: [PositionFeed: Int] = [:]
    var shown: (fix: ReducedFix, isRestored: Bool)?
    private(set) var loaded = false
    /// Whether recordings no longer receive decisions, as when the daemon ends before it has passed them on.
    var forgetsDecisions = false

    @DaemonActor private final class Relay {
        weak var bench: RecordingBench?
    }

    init(_ directory: TemporaryDirectory, clock: ManualClock) throws {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        settings.authorization.manifests = [directory.file("apps")]
        settings.authorization.personalManifests = .no
        settings.authorization.restrictions = directory.file("restrictions.d")
        let changes = Changes()
        journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
        let recorder = EventRecorder(journal: journal.journal)
        ledger = try PositionLedger(journal: journal.journal, recorder: recorder, clock: clock)
        authorizer = try Authorizer(
            settings: settings.authorization, operators: OperatorPolicy(groupName: "waymark"), recorder: recorder,
            ledger: ledger, changes: changes, clock: clock)
        let relay = Relay()
        registry = RecordingRegistry(
            journal: journal.journal, authorizer: authorizer, ledger: ledger, changes: changes,
            receivers: RecordingRegistry.Receivers(
                need: { relay.bench?.needs[$0, default: 0] += 1 },
                release: { relay.bench?.needs[$0, default: 0] -= 1 }, hasPosition: { _ in true },
                shownReduced: { relay.bench?.shown }))
        relay.bench = self
        changes.react = { [weak self] in self?.react(to: $0) }
    }

    /// Connects the recordings to the same changes as in the daemon; decisions only until `forgetsDecisions`.
    private func react(to change: Change) {
        switch change {
        case .journalLoaded(let authorization, let recordings):
            registry.load(recordings)
            loaded = true
            authorizer.load(authorization)
        case .recordingsStored(let all): registry.stored(all)
        case .journalStateChanged: registry.journalChanged(to: journal.status)
        case .authorizationChanged(let app) where !forgetsDecisions: registry.review(app)
        case .accessChanged(let app) where !forgetsDecisions: registry.review(app)
        case .grantChanged(let app) where !forgetsDecisions: registry.grantChanged(of: app)
        case .everythingChanged where !forgetsDecisions: registry.reviewAll()
        default: break
        }
    }

    func isNeeded(_ feed: PositionFeed) -> Bool { needs[feed, default: 0] > 0 }

    func open() async throws {
        #expect(try await eventually(isolation: #isolation) { loaded && journal.status.state == .running })
    }

    func close() async {
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }

    func authorize(_ permission: Permission, _ accuracy: AccuracyAuthorization? = nil) async {
        await withCheckedContinuation { continuation in
            authorizer.command(.set(Self.app, permission, accuracy), by: 0) { _ in continuation.resume() }
        }
    }

    func reset() async {
        await withCheckedContinuation { continuation in
            authorizer.command(.reset(Self.app), by: 0) { _ in continuation.resume() }
        }
    }

    @discardableResult
    func start(_ identifier: String = "trip", _ options: RecordingOptions = RecordingOptions()) async throws
        -> StoredRecording
    {
        let key = RecordingKey(app: Self.app, identifier: identifier)
        let result = await withCheckedContinuation { continuation in
            registry.start(key, options) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    func recording(_ identifier: String = "trip") -> JournalRecording? {
        registry.recording(RecordingKey(app: Self.app, identifier: identifier))
    }

    /// The durable state of a recording.
    func positions(_ id: RecordingID) async throws -> [(Int64, Position)] {
        let result = await withCheckedContinuation { continuation in
            journal.journal.readPositions(
                of: id, after: 0, limit: 1_000, into: [(Int64, Position)](),
                row: {
                    $0.append(($1, $2))
                    return true
                },
                completion: { continuation.resume(returning: $0) })
        }
        return try result.get().output
    }

    func state(_ identifier: String = "trip") -> RecordingState? {
        recording(identifier).map { registry.state(of: $0) }
    }
}
