import Regions
import Storage

extension RegionTables {
    /// Adds regions to a monitor, durably.
    func add(
        _ regions: [NewRegion], to key: MonitorKey, _ limits: RegionLimits
    ) throws(StorageError) -> Result<AddedRegions, RegionStorageError> {
        try change(as: "add regions") { () throws(StorageError) in
            // Of several with one identifier, the last one.
            var last: [String: Int] = [:]
            for (index, region) in regions.enumerated() { last[region.identifier] = index }
            var old: [String: Int64] = [:]
            if let known = table[key] {
                for identifier in last.keys { old[identifier] = try number(of: identifier, in: known.list) }
            }
            let added = last.count - old.count
            if let refusal = table.refusal(of: added, for: key, limits) { return .failure(refusal) }
            var monitor = table.monitor(key)
            var list = table.list(monitor.list)
            for (index, region) in regions.enumerated() where last[region.identifier] == index {
                if let number = old[region.identifier] { try delete(number) }
                let number = table.nextNumber()
                try insert(region, number: number, into: list)
                try insertBox(region.region.bounds, of: number)
                try statements.writeName.run([.integer(list.id), .text(region.identifier), .integer(number)])
                list.include(number...number)
            }
            monitor.regions += Int64(added)
            table.set(list)
            table.set(monitor)
            return .success(AddedRegions(added: added, replaced: old.count, monitor: monitor.stored))
        }
    }

    /// Removes some regions of a monitor, durably.
    func remove(_ identifiers: [String], from key: MonitorKey) throws(StorageError) -> RemovedRegions {
        guard table[key] != nil else { return RemovedRegions(removed: 0, monitor: nil) }
        return try change(as: "remove regions") { () throws(StorageError) in
            var monitor = table.monitor(key)
            var removed = 0
            for identifier in identifiers {
                guard let number = try number(of: identifier, in: monitor.list) else { continue }
                try delete(number)
                try statements.deleteName.run([.integer(monitor.list), .text(identifier)])
                removed += 1
            }
            monitor.regions -= Int64(removed)
            table.set(monitor)
            return RemovedRegions(removed: removed, monitor: monitor.stored)
        }
    }

    /// Removes monitors with their events, durably. Their lists remain, to be swept. Returns the number of regions.
    func removeMonitors(_ monitors: [MonitorRow]) throws(StorageError) -> Int {
        if monitors.isEmpty { return 0 }
        return try change(as: "remove monitors") { () throws(StorageError) in
            for monitor in monitors {
                try statements.deleteEvents.run([.integer(monitor.id), .integer(.max)])
                table.remove(monitor)
            }
            return Int(monitors.reduce(0) { $0 + $1.regions })
        }
    }
}
