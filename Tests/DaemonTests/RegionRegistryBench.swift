import Authorization
import Interfaces
import Location
import Platform
import Regions
import Storage
import TestSupport
import Testing

@testable import Daemon

/// A `RegionRegistry` with a real store, a real journal and a real gate, and the test as its receiver. Its only region is a
/// yard with a radius of 100 m.
@DaemonActor
final class RegionRegistryBench {
    nonisolated static let app = AppID(uid: 1_000, name: "trailmap")
    private nonisolated static let monitor = "home"

    let registry: RegionRegistry
    private let authorizer: Authorizer
    private let journal: JournalSupervisor
    private let clock = ManualClock(monotonicNanoseconds: 1 << 60, utcMicroseconds: 1_795_262_400_000_000)
    let directory: TemporaryDirectory
    /// Whether the stored regions are read as soon as possible.
    var opensRegions = true

    /// In a directory of its own, or in that of an earlier one that is closed.
    init(in directory: TemporaryDirectory? = nil) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        try directory.write(
            "apps/trailmap.app",
            """
            [App]
            Name=Trail Map
            Exec=/usr/bin/trailmap
            WhenInUseUsageDescription=Shows where you are on the map.
            AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.

            """)
        let parts = try ClientParts(directory, clock: clock)
        (journal, authorizer) = (parts.journal, parts.authorizer)
        let readiness = Readiness(
            authorizer: authorizer, clients: parts.clients, users: parts.users, changes: parts.changes)
        registry = try parts.regions(readiness, clock: clock)
        parts.changes.react = { [weak self] in self?.react(to: $0) }
    }

    /// Connects the regions to the same changes as in the daemon.
    private func react(to change: Change) {
        switch change {
        case .journalLoaded(let authorization, _): authorizer.load(authorization)
        case .journalStateChanged: if opensRegions, journal.status.state != .opening { registry.open() }
        case .authorizationLoaded, .regionsLoaded, .servicesTurnedOff: registry.reviewAll()
        case .authorizationChanged(let app, _): registry.review(app)
        case .grantChanged(let app): registry.review(app)
        case .accessChanged(let app): registry.review(app)
        default: break
        }
    }

    /// Opens everything, and has an authorized app found to be in the yard: one event is stored.
    func begin() async throws {
        let isOpen = try await eventually { () async throws -> Bool in
            authorizer.isLoaded && registry.state == .ready
        }
        try #require(isOpen)
        await authorize(.always)
        let yard = try Region.circle(coordinate(east: 0), radius: 100)
        let result = await withCheckedContinuation { continuation in
            registry.add(
                [.init(identifier: "yard", region: yard)], to: .init(owner: .init(Self.app), name: Self.monitor)
            ) {
                continuation.resume(returning: $0)
            }
        }
        _ = try result.get()
        registry.deliver(try fix(0, east: 0))
        let isStored = try await eventually { () async throws -> Bool in
            registry.pendingCount(of: Self.app) == 1
        }
        try #require(isStored)
    }

    func close() async {
        await withCheckedContinuation { continuation in registry.close { continuation.resume() } }
        await withCheckedContinuation { continuation in journal.close { continuation.resume() } }
    }

    /// The regions of the app; nil before `begin`.
    var watch: RegionWatch? { registry.watches.values.first { $0.owner.appID == Self.app } }

    /// Whether the earlier decisions are known.
    var isLoaded: Bool { authorizer.isLoaded }

    /// How an app loses its authorization.
    enum Loss: CaseIterable { case denied, servicesTurnedOff }

    /// Has the app lose its authorization, and get it again.
    func lose(_ loss: Loss) async {
        switch loss {
        case .denied:
            await authorize(.denied)
            await authorize(.always)
        case .servicesTurnedOff:
            await command(.setServices(isOn: false))
            await command(.setServices(isOn: true))
        }
    }

    /// Authorizes the app, or revokes its authorization, durably.
    func authorize(_ permission: Permission) async {
        await command(.set(Self.app, permission, nil))
    }

    private func command(_ command: Policy.Command) async {
        await withCheckedContinuation { continuation in
            authorizer.command(command, by: 0) { _ in continuation.resume() }
        }
    }

    private func coordinate(east meters: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: 47, longitude: -30 + meters / 75_800))
    }

    /// A fix so many seconds after the first one, so many metres to the east of the middle of the yard.
    func fix(_ seconds: Int64, east meters: Double) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: clock.utcMicroseconds + seconds * 1_000_000),
            receivedAt: clock.monotonicNanoseconds, coordinate: try coordinate(east: meters), horizontalAccuracy: 5)
    }

    // The store

    /// A change of the stored events.
    enum EventChange: String {
        case insertion = "INSERT"
        case removal = "DELETE"
    }

    /// Has the store refuse everything that needs such a change, until `permit`.
    func refuse(_ change: EventChange) throws {
        try execute(
            "CREATE TRIGGER refusal BEFORE \(change.rawValue) ON events BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }

    func permit() throws { try execute("DROP TRIGGER refusal") }

    private func execute(_ sql: String) throws {
        let path = directory.file("state/regions.sqlite")
        try Database(path: path).execute("PRAGMA busy_timeout = 60000; \(sql)", as: "test")
    }

    /// Has the store wait, before its next request, until the flag is set.
    func holdStore(until flag: Flag) {
        registry.store.compute({ _ = eventually { flag.isSet } }, completion: { _ in })
    }

    /// The times of the fixes that have decided the stored events.
    func storedTimes() async throws -> [UTCTime] {
        let key = try #require(watch?.monitors[Self.monitor]?.key)
        let result = await withCheckedContinuation { continuation in
            registry.store.events(of: key, after: nil, limit: 100) { continuation.resume(returning: $0) }
        }
        return try result.get().events.map(\.time)
    }
}
