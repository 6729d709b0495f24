import Authorization
import Glibc
import Interfaces
import Journal
import Location
import Platform
import Storage
import TestSupport
import Testing

@testable import Daemon

/// The erasure of all data of a user, of which each part may be refused by the journal.
@Suite struct UserDataTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
        try directory.write(
            "apps/trailmap.app",
            """
            [App]
            Name=Trail Map
            Exec=/usr/bin/trailmap
            WhenInUseUsageDescription=Shows where you are on the map.

            """)
    }

    @Test(arguments: UserDataBench.Part.allCases) @DaemonActor
    func `an erasure fails if one part of it cannot be stored, also when it is repeated`(
        _ part: UserDataBench.Part
    ) async throws {
        let bench = try UserDataBench(directory)
        try await bench.open()
        try await bench.store(part)
        await bench.close()
        #expect(await !bench.erase())
        #expect(await !bench.erase())
    }

    @Test @DaemonActor
    func `an erasure of nothing succeeds although nothing can be stored`() async throws {
        let bench = try UserDataBench(directory)
        try await bench.open()
        await bench.close()
        #expect(await bench.erase())
    }

    @Test @DaemonActor
    func `an erasure of all parts succeeds`() async throws {
        let bench = try UserDataBench(directory)
        try await bench.open()
        for part in UserDataBench.Part.allCases { try await bench.store(part) }
        #expect(await bench.erase())
        #expect(bench.users.isEmpty)
        await bench.close()
    }
}

extension UserDataTests {
    @Test @DaemonActor
    func `an erasure fails as long as the key of the copy of records cannot be removed`() async throws {
        let bench = try UserDataBench(directory)
        try await bench.open()
        // A folder cannot be removed as a file is.
        let path = directory.file("state/copy-1000.key")
        try retrying("make a folder", subject: path) { mkdir(path, 0o700) }
        #expect(await !bench.erase())
        #expect(bench.users == [1_000])
        try retrying("remove a folder", subject: path) { rmdir(path) }
        #expect(await bench.erase())
        #expect(bench.users.isEmpty)
        await bench.close()
    }
}

/// The data of one user in a real journal, in the parts of the daemon that store any there.
@DaemonActor
final class UserDataBench {
    enum Part: CaseIterable { case recordings, visits, wakes, identities, decisions, counts }

    private nonisolated static let app = AppID(uid: 1_000, name: "trailmap")

    private let parts: ClientParts
    private let data: UserData
    private let recordings: RecordingRegistry
    private let visits: VisitBooks
    private let wakes: WakeRegistry
    private let identities: IdentityRegistry
    private let copyKeys: CopyKeys

    private struct NoReceivers: PositionReceivers {
        var shownReduced: (fix: ReducedFix, isRestored: Bool)? { nil }
        func need(_: PositionFeed) {}
        func release(_: PositionFeed) {}
        func hasPosition(_: PositionFeed) -> Bool { false }
    }

    init(_ directory: TemporaryDirectory) throws {
        let clock = ManualClock()
        parts = try ClientParts(directory, clock: clock)
        let (journal, changes) = (parts.journal.journal, parts.changes)
        let readiness = Readiness(
            authorizer: parts.authorizer, clients: parts.clients, users: parts.users, changes: changes)
        let protection = try DataProtection(
            directory: parts.settings.journal.stateDirectory, journal: journal, recorder: parts.recorder,
            changes: changes, clock: clock)
        recordings = RecordingRegistry(
            journal: journal, protections: UserProtections(protection), authorizer: parts.authorizer,
            prompts: parts.prompts, readiness: readiness, recorder: parts.clientRecorder, ledger: parts.ledger,
            changes: changes, receivers: NoReceivers())
        visits = try VisitBooks(ProtectedValues(protection, journal: journal), changes: changes)
        wakes = try WakeRegistry(
            journal: journal, authorizer: parts.authorizer, clients: parts.clients,
            regions: parts.regions(readiness, clock: clock),
            network: NetworkWatch(parts.settings.reachability, changes: changes, clock: clock), readiness: readiness,
            recorder: parts.clientRecorder, changes: changes, clock: clock)
        identities = IdentityRegistry(
            journal: journal, authorizer: parts.authorizer, clients: parts.clients, readiness: readiness,
            recorder: parts.clientRecorder, changes: changes)
        data = UserData(authorizer: parts.authorizer, clients: parts.clients, ledger: parts.ledger)
        data.recordings = recordings
        data.visits = visits
        data.wakes = wakes
        data.identities = identities
        copyKeys = CopyKeys(
            directory: parts.settings.journal.stateDirectory, protection: protection, changes: changes)
        data.copyKeys = copyKeys
        parts.changes.react = { [weak self] in self?.react(to: $0) }
    }

    private func react(to change: Change) {
        guard case .journalLoaded(let authorization, let stored) = change else { return }
        recordings.load(stored)
        parts.authorizer.load(authorization)
    }

    func open() async throws {
        let isOpen = try await eventually { () async throws -> Bool in
            parts.authorizer.isLoaded && parts.journal.status.state == .running
        }
        try #require(isOpen)
    }

    /// Closes the journal, which refuses everything from then on.
    func close() async {
        await withCheckedContinuation { continuation in parts.journal.close { continuation.resume() } }
    }

    /// The users with data.
    var users: Set<UInt32> { data.users }

    /// Stores data of the user in one part, or restores it as after a start.
    func store(_ part: Part) async throws {
        let app = Self.app
        switch part {
        case .recordings:
            let result = await withCheckedContinuation { continuation in
                recordings.start(RecordingKey(app: app, identifier: "trip"), RecordingOptions()) {
                    continuation.resume(returning: $0)
                }
            }
            _ = try result.get()
        case .visits:
            let text = #"{"ended":[{"latitude":47,"longitude":8,"accuracy":5,"arrival":1780300800}]}"#
            visits.restore([VisitKey(app: app, uid: app.uid).savedName: text])
        case .wakes:
            wakes.restore(["wake \(app.uid) \(app.name)": #"{"fullAt":0,"last":0,"acknowledged":0,"lastOrder":0}"#])
        case .identities:
            let isStored: Bool = await withCheckedContinuation { continuation in
                identities.identifierForVendor(of: app) {
                    if case .success = $0 {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(returning: false)
                    }
                }
            }
            try #require(isStored)
        case .counts: parts.ledger.count(.full, recordedFor: app, isInUse: true)
        case .decisions:
            await withCheckedContinuation { continuation in
                parts.authorizer.command(.set(app, .denied, nil), by: 0) { _ in continuation.resume() }
            }
        }
    }

    /// Erases everything of the user, and returns whether that was confirmed.
    func erase() async -> Bool {
        await withCheckedContinuation { continuation in
            data.erase(Self.app.uid, by: .rule, isRemoved: true) {
                if case .success = $0 {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
        }
    }
}
