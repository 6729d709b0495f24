import Cryptography
import Durations
import HTTP
import Platform
import Records
import Storage
import Upload

/// Lets downloaded assets stay in the copy as long as somebody has it.
@DaemonActor
final class AssetHold {}

/// Downloads assets of which programs want the bytes, in parts that are stored as they come: after an interruption the next request
/// goes on there. An asset is complete when it has its digest.
@DaemonActor
final class AssetFetcher {
    /// Why a program does not get the bytes of an asset.
    enum Failure: Error, Equatable {
        /// The hub cannot be used at present, with a sentence.
        case hub(String)
        /// The hub has no record any more through which this account can read the asset.
        case notFound
        /// No record of the hub has the asset, but a change that is not sent, or was refused.
        case unsent
        case storage(StorageError)
    }

    /// What a program waits for.
    struct Waiter {
        /// Whether the program still waits.
        let isWaiting: @DaemonActor () -> Bool
        let completion: @DaemonActor (Result<Void, Failure>) -> Void
    }

    private struct Download {
        let container: ContainerRow
        let zone: ZoneRow
        let asset: Asset
        let record: RecordName
        var waiters: [Waiter]
        var request: UInt64?
    }

    private let cache: SyncCache
    let limits: AssetLimits
    private let clock: any TimeSource
    private var client: HubClient?
    private var onReply: @DaemonActor (HubReply) -> Void = { _ in }
    /// By the rows of the assets.
    private var downloads: [Int64: Download] = [:]
    /// The rows of downloads that wait for others to end, in their order.
    private var queue: [Int64] = []
    private var removalWaiters: [@DaemonActor () -> Void] = []
    /// Whether there may be assets that are not needed, or do not fit.
    private var mustClean = false
    /// Whether assets, or bytes of removed ones, are removed in the next turn of the loop.
    private var isRemoving = false

    /// While somebody has it, downloaded assets stay although they do not fit.
    private weak var presentHold: AssetHold?

    private static let mostAtOnce = 4
    /// As long as a part needs at 28 kbit/s.
    private static let patience = Duration.seconds(300)
    static let noHub = "This machine has no account that the hub accepts."

    init(_ cache: SyncCache, _ limits: AssetLimits, clock: any TimeSource) {
        self.cache = cache
        self.limits = limits
        self.clock = clock
    }

    /// Downloads what is wanted from now on.
    /// - Parameter onReply: Receives what each answer says about the hub.
    func begin(_ client: HubClient, onReply: @escaping @DaemonActor (HubReply) -> Void) {
        self.client = client
        self.onReply = onReply
    }

    /// Ends everything. The requests end with their client, which the caller closes.
    func end() {
        client = nil
        let ended = downloads.values
        (downloads, queue) = ([:], [])
        for download in ended { Self.finish(download, .failure(.hub(Self.noHub))) }
    }

    /// Lets all downloaded assets stay as long as somebody has the hold.
    func hold() -> AssetHold {
        let hold = presentHold ?? AssetHold()
        presentHold = hold
        return hold
    }

    /// The network is another one: each part is requested again.
    func networkChanged() {
        for (id, download) in downloads {
            guard let request = download.request else { continue }
            client?.cancel(request)
            downloads[id]?.request = nil
            requestPart(id)
        }
    }

    /// Downloads an asset that is not complete in the copy, for a program that waits.
    func fetch(_ asset: Asset, of record: RecordName, in zone: ZoneRow, _ container: ContainerRow, for waiter: Waiter) {
        guard client != nil else { return waiter.completion(.failure(.hub(Self.noHub))) }
        let id: Int64
        do throws(StorageError) {
            let now = clock.utcMicroseconds
            let row = try cache.write { (tables) throws(StorageError) -> AssetRow? in
                if let row = try tables.asset(asset.digest, in: zone) { return row }
                return try tables.begin(asset, in: zone, at: now)
            }
            guard let row else { return waiter.completion(.failure(.notFound)) }
            id = row.id
        } catch { return waiter.completion(.failure(.storage(error))) }
        guard downloads[id] == nil else {
            downloads[id]?.waiters.append(waiter)
            return
        }
        downloads[id] = Download(container: container, zone: zone, asset: asset, record: record, waiters: [waiter])
        queue.append(id)
        beginNext()
    }

    private func beginNext() {
        while !queue.isEmpty, downloads.count - queue.count < Self.mostAtOnce { requestPart(queue.removeFirst()) }
    }

    private func end(_ id: Int64, _ result: Result<Void, Failure>) {
        guard let download = downloads.removeValue(forKey: id) else { return }
        beginNext()
        Self.finish(download, result)
    }

    private static func finish(_ download: Download, _ result: Result<Void, Failure>) {
        for waiter in download.waiters where waiter.isWaiting() { waiter.completion(result) }
    }

    /// What is requested next.
    private struct Part {
        let record: RecordName
        let offset: Int64
        let count: Int64
    }

