import Glibc
import Location
import Platform
import Regions
import Synchronization
import TestSupport
import Testing

@testable import RegionStorage

@Suite(.timeLimit(.minutes(5))) struct PendingRegionEventTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func bench(pendingEvents: Int = 10_000) async throws -> RegionBench {
        var options = RegionStoreOptions()
        options.pendingEvents = pendingEvents
        let bench = try RegionBench(directory.path, options: options)
        if try await bench.load().isEmpty { try await bench.add(NewRegion.row(0..<3)) }
        return bench
    }

    static func time(_ seconds: Int) -> UTCTime {
        UTCTime(microseconds: 1_800_000_000_000_000 + Int64(seconds) * 1_000_000)
    }

    /// As many events as there are numbers, each with its number as its second.
    @discardableResult
    func record(_ bench: RegionBench, _ numbers: ClosedRange<Int>) async throws -> [StoredRegionEvent] {
        let region = try await bench.regions()[0].number
        return try await bench.record(
            events: numbers.map {
                NewRegionEvent(
                    RegionEvent(region: region, kind: $0 % 2 == 1 ? .entered : .left, time: Self.time($0)),
                    isSimulated: false)
            })
    }

    @Test func `events are numbered by monitor and the same after the store was opened again`() async throws {
        let first = try await bench()
        try await first.add(NewRegion.row(0..<1), to: .depot)
        let (yard, depot) = (try await first.regions(), try await first.regions(of: .depot))
        let doubts: [RegionDoubt] = [.undetermined, .insufficientAccuracy, .fixLost, .receiverLost, .unauthorized]
        let kinds: [RegionEvent.Kind] =
            [.determined(.inside), .determined(.outside), .entered, .left, .loitered] + doubts.map { .unknown($0) }
        var events = kinds.enumerated().map { index, kind in
            NewRegionEvent(
                RegionEvent(
                    region: yard[index % 3].number, kind: kind, time: Self.time(index),
                    crossed: index % 2 == 0 ? Self.time(-index) : nil, passedThrough: index % 3 == 0),
                isSimulated: index % 4 == 0)
        }
        events.insert(
            NewRegionEvent(RegionEvent(region: depot[0].number, kind: .left, time: Self.time(9)), isSimulated: true),
            at: 4)
        let stored = try await first.record(events: events)
        #expect(stored.map(\.sequence) == [1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 10])
        #expect(stored[4].monitor == depot[0].monitor && stored[4].identifier == depot[0].identifier)
        let own = stored.filter { $0.monitor == yard[0].monitor }
        for (index, event) in own.enumerated() {
            #expect(
                event.identifier == yard[index % 3].identifier && event.kind == StoredRegionEvent.Kind(kinds[index]))
            #expect(event.time == Self.time(index) && event.crossed == (index % 2 == 0 ? Self.time(-index) : nil))
            #expect(
                event.passedThrough == (index % 3 == 0) && event.isSimulated == (index % 4 == 0) && event.lost == nil)
        }
        #expect(try await first.events() == RegionEventPage(events: own, isComplete: true))
        try await first.close()

        let second = try await bench()
        #expect(try await second.events().events == own)
        #expect(try await second.events(of: .depot).events == [stored[4]])
        #expect(try await second.load().map(\.last) == [10, 1])
        let page = try await second.events(after: 3, limit: 2)
        #expect(page.events == Array(own[3..<5]) && !page.isComplete)
        #expect(try await second.events(after: 10) == RegionEventPage(events: [], isComplete: true))
    }

    @Test func `states and events are stored together, and those of another owner are not`() async throws {
        let bench = try await bench()
        let regions = try await bench.regions()
        let change = RegionChange(number: regions[1].number, state: .inside, since: Self.time(5))
        let event = NewRegionEvent(
            RegionEvent(region: regions[1].number, kind: .determined(.inside), time: Self.time(5)), isSimulated: false)
        let stranger = RegionOwner(uid: 1_001, app: "trail")
        #expect(try await bench.record(changes: [change], events: [event], of: stranger) == [])
        #expect(try await bench.regions() == regions)
        #expect(try await bench.record(changes: [change], events: [event]).count == 1)
        #expect(try await bench.regions()[1] == StoredRegion(regions[1], .inside, Self.time(5)))
    }

    @Test func `the place of the fix that decided is stored exactly, and erased with the event`() async throws {
        let first = try await bench()
        let region = try await first.regions()[0].number
        let places: [EventPlace?] = [
            EventPlace(.near(1.0 / 3, 1), horizontalAccuracy: 0.1), nil,
            EventPlace(Coordinate(clampedLatitude: -90, clampedLongitude: 180), horizontalAccuracy: 1e6),
        ]
        try await first.record(
            events: places.map {
                NewRegionEvent(
                    RegionEvent(region: region, kind: .entered, time: Self.time(1), place: $0), isSimulated: false)
            })
        #expect(try await first.events().events.map(\.place) == places)
        try await first.close()

        let second = try await bench()
        #expect(try await second.events().events.map(\.place) == places)
        try await second.forget()
        #expect(try await second.events().events == [])
        try await second.close()
        let rest = try CompletedProcess.run(
            "/usr/bin/sqlite3", [directory.file("regions.sqlite"), "SELECT count(*) FROM events"], seconds: 60)
        #expect(rest.output == "0\n")
    }

    @Test func `events are restored from a file that was set aside, with the place of those that have one`()
        async throws
    {
        let first = try await bench()
        try await record(first, 1...2)
        let region = try await first.regions()[0].number
        let place = EventPlace(.near(5, 5), horizontalAccuracy: 3)
        try await first.record(
            events: [
                NewRegionEvent(
                    RegionEvent(region: region, kind: .left, time: Self.time(3), place: place), isSimulated: false)
            ])
        let events = try await first.events().events
        #expect(events.map(\.place) == [nil, nil, place])
        try await first.close()
        #expect(
            rename(directory.file("regions.sqlite"), directory.file("regions.sqlite.damaged-20260101T000000Z")) == 0)
        let second = try RegionBench(directory.path)
        #expect(try await second.events().events == events)
        try await second.close()
    }

    @Test func `an acknowledged event does not return, and its number is not used again`() async throws {
        let first = try await bench()
        try await record(first, 1...10)
        #expect(try await first.acknowledge(upTo: 4) == 4)
        // Less than before changes nothing.
        #expect(try await first.acknowledge(upTo: 2) == 4)
        #expect(try await refusal { try await first.acknowledge(upTo: 11) } == .noSuchEvent(last: 10))
        #expect(try await refusal { try await first.acknowledge(.depot, upTo: 1) } == .noSuchMonitor)
        #expect(try await first.events().events.map(\.sequence) == Array(5...10))
        #expect(try await first.events(after: 0).events.map(\.sequence) == Array(5...10))
        #expect(try await first.acknowledge(upTo: 10) == 10)
        try await first.close()

        let second = try await bench()
        let monitor = try await second.load()[0]
        #expect(monitor.last == 10 && monitor.acknowledged == 10 && monitor.pending == 0)
        #expect(try await second.events().events == [])
        #expect(try await record(second, 11...11).map(\.sequence) == [11])
    }

    @Test func `too many events are dropped from the oldest on, and a reader learns how many it misses`() async throws {
        let first = try await bench(pendingEvents: 5)
        try await record(first, 1...5)
        #expect(try await first.load()[0].pending == 5)
        try await record(first, 6...8)
        #expect(try await first.load()[0].pending == 6)
        try await first.close()

        let second = try await bench(pendingEvents: 5)
        let events = try await second.events().events
        #expect(events.map(\.sequence) == [3, 4, 5, 6, 7, 8])
        #expect(
            events[0]
                == StoredRegionEvent(
                    monitor: events[1].monitor, sequence: 3, identifier: nil, kind: .overflowed, time: Self.time(3),
                    lost: 3))
        // A reader that has seen some of the dropped ones misses fewer.
        #expect(try await second.events(after: 2).events.first?.lost == 1)
        #expect(try await second.events(after: 3).events.map(\.sequence) == [4, 5, 6, 7, 8])
        #expect(try await second.events(limit: 1).events.map(\.kind) == [.overflowed])
        // What was acknowledged is not missed.
        try await second.acknowledge(upTo: 1)
        #expect(try await second.events().events.first?.lost == 2)
        try await second.acknowledge(upTo: 3)
        #expect(try await second.events().events.first?.sequence == 4)
        #expect(try await second.load()[0].pending == 5)
        // More at once than are retained.
        try await record(second, 9...30)
        let late = try await second.events().events
        #expect(
            late.map(\.sequence) == [25, 26, 27, 28, 29, 30] && late[0].lost == 22 && late[0].time == Self.time(25))
        second.store.setPendingEvents(2)
        try await record(second, 31...31)
        #expect(try await second.events().events.map(\.sequence) == [29, 30, 31])
        try await second.close()
    }

    @Test func `states are unknown from the revocation on, though their rows are written later`() async throws {
        let bench = try await bench()
        let regions = try await bench.regions()
        let changes = regions.map { RegionChange(number: $0.number, state: .inside, since: Self.time(1)) }
        try await bench.record(changes: changes)
        // The next requests are in the mailbox before the first of them is done.
        let areQueued = Mutex(false)
        bench.store.load { _ in _ = eventually(within: 60) { areQueued.withLock { $0 } } }
        let page: RegionPage = try await withCheckedContinuation { continuation in
            bench.store.forget(.trail) { _ in }
            bench.store.page(of: .yard, limit: 10) { continuation.resume(returning: $0) }
            areQueued.withLock { $0 = true }
        }.get()
        #expect(page.regions.map(\.state) == Array(repeating: .unknown(.unauthorized), count: 3))
    }

    @Test func `after a revocation events are erased and all states unknown at once and after a restart`() async throws
    {
        let first = try await bench()
        let key = MonitorKey(owner: RegionOwner(uid: 1_000, app: nil), name: "yard")
        try await first.add(NewRegion.row(0..<1), to: key)
        let regions = try await first.regions()
        let decided = regions.map { RegionChange(number: $0.number, state: .outside, since: Self.time(1)) }
        try await first.record(changes: decided)
        try await record(first, 1...4)
        let monitors = try await first.forget()
        #expect(monitors.map(\.pending) == [0] && monitors[0].acknowledged == 4 && monitors[0].last == 4)
        let forgotten = try await first.regions()
        #expect(forgotten.allSatisfy { $0.state == .unknown(.unauthorized) && ($0.since?.microseconds ?? 0) > 0 })
        #expect(forgotten.map(\.number) == regions.map(\.number))
        #expect(try await first.events().events == [])
        #expect(try await first.regions(of: key)[0].state == .unknown(.undetermined))
        try await first.close()

        let second = try await bench()
        #expect(try await second.regions() == forgotten)
        // They are decided anew.
        try await second.record(changes: [decided[0]])
        let states = try await second.regions().map(\.state)
        #expect(states == [.outside, .unknown(.unauthorized), .unknown(.unauthorized)])
        #expect(try await record(second, 1...1).map(\.sequence) == [5])
        try await second.forget(RegionOwner(uid: 7, app: "none"))
        #expect(try await second.regions().map(\.state) == states)
        // The far ones among them are offered wherever the machine is, as soon as their rows are written.
        let isOffered = try await eventually {
            var pass = try await second.neighbourhood(of: .at(Coordinate(clampedLatitude: 0, clampedLongitude: 0)))
            return pass.regions().count == 2
        }
        #expect(isOffered)
    }
}
