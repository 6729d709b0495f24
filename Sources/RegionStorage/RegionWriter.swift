import Journal
import Platform
import Regions

/// Opens the file, does the requests, and restores what can be read of a damaged file. On the storage thread.
actor RegionWriter {
    private nonisolated let thread: StorageThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let path: String
    private var options: RegionStoreOptions
    private let clock: any TimeSource
    private let report: @Sendable (RegionStorageReport) -> Void

    init(
        path: String, options: RegionStoreOptions, clock: any TimeSource, thread: StorageThread,
        report: @escaping @Sendable (RegionStorageReport) -> Void
    ) {
        self.path = path
        self.options = options
        self.clock = clock
        self.thread = thread
        self.report = report
    }

    private var notOpen: RegionStorageError { .unavailable(JournalError("open \(path)", .closed, "it is not open")) }

    func load() throws(RegionStorageError) -> LoadedRegions { throw notOpen }
    func add(_ regions: [NewRegion], to key: MonitorKey, _ limits: RegionLimits) throws(RegionStorageError)
        -> AddedRegions
    { throw notOpen }
    func stage(_ regions: [NewRegion], for staging: UInt64, to key: MonitorKey, _ limits: RegionLimits)
        throws(RegionStorageError) -> Int
    { throw notOpen }
    func commit(_ staging: UInt64, _ key: MonitorKey, _ limits: RegionLimits) throws(RegionStorageError)
        -> AddedRegions
    { throw notOpen }
    func discard(_ staging: UInt64) {}
    func remove(_ identifiers: [String]?, from key: MonitorKey) throws(RegionStorageError) -> RemovedRegions {
        throw notOpen
    }
    func page(of key: MonitorKey, after: String?, limit: Int, pointLimit: Int, identifiers: [String]?)
        throws(RegionStorageError) -> RegionPage
    { throw notOpen }
    func fill(_ neighbourhood: Neighbourhood, of owner: RegionOwner) throws(RegionStorageError) -> Neighbourhood {
        throw notOpen
    }
    func record(_ changes: [RegionChange], _ events: [NewRegionEvent], of owner: RegionOwner)
        throws(RegionStorageError) -> [StoredRegionEvent]
    { throw notOpen }
    func events(of key: MonitorKey, after: Int64?, limit: Int) throws(RegionStorageError) -> RegionEventPage {
        throw notOpen
    }
    func acknowledge(_ key: MonitorKey, upTo sequence: Int64) throws(RegionStorageError) -> Int64 { throw notOpen }
    func forget(_ owner: RegionOwner) throws(RegionStorageError) -> [StoredMonitor] { throw notOpen }
    func erase(_ isErased: (RegionOwner) -> Bool) throws(RegionStorageError) -> Int { throw notOpen }
    func setPendingEvents(_ limit: Int) { options.pendingEvents = max(limit, 1) }
    func close() throws(RegionStorageError) { thread.stop() }
    func abandon() { thread.stop() }
}
