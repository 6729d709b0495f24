import Regions
import Storage

extension RegionTables {
    /// Regions of a monitor in the order of their identifiers, or those with these identifiers.
    func page(
        of monitor: MonitorRow, after: String?, limit: Int, pointLimit: Int, identifiers: [String]?
    ) throws(StorageError) -> RegionPage {
        let lists = lists(of: [monitor])
        var page = RegionPage(regions: [], isComplete: true)
        var points = 0
        /// Whether the page has room for more after this one.
        func append(_ region: StoredRegion) -> Bool {
            page.regions.append(region)
            points += region.region.pointCount
            return page.regions.count < limit && points < pointLimit
        }
        if let identifiers {
            var isFull = false
            for identifier in Set(identifiers).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                if let after, !after.utf8.lexicographicallyPrecedes(identifier.utf8) { continue }
                guard let number = try number(of: identifier, in: monitor.list) else { continue }
                if isFull {
                    page.isComplete = false
                    break
                }
                var found: StoredRegion?
                try statements.region.run([.integer(number)]) { row throws(StorageError) in
                    found = try region(row, in: lists)
                    return false
                }
                if let found { isFull = !append(found) }
            }
            return page
        }
        var isFull = false
        try Statement(
            database,
            """
            SELECT \(RegionStatements.columns) FROM names CROSS JOIN regions AS r ON r.number = names.number
            WHERE names.list = ? AND names.identifier \(after == nil ? ">=" : ">") ? ORDER BY names.identifier
            """, as: "read regions"
        ).run([.integer(monitor.list), .text(after ?? "")]) { row throws(StorageError) in
            if isFull {
                page.isComplete = false
                return false
            }
            if let region = try region(row, in: lists) { isFull = !append(region) }
            return true
        }
        return page
    }

    /// Offers a neighbourhood the regions of some monitors: all that are nearer than its reach, all that the machine is
    /// known to be in, and a number of those about which nothing is known. If there are more of these, the pass counts
    /// as interrupted: the next fix needs another one.
    func fill(
        _ neighbourhood: Neighbourhood, of monitors: [MonitorRow], undecidedAtOnce: Int
    ) throws(StorageError) -> Neighbourhood {
        var neighbourhood = neighbourhood
        let lists = lists(of: monitors)
        if lists.isEmpty { return neighbourhood }
        try database.reading(as: "read regions") { () throws(StorageError) in
            let offered = try offerNear(&neighbourhood, lists)
            for list in lists.keys.sorted() {
                try offer(
                    &neighbourhood, from: list, "state = \(StateCode.inside)", lists, except: offered, atMost: .max)
            }
            var room = undecidedAtOnce
            for list in lists.keys.sorted() {
                room -= try offer(
                    &neighbourhood, from: list, "state >= \(StateCode.unknown)", lists, except: offered,
                    atMost: room + 1)
                guard room >= 0 else {
                    neighbourhood.interrupt()
                    break
                }
            }
        }
        return neighbourhood
    }

    /// Offers the regions of which the box is nearer than the reach, beginning with the nearest: where very many are
    /// near, the reach becomes shorter meanwhile. A row is read only for a region that is not too far by its box, because
    /// the rows of neighbouring regions are in different places of the file. Returns the numbers of all that were looked at.
    private func offerNear(
        _ neighbourhood: inout Neighbourhood, _ lists: [Int64: (list: ListRow, monitor: Int64)]
    ) throws(StorageError) -> Set<Int64> {
        var offered: Set<Int64> = []
        let middle = neighbourhood.middle
        for share in [1.0 / 64, 1.0 / 8, 1] {
            let distance = neighbourhood.reach * share
            for (number, near) in try boxes(within: distance, of: middle) where !offered.contains(number) {
                guard near <= neighbourhood.reach else { break }
                offered.insert(number)
                try statements.region.run([.integer(number)]) { row throws(StorageError) in
                    if let region = try region(row, in: lists) { neighbourhood.offer(region.monitored) }
                    return false
                }
            }
            if neighbourhood.reach <= distance { break }
        }
        return offered
    }

    /// The numbers of the regions whose box in the index is so near, the nearest first. It contains the region's own box.
    private func boxes(
        within distance: Double, of middle: SurfacePoint
    ) throws(StorageError) -> [(number: Int64, distance: Double)] {
        let search = Bounds(low: middle, high: middle).expanded(by: distance)
        var found: [(number: Int64, distance: Double)] = []
        try statements.nearBoxes.run([
            .real(search.low.x), .real(search.high.x), .real(search.low.y), .real(search.high.y), .real(search.low.z),
            .real(search.high.z),
        ]) { row in
            let box = Bounds(
                low: SurfacePoint(x: row.real(1), y: row.real(3), z: row.real(5)),
                high: SurfacePoint(x: row.real(2), y: row.real(4), z: row.real(6)))
            let near = box.distance(to: middle)
            if near <= distance { found.append((row.integer(0), near)) }
            return true
        }
        return found.sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }
    }

    /// Offers regions of a list in a certain state that were not offered yet. Returns their number.
    @discardableResult
    private func offer(
        _ neighbourhood: inout Neighbourhood, from list: Int64, _ condition: String,
        _ lists: [Int64: (list: ListRow, monitor: Int64)], except offered: Set<Int64>, atMost most: Int
    ) throws(StorageError) -> Int {
        var count = 0
        try Statement(
            database,
            """
            SELECT \(RegionStatements.columns) FROM regions AS r INDEXED BY regions_not_outside
            WHERE list = ? AND state <> 0 AND \(condition)
            """, as: "read regions"
        ).run([.integer(list)]) { row throws(StorageError) in
            guard !offered.contains(row.integer(0)), let region = try region(row, in: lists) else { return true }
            count += 1
            if count < most { neighbourhood.offer(region.monitored) }
            return count < most
        }
        return count
    }
}
