import Glibc
import Location
import Platform
import RegionStorage
import Regions
import Storage
import Synchronization
import TestSupport

/// The store of regions and the monitor of fixes, as the daemon uses them.
struct MeasuredRegionStore {
    private static let owner = RegionOwner(uid: 1_000, app: "fleet")
    private static let key = MonitorKey(owner: owner, name: "stops")

    let directory: String
    private let store: RegionStore

    init(_ directory: String, _ sealing: DatabaseSealing = .plain) throws {
        self.directory = directory
        store = try RegionStore(directory: directory, deliver: { $0() })
        store.use(sealing)
    }

    /// Waits for an answer: the thread of a benchmark has nothing else to do.
    private func wait<Answer: Sendable>(
        _ request: (@escaping RegionStore.Completion<Answer>) -> Void
    ) throws -> Answer {
        let slot = Slot<Answer>()
        request { slot.set($0) }
        while true {
            if let result = slot.result { return try result.get() }
            _ = try PollDeadline(seconds: 600).poll(slot.bell, for: POLLIN)
        }
    }

    private final class Slot<Answer: Sendable>: Sendable {
        private let answer = Mutex<Result<Answer, RegionStorageError>?>(nil)
        private let descriptor = WakeDescriptor()

        var bell: Int32 { descriptor.number }
        var result: Result<Answer, RegionStorageError>? { answer.withLock { $0 } }

        func set(_ result: Result<Answer, RegionStorageError>) {
            answer.withLock { $0 = result }
            descriptor.signal()
        }
    }

    func load() throws -> LoadedRegions { try wait { store.load(completion: $0) } }

    func close() throws { try wait { store.close(completion: $0) } as Void }

    func importAll(_ data: RegionData) throws {
        try data.forEachThousand { part in
            let regions = try part.map {
                NewRegion(identifier: $0.identifier, region: try .circle($0.center, radius: $0.radius))
            }
            _ = try wait { store.stage(regions, for: 1, to: Self.key, limits: .none, completion: $0) }
        }
        _ = try wait { store.commit(1, Self.key, limits: .none, completion: $0) }
    }

    /// Stores that the machine is outside of all regions.
    func determineAll() throws {
        var after: String?
        while true {
            let start = after
            let page = try wait { store.page(of: Self.key, after: start, limit: 5_000, completion: $0) }
            let changes = page.regions.map {
                RegionChange(number: $0.number, state: .outside, since: UTCTime(microseconds: 1_800_000_000_000_000))
            }
            _ = try wait { store.record(changes: changes, events: [], of: Self.owner, completion: $0) }
            if page.isComplete { return }
            after = page.regions.last?.identifier
        }
    }

    private static func fix(_ place: Coordinate, second: Int = 0) -> Fix {
        Fix(
            time: UTCTime(microseconds: 1_800_000_000_000_000 + Int64(second) * 1_000_000), receivedAt: 0,
            coordinate: place, horizontalAccuracy: 5)
    }

    /// A pass over the neighbourhood of each place. Returns the milliseconds of each.
    func passes(at places: [Coordinate]) throws -> (times: [Double], regions: Int) {
        var times: [Double] = []
        var most = 0
        for place in places {
            let began = SystemClock().monotonicNanoseconds
            let empty = Neighbourhood(of: Self.fix(place), for: RegionMonitor())
            var filled = try wait { store.neighbourhood(empty, of: Self.owner, completion: $0) }
            let regions = filled.regions()
            times.append(Double(SystemClock().monotonicNanoseconds - began) / 1e6)
            most = max(most, regions.count)
        }
        return (times, most)
    }

    private func monitor(at place: Coordinate) throws -> RegionMonitor {
        let empty = Neighbourhood(of: Self.fix(place), for: RegionMonitor())
        var filled = try wait { store.neighbourhood(empty, of: Self.owner, completion: $0) }
        var monitor = RegionMonitor()
        monitor.replaceRegions(filled.regions())
        return monitor
    }

    /// Microseconds for a fix that crosses nothing, with the neighbourhood of a place in memory.
    func quietFix(at place: Coordinate, fixes: Int = 200_000) throws -> Double {
        var monitor = try monitor(at: place)
        // The first ones determine what is not known yet.
        for second in 0..<3 { _ = monitor.receive(Self.fix(place, second: second)) }
        let began = SystemClock().monotonicNanoseconds
        for second in 0..<fixes { _ = monitor.receive(Self.fix(place, second: 10 + second)) }
        return Double(SystemClock().monotonicNanoseconds - began) / 1_000 / Double(fixes)
    }

    /// Milliseconds from a fix that crosses a hundred borders to the reply that its events are on the disk.
    func crossing(rounds: Int) throws -> (times: [Double], events: Int) {
        var times: [Double] = []
        var events = 0
        let outside = Coordinate(
            clampedLatitude: RegionData.crossing.latitude + 0.01, clampedLongitude: RegionData.crossing.longitude)
        var monitor = try monitor(at: outside)
        for round in 0..<rounds {
            _ = monitor.receive(Self.fix(outside, second: round * 200))
            let inside = Self.fix(RegionData.crossing, second: round * 200 + 100)
            let began = SystemClock().monotonicNanoseconds
            let reported = monitor.receive(inside)
            let changes = reported.map { RegionChange(number: $0.region, state: .inside, since: $0.time) }
            let new = reported.map { NewRegionEvent($0, isSimulated: true) }
            let stored = try wait { store.record(changes: changes, events: new, of: Self.owner, completion: $0) }
            times.append(Double(SystemClock().monotonicNanoseconds - began) / 1e6)
            events = stored.count
        }
        return (times, events)
    }
}
