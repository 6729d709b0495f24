import Regions
import Storage

extension RegionTables {
    /// Collects regions; they need not be durable. Returns how many are collected.
    func stage(
        _ regions: [NewRegion], for key: Staging.Key, _ limits: RegionLimits
    ) throws(StorageError) -> Result<Int, RegionStorageError> {
        var staging = stagings[key]
        if staging?.isCommitting == true { return .failure(.nothingStaged) }
        // A region that replaces one counts as well until the commit: nobody fills the disk with what is never committed.
        let owner = key.monitor.owner
        let collected = stagings.filter { $0.key.monitor.owner.uid == owner.uid }.values.reduce(0) { $0 + $1.count }
        let own = (staging?.count ?? 0) + regions.count
        if own > limits.regionsOfMonitor {
            return .failure(.tooManyRegions(of: .monitor, limit: limits.regionsOfMonitor))
        }
        if own > limits.regionsOfOwner { return .failure(.tooManyRegions(of: .owner, limit: limits.regionsOfOwner)) }
        if collected > limits.regionsOfUser - regions.count {
            return .failure(.tooManyRegions(of: .user, limit: limits.regionsOfUser))
        }
        if let refusal = table.refusal(of: 0, for: key.monitor, limits) { return .failure(refusal) }
        try change(as: "collect regions", .later) { () throws(StorageError) in
            var list = staging.map { table.list($0.list) } ?? table.makeList()
            var collecting = staging ?? Staging(list: list.id)
            for region in regions {
                let number = table.nextNumber()
                try insert(region, number: number, into: list)
                list.include(number...number)
                collecting.note(region.identifier)
            }
            collecting.count += regions.count
            table.set(list)
            staging = collecting
        }
        stagings[key] = staging
        return .success(staging?.count ?? 0)
    }

    /// Does the next step of a commit. Returns the answer after the last one.
    func advance(_ job: inout CommitJob) throws(StorageError) -> Result<AddedRegions, RegionStorageError>? {
        guard let staging = stagings[job.staging] else { return .failure(.nothingStaged) }
        let list = table.list(staging.list)
        switch job.phase {
        case .collectPlaces(let start):
            if let next = try collect(&job.order, of: list, from: max(start, list.first), key: .place) {
                job.phase = .collectPlaces(from: next)
            } else {
                job.order.sort()
                job.phase = .addBoxes
            }
        case .addBoxes:
            let numbers = job.order.popFirst(Self.rowsAtOnce)
            try change(as: "add boxes", .later) { () throws(StorageError) in try addBoxes(of: numbers) }
            guard job.order.isAtEnd else { return nil }
            job.order = RowOrder()
            job.phase = .collectNames(from: 0)
        case .collectNames(let start):
            let key = OrderKey.name(common: staging.common?.count ?? 0)
            if let next = try collect(&job.order, of: list, from: max(start, list.first), key: key) {
                job.phase = .collectNames(from: next)
            } else {
                job.order.sort()
                job.phase = .addNames
            }
        case .addNames:
            let numbers = job.order.popFirst(Self.rowsAtOnce)
            let removed = try change(as: "add names", .later) { () throws(StorageError) in
                try addNames(of: numbers, to: list.id)
            }
            stagings[job.staging]?.count -= removed
            guard job.order.isAtEnd else { return nil }
            job.order = RowOrder()
            job.phase = .putInPlace
        case .putInPlace:
            let result = try change(as: "commit regions") { () throws(StorageError) in
                try putInPlace(list, count: staging.count, of: job)
            }
            if case .success = result { stagings[job.staging] = nil }
            return result
        }
        return nil
    }

    /// Puts a list in its monitor, within `change`: an empty monitor gets the list itself.
    private func putInPlace(
        _ staged: ListRow, count: Int, of job: CommitJob
    ) throws(StorageError) -> Result<AddedRegions, RegionStorageError> {
        let key = job.staging.monitor
        let replaced =
            try table[key].map { monitor throws(StorageError) in
                try number(ofNamesIn: staged.id, and: monitor.list)
            } ?? 0
        if let refusal = table.refusal(of: count - replaced, for: key, job.limits) { return .failure(refusal) }
        var monitor: MonitorRow
        if let known = table[key], known.regions > 0 {
            monitor = known
            try merge(staged, into: table.list(monitor.list))
        } else {
            monitor = table.emptyMonitor(key, with: staged.id)
        }
        monitor.regions += Int64(count - replaced)
        table.set(monitor)
        return .success(AddedRegions(added: count - replaced, replaced: replaced, monitor: monitor.stored))
    }

    private func number(ofNamesIn staged: Int64, and list: Int64) throws(StorageError) -> Int {
        let count = try database.integer(
            """
            SELECT count(*) FROM names AS new CROSS JOIN names AS old
            ON old.list = \(list) AND old.identifier = new.identifier WHERE new.list = \(staged)
            """, as: "count replaced regions")
        return Int(count ?? 0)
    }

    /// Moves the regions of a list to another. Those that are replaced are put in a list of their own, to be swept.
    private func merge(_ staged: ListRow, into target: ListRow) throws(StorageError) {
        let operation = "merge regions"
        var (list, replaced) = (target, table.makeList())
        try database.execute(
            """
            UPDATE regions SET list = \(replaced.id) WHERE number IN (
                SELECT old.number FROM names AS new CROSS JOIN names AS old
                ON old.list = \(list.id) AND old.identifier = new.identifier WHERE new.list = \(staged.id))
            """, as: operation)
        if let numbers = list.numbers { replaced.include(numbers) }
        if let numbers = staged.numbers {
            try database.execute(
                """
                UPDATE regions SET list = \(list.id), epoch = \(list.epoch)
                WHERE number BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound) AND list = \(staged.id);
                INSERT OR REPLACE INTO names SELECT \(list.id), identifier, number FROM names WHERE list = \(staged.id);
                DELETE FROM names WHERE list = \(staged.id)
                """, as: operation)
            list.include(numbers)
        }
        table.set(list)
        table.set(replaced)
        table.removeList(staged.id)
    }
}
