import Authorization
import Location
import Platform
import Regions
import TestSupport
import Testing

@testable import Daemon

/// Events from before a revocation that the store refuses to store or to erase.
@Suite struct RegionRegistryTests {
    init() { LoopThread.start() }

    /// A fix of an app that is authorized again decides an event, which is the only one that is stored.
    @DaemonActor private func expectOnlyNewEvents(_ bench: RegionRegistryBench) async throws {
        let fix = try bench.fix(120, east: 2_000)
        bench.registry.deliver(fix)
        let app = RegionRegistryBench.app
        #expect(try await eventually { () async throws -> Bool in bench.registry.hasPendingEvents(of: app) })
        #expect(try await bench.storedTimes() == [fix.time])
    }

    @Test(arguments: [false, true]) @DaemonActor
    func `an event that the store refuses after a revocation does not return with the authorization`(
        isAuthorizedBeforeRefusal: Bool
    ) async throws {
        let bench = try RegionRegistryBench()
        try await bench.begin()
        let watch = try #require(bench.watch)
        try bench.refuse(.insertion)
        let isReleased = Flag()
        defer { isReleased.set() }
        bench.holdStore(until: isReleased)
        bench.registry.deliver(try bench.fix(60, east: 2_000))
        #expect(watch.saving.map(\.event.kind) == [.left])
        await bench.authorize(.denied)
        #expect(watch.erasure == .inProgress)
        if isAuthorizedBeforeRefusal { await bench.authorize(.always) }
        isReleased.set()
        let erasure: RegionWatch.Erasure = isAuthorizedBeforeRefusal ? .none : .done
        #expect(try await eventually { () async throws -> Bool in watch.erasure == erasure })
        #expect(watch.saving.isEmpty && watch.unsaved.isEmpty && watch.pendingCount == 0)
        if !isAuthorizedBeforeRefusal { await bench.authorize(.always) }
        try bench.permit()
        try await expectOnlyNewEvents(bench)
        await bench.close()
    }

    @Test @DaemonActor
    func `an event that the store has refused before a revocation does not return with the authorization`()
        async throws
    {
        let bench = try RegionRegistryBench()
        try await bench.begin()
        let watch = try #require(bench.watch)
        try bench.refuse(.insertion)
        bench.registry.deliver(try bench.fix(60, east: 2_000))
        #expect(try await eventually { () async throws -> Bool in watch.unsaved.count == 1 })
        await bench.authorize(.denied)
        #expect(watch.unsaved.isEmpty)
        try bench.permit()
        #expect(try await eventually { () async throws -> Bool in watch.erasure == .done })
        await bench.authorize(.always)
        try await expectOnlyNewEvents(bench)
        await bench.close()
    }

    @Test @DaemonActor
    func `events that the store cannot erase at a revocation are withheld until they are erased`() async throws {
        let bench = try RegionRegistryBench()
        try await bench.begin()
        let watch = try #require(bench.watch)
        bench.registry.retryPause = .milliseconds(20)
        try bench.refuse(.removal)
        // Also after another attempt, which follows when the app is authorized again.
        for permission in [Permission.denied, .always] {
            await bench.authorize(permission)
            #expect(try await eventually { () async throws -> Bool in watch.erasure == .failed })
        }
        #expect(watch.refusal == nil && watch.pendingCount == 1 && !watch.isMonitoring)
        #expect(bench.registry.doubt(about: watch.owner)?.doubt == .unauthorized)
        #expect(!bench.registry.hasPendingEvents(of: RegionRegistryBench.app))
        #expect(bench.registry.pendingMonitors(of: RegionRegistryBench.app).isEmpty)
        try bench.permit()
        #expect(try await eventually { () async throws -> Bool in watch.erasure == .none })
        #expect(watch.isMonitoring && watch.pendingCount == 0)
        try await expectOnlyNewEvents(bench)
        await bench.close()
    }

    @Test(arguments: RegionRegistryBench.Loss.allCases) @DaemonActor
    func `events are erased if the authorization was lost while they could not be read, also if it has returned`(
        _ loss: RegionRegistryBench.Loss
    ) async throws {
        let first = try RegionRegistryBench()
        try await first.begin()
        await first.close()
        let bench = try RegionRegistryBench(in: first.directory)
        bench.opensRegions = false
        #expect(try await eventually { () async throws -> Bool in bench.isLoaded })
        await bench.lose(loss)
        bench.opensRegions = true
        bench.registry.open()
        #expect(try await eventually { () async throws -> Bool in bench.watch?.isMonitoring == true })
        #expect(bench.watch?.pendingCount == 0)
        try await expectOnlyNewEvents(bench)
        await bench.close()
    }
}
