import Location
import Platform
import Regions
import Synchronization
import TestSupport

@testable import RegionStorage

/// A store whose answers can be awaited.
final class RegionBench: Sendable {
    let store: RegionStore
    private let reports: Reports

    init(
        _ path: String, options: RegionStoreOptions = RegionStoreOptions(), clock: any TimeSource = SystemClock()
    ) throws {
        let reports = Reports()
        store = try RegionStore(
            directory: path, options: options, clock: clock, deliver: { $0() }, report: { reports.append($0) })
        self.reports = reports
    }

    /// What was reported so far.
    var damages: [RegionStorageReport] { reports.all }

    private final class Reports: Sendable {
        private let list = Mutex<[RegionStorageReport]>([])
        var all: [RegionStorageReport] { list.withLock { $0 } }
        func append(_ report: RegionStorageReport) { list.withLock { $0.append(report) } }
    }

    private func answer<Answer: Sendable>(
        _ call: (@escaping RegionStore.Completion<Answer>) -> Void
    ) async throws -> Answer {
        try await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }.get()
    }

    func load() async throws -> [StoredMonitor] { try await answer { store.load(completion: $0) }.monitors }

    @discardableResult
    func add(
        _ regions: [NewRegion], to key: MonitorKey = .yard, limits: RegionLimits = .none
    ) async throws -> AddedRegions {
        try await answer { store.add(regions, to: key, limits: limits, completion: $0) }
    }

    @discardableResult
    func stage(
        _ regions: [NewRegion], for staging: UInt64 = 1, to key: MonitorKey = .yard, limits: RegionLimits = .none
    ) async throws -> Int {
        try await answer { store.stage(regions, for: staging, to: key, limits: limits, completion: $0) }
    }

    @discardableResult
    func commit(
        _ staging: UInt64 = 1, to key: MonitorKey = .yard, limits: RegionLimits = .none
    ) async throws -> AddedRegions {
        try await answer { store.commit(staging, key, limits: limits, completion: $0) }
    }

    @discardableResult
    func remove(_ identifiers: [String]?, from key: MonitorKey = .yard) async throws -> RemovedRegions {
        try await answer { store.remove(identifiers, from: key, completion: $0) }
    }

    func page(
        of key: MonitorKey = .yard, after: String? = nil, limit: Int = 1_000, pointLimit: Int = .max,
        identifiers: [String]? = nil
    ) async throws -> RegionPage {
        try await answer {
            store.page(
                of: key, after: after, limit: limit, pointLimit: pointLimit, identifiers: identifiers, completion: $0)
        }
    }

    /// All regions of a monitor.
    func regions(of key: MonitorKey = .yard) async throws -> [StoredRegion] {
        var all: [StoredRegion] = []
        while true {
            let page = try await page(of: key, after: all.last?.identifier)
            all += page.regions
            if page.isComplete { return all }
        }
    }

    func neighbourhood(
        of fix: Fix, for monitor: RegionMonitor = RegionMonitor(), owner: RegionOwner = .trail
    ) async throws -> Neighbourhood {
        let neighbourhood = Neighbourhood(of: fix, for: monitor)
        return try await answer { store.neighbourhood(neighbourhood, of: owner, completion: $0) }
    }

    @discardableResult
    func record(
        changes: [RegionChange] = [], events: [NewRegionEvent] = [], of owner: RegionOwner = .trail
    ) async throws -> [StoredRegionEvent] {
        try await answer { store.record(changes: changes, events: events, of: owner, completion: $0) }
    }

    func events(
        of key: MonitorKey = .yard, after: Int64? = nil, limit: Int = 1_000
    ) async throws -> RegionEventPage {
        try await answer { store.events(of: key, after: after, limit: limit, completion: $0) }
    }

    @discardableResult
    func acknowledge(_ key: MonitorKey = .yard, upTo sequence: Int64) async throws -> Int64 {
        try await answer { store.acknowledge(key, upTo: sequence, completion: $0) }
    }

    @discardableResult
    func forget(_ owner: RegionOwner = .trail) async throws -> [StoredMonitor] {
        try await answer { store.forget(owner, completion: $0) }
    }

    @discardableResult
    func erase(_ owner: RegionOwner) async throws -> Int { try await answer { store.erase(owner, completion: $0) } }

    @discardableResult
    func erase(uid: UInt32) async throws -> Int { try await answer { store.erase(uid: uid, completion: $0) } }

    /// Stores two thousand regions of one monitor and five of another, most of them with a state, and a thousand events.
    func fill(at time: UTCTime) async throws {
        for start in [0, 1_000] { try await add(NewRegion.row(start..<(start + 1_000))) }
        try await add(NewRegion.row(0..<5), to: .depot)
        let regions = try await regions()
        try await record(
            changes: regions.prefix(1_900).map { RegionChange(number: $0.number, state: .outside, since: time) },
            events: (1...1_000).map {
                NewRegionEvent(
                    RegionEvent(
                        region: regions[$0].number, kind: .left, time: time,
                        place: EventPlace(.near(Double($0), 0), horizontalAccuracy: 4)), isSimulated: false)
            })
    }

    func close() async throws { try await answer { store.close(completion: $0) } as Void }
}

extension RegionOwner {
    static let trail = RegionOwner(uid: 1_000, app: "trail")
}

extension MonitorKey {
    static let yard = MonitorKey(owner: .trail, name: "yard")
    static let depot = MonitorKey(owner: .trail, name: "depot")
}

extension Coordinate {
    /// Metres east and north of a place at 47° N, 8° E.
    static func near(_ east: Double, _ north: Double) -> Coordinate {
        Coordinate(clampedLatitude: 47 + north / 111_200, clampedLongitude: 8 + east / 75_950)
    }
}

extension NewRegion {
    /// A circle so many metres east of a place.
    static func circle(_ identifier: String, east: Double = 0, north: Double = 0, radius: Double = 50) throws
        -> NewRegion
    {
        NewRegion(identifier: identifier, region: try .circle(.near(east, north), radius: radius))
    }

    /// Circles in a row, a hundred metres from one to the next.
    static func row(_ numbers: Range<Int>) throws -> [NewRegion] {
        try numbers.map { try .circle("stop-\(10_000_000 + $0)", east: Double($0) * 100) }
    }
}

extension Fix {
    static func at(_ coordinate: Coordinate, accuracy: Double = 5) -> Fix {
        Fix(
            time: UTCTime(microseconds: 1_800_000_000_000_000), receivedAt: 0, coordinate: coordinate,
            horizontalAccuracy: accuracy)
    }
}

/// The error that a request ends with; nil if it succeeds.
func refusal<Answer>(_ request: () async throws -> Answer) async throws -> RegionStorageError? {
    do {
        _ = try await request()
        return nil
    } catch let error as RegionStorageError {
        return error
    }
}
