import Records
import Storage

/// Why a change of a program on this machine is not made.
enum EditRefusal: Error, Equatable, Sendable {
    case zoneNotFound(ZoneName)
    case limitExceeded(Limits.Subject, most: Int)
    case namedTwice(String)
    case defaultZone
    case typeDiffers(RecordName, RecordType)
    case changed(RecordName)
    case assetNotFound(RecordName, [UInt8])
}

/// Changes by programs on this machine.
extension CacheTables {
    /// Makes and deletes zones of the account.
    func modify(
        _ container: ContainerRow, of owner: AccountID, saving saves: [ZoneName], deleting deletions: [ZoneName]
    ) throws(StorageError) -> EditRefusal? {
        let names = saves + deletions
        if names.contains(.defaultZone) { return .defaultZone }
        if names.count > limits.zonesOfRequest { return .limitExceeded(.zonesOfRequest, most: limits.zonesOfRequest) }
        var seen: Set<ZoneName> = []
        for name in names where !seen.insert(name).inserted { return .namedTwice(name.text) }
        for name in saves {
            var zone = try open(ZoneID(container.container, owner: owner, name), in: container)
            guard !zone.isPresent else { continue }
            (zone.isPresent, zone.mustMake, zone.reason, zone.isLocal) = (true, true, nil, true)
            zone.revision = try nextRevision(container.id)
            try store(zone)
        }
        guard try zones(.readZones, in: container).count <= limits.zones else {
            return .limitExceeded(.zones, most: limits.zones)
        }
        for name in deletions {
            guard var zone = try find(ZoneID(container.container, owner: owner, name), in: container), zone.isPresent
            else { continue }
            try empty(zone)
            // Also where the hub has not made it yet: a request to make it may be in progress.
            zone.mustDelete = true
            try remove(&zone, because: .deleted, isLocal: true)
        }
        return nil
    }

    /// Removes the records and changes of a zone from the copy.
    func empty(_ zone: ZoneRow) throws(StorageError) {
        try statements.run(.removeChanges, [.integer(zone.id)])
        try statements.run(.hideRecords, [.integer(zone.id)])
        try forgetAssets(of: zone, withChanges: true)
    }

    /// Lists a zone as deleted.
    func remove(_ zone: inout ZoneRow, because reason: ZoneDeletionReason, isLocal: Bool) throws(StorageError) {
        (zone.isPresent, zone.mustMake, zone.isStale, zone.pass, zone.token) = (false, false, false, 0, nil)
        (zone.reason, zone.isLocal) = (reason, isLocal)
        zone.revision = try isLocal ? nextRevision(zone.container) : nextRevisionFromHub(zone.container)
        try store(zone)
    }

    /// The zone that programs see; nil if there is none. The default zone of the account always exists.
    func present(_ zone: ZoneID, in container: ContainerRow, of account: AccountID) throws(StorageError) -> ZoneRow? {
        if zone.name == .defaultZone, zone.owner == account {
            var row = try open(zone, in: container)
            if !row.isPresent {
                row.isPresent = true
                try store(row)
            }
            return row
        }
        return try find(zone, in: container).flatMap { $0.isPresent ? $0 : nil }
    }

    /// Saves and deletes records, all of them or none: after a refusal the caller undoes the transaction.
    /// - Parameter revision: The revision after which none of the records may have been changed; nil for any.
    func modify(
        _ zone: ZoneRow, _ request: ModifyRecords, unchangedSince revision: Int64? = nil
    ) throws(StorageError) -> EditRefusal? {
        let names = request.names
        if names.count > limits.records { return .limitExceeded(.records, most: limits.records) }
        var seen: Set<RecordName> = []
        for name in names where !seen.insert(name).inserted { return .namedTwice(name.text) }
        if let revision {
            for name in names {
                // A zone that was made again had other records.
                let last = max(try record(name, in: zone)?.revision ?? 0, zone.revision)
                if last > revision { return .changed(name) }
            }
        }
        let changes =
            request.saves.map { LocalChange.save($0) } + request.deletions.map { LocalChange.delete($0) }
        for (name, change) in zip(names, changes) {
            if let refusal = try modify(zone, name, change) { return refusal }
        }
        return nil
    }

    private func modify(
        _ zone: ZoneRow, _ name: RecordName, _ edit: LocalChange
    ) throws(StorageError) -> EditRefusal? {
        let record = try record(name, in: zone) ?? RecordRow()
        var change = try change(name, in: zone) ?? ChangeRow()
        let before = SeenRecord(change, of: record.base)
        var edit = edit
        if case .save(let save) = edit, let type = before.record?.type ?? record.base?.type, type != save.draft.type {
            return .typeDiffers(name, type)
        }
        if case .save(let save) = edit {
            for asset in save.draft.assets where try !canSave(asset, in: zone) {
                return .assetNotFound(name, asset.digest)
            }
        }
        if change.error != nil { change.discardRefused() }
        if let pending = change.pending {
            let names = edit.changeTag != nil
            edit = pending.followed(by: edit, base: record.base)
            // The record was deleted elsewhere, so that the program has seen none and makes one.
            if before.record == nil, record.base == nil, !names { edit.changeTag = nil }
        } else if let sent = change.sent {
            // It is based on the version that the change in progress makes, whose tag is not known yet.
            if case .delete = sent, case .save(var save) = edit {
                save.draft.removed.formUnion(
                    Set(record.base?.fields.keys.map(\.self) ?? []).subtracting(save.draft.fields.keys))
                edit = .save(save)
            }
        } else {
            edit.changeTag = edit.changeTag ?? record.base?.changeTag
        }
        change.pending = edit
        if case .delete = edit, record.base == nil, change.sent == nil {
            // The hub has never had it.
            change.pending = nil
        }
        let after = LocalRecord.after(change.seen, of: record.base)
        if let after {
            if after.size > limits.recordBytes { return .limitExceeded(.recordBytes, most: limits.recordBytes) }
            if after.fields.count > limits.fields { return .limitExceeded(.fields, most: limits.fields) }
        }
        try store(change, name, in: zone)
        try settle(record, change, name, in: zone, before: before, isLocal: true)
        return nil
    }

    /// Forgets what is not sent yet, or was refused.
    /// - Parameter onlyRefused: Whether changes that were not refused stay.
    func discard(_ names: [RecordName], in zone: ZoneRow, onlyRefused: Bool) throws(StorageError) {
        for name in names {
            guard var change = try change(name, in: zone), !onlyRefused || change.error != nil else { continue }
            let record = try record(name, in: zone) ?? RecordRow()
            let before = SeenRecord(change, of: record.base)
            if change.error != nil { change.discardRefused() } else { change.pending = nil }
            try store(change, name, in: zone)
            try settle(record, change, name, in: zone, before: before, isLocal: true)
        }
    }
}
