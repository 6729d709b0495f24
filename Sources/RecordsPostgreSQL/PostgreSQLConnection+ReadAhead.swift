import RecordTables
import Records

extension PostgreSQLConnection {
    /// Sends the statements that read ahead. Their results are in the cache once they were waited for.
    func read(_ ahead: ReadAhead) throws(EngineFailure) {
        guard !ahead.isEmpty else { return }
        try readTokens(ahead.tokens)
        try readAnswers(Array(ahead.answers))
        for zone in ahead.zones { try read(zone) }
        for (zone, names) in ahead.records where !names.isEmpty {
            try read(names, in: zone, most: ReadAhead.mostBytes / ahead.records.count)
        }
        for type in ahead.types { try read(type) }
        for container in ahead.containers { try read(container) }
        for database in ahead.databases { try read(database) }
        for listing in ahead.listings { try read(listing) }
    }

    private func readTokens(_ digests: Set<[UInt8]>) throws(EngineFailure) {
        guard !digests.isEmpty else { return }
        let values = digests.map { [StoredValue.blob($0)] }
        try send(.tokens, try rows(values, [.bytes])) { [cache] (rows) throws(TableError) in
            cache.devices.reserveCapacity(digests.count)
            for row in rows {
                let device = try DeviceRow(row)
                cache.devices[device.token] = .some(device)
            }
            guard cache.devices.count < digests.count else { return }
            for digest in digests where cache.devices[digest] == nil { cache.devices[digest] = .some(nil) }
        }
    }

    private func readAnswers(_ keys: [AnswerRow.Key]) throws(EngineFailure) {
        guard !keys.isEmpty else { return }
        let values = keys.enumerated().map { $1.columns + [.integer(Int64($0))] }
        let parameters = try rows(values, [.text, .text, .text, .text, .integer])
        try send(.answers, parameters) { [cache] (rows) throws(TableError) in
            for key in keys { cache.add(nil, to: key) }
            for row in rows {
                let (number, answer) = try AnswerRow.numbered(row)
                guard keys.indices.contains(number) else { continue }
                cache.add(answer, to: keys[number])
            }
        }
    }

    private func read(_ zone: ZoneID) throws(EngineFailure) {
        try send(.zone, try values(zone.columns)) { [cache] (rows) throws(TableError) in
            let found = try rows.first.map { (row) throws(TableError) in try ZoneRow.numbered(row) }
            cache.add(found?.row, number: found?.number, of: zone)
        }
        // The default zone is never shared.
        guard zone.owner != nil, zone.name != .defaultZone else { return }
        try send(.participants, try values(zone.columns)) { [cache] (rows) throws(TableError) in
            cache.participants[zone] = try rows.map { (row) throws(TableError) in try Participant(row) }
        }
    }

    private func read(_ names: Set<RecordName>, in zone: ZoneID, most bytes: Int) throws(EngineFailure) {
        let parameters: Parameters
        do throws(TableError) {
            parameters = try Parameters(zone.columns + [.integer(Int64(bytes))], texts: names.map(\.text))
        } catch {
            throw refused(error, .records)
        }
        try send(.records, parameters) { [cache] (rows) throws(TableError) in
            var found: [RecordName: RecordRow?] = [:]
            for name in names { found[name] = .some(nil) }
            for row in rows {
                if let record = try RecordRow.whole(row) {
                    found[record.name] = .some(record)
                } else {
                    found.removeValue(forKey: try RecordRow.name(row))
                }
            }
            cache.add(found, in: zone)
        }
    }

    private func read(_ type: ReadAhead.TypeName) throws(EngineFailure) {
        let statement = TableStatement.readType
        let parameters = try values([type.container.column, type.type.column])
        try send(statement.rawValue, statement.ownSQL, parameters) { [cache] (rows) throws(TableError) in
            cache.types[type] = .some(try rows.first.map { (row) throws(TableError) in try TypeDefinition(row) })
        }
    }

    private func read(_ container: Container) throws(EngineFailure) {
        let statement = TableStatement.findType
        try send(statement.rawValue, statement.ownSQL, try values([container.column])) {
            [cache] (rows) throws(TableError) in
            cache.containers[container] = !rows.isEmpty
        }
    }

    private func read(_ database: DatabaseID) throws(EngineFailure) {
        try send(.database, try values(database.columns)) { [cache] (rows) throws(TableError) in
            let found = try rows.first.map { (row) throws(TableError) in try DatabaseRow.numbered(row) }
            cache.add(found?.row, number: found?.number, of: database)
        }
        let container = database.container
        try send(.subscriptions, try values(database.columns)) { [cache] (rows) throws(TableError) in
            cache.subscriptions[database] = try rows.map { (row) throws(TableError) in
                try Subscription(row, container)
            }
        }
        guard case .privately(let account) = database.scope else { return }
        let statement = TableStatement.readDevices
        let parameters = try values([container.column, account.column])
        try send(statement.rawValue, statement.ownSQL, parameters) { [cache] (rows) throws(TableError) in
            cache.targets[database] = try rows.map { (row) throws(TableError) in try DeviceID(row) }
        }
    }

    private func read(_ listing: ReadAhead.Listing) throws(EngineFailure) {
        let columns = listing.database.columns + listing.zone.nameColumns
        try send(.listing, try values(columns)) { [cache] (rows) throws(TableError) in
            cache.add(
                try rows.first.map { (row) throws(TableError) in try FeedRow(row, listing.database.container) },
                of: listing)
        }
    }

    private func send(
        _ statement: ReadAheadStatement, _ parameters: Parameters,
        _ receive: @escaping ([StoredRow]) throws(TableError) -> Void
    ) throws(EngineFailure) {
        try send(statement.rawValue, statement.sql, parameters, receive)
    }

    private func send(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters,
        _ receive: @escaping ([StoredRow]) throws(TableError) -> Void
    ) throws(EngineFailure) {
        try send(name, sql(), parameters) { (result: borrowing QueryResult) throws(PostgreSQLError) in
            do throws(TableError) {
                try receive(result.allRows)
            } catch {
                throw PostgreSQLError(error, name)
            }
        }
    }

    private func values(_ values: [StoredValue]) throws(EngineFailure) -> Parameters {
        do throws(TableError) { return try Parameters(values) } catch { throw refused(error, .zone) }
    }

    private func rows(_ values: [[StoredValue]], _ types: [ColumnType]) throws(EngineFailure) -> Parameters {
        do throws(TableError) { return try Parameters(rows: values, types) } catch { throw refused(error, .answers) }
    }

    private func refused(_ error: TableError, _ statement: ReadAheadStatement) -> EngineFailure {
        fail(EngineFailure(PostgreSQLError(error, statement.rawValue)))
    }
}
