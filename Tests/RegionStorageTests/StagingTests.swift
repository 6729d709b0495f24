import Location
import Platform
import Regions
import Synchronization
import TestSupport
import Testing

@testable import RegionStorage

@Suite(.timeLimit(.minutes(5))) struct StagingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func checked() async throws -> String {
        try CompletedProcess.run(
            "/usr/bin/sqlite3",
            [
                directory.file("regions.sqlite"),
                """
                PRAGMA integrity_check; SELECT rtreecheck('boxes');
                SELECT count(*) FROM regions; SELECT count(*) FROM boxes; SELECT count(*) FROM names;
                SELECT count(*) FROM lists
                """,
            ], seconds: 60
        ).output.split(separator: "\n").joined(separator: " ")
    }

    /// 2,500 regions, more than a step does, in three calls.
    func stage(_ bench: RegionBench, _ numbers: Range<Int>, to key: MonitorKey = .yard) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
            try await bench.stage(NewRegion.row(start..<min(start + 1_000, numbers.upperBound)), to: key)
        }
    }

    @Test func `staged regions are invisible until the commit and complete after it`() async throws {
        let bench = try RegionBench(directory.path)
        try await stage(bench, 0..<2_500)
        #expect(try await bench.load() == [])
        #expect(try await refusal { try await bench.page() } == .noSuchMonitor)
        var near = try await bench.neighbourhood(of: .at(.near(0, 0)))
        #expect(near.regions() == [])
        let added = try await bench.commit()
        #expect(added.added == 2_500 && added.replaced == 0 && added.monitor.regions == 2_500)
        #expect(try await bench.load() == [added.monitor])
        let expected = try NewRegion.row(0..<2_500)
        #expect(try await bench.regions().map(\.identifier) == expected.map(\.identifier))
        near = try await bench.neighbourhood(of: .at(.near(0, 0)))
        #expect(near.regions().count >= 100)
        try await bench.close()
        #expect(try await checked() == "ok ok 2500 2500 2500 1")
    }

    @Test func `a commit into a monitor with regions replaces those of the same identifiers`() async throws {
        let bench = try RegionBench(directory.path)
        try await bench.add(NewRegion.row(0..<50))
        let old = try await bench.regions()
        let time = UTCTime(microseconds: 1_800_000_000_000_000)
        // Its epoch is not that of new lists.
        try await bench.forget()
        try await bench.record(changes: old.map { RegionChange(number: $0.number, state: .outside, since: time) })
        try await stage(bench, 40..<1_500)
        let added = try await bench.commit()
        #expect(added.added == 1_450 && added.replaced == 10 && added.monitor.regions == 1_500)
        let new = try await bench.regions()
        #expect(new.count == 1_500)
        #expect(Array(new[..<40]) == old[..<40].map { StoredRegion($0, .outside, time) })
        #expect(new[40...].allSatisfy { $0.state == .unknown(.undetermined) })
        let isSwept = try await eventually { try await checked() == "ok ok 1500 1500 1500 1" }
        #expect(isSwept)
    }

    @Test func `of staged regions with one identifier the last remains`() async throws {
        let bench = try RegionBench(directory.path)
        try await bench.stage([.circle("a", radius: 10), .circle("b"), .circle("a", radius: 20)])
        try await bench.stage([.circle("b", radius: 30)])
        let added = try await bench.commit()
        #expect(added.added == 2 && added.replaced == 0 && added.monitor.regions == 2)
        #expect(
            try await bench.regions().map(\.region) == [
                try .circle(.near(0, 0), radius: 20), try .circle(.near(0, 0), radius: 30),
            ])
        try await bench.close()
        #expect(try await checked() == "ok ok 2 2 2 1")
    }

    @Test func `what was discarded, or not committed before the end, is erased`() async throws {
        let first = try RegionBench(directory.path)
        try await first.add(NewRegion.row(0..<10))
        try await first.stage(NewRegion.row(0..<5), for: 1)
        try await first.stage(NewRegion.row(0..<5), for: 2)
        try await first.stage(NewRegion.row(0..<5), for: 1, to: .depot)
        first.store.discard(1)
        #expect(try await refusal { try await first.commit(1) } == .nothingStaged)
        #expect(try await refusal { try await first.commit(1, to: .depot) } == .nothingStaged)
        #expect(try await refusal { try await first.commit(2, to: .depot) } == .nothingStaged)
        #expect(try await first.commit(2).replaced == 5)
        try await first.stage(NewRegion.row(20..<30), for: 3)
        try await first.close()

        let second = try RegionBench(directory.path)
        #expect(try await refusal { try await second.commit(3) } == .nothingStaged)
        #expect(try await second.regions().count == 10)
        let isSwept = try await eventually { try await checked() == "ok ok 10 10 10 1" }
        #expect(isSwept)
    }

    @Test func `limits hold for staged regions and at the commit`() async throws {
        let bench = try RegionBench(directory.path)
        let limits = RegionLimits(monitors: 1, regionsOfMonitor: 10, regionsOfOwner: 10, regionsOfUser: 12)
        #expect(
            try await refusal { try await bench.stage(NewRegion.row(0..<11), limits: limits) }
                == .tooManyRegions(of: .monitor, limit: 10))
        try await bench.stage(NewRegion.row(0..<10), for: 1, limits: limits)
        #expect(
            try await refusal { try await bench.stage(NewRegion.row(0..<3), for: 2, limits: limits) }
                == .tooManyRegions(of: .user, limit: 12))
        try await bench.add(NewRegion.row(9..<11), limits: limits)
        #expect(
            try await refusal { try await bench.stage(NewRegion.row(0..<1), for: 3, to: .depot, limits: limits) }
                == .tooManyMonitors(limit: 1))
        // 10 and 2, of which one is replaced.
        #expect(
            try await refusal { try await bench.commit(1, limits: limits) } == .tooManyRegions(of: .monitor, limit: 10))
        #expect(try await bench.regions().count == 2)
        #expect(try await refusal { try await bench.commit(1, limits: limits) } == .nothingStaged)
        try await bench.stage(NewRegion.row(1..<10), for: 1, limits: limits)
        #expect(try await bench.commit(1, limits: limits).monitor.regions == 10)
    }

    @Test func `other requests are done during a commit`() async throws {
        let bench = try RegionBench(directory.path)
        try await bench.add(NewRegion.row(0..<10), to: .depot)
        try await stage(bench, 0..<3_000)
        let order = Mutex<[String]>([])
        // The other requests are in the mailbox before the commit begins.
        let areQueued = Flag()
        bench.store.load { _ in _ = eventually { areQueued.isSet } }
        try await withCheckedContinuation { continuation in
            bench.store.commit(1, .yard, limits: .none) { result in
                order.withLock { $0.append("commit") }
                continuation.resume(returning: result.map { _ in })
            }
            bench.store.page(of: .depot, limit: 1) { _ in order.withLock { $0.append("page") } }
            bench.store.load { result in
                let count = if case .success(let loaded) = result { loaded.monitors.count } else { 0 }
                order.withLock { $0.append("\(count) monitor") }
            }
            areQueued.set()
        }.get()
        #expect(order.withLock { $0 } == ["page", "1 monitor", "commit"])
        #expect(try await bench.load().count == 2)
    }
}
