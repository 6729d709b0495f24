import Authorization
import Events
import Journal
import Location
import Platform
import Regions
import RegionStorage

// What the store is requested to change: decided events, regions, and what may not be known any more.

extension RegionRegistry {
    // Events

    /// Hands decided events to the store, unless it is storing earlier ones: those may fail and are then stored first. At the
    /// end of the daemon there is no later.
    func save(_ watch: RegionWatch, isLast: Bool = false) {
        guard watch.saving.isEmpty || isLast, !watch.unsaved.isEmpty else { return }
        let batch = watch.unsaved
        (watch.saving, watch.unsaved) = (batch, [])
        store.record(
            changes: batch.changes, events: batch.map { NewRegionEvent($0.event, isSimulated: $0.isSimulated) },
            of: watch.owner
        ) { [weak self, weak watch] result in
            DaemonActor.assumeIsolated {
                if let self, let watch { self.saved(result, watch) }
            }
        }
    }

    private func saved(_ result: Result<[StoredRegionEvent], RegionStorageError>, _ watch: RegionWatch) {
        let batch = watch.saving
        watch.saving = []
        switch result {
        case .success(let events):
            problem = nil
            note(events, watch)
            save(watch)
        case .failure(let error):
            note(problem: "Events of regions cannot be stored", error)
            // What was decided before the owner lost its authorization is dropped, also if it is authorized again since.
            guard watch.erasure == .none else { return }
            // Tried again with the next fix.
            watch.unsaved = batch + watch.unsaved
            let excess = watch.unsaved.count - RegionQuotas.unsavedEvents
            if excess > 0 { watch.unsaved.removeFirst(excess) }
        }
    }

    private func note(_ events: [StoredRegionEvent], _ watch: RegionWatch) {
        guard !events.isEmpty else { return }
        eventCount += events.count
        for (name, monitor) in watch.monitors {
            let own = events.lazy.filter { $0.monitor == monitor.id }
            guard let last = own.map(\.sequence).max() else { continue }
            watch.monitors[name]?.last = max(monitor.last, last)
            watch.monitors[name]?.pending += own.count
            changes.report(.regionEventsStored(monitor.key))
        }
        changes.report(.statusDetailChanged)
    }

    /// Erases what is known about the regions of an owner that may not know it any more.
    func forget(_ watch: RegionWatch, because decision: RegionDecision) {
        watch.erasure = .inProgress
        watch.unsaved = []
        // An attempt that is repeated may come after the authorization has returned.
        if let refusal = decision.refusal { watch.loss = refusal }
        store.forget(watch.owner) { [weak self, weak watch] result in
            DaemonActor.assumeIsolated {
                if let self, let watch { self.forgotten(result, watch) }
            }
        }
    }

    private func forgotten(_ result: Result<[StoredMonitor], RegionStorageError>, _ watch: RegionWatch) {
        switch result {
        case .success(let monitors):
            problem = nil
            watch.erasure = .done
            if watch.pendingCount > 0, let app = watch.owner.appID, let loss = watch.loss {
                recorder.record(
                    Event(
                        .regionEventsErased, app: app.name, uid: app.uid,
                        details: ["reason": .text(loss.monitoringState.rawValue)]))
            }
            for monitor in monitors where watch.monitors[monitor.key.name]?.id == monitor.id {
                watch.monitors[monitor.key.name] = monitor
            }
        case .failure(let error):
            watch.erasure = .failed
            retryLater()
            note(problem: "Events of regions cannot be erased, and are not disclosed", error)
        }
        // The authorization may have returned meanwhile.
        if watch.erasure == .done { review(watch) } else { changes.report(.regionAccessChanged(watch.owner)) }
    }

    // Regions

