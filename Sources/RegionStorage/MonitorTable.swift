/// All monitors and all lists, in memory. Regions are not.
struct MonitorTable {
    private(set) var monitors: [Int64: MonitorRow] = [:]
    private(set) var lists: [Int64: ListRow] = [:]
    private var ids: [MonitorKey: Int64] = [:]
    /// The next number of a monitor, a list or a region: never used before.
    var next: Int64 = 1
    /// What the transaction has changed.
    private(set) var changedMonitors: Set<Int64> = []
    private(set) var changedLists: Set<Int64> = []

    /// The monitor of a key.
    subscript(key: MonitorKey) -> MonitorRow? { ids[key].flatMap { monitors[$0] } }

    /// A list, which has to be in the table.
    func list(_ id: Int64) -> ListRow { lists[id] ?? ListRow(id: id) }

    /// Adds a monitor, or replaces the one with its number.
    mutating func set(_ monitor: MonitorRow) {
        monitors[monitor.id] = monitor
        ids[monitor.key] = monitor.id
        changedMonitors.insert(monitor.id)
    }

    mutating func set(_ list: ListRow) {
        lists[list.id] = list
        changedLists.insert(list.id)
    }

    mutating func remove(_ monitor: MonitorRow) {
        monitors[monitor.id] = nil
        ids[monitor.key] = nil
        changedMonitors.insert(monitor.id)
    }

    mutating func removeList(_ id: Int64) {
        lists[id] = nil
        changedLists.insert(id)
    }

    /// A new list.
    mutating func makeList() -> ListRow {
        let list = ListRow(id: nextNumber())
        set(list)
        return list
    }

    /// The monitor of a key, which is made if there is none.
    mutating func monitor(_ key: MonitorKey) -> MonitorRow {
        if let known = self[key] { return known }
        return makeMonitor(key, list: makeList().id)
    }

    /// The monitor of a key without regions, with this list instead of its own, which is left to be swept.
    mutating func emptyMonitor(_ key: MonitorKey, with list: Int64) -> MonitorRow {
        guard var monitor = self[key] else { return makeMonitor(key, list: list) }
        monitor.list = list
        set(monitor)
        return monitor
    }

    private mutating func makeMonitor(_ key: MonitorKey, list: Int64) -> MonitorRow {
        let monitor = MonitorRow(id: nextNumber(), key: key, list: list)
        set(monitor)
        return monitor
    }

    mutating func nextNumber() -> Int64 {
        defer { next += 1 }
        return next
    }

    /// Forgets what was changed, once it is written.
    mutating func clearChanges() { (changedMonitors, changedLists) = ([], []) }

    /// All monitors in the order of their numbers.
    var sorted: [MonitorRow] { monitors.values.sorted { $0.id < $1.id } }

    func monitors(of isWanted: (RegionOwner) -> Bool) -> [MonitorRow] { sorted.filter { isWanted($0.key.owner) } }

    /// Lists of no monitor.
    var loose: [ListRow] {
        let used = Set(monitors.values.map(\.list))
        return lists.values.filter { !used.contains($0.id) }.sorted { $0.id < $1.id }
    }

    /// Why a monitor may not have this many regions more, and be made if it does not exist; nil if it may.
    func refusal(of more: Int, for key: MonitorKey, _ limits: RegionLimits) -> RegionStorageError? {
        let own = monitors.values.filter { $0.key.owner == key.owner }
        let monitor = self[key]
        if monitor == nil, own.count >= limits.monitors { return .tooManyMonitors(limit: limits.monitors) }
        guard more > 0 else { return nil }
        func isOver(_ rows: some Sequence<MonitorRow>, _ limit: Int) -> Bool {
            rows.reduce(0) { $0 + Int($1.regions) } > limit - more
        }
        if isOver([monitor].compactMap(\.self), limits.regionsOfMonitor) {
            return .tooManyRegions(of: .monitor, limit: limits.regionsOfMonitor)
        }
        if isOver(own, limits.regionsOfOwner) { return .tooManyRegions(of: .owner, limit: limits.regionsOfOwner) }
        if isOver(monitors.values.filter { $0.key.owner.uid == key.owner.uid }, limits.regionsOfUser) {
            return .tooManyRegions(of: .user, limit: limits.regionsOfUser)
        }
        return nil
    }
}
