import Containers
import Records
import Storage

/// What is to be done with the hub next.
enum SyncWork: Equatable, Sendable {
    /// Let the hub push changes of a container to this machine.
    case register(ContainerRow)
    /// Read the subscriptions with alerts of a database.
    case fetchAlerts(ContainerRow, DatabaseScope)
    /// Read the pushes that this machine has not acknowledged, which say whether subscriptions with alerts have fired.
    case readPushes(ContainerRow, AccountDevice)
    /// Fetch the list of zones from a token on. A mark that is made after these ones requires another fetch.
    case fetchDatabase(ContainerRow, DatabaseScope, token: [UInt8]?, marks: Int64)
    case fetchZone(ContainerRow, ZoneRow)
    /// Send the request in progress.
    case send(ContainerRow, ZoneRow?, RequestRow)
    /// Upload a part of an asset, so that a change can be sent that has it.
    case upload(ContainerRow, ZoneRow, AssetRow, part: [UInt8])
}

extension CacheTables {
    /// What is to be done next; nil if there is nothing. What is fetched comes first, because it avoids conflicts.
    func nextWork() throws(StorageError) -> SyncWork? {
        let containers = try containers()
        if let request = try request() {
            guard let container = containers.first(where: { $0.id == request.container }) else {
                throw Self.damaged("a request")
            }
            var found: ZoneRow?
            if let id = request.zone { found = try zone(id, in: container) }
            return .send(container, found, request)
        }
        for container in containers {
            if !container.isRegistered { return .register(container) }
            // Before the changes are fetched that these subscriptions cover.
            if let database = container.staleAlertDatabase { return .fetchAlerts(container, database) }
            if try hasEndedAlert(in: container.id), let own = try account()?.id { return .readPushes(container, own) }
            let stale = try statements.first(.readStaleDatabase, [.integer(container.id)]) { row in
                (
                    scope: DatabaseScope(number: row.integer(0)),
                    token: row.isNull(1) ? nil : row.withBytes(1) { Array($0) }, marks: row.integer(2)
                )
            }
            if let stale, let scope = stale.scope {
                return .fetchDatabase(container, scope, token: stale.token, marks: stale.marks)
            }
            if let zone = try zones(.readStaleZone, in: container).first { return .fetchZone(container, zone) }
        }
        return nil
    }

    func request() throws(StorageError) -> RequestRow? {
        try statements.first(.readRequest) { (row) throws(StorageError) in
            guard let kind = RequestRow.Kind(rawValue: row.integer(0)) else { throw Self.damaged("a request") }
            return RequestRow(
                kind: kind, container: row.integer(1), zone: row.optionalInteger(2), key: row.text(3),
                body: Array(row.text(4).utf8), made: row.integer(5))
        }
    }

    /// Puts changes that are to be sent into a request; nil if there are none.
    /// - Parameter most: The most records.
    func prepare(
        key: String, of account: AccountID, most: Int, at microseconds: Int64
    ) throws(StorageError) -> RequestRow? {
        for container in try containers() {
            let doomed = try zones(.readZonesToDelete, in: container)
            if !doomed.isEmpty {
                // One request has one reason.
                let reason = doomed[0].reason ?? .deleted
                let names = doomed.filter { ($0.reason ?? .deleted) == reason }.map(\.zone.name)
                let body = ModifyZones(container.container, of: account, deletions: names, reason: reason)
                return try store(.deleteZones, container, nil, key, body.json, microseconds)
            }
            let wanted = try zones(.readZonesToMake, in: container)
            if !wanted.isEmpty {
                let body = ModifyZones(container.container, of: account, saves: wanted.map(\.zone.name))
                return try store(.makeZones, container, nil, key, body.json, microseconds)
            }
            guard let zone = try zones(.readZoneToSend, in: container).first else { continue }
            let body = try collect(zone, most: most)
            return try store(.records, container, zone, key, body.json, microseconds)
        }
        return nil
    }

    private func collect(_ zone: ZoneRow, most: Int) throws(StorageError) -> ModifyRecords {
        var body = ModifyRecords(zone.zone)
        var size = 0
        for (name, var change) in try changes(.readToSend, of: zone).prefix(most) {
            guard let next = change.restoration ?? change.pending else { continue }
            size += next.size
            guard body.names.isEmpty || size <= limits.requestBytes else { break }
            if change.restoration != nil { change.restoration = nil } else { change.pending = nil }
            change.sent = next
            try store(change, name, in: zone)
            switch next {
            case .save(let save): body.saves.append(save)
            case .delete(let deletion): body.deletions.append(deletion)
            }
        }
        return body
    }

    private func store(
        _ kind: RequestRow.Kind, _ container: ContainerRow, _ zone: ZoneRow?, _ key: String, _ body: [UInt8],
        _ made: Int64
    ) throws(StorageError) -> RequestRow {
        let request = RequestRow(
            kind: kind, container: container.id, zone: zone?.id, key: key, body: body, made: made)
        try statements.run(
            .storeRequest,
            [
                .integer(kind.rawValue), .integer(container.id), SQLValue(zone?.id), .text(key),
                .text(String(decoding: body, as: UTF8.self)), .integer(made),
            ])
        return request
    }

