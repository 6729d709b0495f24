import Journal
import Regions

extension RegionTables {
    /// Regions of a monitor in the order of their identifiers, or those with these identifiers.
    func page(
        of monitor: MonitorRow, after: String?, limit: Int, pointLimit: Int, identifiers: [String]?
    ) throws(JournalError) -> RegionPage {
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
                try statements.region.run([.integer(number)]) { row throws(JournalError) in
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
        ).run([.integer(monitor.list), .text(after ?? "")]) { row throws(JournalError) in
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
    ) throws(JournalError) -> Neighbourhood {
        var neighbourhood = neighbourhood
        let lists = lists(of: monitors)
        if lists.isEmpty { return neighbourhood }
        let done = try offerNear(&neighbourhood, lists)
        for list in lists.keys.sorted() {
            try offer(
                &neighbourhood, from: list, "state = \(StateCode.inside)", lists, beyond: done, atMost: .max)
        }
        var room = undecidedAtOnce
        for list in lists.keys.sorted() {
            room -= try offer(
                &neighbourhood, from: list, "state >= \(StateCode.unknown)", lists, beyond: done, atMost: room + 1)
            guard room >= 0 else {
                neighbourhood.interrupt()
                break
            }
        }
        return neighbourhood
    }

    /// Offers the regions of which the box is nearer than the reach, beginning with the nearest: where very many are
    /// near, the reach becomes shorter meanwhile. Returns the distance up to which all were offered.
    private func offerNear(
        _ neighbourhood: inout Neighbourhood, _ lists: [Int64: (list: ListRow, monitor: Int64)]
    ) throws(JournalError) -> Double {
        var done = 0.0
        var isFirst = true
        for share in [1.0 / 64, 1.0 / 8, 1] {
            let distance = neighbourhood.reach * share
            guard distance > done || isFirst else { continue }
            let middle = neighbourhood.middle
            let box = Bounds(low: middle, high: middle).expanded(by: distance)
            try statements.nearRegions.run([
                .real(box.low.x), .real(box.high.x), .real(box.low.y), .real(box.high.y), .real(box.low.z),
                .real(box.high.z),
            ]) { row throws(JournalError) in
                guard let region = try region(row, in: lists) else { return true }
                let boxDistance = region.region.bounds.distance(to: middle)
                if boxDistance <= distance, isFirst || boxDistance > done { neighbourhood.offer(region.monitored) }
                return true
            }
            (done, isFirst) = (distance, false)
            if neighbourhood.reach <= done { break }
        }
        return done
    }

    /// Offers regions of a list in a certain state whose box is farther than what was offered. Returns their number.
    @discardableResult
    private func offer(
        _ neighbourhood: inout Neighbourhood, from list: Int64, _ condition: String,
        _ lists: [Int64: (list: ListRow, monitor: Int64)], beyond done: Double, atMost most: Int
    ) throws(JournalError) -> Int {
        var count = 0
        try Statement(
            database,
            """
            SELECT \(RegionStatements.columns) FROM regions AS r INDEXED BY regions_not_outside
            WHERE list = ? AND state <> 0 AND \(condition)
            """, as: "read regions"
        ).run([.integer(list)]) { row throws(JournalError) in
            guard let region = try region(row, in: lists),
                region.region.bounds.distance(to: neighbourhood.middle) > done
            else { return true }
            count += 1
            if count < most { neighbourhood.offer(region.monitored) }
            return count < most
        }
        return count
    }
}
