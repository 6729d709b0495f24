import Accounts
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
    let clients: Clients
    let prompts: Prompts
    let readiness: Readiness
    let registry: RecordingRegistry
    let journal: JournalSupervisor
    let ledger: PositionLedger
    private let receivers = Receivers()
    var shown: (fix: ReducedFix, isRestored: Bool)? {
        get { receivers.shownReduced }
        set { receivers.shownReduced = newValue }
    }
    private(set) var loaded = false
    /// Whether recordings no longer receive decisions, as when the daemon ends before it has passed them on.
    var forgetsDecisions = false

    private final class Receivers: PositionReceivers {
        var needs: [PositionFeed: Int] = [:]
        var shownReduced: (fix: ReducedFix, isRestored: Bool)?
        func need(_ feed: PositionFeed) { needs[feed, default: 0] += 1 }
        func release(_ feed: PositionFeed) { needs[feed, default: 0] -= 1 }
        func hasPosition(_: PositionFeed) -> Bool { true }
    }

    init(_ directory: TemporaryDirectory, clock: ManualClock) throws {
        let parts = try ClientParts(directory, clock: clock)
        (journal, ledger, authorizer) = (parts.journal, parts.ledger, parts.authorizer)
        (clients, prompts) = (parts.clients, parts.prompts)
        readiness = Readiness(
            authorizer: authorizer, clients: clients, users: parts.users, changes: parts.changes)
        registry = RecordingRegistry(
            journal: journal.journal,
            protections: UserProtections(
                try DataProtection(
                    directory: parts.settings.journal.stateDirectory, journal: journal.journal,
                    recorder: parts.recorder, changes: parts.changes, clock: clock)),
            authorizer: authorizer, prompts: prompts, readiness: readiness,
            recorder: parts.clientRecorder, ledger: ledger, changes: parts.changes, receivers: receivers)
        parts.changes.react = { [weak self] in self?.react(to: $0) }
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
        case .authorizationLoaded:
            if !forgetsDecisions { registry.reviewAll() }
            readiness.runPending()
        case .manifestsChanged:
            clients.manifestsChanged()
            registry.reviewAll()
        case .restrictionsChanged:
            clients.restrictionsChanged()
            registry.reviewAll()
        case .homesKnown: readiness.runPending()
        case .promptRaised(let prompt): prompts.raised(prompt)
        case .promptEnded(let id): prompts.ended(id)
        case .authorizationChanged(let app, _) where !forgetsDecisions: registry.review(app)
        case .useChanged(let app, _) where !forgetsDecisions: registry.review(app)
        case .accessChanged(let app) where !forgetsDecisions: registry.review(app)
        case .grantChanged(let app) where !forgetsDecisions: registry.grantChanged(of: app)
        case .everythingChanged where !forgetsDecisions: registry.reviewAll()
        default: break
        }
    }

    func isNeeded(_ feed: PositionFeed) -> Bool { receivers.needs[feed, default: 0] > 0 }

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