    func removeRequest() throws(StorageError) { try statements.run(.removeRequest) }

    // Answers

    /// Applies the answer to a request about zones.
    func apply(_ answer: ModifyZonesAnswer, to request: RequestRow, in container: ContainerRow) throws(StorageError) {
        try removeRequest()
        guard let owner = try account()?.id.account else { return }
        let body = try Self.parsed("a request") { () throws(FormatError) in
            try ModifyZones(container.container, of: owner, json: request.body)
        }
        for name in body.names {
            guard var zone = try find(ZoneID(container.container, owner: owner, name), in: container) else { continue }
            guard case .outcomes = answer else {
                try abandon(&zone, request.kind)
                continue
            }
            switch request.kind {
            case .deleteZones: zone.mustDelete = false
            case .makeZones, .records:
                // A program has deleted it meanwhile, and has perhaps made it again: that is requested after the deletion.
                guard !zone.mustDelete else { continue }
                zone.mustMake = false
                // Another machine may have made it before, and have saved records in it.
                if zone.isPresent { try markStale(&zone) }
            }
            try store(zone)
        }
    }

    /// Gives up making or deleting a zone, because the hub has refused the request that named it: for example there are
    /// too many zones. The next attempt is made when a program changes the zone again.
    private func abandon(_ zone: inout ZoneRow, _ kind: RequestRow.Kind) throws(StorageError) {
        switch kind {
        case .deleteZones:
            zone.mustDelete = false
            try store(zone)
        case .makeZones, .records:
            // A program has deleted it meanwhile, and has perhaps made it again: that is requested after the deletion.
            guard zone.mustMake, !zone.mustDelete else { return }
            try lose(&zone, because: .deleted)
        }
    }

    /// Applies the answer to a request about records. Returns false, and changes nothing, if it does not have an outcome for each
    /// of them.
    @discardableResult
    func apply(
        _ outcomes: [RecordOutcome], to request: RequestRow, in zone: ZoneRow
    ) throws(StorageError) -> Bool {
        let body = try Self.parsed("a request") { () throws(FormatError) in
            try ModifyRecords(zone.zone, json: request.body)
        }
        let names = body.names
        guard outcomes.count == names.count else { return false }
        try removeRequest()
        for (name, outcome) in zip(names, outcomes) { try apply(outcome, to: name, in: zone) }
        try sendChangesWithArrivedAssets(in: zone)
        return true
    }

    private func apply(_ outcome: RecordOutcome, to name: RecordName, in zone: ZoneRow) throws(StorageError) {
        guard var change = try change(name, in: zone), let sent = change.sent else { return }
        var record = try record(name, in: zone) ?? RecordRow()
        let before = SeenRecord(change, of: record.base)
        change.sent = nil
        // What was saved again, beside a change that stays refused, is no change of a program on this machine.
        var isLocal = change.error == nil
        switch outcome {
        case .saved(let saved):
            record.pass = zone.pass
            let made = LocalRecord.after([sent], of: record.base)
            record.base = made.map { made in
                Record(
                    name, made.type, made.fields, changeTag: saved.changeTag, created: saved.created,
                    modified: saved.modified)
            }
            if change.error == nil, change.pending != nil,
                change.pending?.changeTag == nil || change.pending?.changeTag == sent.changeTag
            {
                change.pending?.changeTag = saved.changeTag
            }
        case .deleted: record.base = nil
        case .batchRequestFailed: change.putBack(sent, base: record.base)
        case .assetNotFound(let digest) where try uploadAgain(digest, in: zone):
            change.putBack(sent, base: record.base)
        case .conflict, .unknownItem, .typeDiffers, .limitExceeded, .notInSchema, .notPermitted,
            .assetNotFound:
            change.sent = sent
            change.setAside(because: outcome.json, base: record.base)
            if case .conflict(let conflict) = outcome, let server = conflict.server { record.base = server }
            if outcome == .unknownItem { record.base = nil }
            isLocal = false
        }
        try store(change, name, in: zone)
        try settle(record, change, name, in: zone, before: before, isLocal: isLocal)
    }

    /// Sets the changes of a request aside, which the hub refuses as a whole.
    func setAside(_ request: RequestRow, _ error: [UInt8], in zone: ZoneRow) throws(StorageError) {
        try removeRequest()
        for (name, _) in try changes(.readSent, of: zone) {
            try setAside(name, error, in: zone)
        }
    }

    /// Puts the changes of a request back, to be sent with another one.
    func putBack(_ request: RequestRow, in zone: ZoneRow?) throws(StorageError) {
        try removeRequest()
        guard let zone else { return }
        for (name, var change) in try changes(.readSent, of: zone) {
            let record = try record(name, in: zone)
            let sent = change.sent
            change.sent = nil
            if let sent { change.putBack(sent, base: record?.base) }
            try store(change, name, in: zone)
        }
    }
}
