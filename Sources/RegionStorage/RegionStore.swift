import Location
import Platform
import Regions
import Storage

/// Monitors, their regions and their events on disk: called from the daemon's loop, read and written by a thread of its
/// own.
///
/// Nothing here blocks but a lock that is held for microseconds. Requests are done in the order of the calls. Completions
/// run on the owner's loop: `deliver` is called from any thread, and has to run the work in the order of its calls. A
/// change is durable before its completion; when it fails, nothing was changed.
public final class RegionStore: Sendable {
    /// The name of the sealed file in the directory.
    public static let sealedFileName = "regions.sealed"

    private let thread: StorageThread
    private let writer: RegionWriter
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A store in a directory, which is made if it is missing. The file is opened by the first request. Throws where
    /// the thread cannot be started.
    public init(
        directory: String, options: RegionStoreOptions = RegionStoreOptions(), clock: any TimeSource = SystemClock(),
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        report: @escaping @Sendable (RegionStorageReport) -> Void = { _ in }
    ) throws(SystemError) {
        thread = try StorageThread(capacity: options.requestCapacity)
        self.deliver = deliver
        writer = RegionWriter(path: directory, options: options, clock: clock, thread: thread) { message in
            deliver { report(message) }
        }
    }

    /// Opens the file if it is not open, and reads all monitors, but no region.
    public func load(completion: @escaping Completion<LoadedRegions>) {
        request(completion) { writer throws(RegionStorageError) in try writer.load() }
    }

    /// Adds regions to a monitor, which is made if it does not exist: all of them or none. Of several with one identifier
    /// the last remains.
    public func add(
        _ regions: [NewRegion], to key: MonitorKey, limits: RegionLimits,
        completion: @escaping Completion<AddedRegions>
    ) {
        request(completion) { writer throws(RegionStorageError) in try writer.add(regions, to: key, limits) }
    }

    /// Collects regions that take effect with `commit`. They need not be durable: the store erases them when it is opened
    /// again. The answer is how many are collected.
    public func stage(
        _ regions: [NewRegion], for staging: UInt64, to key: MonitorKey, limits: RegionLimits,
        completion: @escaping Completion<Int>
    ) {
        request(completion) { writer throws(RegionStorageError) in
            try writer.stage(regions, for: staging, to: key, limits)
        }
    }

    /// Adds the collected regions to their monitor, all at once. Other requests are done meanwhile, however many there are.
    /// If it fails, what was collected is dropped.
    public func commit(
        _ staging: UInt64, _ key: MonitorKey, limits: RegionLimits, completion: @escaping Completion<AddedRegions>
    ) {
        let isTaken = thread.submit { [writer, deliver] in
            writer.assumeIsolated { writer in
                writer.commit(staging, key, limits) { result in deliver { completion(result) } }
            }
        }
        if !isTaken { deliver { completion(.failure(.overloaded)) } }
    }

    /// Drops everything that was collected under this number, for any monitor.
    public func discard(_ staging: UInt64) {
        post { $0.discard(staging) }
    }

    /// Removes regions with these identifiers, or the whole monitor with its events. What does not exist is ignored. The
    /// rows of a monitor are erased after the answer, in steps.
    public func remove(
        _ identifiers: [String]?, from key: MonitorKey, completion: @escaping Completion<RemovedRegions>
    ) {
        request(completion) { writer throws(RegionStorageError) in try writer.remove(identifiers, from: key) }
    }

    /// Regions of a monitor in the order of their identifiers' bytes: those after an identifier, or those with the given
    /// ones. A page ends after `limit` regions, or with the region that has the `pointLimit`th point.
    public func page(
        of key: MonitorKey, after: String? = nil, limit: Int, pointLimit: Int = .max, identifiers: [String]? = nil,
        completion: @escaping Completion<RegionPage>
    ) {
        request(completion) { writer throws(RegionStorageError) in
            try writer.page(of: key, after: after, limit: limit, pointLimit: pointLimit, identifiers: identifiers)
        }
    }

