import Cryptography
import Glibc
import Location
import Platform
import RegionStorage
import Regions
import Storage
import Synchronization

/// A store with which operations are done, and from which a model is read.
public final class ScriptedStore: Sendable {
    private let store: RegionStore
    private let reports = Reports()
    private static let owner = RegionOwner(uid: 1_000, app: "trail")

    private final class Reports: Sendable {
        let list = Mutex<[RegionStorageReport]>([])
    }

    /// Opens the store of a directory, plain or sealed with a key of the tests.
    public init(_ directory: String, isSealed: Bool = false) throws {
        var options = RegionStoreOptions()
        options.pendingEvents = RegionModel.pendingEvents
        store = try RegionStore(directory: directory, options: options, deliver: { $0() }) { [reports] report in
            reports.list.withLock { $0.append(report) }
        }
        if isSealed { try seal() }
    }

    /// Whether the store of a directory was sealed.
    public static func isSealed(_ directory: String) -> Bool {
        access("\(directory)/\(RegionStore.sealedFileName)", F_OK) == 0
    }

    /// Seals the file from the next operation on.
    public func seal() throws {
        if let key = try Self.key { store.use(.sealed(key)) }
    }

    /// Stores the file plain from the next operation on.
    public func unseal() throws {
        if let key = try Self.key { store.use(.unsealing(key)) }
    }

    private static var key: SymmetricKey? {
        get throws { try SymmetricKey(copying: Array(0..<UInt8(SymmetricKey.size))) }
    }

    /// What the store has reported.
    public var damages: [RegionStorageReport] { reports.list.withLock { $0 } }

    private func answer<Answer: Sendable>(
        _ call: (@escaping RegionStore.Completion<Answer>) -> Void
    ) async throws -> Answer {
        try await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }.get()
    }

    /// Closes it.
    public func close() async throws { try await answer { store.close(completion: $0) } as Void }

    private func key(_ name: String) -> MonitorKey { MonitorKey(owner: Self.owner, name: name) }

    private func regions(_ identifiers: some Sequence<String>, _ radius: Double) throws -> [NewRegion] {
        let center = Coordinate(clampedLatitude: 47, clampedLongitude: 8)
        return try identifiers.map { NewRegion(identifier: $0, region: try .circle(center, radius: radius)) }
    }

    /// Does an operation; it is acknowledged when this returns.
    public func perform(_ operation: RegionOperation) async throws {
        switch operation {
        case .add(let name, let identifiers, let radius):
            let regions = try regions(identifiers, radius)
            _ = try await answer { store.add(regions, to: key(name), limits: .none, completion: $0) }
        case .importAll(let name, let identifiers, let radius):
            for part in 0..<3 {
                let regions = try regions(
                    identifiers.enumerated().filter { $0.offset % 3 == part }.map(\.element), radius)
                _ = try await answer { store.stage(regions, for: 7, to: key(name), limits: .none, completion: $0) }
            }
            _ = try await answer { store.commit(7, key(name), limits: .none, completion: $0) }
        case .remove(let name, let identifiers):
            _ = try await answer { store.remove(identifiers, from: key(name), completion: $0) }
        case .removeMonitor(let name): _ = try await answer { store.remove(nil, from: key(name), completion: $0) }
        case .record(let decisions): try await record(decisions)
        case .acknowledge(let name, let sequence):
            do {
                _ = try await answer { store.acknowledge(key(name), upTo: sequence, completion: $0) }
            } catch RegionStorageError.noSuchMonitor {
                return
            }
        case .forget: _ = try await answer { store.forget(Self.owner, completion: $0) }
        case .erase: _ = try await answer { store.erase(Self.owner, completion: $0) }
        }
    }

    private func record(_ decisions: [RegionOperation.Decision]) async throws {
        var changes: [RegionChange] = []
        var events: [NewRegionEvent] = []
        for (index, decision) in decisions.enumerated() {
            let time = UTCTime(microseconds: 1_800_000_000_000_000 + Int64(index))
            let page = try await answer {
                store.page(
                    of: key(decision.monitor), limit: 1, identifiers: [decision.identifier], completion: $0)
            }
            guard let region = page.regions.first else { continue }
            changes.append(
                RegionChange(number: region.number, state: decision.isInside ? .inside : .outside, since: time))
            let event = RegionEvent(region: region.number, kind: decision.isInside ? .entered : .left, time: time)
            events.append(NewRegionEvent(event, isSimulated: false))
        }
        _ = try await answer { store.record(changes: changes, events: events, of: Self.owner, completion: $0) }
    }

    /// Everything that the store contains.
    public func model() async throws -> RegionModel {
        var model = RegionModel()
        for stored in try await answer({ store.load(completion: $0) }).monitors {
            var monitor = RegionModel.Monitor()
            (monitor.last, monitor.acknowledged) = (stored.last, stored.acknowledged)
            let regions = try await answer { store.page(of: stored.key, limit: 1_000, completion: $0) }.regions
            for region in regions {
                monitor.regions[region.identifier] = RegionModel.Region(region)
            }
            guard regions.count == stored.regions else { throw Miscount(of: stored, regions.count) }
            let events = try await answer { store.events(of: stored.key, after: nil, limit: 1_000, completion: $0) }
            monitor.events = events.events.map { RegionModel.Event($0) }
            guard monitor.events.count == stored.pending else { throw Miscount(of: stored, monitor.events.count) }
            model.monitors[stored.key.name] = monitor
        }
        return model
    }

    /// A monitor's figures are not those of its rows.
    public struct Miscount: Error, CustomStringConvertible {
        /// For a failing test.
        public let description: String

        init(of monitor: StoredMonitor, _ count: Int) { description = "\(monitor), but \(count) rows" }
    }
}

extension RegionModel.Region {
    fileprivate init(_ region: StoredRegion) {
        if case .circle(_, let radius) = region.region.shape { self.radius = radius } else { radius = 0 }
        state =
            switch region.state {
            case .inside: "inside"
            case .outside: "outside"
            case .unknown(let doubt): doubt.rawValue
            }
    }
}

extension RegionModel.Event {
    fileprivate init(_ event: StoredRegionEvent) {
        (sequence, identifier, lost) = (event.sequence, event.identifier, event.lost)
        kind =
            switch event.kind {
            case .entered: "entered"
            case .left: "left"
            case .overflowed: "overflowed"
            case .determined, .loitered, .unknown: "another"
            }
    }
}