    /// Adds regions to a monitor, durably.
    func add(
        _ regions: [NewRegion], to key: MonitorKey,
        completion: @escaping @DaemonActor (Result<AddedRegions, RegionStorageError>) -> Void
    ) {
        // The journal stores to which account the regions belong before the regions.
        changes.report(.userSeen(key.owner.uid, stores: true))
        store.add(regions, to: key, limits: .daemon) { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.changed(result, key)
                completion(result)
            }
        }
    }

    /// Adds staged regions to a monitor, durably.
    func commit(
        _ staging: UInt64, to key: MonitorKey,
        completion: @escaping @DaemonActor (Result<AddedRegions, RegionStorageError>) -> Void
    ) {
        changes.report(.userSeen(key.owner.uid, stores: true))
        store.commit(staging, key, limits: .daemon) { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.changed(result, key)
                completion(result)
            }
        }
    }

    private func changed(_ result: Result<AddedRegions, RegionStorageError>, _ key: MonitorKey) {
        guard case .success(let added) = result else { return }
        let watch = watch(key.owner)
        let isNew = watch.monitors[key.name]?.id != added.monitor.id
        watch.monitors[key.name] = added.monitor
        if isNew { recorder.record(Self.event(.regionMonitorAdded, key)) }
        regionsChanged(of: watch)
    }

    /// Removes regions of a monitor, or the monitor, durably.
    func remove(
        _ identifiers: [String]?, from key: MonitorKey,
        completion: @escaping @DaemonActor (Result<RemovedRegions, RegionStorageError>) -> Void
    ) {
        store.remove(identifiers, from: key) { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .success(let removed) = result { self?.removed(removed, key) }
                completion(result)
            }
        }
    }

    private func removed(_ removed: RemovedRegions, _ key: MonitorKey) {
        guard let watch = watches[key.owner], watch.monitors[key.name] != nil else { return }
        watch.monitors[key.name] = removed.monitor
        if removed.monitor == nil {
            recorder.record(Self.event(.regionMonitorRemoved, key))
            changes.report(.regionMonitorRemoved(key))
        }
        regionsChanged(of: watch)
        if watch.monitors.isEmpty { drop(watch) }
    }

    /// Confirms events of a monitor, durably.
    func acknowledge(
        _ key: MonitorKey, upTo sequence: Int64,
        completion: @escaping @DaemonActor (Result<Int64, RegionStorageError>) -> Void
    ) {
        store.acknowledge(key, upTo: sequence) { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .success(let number) = result { self?.acknowledged(number, key) }
                completion(result)
            }
        }
    }

    private func acknowledged(_ number: Int64, _ key: MonitorKey) {
        guard let watch = watches[key.owner], let monitor = watch.monitors[key.name] else { return }
        watch.monitors[key.name]?.acknowledged = max(monitor.acknowledged, number)
        watch.monitors[key.name]?.pending = min(monitor.pending, Int(max(0, monitor.last - number)))
        changes.report(.regionEventsAcknowledged(key))
        changes.report(.statusDetailChanged)
    }

    // Users

    /// Erases everything of a user, durably.
    func eraseAll(
        of uid: UInt32, completion: @escaping @DaemonActor (Result<Void, RegionStorageError>) -> Void
    ) {
        clear(uid)
        store.erase(uid: uid) { [weak self] result in
            DaemonActor.assumeIsolated {
                // Also what was added by a call before, whose reply came meanwhile.
                self?.clear(uid)
                completion(result.map { _ in })
            }
        }
    }

    private func clear(_ uid: UInt32) {
        for watch in Array(watches.values) where watch.owner.uid == uid {
            let keys = watch.monitors.values.map(\.key)
            (watch.monitors, watch.unsaved) = ([:], [])
            review(watch)
            for key in keys { changes.report(.regionMonitorRemoved(key)) }
            drop(watch)
        }
    }

    /// Ends the owner's part, which has no monitors any more.
    private func drop(_ watch: RegionWatch) {
        if watches[watch.owner] === watch, watch.beginning.isEmpty { watches[watch.owner] = nil }
    }

    private static func event(_ kind: EventKind, _ key: MonitorKey) -> Event {
        Event(kind, app: key.owner.app, uid: key.owner.uid, details: ["monitor": .text(key.name)])
    }
}

extension [RegionTrack.Decided] {
    /// The states after these events. An event that was not reported yet, because a stay has not lasted long enough, changes
    /// no stored state, so that a restart decides it again.
    var changes: [RegionChange] {
        var states: [Int64: RegionChange] = [:]
        for decided in self {
            let event = decided.event
            let state: RegionState
            switch event.kind {
            case .determined(let determined): state = determined
            case .entered: state = .inside
            case .left: state = .outside
            case .unknown(let doubt): state = .unknown(doubt)
            case .loitered: continue
            }
            states[event.region] = RegionChange(number: event.region, state: state, since: event.time)
        }
        return states.values.sorted { $0.number < $1.number }
    }
}
