import Storage

/// The erasure of a list that belongs to no monitor any more, or of states that are to be forgotten.
enum SweepJob {
    case names(list: Int64)
    case collectPlaces(list: Int64, from: Int64, RowOrder)
    case boxes(list: Int64, RowOrder)
    case rows(list: Int64, from: Int64)
    case states(list: Int64, from: Int64, epoch: Int64)
    /// Gives free pages back to the file system.
    case shrink
}

extension RegionTables {
    /// The next thing to erase; nil if there is none.
    func nextSweep() -> SweepJob? {
        let staged = Set(stagings.values.map(\.list))
        if let list = table.loose.first(where: { !staged.contains($0.id) }) { return .names(list: list.id) }
        return table.lists.values.first { $0.isReset }.map {
            .states(list: $0.id, from: $0.first, epoch: $0.epoch)
        }
    }

    /// Does a step, and returns the next one; nil after the last one of a list. Each step may be repeated.
    func sweep(_ job: SweepJob) throws(StorageError) -> SweepJob? {
        switch job {
        case .names(let id):
            let isDone = try change(as: "sweep names", .later) { () throws(StorageError) in try sweepNames(of: id) }
            return isDone ? .collectPlaces(list: id, from: 0, RowOrder()) : job
        case .collectPlaces(let id, let start, var order):
            let list = table.list(id)
            if let next = try collect(&order, of: list, from: max(start, list.first), key: .place) {
                return .collectPlaces(list: id, from: next, order)
            }
            order.sort()
            return .boxes(list: id, order)
        case .boxes(let id, var order):
            let numbers = order.popFirst(Self.rowsAtOnce)
            try change(as: "sweep boxes", .later) { () throws(StorageError) in
                for number in numbers { try statements.deleteBox.run([.integer(number)]) }
            }
            return order.isAtEnd ? .rows(list: id, from: 0) : .boxes(list: id, order)
        case .rows(let id, let start):
            return try sweepRows(of: table.list(id), from: start).map { .rows(list: id, from: $0) } ?? .shrink
        case .states(let id, let start, let epoch):
            // It may have become loose meanwhile, or have been forgotten once more: then all rows are to be written again.
            guard let list = table.lists[id] else { return nil }
            return try sweepStates(of: list, from: list.epoch == epoch ? start : list.first).map {
                .states(list: id, from: $0, epoch: list.epoch)
            }
        case .shrink: return try shrink() ? .shrink : nil
        }
    }

    private func sweepNames(of list: Int64) throws(StorageError) -> Bool {
        try database.execute(
            """
            DELETE FROM names WHERE list = \(list) AND identifier IN (
                SELECT identifier FROM names WHERE list = \(list) ORDER BY identifier LIMIT \(Self.window))
            """, as: "sweep names")
        return database.changes < Self.window
    }

    private func sweepRows(of list: ListRow, from start: Int64) throws(StorageError) -> Int64? {
        try change(as: "sweep regions", .later) { () throws(StorageError) in
            if let numbers = list.numbers, start <= numbers.upperBound {
                let first = max(start, numbers.lowerBound)
                let end = min(first + Self.window - 1, numbers.upperBound)
                try database.execute(
                    "DELETE FROM regions WHERE number BETWEEN \(first) AND \(end) AND list = \(list.id)",
                    as: "sweep regions")
                if end < numbers.upperBound { return end + 1 }
            }
            table.removeList(list.id)
            return nil
        }
    }

    /// Writes the states that were forgotten. Until then, they are known to be invalid by their epoch.
    private func sweepStates(of list: ListRow, from start: Int64) throws(StorageError) -> Int64? {
        try change(as: "forget states", .later) { () throws(StorageError) in
            if let numbers = list.numbers, start <= numbers.upperBound {
                let end = min(start + Self.window - 1, numbers.upperBound)
                try database.execute(
                    """
                    UPDATE regions SET state = \(StateCode.code(.unknown(.unauthorized))),
                        since = \(list.forgottenAt), epoch = \(list.epoch)
                    WHERE number BETWEEN \(start) AND \(end) AND list = \(list.id) AND epoch < \(list.epoch)
                    """, as: "forget states")
                if end < numbers.upperBound { return end + 1 }
            }
            var list = list
            list.isReset = false
            table.set(list)
            return nil
        }
    }

    /// Gives some free pages back while an eighth of the file is free. Returns whether there are more.
    private func shrink() throws(StorageError) -> Bool {
        let operation = "shrink the file"
        let pages = try database.integer("PRAGMA page_count", as: operation) ?? 0
        let free = try database.integer("PRAGMA freelist_count", as: operation) ?? 0
        guard free > 64, free > pages / 8 else { return false }
        try database.execute("PRAGMA incremental_vacuum(1024)", as: operation)
        return true
    }
}
