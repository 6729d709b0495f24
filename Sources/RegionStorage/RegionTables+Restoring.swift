import Location
import Regions
import Storage

/// What was restored from a file that was set aside.
struct RestoredRegions {
    /// Its name; nil where there was none.
    var file: String?
    var regions = 0
    var lost = 0
}

extension RegionTables {
    /// Restores into a new file what can be read of the one that was set aside before: monitors, events and regions.
    /// Returns nil for a file that is complete. After a crash, the next call goes on.
    func restore(from directory: StateDirectory, next: Int64) throws(StorageError) -> RestoredRegions? {
        let operation = "restore regions"
        if try database.integer("SELECT value FROM meta WHERE name = 'restored'", as: operation) == nil {
            try begin(with: directory.newestSetAside(), next: next)
        }
        var file: String?
        try Statement(database, "SELECT value FROM meta WHERE name = 'source'", as: operation)
            .first { file = $0.text(0) }
        guard let file else { return nil }
        try copyRegions(from: "\(directory.path)/\(file)")
        return try complete(file)
    }

    /// Restores monitors and events, and remembers from which file the regions are to be restored.
    private func begin(with path: String?, next: Int64) throws(StorageError) {
        var found = (table: MonitorTable(), events: [StoredRegionEvent]())
        if let path {
            do throws(StorageError) {
                found = try RegionSalvage.reading(path, sealedBy: database.files) { salvage in
                    let table = salvage.table()
                    return (table, table.sorted.flatMap { salvage.events(of: $0) })
                }
            } catch {
                // Nothing of it can be read: it stays for a manual recovery, and the new file is empty.
                found = (MonitorTable(), [])
            }
        }
        try change(as: "restore monitors") { () throws(StorageError) in
            for var monitor in found.table.sorted {
                // The events that could not be read are reported as dropped.
                if let first = found.events.first(where: { $0.monitor == monitor.id }) {
                    if first.sequence > monitor.floor + 1 {
                        (monitor.dropped, monitor.droppedAt) = (first.sequence - 1, first.time.microseconds)
                    }
                } else if monitor.last > monitor.floor {
                    monitor.dropped = monitor.last
                }
                table.set(monitor)
                table.set(found.table.list(monitor.list))
            }
            for event in found.events { try insert(event) }
            table.next = max(table.next, found.table.next, next)
            try database.execute("INSERT INTO meta VALUES ('restored', 1)", as: "restore monitors")
            if let name = path?.split(separator: "/").last {
                try Statement(
                    database, "INSERT INTO meta VALUES ('source', ?), ('sourceNext', 1)", as: "restore monitors"
                ).run([.text(String(name))])
            }
        }
    }

    private func copyRegions(from path: String) throws(StorageError) {
        let operation = "restore regions"
        let next = try database.integer("SELECT value FROM meta WHERE name = 'sourceNext'", as: operation) ?? 1
        let last = table.next - 1
        // An error in the other file is no reason to doubt this one.
        guard RegionSalvage.canRead(path, sealedBy: database.files) else { return }
        try RegionSalvage.reading(path, sealedBy: database.files) { salvage throws(StorageError) in
            var progress = RegionSalvage.Progress(next, last)
            while !progress.isDone {
                let rows = salvage.regions(&progress, atMost: Self.rowsAtOnce)
                try change(as: operation, .later) { () throws(StorageError) in
                    for row in rows where table.lists[row.list] != nil { try insert(row) }
                    try database.execute(
                        "UPDATE meta SET value = \(progress.next) WHERE name = 'sourceNext'", as: operation)
                }
            }
        }
    }

    private func insert(_ row: RegionSalvage.RegionRow) throws(StorageError) {
        let known = try number(of: row.identifier, in: row.list)
        if let known {
            if known >= row.number { return }
            try delete(known)
        }
        var list = table.list(row.list)
        list.include(row.number...row.number)
        table.set(list)
        try statements.insertRegion.run([
            .integer(row.number), .integer(row.list), .text(row.identifier), .integer(row.state), SQLValue(row.since),
            .integer(row.epoch), .blob(row.payload),
        ])
        try addBoxes(of: [row.number])
        try statements.writeName.run([.integer(row.list), .text(row.identifier), .integer(row.number)])
    }

    /// Counts what was restored, and ends the restoration.
    private func complete(_ file: String) throws(StorageError) -> RestoredRegions {
        var restored = RestoredRegions(file: file)
        try change(as: "restore regions") { () throws(StorageError) in
            for var monitor in table.sorted {
                let count =
                    try database.integer(
                        "SELECT count(*) FROM names WHERE list = \(monitor.list)", as: "count restored regions") ?? 0
                restored.regions += Int(count)
                restored.lost += Int(max(monitor.regions - count, 0))
                monitor.regions = count
                table.set(monitor)
            }
            try database.execute("DELETE FROM meta WHERE name IN ('source', 'sourceNext')", as: "restore regions")
        }
        return restored
    }
}
