import Regions
import Storage

/// The requests to the store.
extension RegionWriter {
    func load() throws(RegionStorageError) -> LoadedRegions {
        try perform { tables throws(StorageError) in LoadedRegions(monitors: tables.table.sorted.map(\.stored)) }
    }

    func add(
        _ regions: [NewRegion], to key: MonitorKey, _ limits: RegionLimits
    ) throws(RegionStorageError) -> AddedRegions {
        try perform { tables throws(StorageError) in try tables.add(regions, to: key, limits) }.get()
    }

    func stage(
        _ regions: [NewRegion], for staging: UInt64, to key: MonitorKey, _ limits: RegionLimits
    ) throws(RegionStorageError) -> Int {
        let key = Staging.Key(number: staging, monitor: key)
        try refuseIfLost(key)
        return try perform { tables throws(StorageError) in try tables.stage(regions, for: key, limits) }.get()
    }

    /// Begins a commit, which is answered after its last step.
    func commit(
        _ staging: UInt64, _ key: MonitorKey, _ limits: RegionLimits,
        completion: @escaping RegionStore.Completion<AddedRegions>
    ) {
        let key = Staging.Key(number: staging, monitor: key)
        do throws(RegionStorageError) {
            try refuseIfLost(key)
            let isThere = try perform { tables throws(StorageError) in
                if tables.stagings[key]?.isCommitting != false { return false }
                tables.stagings[key]?.isCommitting = true
                return true
            }
            guard isThere else { throw .nothingStaged }
            commits.append(Commit(job: CommitJob(key, limits), completion: completion))
            stepSoon()
        } catch {
            lostStagings.remove(key)
            completion(.failure(error))
        }
    }

    func discard(_ staging: UInt64) {
        lostStagings = lostStagings.filter { $0.number != staging }
        guard let tables else { return }
        tables.stagings = tables.stagings.filter { $0.key.number != staging }
        stepSoon()
    }

    func remove(_ identifiers: [String]?, from key: MonitorKey) throws(RegionStorageError) -> RemovedRegions {
        defer { stepSoon() }
        return try perform { tables throws(StorageError) in
            if let identifiers { return try tables.remove(identifiers, from: key) }
            let monitors = [tables.table[key]].compactMap(\.self)
            return RemovedRegions(removed: try tables.removeMonitors(monitors), monitor: nil)
        }
    }

    func page(
        of key: MonitorKey, after: String?, limit: Int, pointLimit: Int, identifiers: [String]?
    ) throws(RegionStorageError) -> RegionPage {
        try with(key) { tables, monitor throws(StorageError) in
            .success(
                try tables.page(
                    of: monitor, after: after, limit: max(limit, 1), pointLimit: pointLimit, identifiers: identifiers))
        }
    }

    func fill(_ neighbourhood: Neighbourhood, of owner: RegionOwner) throws(RegionStorageError) -> Neighbourhood {
        try perform { tables throws(StorageError) in
            try tables.fill(
                neighbourhood, of: tables.table.monitors(of: { $0 == owner }), undecidedAtOnce: options.undecidedAtOnce)
        }
    }

    func record(
        _ changes: [RegionChange], _ events: [NewRegionEvent], of owner: RegionOwner
    ) throws(RegionStorageError) -> [StoredRegionEvent] {
        try perform { tables throws(StorageError) in
            try tables.record(
                changes, events, of: tables.table.monitors(of: { $0 == owner }), pendingEvents: options.pendingEvents)
        }
    }

    func events(of key: MonitorKey, after: Int64?, limit: Int) throws(RegionStorageError) -> RegionEventPage {
        try with(key) { tables, monitor throws(StorageError) in
            .success(try tables.events(of: monitor, after: after, limit: limit))
        }
    }

    func acknowledge(_ key: MonitorKey, upTo sequence: Int64) throws(RegionStorageError) -> Int64 {
        try with(key) { tables, monitor throws(StorageError) in
            if sequence > monitor.last { return .failure(.noSuchEvent(last: monitor.last)) }
            return .success(try tables.acknowledge(monitor, upTo: sequence))
        }
    }

    func forget(_ owner: RegionOwner) throws(RegionStorageError) -> [StoredMonitor] {
        defer { stepSoon() }
        let now = clock.utcMicroseconds
        return try perform { tables throws(StorageError) in
            try tables.forget(tables.table.monitors(of: { $0 == owner }), atMicroseconds: now)
        }
    }

    func erase(_ isErased: (RegionOwner) -> Bool) throws(RegionStorageError) -> Int {
        defer { stepSoon() }
        return try perform { tables throws(StorageError) in
            let regions = try tables.removeMonitors(tables.table.monitors(of: isErased))
            tables.stagings = tables.stagings.filter { !isErased($0.key.monitor.owner) }
            return regions
        }
    }

    func setPendingEvents(_ limit: Int) { options.pendingEvents = max(limit, 1) }

    func close() {
        thread.cancelSchedule()
        fail(commits: .overloaded)
        (tables, directory) = (nil, nil)
        thread.stop()
    }

    private func with<Answer>(
        _ key: MonitorKey,
        _ body: (RegionTables, MonitorRow) throws(StorageError) -> Result<Answer, RegionStorageError>
    ) throws(RegionStorageError) -> Answer {
        let result = try perform { tables throws(StorageError) -> Result<Answer, RegionStorageError> in
            guard let monitor = tables.table[key] else { return .failure(.noSuchMonitor) }
            return try body(tables, monitor)
        }
        return try result.get()
    }

    /// A part of an import must not take effect as if it were the whole.
    private func refuseIfLost(_ key: Staging.Key) throws(RegionStorageError) {
        guard lostStagings.contains(key) else { return }
        throw .unavailable(
            StorageError(
                "collect regions", .closed,
                "what was collected was lost when the file was opened again; add all regions once more"))
    }
}