    private func requestPart(_ id: Int64) {
        guard let client, let download = downloads[id] else { return }
        // What was stored serves the next program that wants it.
        guard download.waiters.contains(where: { $0.isWaiting() }) else { return end(id, .success(())) }
        let part: Part?
        do throws(StorageError) {
            part = try cache.write { (tables) throws(StorageError) in try next(id, download, tables) }
        } catch { return end(id, .failure(.storage(error))) }
        guard let part else { return end(id, complete(download)) }
        var request = HubRequest(
            method: .get, path: HubAddress.asset(download.asset.digest, of: part.record, in: download.zone.zone))
        request.time = Self.patience
        request.headers = [HTTPAnswer.Header("Range", "bytes=\(part.offset)-\(part.offset + part.count - 1)")]
        downloads[id]?.request = client.exchange(request) { [weak self] outcome in
            self?.downloads[id]?.request = nil
            self?.received(outcome, of: part, id)
        }
    }

    /// The part after what is stored; nil if there is nothing to request.
    private func next(_ id: Int64, _ download: Download, _ tables: CacheTables) throws(StorageError) -> Part? {
        guard var row = try tables.asset(download.asset.digest, in: download.zone), row.id == id, !row.isComplete,
            let record = try tables.holder(of: download.asset.digest, preferring: download.record, in: download.zone)
        else { return nil }
        // An asset of no bytes has no range that could be requested.
        guard row.asset.size > 0 else {
            _ = try tables.append([], to: &row)
            return nil
        }
        let count = min(AssetLimits.transferBytes, row.asset.size - row.stored)
        return Part(record: record, offset: row.stored, count: count)
    }

    /// Whether the asset is complete in the copy.
    private func complete(_ download: Download) -> Result<Void, Failure> {
        do throws(StorageError) {
            return try cache.read { (tables) throws(StorageError) -> Result<Void, Failure> in
                let row = try tables.asset(download.asset.digest, in: download.zone)
                if row?.isComplete ?? false { return .success(()) }
                let isUnsent = row.map { !$0.holders.isEmpty && !$0.holders.contains(.record) } ?? false
                return .failure(isUnsent ? .unsent : .notFound)
            }
        } catch { return .failure(.storage(error)) }
    }

    private func received(_ outcome: HTTPOutcome, of part: Part, _ id: Int64) {
        guard let download = downloads[id] else { return }
        guard case .answered(let answer) = outcome, answer.status == 206, Int64(answer.body.count) == part.count else {
            return failed(outcome, id)
        }
        onReply(.done([]))
        let isIntact: Bool
        var hasRemoved = false
        do throws(StorageError) {
            let now = clock.utcMicroseconds
            isIntact = try cache.write { (tables) throws(StorageError) in
                // A program may have added the asset meanwhile, or the copy may have lost it.
                guard var row = try tables.asset(download.asset.digest, in: download.zone), row.id == id,
                    !row.isComplete, row.stored == part.offset
                else { return true }
                // Not before the bytes are here: what is removed for them could not be downloaded again without the hub.
                while try removeSome(at: now, needed: part.count, tables) {
                    hasRemoved = true
                }
                guard try tables.append(answer.body, to: &row) else { return false }
                try tables.noteUse(of: row, at: now)
                return true
            }
        } catch { return end(id, .failure(.storage(error))) }
        if hasRemoved, !isRemoving { removePiece() }
        guard !isIntact else { return requestPart(id) }
        Log.warning("the hub has sent other bytes than those of the file that was requested")
        end(id, .failure(.hub("The hub has sent other bytes than those of the file. Try again.")))
    }

    private func failed(_ outcome: HTTPOutcome, _ id: Int64) {
        let reply = HubReply(outcome)
        onReply(reply)
        switch reply {
        case .done: end(id, .failure(.hub(HubReply.strange(status: 200).problem ?? "")))
        case .refused, .objected, .strange(status: 404): end(id, .failure(.notFound))
        default: end(id, .failure(.hub(reply.problem ?? "The hub cannot be used.")))
        }
    }

    // Removing

    /// Removes assets that nobody needs, and those that do not fit, in this turn of the loop and in further ones.
    func clean() {
        mustClean = true
        if !isRemoving { removePiece() }
    }

    /// Calls back when no bytes of removed assets are left, or they cannot be removed for now.
    func whenRemoved(_ completion: @escaping @DaemonActor () -> Void) {
        removalWaiters.append(completion)
        clean()
    }

    private func removeSome(at now: Int64, needed: Int64 = 0, _ tables: CacheTables) throws(StorageError) -> Bool {
        var limits = limits
        if presentHold != nil { limits.cachedBytes = .max - needed }
        return try tables.removeAssets(at: now, limits, needed: needed, except: Set(downloads.keys))
    }

    /// Removes some of the assets that are not needed, or else some bytes of what was removed, and goes on in the next turn of the loop:
    /// nobody waits for many or large assets. What a crash leaves is removed after the next start.
    private func removePiece() {
        isRemoving = false
        defer { if !isRemoving { finishRemoval() } }
        guard cache.obstacle == nil else { return }
        do throws(StorageError) {
            (mustClean, isRemoving) = try cache.write { (tables) throws(StorageError) in
                if mustClean, try removeSome(at: clock.utcMicroseconds, tables) { return (true, true) }
                return (false, try tables.removePiece())
            }
            if !isRemoving { try cache.shrink() }
        } catch { return Self.warn(error) }
        if isRemoving { DaemonActor.post { [weak self] in self?.removePiece() } }
    }

    private func finishRemoval() {
        let completions = removalWaiters
        removalWaiters = []
        for completion in completions { completion() }
    }

    private static func warn(_ error: StorageError) {
        Log.warning("files that are not needed cannot be removed from the copy: \(error)")
    }
}
