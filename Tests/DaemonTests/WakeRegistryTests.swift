import Authorization
import Glibc
import Platform
import Reachability
import TestSupport
import Testing

@testable import Daemon

/// Requests of apps that arrive before the decisions about apps are in effect.
@Suite struct WakeRegistryTests {
    private static let host = "192.0.2.1"
    private static let app = AppID(uid: geteuid(), name: "trailmap")

    init() { LoopThread.start() }

    /// A registry with a network that is watched. The decisions about apps are never in effect.
    @DaemonActor private final class Bench {
        let network: NetworkWatch
        let wakes: WakeRegistry
        private let parts: ClientParts
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            let clock = SystemClock()
            parts = try ClientParts(directory, clock: clock)
            let readiness = Readiness(
                authorizer: parts.authorizer, clients: parts.clients, users: parts.users, changes: parts.changes)
            network = try NetworkWatch(parts.settings.reachability, changes: parts.changes, clock: clock)
            network.start(nil)
            wakes = try WakeRegistry(
                journal: parts.journal.journal, authorizer: parts.authorizer, clients: parts.clients,
                regions: parts.regions(readiness, clock: clock), network: network, readiness: readiness,
                recorder: parts.clientRecorder, changes: parts.changes, clock: clock)
        }

        func subscribe() {
            let result = wakes.subscribe(
                .target(.init(host: WakeRegistryTests.host, port: nil)), WakeRegistryTests.app
            ) {}
            #expect(result == .done)
        }

        func unsubscribe() {
            wakes.unsubscribe(.target(.init(host: WakeRegistryTests.host, port: nil)), WakeRegistryTests.app) {}
        }

        func close() async {
            network.stop()
            await withCheckedContinuation { continuation in parts.journal.close { continuation.resume() } }
        }
    }

    /// What is stored of an app that has requested a host.
    @DaemonActor private func stored() async throws -> [String: String] {
        let bench = try Bench()
        bench.wakes.restore([:])
        bench.subscribe()
        let text = bench.wakes.machines[Self.app]?.record.text
        await bench.close()
        return ["wake \(Self.app.uid) \(Self.app.name)": try #require(text)]
    }

    @Test(arguments: [true, false]) @DaemonActor
    func `an app or user that leaves before the decisions ends no watch of another client`(
        isErased: Bool
    ) async throws {
        let values = try await stored()
        let bench = try Bench()
        let key = try #require(TargetKey(Self.host, uid: Self.app.uid))
        bench.network.watch(key)
        try #require(bench.network.target(key) != nil, "\(bench.network.problem ?? "")")
        bench.wakes.restore(values)
        if isErased { bench.wakes.erase(uid: Self.app.uid, ErasureParts { _ in }) } else { bench.unsubscribe() }
        #expect(bench.network.target(key) != nil)
        bench.wakes.begin()
        bench.network.unwatch(key)
        #expect(bench.network.target(key) == nil)
        await bench.close()
    }

    @Test @DaemonActor func `a host that is requested before the decisions is watched once`() async throws {
        let bench = try Bench()
        let key = try #require(TargetKey(Self.host, uid: Self.app.uid))
        bench.wakes.restore([:])
        bench.subscribe()
        bench.wakes.begin()
        try #require(bench.network.target(key) != nil, "\(bench.network.problem ?? "")")
        bench.unsubscribe()
        #expect(bench.network.target(key) == nil)
        await bench.close()
    }

    @Test @DaemonActor func `a stored host is watched after the start until it is no longer requested`() async throws {
        let values = try await stored()
        let bench = try Bench()
        let key = try #require(TargetKey(Self.host, uid: Self.app.uid))
        bench.wakes.restore(values)
        bench.wakes.begin()
        #expect(bench.network.target(key) != nil)
        bench.unsubscribe()
        #expect(bench.network.target(key) == nil)
        await bench.close()
    }
}