    /// Offers a neighbourhood each stored region of an owner that is nearer than its reach or not known to be outside.
    public func neighbourhood(
        _ neighbourhood: Neighbourhood, of owner: RegionOwner, completion: @escaping Completion<Neighbourhood>
    ) {
        request(completion) { writer throws(RegionStorageError) in
            try writer.fill(neighbourhood, of: owner)
        }
    }

    /// Stores states and events of an owner's regions in one transaction. Of regions that do not exist any more nothing is
    /// stored. The answer is the events with their numbers, in order.
    public func record(
        changes: [RegionChange], events: [NewRegionEvent], of owner: RegionOwner,
        completion: @escaping Completion<[StoredRegionEvent]>
    ) {
        request(completion) { writer throws(RegionStorageError) in
            try writer.record(changes, events, of: owner)
        }
    }

    /// The events of a monitor with a greater number than `after`; nil for all that are not acknowledged. If events after
    /// that number were dropped, the first one reports it.
    public func events(
        of key: MonitorKey, after: Int64?, limit: Int, completion: @escaping Completion<RegionEventPage>
    ) {
        request(completion) { writer throws(RegionStorageError) in
            try writer.events(of: key, after: after, limit: limit)
        }
    }

    /// Erases the events of a monitor up to this number. The answer is the number up to which all are acknowledged.
    public func acknowledge(_ key: MonitorKey, upTo sequence: Int64, completion: @escaping Completion<Int64>) {
        request(completion) { writer throws(RegionStorageError) in try writer.acknowledge(key, upTo: sequence) }
    }

    /// Erases the pending events of an owner, whose regions are then unknown because it is not authorized. The regions
    /// remain. The answer is the owner's monitors.
    public func forget(_ owner: RegionOwner, completion: @escaping Completion<[StoredMonitor]>) {
        request(completion) { writer throws(RegionStorageError) in try writer.forget(owner) }
    }

    /// Erases everything of an owner. The answer is the number of regions.
    public func erase(_ owner: RegionOwner, completion: @escaping Completion<Int>) {
        request(completion) { writer throws(RegionStorageError) in try writer.erase { $0 == owner } }
    }

    /// Erases everything of a user. The answer is the number of regions.
    public func erase(uid: UInt32, completion: @escaping Completion<Int>) {
        request(completion) { writer throws(RegionStorageError) in try writer.erase { $0.uid == uid } }
    }

    /// Runs work that may take milliseconds on the store's thread, in the order of the requests.
    public func compute<Answer: Sendable>(
        _ work: @escaping @Sendable () -> Answer, completion: @escaping Completion<Answer>
    ) {
        request(completion) { _ throws(RegionStorageError) in work() }
    }

    /// Sets how the file is stored from the next request on. What is staged is lost.
    public func use(_ sealing: DatabaseSealing) {
        post { $0.use(sealing) }
    }

    /// Sets another limit of pending events, which applies from the next event on.
    public func setPendingEvents(_ limit: Int) {
        post { $0.setPendingEvents(limit) }
    }

    /// Closes the file and ends the thread after everything requested before. Later requests are refused.
    public func close(completion: @escaping Completion<Void>) {
        request(mustRun: true, completion) { writer throws(RegionStorageError) in writer.close() }
    }

    deinit {
        // Without `close`, the file is closed all the same; there is nobody to whom a failure could be reported.
        _ = thread.submit(mustRun: true) { [writer] in writer.assumeIsolated { $0.close() } }
    }

    /// Receives an answer on the owner's loop.
    public typealias Completion<Answer> = @Sendable (Result<Answer, RegionStorageError>) -> Void

    private func post(_ work: @escaping @Sendable (isolated RegionWriter) -> Void) {
        _ = thread.submit(mustRun: true) { [writer] in writer.assumeIsolated { work($0) } }
    }

    private func request<Answer: Sendable>(
        mustRun: Bool = false, _ completion: @escaping Completion<Answer>,
        _ work: @escaping @Sendable (isolated RegionWriter) throws(RegionStorageError) -> Answer
    ) {
        let isTaken = thread.submit(mustRun: mustRun) { [writer, deliver] in
            let result = writer.assumeIsolated { writer in
                Result { () throws(RegionStorageError) in try work(writer) }
            }
            deliver { completion(result) }
        }
        if !isTaken { deliver { completion(.failure(.overloaded)) } }
    }
}
