import Location
import Platform
import Regions
import TestSupport
import Testing

@testable import RegionStorage

@Suite(.timeLimit(.minutes(5))) struct RegionStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func bench(_ change: (inout RegionStoreOptions) -> Void = { _ in }) throws -> RegionBench {
        var options = RegionStoreOptions()
        change(&options)
        return try RegionBench(directory.path, options: options)
    }

    /// The result of statements, from another process.
    func sqlite(_ sql: String) async throws -> String {
        try CompletedProcess.run("/usr/bin/sqlite3", ["\(directory.path)/regions.sqlite", sql], seconds: 60).output
    }

    @Test func `added regions are the same after the store was opened again`() async throws {
        let first = try bench()
        #expect(try await first.load() == [])
        let regions = try RegionPayloadTests.shapes.enumerated().map { index, shape in
            NewRegion(
                identifier: "place \(index)", region: try Region(shape), dwell: Double(index),
                loitering: index % 2 == 0 ? 600 : nil)
        }
        let added = try await first.add(regions)
        #expect(added.added == regions.count && added.replaced == 0)
        #expect(added.monitor.key == .yard && added.monitor.regions == regions.count)
        try await first.close()

        let second = try bench()
        #expect(try await second.load() == [added.monitor])
        let stored = try await second.regions()
        #expect(
            stored.map {
                NewRegion(identifier: $0.identifier, region: $0.region, dwell: $0.dwell, loitering: $0.loitering)
            }
                == regions)
        #expect(stored.allSatisfy { $0.state == .unknown(.undetermined) && $0.since == nil })
        #expect(Set(stored.map(\.number)).count == regions.count)
        #expect(stored.allSatisfy { $0.monitor == added.monitor.id })
        try await second.close()
        #expect(try await sqlite("PRAGMA integrity_check; SELECT rtreecheck('boxes')") == "ok\nok\n")
    }

    @Test func `a region replaces the one with its identifier, and its state is unknown then`() async throws {
        let bench = try bench()
        try await bench.add(NewRegion.row(0..<3))
        let old = try await bench.regions()
        let time = UTCTime(microseconds: 1_800_000_000_000_000)
        try await bench.record(changes: old.map { RegionChange(number: $0.number, state: .inside, since: time) })
        let added = try await bench.add([try .circle(old[1].identifier, east: 5_000)] + NewRegion.row(3..<5))
        #expect(added.added == 2 && added.replaced == 1 && added.monitor.regions == 5)
        let new = try await bench.regions()
        #expect(new[0] == StoredRegion(old[0], .inside, time) && new[2] == StoredRegion(old[2], .inside, time))
        #expect(new[1].number > old[2].number && new[1].state == .unknown(.undetermined))
        // What was decided about the old one is not about the new one.
        try await bench.record(
            changes: [RegionChange(number: old[1].number, state: .inside, since: time)],
            events: [NewRegionEvent(RegionEvent(region: old[1].number, kind: .entered, time: time), isSimulated: false)]
        )
        #expect(try await bench.regions() == new)
        #expect(try await bench.events().events == [])
        try await bench.close()
        #expect(
            try await sqlite("SELECT count(*) FROM regions; SELECT count(*) FROM boxes; SELECT count(*) FROM names")
                == "5\n5\n5\n")
    }

    @Test func `of two regions with one identifier in a call the last remains`() async throws {
        let bench = try bench()
        let added = try await bench.add([.circle("a", radius: 10), .circle("b"), .circle("a", radius: 20)])
        #expect(added.added == 2 && added.replaced == 0)
        let shapes = try await bench.regions().map(\.region)
        #expect(shapes == [try .circle(.near(0, 0), radius: 20), try .circle(.near(0, 0), radius: 50)])
    }

    @Test func `pages are in the order of the identifiers' bytes and end at their limits`() async throws {
        let bench = try bench()
        let names = ["Z", "a", "b", "é", "ä", "a b", "日本", "aa", "0"]
        try await bench.add(try names.map { try .circle($0) })
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try await bench.regions().map(\.identifier) == sorted)
        let page = try await bench.page(after: "a", limit: 2)
        #expect(page.regions.map(\.identifier) == ["a b", "aa"] && !page.isComplete)
        let last = try await bench.page(after: sorted[6], limit: 2)
        #expect(last.regions.map(\.identifier) == Array(sorted[7...]) && last.isComplete)
        #expect(try await bench.page(after: sorted[8]) == RegionPage(regions: [], isComplete: true))
        #expect(try await bench.page(pointLimit: 3).regions.count == 3)
        let named = try await bench.page(identifiers: ["é", "nowhere", "0", "0"])
        #expect(named.regions.map(\.identifier) == ["0", "é"] && named.isComplete)
        let part = try await bench.page(limit: 1, identifiers: ["é", "0"])
        #expect(part.regions.map(\.identifier) == ["0"] && !part.isComplete)
        #expect(try await bench.page(after: "0", limit: 1, identifiers: ["é", "0"]).isComplete)
        #expect(try await refusal { try await bench.page(of: .depot) } == .noSuchMonitor)
    }

    @Test func `removed regions and monitors do not return`() async throws {
        let first = try bench()
        try await first.add(NewRegion.row(0..<10))
        let depot = try await first.add(NewRegion.row(0..<4), to: .depot).monitor
        let last = try #require(try await first.regions(of: .depot).last).number
        #expect(try await first.remove(["stop-10000003", "nowhere", "stop-10000004"]).removed == 2)
        #expect(try await first.remove(nil, from: .depot) == RemovedRegions(removed: 4, monitor: nil))
        #expect(try await first.remove(nil, from: .depot) == RemovedRegions(removed: 0, monitor: nil))
        #expect(try await first.remove(["a"], from: .depot) == RemovedRegions(removed: 0, monitor: nil))
        try await first.close()

        let second = try bench()
        #expect(try await second.load().map(\.regions) == [8])
        // A monitor of the same name is another one, and no number is used again.
        let again = try await second.add(NewRegion.row(0..<1), to: .depot).monitor
        #expect(again.id != depot.id && again.id > last)
        try await second.close()
        try await untilSwept(regions: 9)
    }

    /// Waits until the rows of removed monitors are erased.
    func untilSwept(regions: Int) async throws {
        let bench = try bench()
        _ = try await bench.load()
        let isSwept = try await eventually { try await sqlite("SELECT count(*) FROM regions") == "\(regions)\n" }
        #expect(isSwept)
        try await bench.close()
        #expect(
            try await sqlite(
                """
                SELECT count(*) FROM names; SELECT count(*) FROM boxes;
                SELECT count(*) FROM lists WHERE id NOT IN (SELECT list FROM monitors); SELECT rtreecheck('boxes')
                """) == "\(regions)\n\(regions)\n0\nok\n")
    }

    @Test func `limits of monitors and regions are observed, and nothing is changed by a refusal`() async throws {
        let bench = try bench()
        let limits = RegionLimits(monitors: 2, regionsOfMonitor: 5, regionsOfOwner: 8, regionsOfUser: 9)
        let other = MonitorKey(owner: RegionOwner(uid: 1_000, app: "other"), name: "yard")
        let stranger = MonitorKey(owner: RegionOwner(uid: 1_001, app: "trail"), name: "yard")
        func refused(_ regions: Range<Int>, _ key: MonitorKey) async throws -> RegionStorageError? {
            try await refusal { try await bench.add(NewRegion.row(regions), to: key, limits: limits) }
        }
        #expect(try await refused(0..<6, .yard) == .tooManyRegions(of: .monitor, limit: 5))
        #expect(try await bench.load() == [])
        #expect(try await refused(0..<5, .yard) == nil)
        // Regions that replace others are no more than before.
        #expect(try await refused(0..<5, .yard) == nil)
        #expect(try await refused(4..<6, .yard) == .tooManyRegions(of: .monitor, limit: 5))
        #expect(try await refused(0..<4, .depot) == .tooManyRegions(of: .owner, limit: 8))
        #expect(try await refused(0..<3, .depot) == nil)
        #expect(
            try await refused(0..<1, MonitorKey(owner: .trail, name: "third")) == .tooManyMonitors(limit: 2))
        #expect(try await refused(0..<2, other) == .tooManyRegions(of: .user, limit: 9))
        #expect(try await refused(0..<1, other) == nil)
        #expect(try await refused(0..<5, stranger) == nil)
        #expect(try await bench.load().map(\.regions) == [5, 3, 1, 5])
    }

    @Test func `an owner's and a user's data is erased, that of others remains`() async throws {
        let first = try bench()
        let operators = MonitorKey(owner: RegionOwner(uid: 1_000, app: nil), name: "yard")
        let other = MonitorKey(owner: RegionOwner(uid: 1_001, app: "trail"), name: "yard")
        for key in [.yard, .depot, operators, other] { try await first.add(NewRegion.row(0..<10), to: key) }
        #expect(try await first.erase(.trail) == 20)
        #expect(try await first.load().map(\.key) == [operators, other])
        #expect(try await first.erase(.trail) == 0)
        #expect(try await first.erase(uid: 1_000) == 10)
        #expect(try await refusal { try await first.page(of: operators) } == .noSuchMonitor)
        try await first.close()
        try await untilSwept(regions: 10)
        #expect(try await bench().regions(of: other).count == 10)
    }

    @Test func `the file is for its owner only, and belongs to one process`() async throws {
        let first = try bench()
        try await first.add(NewRegion.row(0..<1))
        for name in ["regions.sqlite", "regions.sqlite-wal", "regions.lock"] {
            #expect(try permissions(name) == 0o600)
        }
        let second = try bench()
        guard case .unavailable(let error)? = try await refusal({ try await second.load() }) else {
            Issue.record("two stores use one file")
            return
        }
        #expect(error.reason == .inUse)
        try await first.close()
        // Each request tries again to open the file.
        #expect(try await second.load().count == 1)
    }

    func permissions(_ name: String) throws -> Int {
        let text = try CompletedProcess.run("/usr/bin/stat", ["-c", "%a", directory.file(name)], seconds: 60).output
        return try #require(Int(text.dropLast(), radix: 8))
    }

    @Test func `a foreign file and one of a newer release are refused and left as they are`() async throws {
        try await bench().close()
        #expect(try await sqlite("CREATE TABLE songs (name); PRAGMA user_version = 3") == "")
        let before = try await sqlite(".dump")
        guard case .unavailable(let foreign)? = try await refusal({ try await self.bench().load() }) else {
            Issue.record("the database of another program was opened")
            return
        }
        #expect(foreign.reason == .foreign)
        #expect(try await sqlite(".dump") == before)

        let newer = try TemporaryDirectory()
        let bench = try RegionBench(newer.path)
        try await bench.add(NewRegion.row(0..<1))
        try await bench.close()
        let file = newer.file("regions.sqlite")
        _ = try CompletedProcess.run("/usr/bin/sqlite3", [file, "PRAGMA user_version = 99"], seconds: 60)
        guard case .unavailable(let future)? = try await refusal({ try await RegionBench(newer.path).load() }) else {
            Issue.record("the file of a newer release was opened")
            return
        }
        #expect(future.reason == .fromTheFuture(version: 99))
    }
}

extension StoredRegion {
    /// The region in another state.
    init(_ region: StoredRegion, _ state: RegionState, _ since: UTCTime) {
        self = region
        (self.state, self.since) = (state, since)
    }
}
