import Glibc
import Location
import Platform
import Regions
import TestSupport
import Testing

@testable import RegionStorage

@Suite(.timeLimit(.minutes(5))) struct RegionDamageTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcMicroseconds: 1_800_000_000_000_000)
    let setAside = "regions.sqlite.damaged-20270115T080000Z"
    static let time = UTCTime(microseconds: 1_800_000_000_000_000)

    init() throws { directory = try TemporaryDirectory() }

    func bench() throws -> RegionBench { try RegionBench(directory.path, clock: clock) }

    /// A closed store of two thousand regions of two monitors, with a state and some events.
    func fill() async throws -> (monitors: [StoredMonitor], regions: [StoredRegion]) {
        let bench = try bench()
        try await bench.fill(at: Self.time)
        let found = (try await bench.load(), try await bench.regions())
        try await bench.close()
        return found
    }

    func sqlite(_ file: String, _ sql: String) async throws -> String {
        try CompletedProcess.run("/usr/bin/sqlite3", [directory.file(file), sql], seconds: 60).output
    }

    /// Overwrites a page of a table: of its leaves, the one in the middle.
    func damage(_ table: String) async throws {
        let pages = try await sqlite(
            "regions.sqlite", "SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY path")
        let numbers = pages.split(separator: "\n").compactMap { Int($0) }
        let page = try #require(numbers.isEmpty ? nil : numbers[numbers.count / 2])
        let file = try OwnedDescriptor("open") { open(directory.file("regions.sqlite"), O_WRONLY) }
        let garbage = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 13) }
        #expect(pwrite(file.number, garbage, 4_096, off_t((page - 1) * 4_096)) == 4_096)
    }

    func check() async throws {
        let result = try await sqlite(
            "regions.sqlite",
            """
            PRAGMA integrity_check; SELECT rtreecheck('boxes');
            SELECT (SELECT count(*) FROM regions) - (SELECT count(*) FROM boxes);
            SELECT (SELECT count(*) FROM regions) - (SELECT count(*) FROM names); SELECT count(*) FROM meta
            """)
        #expect(result == "ok\nok\n0\n0\n2\n")
    }

    @Test func `of a damaged table of regions, all but those of the page are restored with their numbers`() async throws
    {
        let before = try await fill()
        try await damage("regions")
        let bench = try bench()
        // Only reading the page finds it.
        let after = try await bench.regions()
        let lost = before.regions.count - after.count
        #expect(lost > 0 && lost < 150)
        let remaining = Set(after.map(\.number))
        #expect(after == before.regions.filter { remaining.contains($0.number) })
        guard case .damaged(setAside, _, let restored, let reported)? = bench.damages.first else {
            Issue.record("\(bench.damages)")
            return
        }
        #expect(reported == lost && restored == after.count + 5 && bench.damages.count == 1)
        let monitors = try await bench.load()
        #expect(monitors.map(\.id) == before.monitors.map(\.id))
        #expect(monitors[0].regions == after.count && monitors[0].last == 1_000 && monitors[0].pending == 1_000)
        let events = try await bench.events().events
        #expect(events.count == 1_000 && events.allSatisfy { $0.place?.horizontalAccuracy == 4 })
        // New numbers are not those of lost regions.
        try await bench.add([.circle("new")])
        let new = try #require(try await bench.page(identifiers: ["new"]).regions.first)
        #expect(new.number > before.regions.map(\.number).max() ?? .max)
        try await bench.close()
        try await check()

        // Once is enough.
        let again = try self.bench()
        #expect(try await again.regions().count == after.count + 1 && again.damages == [])
        try await again.close()
    }

    @Test(arguments: ["boxes_node", "names", "regions_not_outside"])
    func `a damaged index is made anew, and the request is answered`(_ index: String) async throws {
        let before = try await fill()
        try await damage(index)
        let bench = try bench()
        var found = try await bench.neighbourhood(of: .at(.near(100_000, 0)))
        #expect(found.regions().count > 150)
        #expect(try await bench.regions() == before.regions)
        _ = try await bench.neighbourhood(of: .at(.near(0, 0)))
        guard case .damaged(setAside, _, 2_005, 0)? = bench.damages.first else {
            Issue.record("\(bench.damages)")
            return
        }
        #expect(try await bench.load() == before.monitors)
        try await bench.close()
        try await check()
    }

    @Test func `events that cannot be read are reported as dropped`() async throws {
        let before = try await fill()
        try await damage("events")
        let bench = try bench()
        let events = try await bench.events(limit: 2_000).events
        #expect(events.first?.kind == .overflowed)
        let lost = try #require(events.first?.lost)
        #expect(lost > 0)
        #expect(events.count > 100 && events.dropFirst().map(\.sequence) == Array((lost + 1)..<1_001))
        #expect(try await bench.regions() == before.regions)
        try await bench.close()
        try await check()
    }

    @Test func `a file of which nothing can be read is set aside, and the store works`() async throws {
        _ = try await fill()
        let file = try OwnedDescriptor("open") { open(directory.file("regions.sqlite"), O_WRONLY) }
        let garbage = [UInt8](repeating: 0x5A, count: 4_096)
        #expect(pwrite(file.number, garbage, 4_096, 0) == 4_096)
        let bench = try bench()
        #expect(try await bench.load() == [])
        guard case .damaged(setAside, _, 0, 0)? = bench.damages.first else {
            Issue.record("\(bench.damages)")
            return
        }
        #expect(try await bench.add(NewRegion.row(0..<5)).added == 5)
        try await bench.close()
        try await check()
    }

    @Test func `what was set aside by a process that ended then is restored by the next one`() async throws {
        let before = try await fill()
        let target = directory.file("regions.sqlite.damaged-20260101T000000Z")
        #expect(rename(directory.file("regions.sqlite"), target) == 0)
        let first = try bench()
        #expect(try await first.load() == before.monitors)
        #expect(try await first.regions() == before.regions)
        try await first.close()
        // As if it had ended in the middle of it.
        _ = try await sqlite(
            "regions.sqlite",
            """
            DELETE FROM boxes WHERE number > 700; DELETE FROM regions WHERE number > 700;
            DELETE FROM names WHERE number > 700;
            INSERT INTO meta VALUES ('source', 'regions.sqlite.damaged-20260101T000000Z'), ('sourceNext', 701)
            """)
        let second = try bench()
        #expect(try await second.load() == before.monitors)
        #expect(try await second.regions() == before.regions)
        #expect(second.damages.count == 1)
        try await second.close()
        try await check()
    }

    @Test func `an import is refused as a whole if the file is set aside in the middle of it`() async throws {
        _ = try await fill()
        try await damage("regions")
        let bench = try bench()
        try await bench.stage(NewRegion.row(5_000..<5_100))
        _ = try await bench.regions()
        #expect(bench.damages.count == 1)
        guard case .unavailable? = try await refusal({ try await bench.stage(NewRegion.row(5_100..<5_200)) }),
            case .unavailable? = try await refusal({ try await bench.commit() })
        else {
            Issue.record("a part of an import was accepted")
            return
        }
        try await bench.stage(NewRegion.row(5_000..<5_100))
        #expect(try await bench.commit().added == 100)
        try await bench.close()
    }
}
