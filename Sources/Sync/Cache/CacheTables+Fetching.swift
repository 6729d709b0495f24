import Containers
import Records
import Storage

/// What the hub has listed.
extension CacheTables {
    /// Applies a page of the changes of a database: which zones are to be fetched, and which were deleted.
    /// - Parameter marks: The marks that the database had when the page was requested.
    func apply(
        _ page: DatabaseChanges, of scope: DatabaseScope, marks: Int64, to container: ContainerRow
    ) throws(StorageError) {
        for deletion in page.deleted { try apply(deletion, in: container) }
        let isListed =
            try statements.first(.hasList, [.integer(container.id), .integer(scope.number)]) { row in
                row.integer(0) != 0
            } ?? false
        for changed in page.changed {
            var zone = try open(changed, in: container)
            // A zone of another account may have had records before this account accepted it.
            zone.isNew = zone.isNew || scope == .private && isListed && zone.isUnfetched
            // What a program has deleted stays deleted, and the hub is notified next.
            guard !zone.mustDelete else { continue }
            try markStale(&zone)
            if !zone.isPresent {
                (zone.isPresent, zone.reason, zone.isLocal) = (true, nil, false)
                zone.revision = try nextRevisionFromHub(container.id)
            }
            try store(zone)
        }
        try store(token: page.token, moreComing: page.moreComing, marks: marks, of: scope, in: container.id)
    }

    private func apply(_ deletion: DatabaseChanges.Deletion, in container: ContainerRow) throws(StorageError) {
        guard var zone = try find(deletion.zone, in: container), zone.isPresent, !zone.mustMake else { return }
        switch deletion.reason {
        case .encryptedDataReset where zone.isReset:
            // This machine has made the reset itself, and has sent its copy already.
            zone.reason = nil
            try store(zone)
        case .encryptedDataReset: try resend(&zone)
        case .purged:
            try empty(zone)
            try remove(&zone, because: .purged, isLocal: false)
        case .deleted, .withdrawn: try lose(&zone, because: deletion.reason)
        }
    }

    /// Removes a zone that the hub has deleted. What was never sent is set aside, so that a program can save it elsewhere.
    func lose(_ zone: inout ZoneRow, because reason: ZoneDeletionReason) throws(StorageError) {
        let error = Refusal.zoneNotFound(reason).json()
        try setAsideChanges(of: zone, error)
        try statements.run(.hideRecords, [.integer(zone.id)])
        try forgetAssets(of: zone, withChanges: false)
        try remove(&zone, because: reason, isLocal: false)
    }

    /// Sets aside everything of a zone that is to be sent, or was sent and has no answer.
    func setAsideChanges(of zone: ZoneRow, _ error: [UInt8]) throws(StorageError) {
        for (name, _) in try changes(.readUnsettled, of: zone) { try setAside(name, error, in: zone) }
    }

    /// Sets the change of a record aside.
    func setAside(_ name: RecordName, _ error: [UInt8], in zone: ZoneRow) throws(StorageError) {
        guard var change = try change(name, in: zone) else { return }
        let record = try record(name, in: zone) ?? RecordRow()
        let before = SeenRecord(change, of: record.base)
        change.setAside(because: error, base: record.base)
        try store(change, name, in: zone)
        try settle(record, change, name, in: zone, before: before, isLocal: false)
    }

    /// Makes a zone again and saves all of its records again, because the hub has lost them. Programs see the reason and then
    /// all records again, so that they can save values of encrypted fields that this machine cannot send.
    private func resend(_ zone: inout ZoneRow) throws(StorageError) {
        (zone.mustMake, zone.token, zone.isStale, zone.pass) = (zone.zone.name != .defaultZone, nil, false, 0)
        (zone.reason, zone.isLocal) = (.encryptedDataReset, false)
        zone.revision = try nextRevisionFromHub(zone.container)
        try store(zone)
        // No pass has the number −1, so that this finds all records of the hub.
        try forEachRecord(of: zone, notListedIn: -1) { (name) throws(StorageError) in
            try resend(name, in: zone, without: []) { _, _ in false }
        }
    }

    /// Has the hub delete a zone, makes it again, and saves all of its records again without the sealed values of which a condition
    /// is true, and without the assets of which this machine does not have the bytes: with them they could not be saved.
    func reset(_ zone: ZoneRow, without isLost: (FieldPlace, SealedField) -> Bool) throws(StorageError) {
        var zone = zone
        // What is being sent would be deleted with the zone: a record that the hub does not have yet is sent after that.
        if let request = try request(), request.zone == zone.id { try putBack(request, in: zone) }
        (zone.mustDelete, zone.mustMake, zone.token, zone.isStale, zone.pass) = (true, true, nil, false, 0)
        (zone.reason, zone.isLocal) = (.encryptedDataReset, true)
        zone.revision = try nextRevision(zone.container)
        try store(zone)
        // The hub removes the bytes with the zone.
        try assetStatements.run(.uploadZoneAgain, [.integer(zone.id)])
        let lost = Set(try missingAssets(of: zone).map(\.asset))
        try forEachRecord(of: zone, notListedIn: -1) { (name) throws(StorageError) in
            try resend(name, in: zone, without: lost, isLost)
        }
    }

    private func resend(
        _ name: RecordName, in zone: ZoneRow, without assets: Set<Asset>, _ isLost: (FieldPlace, SealedField) -> Bool
    ) throws(StorageError) {
        guard var record = try record(name, in: zone), let base = record.base else { return }
        var change = try change(name, in: zone) ?? ChangeRow()
        let whole = LocalChange.save(ModifyRecords.Save(RecordDraft(base.name, base.type, base.fields), .allKeys))
        var edit = ChangeRow.joined(
            change.sent, change.error == nil ? change.pending : change.restoration, base: base)
        edit?.changeTag = nil
        var again: LocalChange? = edit.map { whole.followed(by: $0, base: nil) } ?? whole
        if case .delete = again { again = nil }
        if case .save(var save) = again {
            save.draft.fields = save.draft.fields.filter { field, value in
                guard case .sealed(let sealed) = value else { return assets.isDisjoint(with: value.assets) }
                return !isLost(FieldPlace(zone.zone, name, field), sealed)
            }
            again = .save(save)
        }
        change.sent = nil
        if change.error == nil { change.pending = again } else { change.restoration = again }
        record.base = nil
        record.revision = try nextRevision(zone.container)
        try store(change, name, in: zone)
        try store(record, name, in: zone)
    }

    /// Begins to fetch the list of zones again, because its token is not accepted any more. Zones that were deleted meanwhile
    /// are found by fetching each one.
    func expire(_ scope: DatabaseScope, in container: ContainerRow) throws(StorageError) {
        let own = try account()?.id.account
        for var zone in try zones(.readZones, in: container) where (zone.zone.owner == own) == (scope == .private) {
            guard !zone.mustMake, zone.zone.name != .defaultZone || zone.token != nil else { continue }
            try markStale(&zone)
            try store(zone)
        }
        try store(token: nil, moreComing: true, marks: 0, of: scope, in: container.id)
    }

    /// Handles the absence of a zone at the hub.
    func vanish(_ id: Int64, _ reason: ZoneDeletionReason?, in container: ContainerRow) throws(StorageError) {
        guard var zone = try zone(id, in: container), zone.isPresent, !zone.mustMake else { return }
        if zone.zone.name == .defaultZone {
            zone.isStale = false
            return try store(zone)
        }
        switch reason {
        case .encryptedDataReset: try resend(&zone)
        case .purged:
            try empty(zone)
            try remove(&zone, because: .purged, isLocal: false)
        default: try lose(&zone, because: reason ?? .deleted)
        }
    }

    /// Applies a page of the changes of a zone, with its token.
    func apply(_ page: WrittenZoneChanges, to zone: ZoneRow) throws(StorageError) {
        var zone = zone
        try settle(page, in: zone)
        try sendChangesWithArrivedAssets(in: zone)
        zone.token = page.token
        zone.isStale = page.moreComing
        if !page.moreComing { zone.isNew = false }
        if !page.moreComing, zone.pass != 0 {
            try forEachRecord(of: zone, notListedIn: zone.pass) { (name) throws(StorageError) in
                try settle(name, nil, in: zone)
            }
            zone.pass = 0
        }
        try store(zone)
    }

    /// Replaces the hub's versions of the records of a page. What is the same for all of them is read and stored once.
    private func settle(_ page: WrittenZoneChanges, in zone: ZoneRow) throws(StorageError) {
        let hasChanges = try statements.first(.findChange, [.integer(zone.id)]) { _ in true } ?? false
        let revisions = try DrawnRevisions(after: revision(of: zone.container))
        var alerts = try alertMatches(in: zone)
        func settle(_ name: RecordName, _ base: Record?, _ text: ArraySlice<UInt8>?) throws(StorageError) {
            let known = try record(name, in: zone)
            let change = hasChanges ? try change(name, in: zone) : nil
            alerts?.note(known?.base, base, own: change?.seen ?? [])
            try self.settle(name, base, text, in: zone, known: known, change, revisions)
        }
        // While everything is fetched, nearly all records are new, until one is known.
        var areNew = zone.pass != 0 && !hasChanges && alerts == nil
        for record in page.changed {
            if areNew, !record.hasAssets {
                if try add(record, to: zone, revisions) { continue }
                areNew = false
            }
            let base = try Self.parsed("a record of the hub") { () throws(FormatError) in try record.record() }
            try settle(record.name, base, record.text)
        }
        for deletion in page.deleted { try settle(deletion.name, nil, nil) }
        if let alerts { try store(alerts) }
        try store(revisions, of: zone.container)
    }

    /// Stores a record without assets and without changes of this machine, unless the copy has a row for its name.
    /// Returns whether it was stored. Nothing has to be noted about assets: a name without a row has none, because
    /// each removal of a row removes them.
    private func add(
        _ record: WrittenRecord, to zone: ZoneRow, _ revisions: DrawnRevisions
    ) throws(StorageError) -> Bool {
        try statements.run(
            .addRecord,
            [
                .integer(zone.container), .integer(zone.id), .text(record.name.text), .null, Self.flag(true),
                .integer(revisions.next), Self.flag(false), .integer(zone.pass),
            ], record.text.span, at: 4)
        guard statements.database.changes > 0 else { return false }
        _ = revisions.draw(isFromHub: true)
        return true
    }

    /// Replaces the hub's version of a record.
    private func settle(_ name: RecordName, _ base: Record?, in zone: ZoneRow) throws(StorageError) {
        try settle(
            name, base, nil, in: zone, known: try record(name, in: zone), try change(name, in: zone), nil)
    }

    private func settle(
        _ name: RecordName, _ base: Record?, _ text: ArraySlice<UInt8>?, in zone: ZoneRow, known: RecordRow?,
        _ change: ChangeRow?, _ revisions: DrawnRevisions?
    ) throws(StorageError) {
        var record = known ?? RecordRow()
        guard record.base != base || record.pass != zone.pass else { return }
        let before = SeenRecord(change, of: record.base)
        record.base = base
        record.pass = zone.pass
        try settle(record, change, name, in: zone, before: before, isLocal: false, text, revisions)
    }

    /// Begins to fetch everything of a zone again, because its token is not accepted any more. What the hub does not list is
    /// removed at the end; what was not sent stays.
    func fetchAgain(_ zone: ZoneRow) throws(StorageError) {
        var zone = zone
        (zone.token, zone.pass) = (nil, 0)
        try markStale(&zone)
        try store(zone)
    }

    /// Notes that there are changes to fetch. Without a token the hub lists no deletions, so that what it does not list has to be
    /// removed: also what this machine itself has saved in a zone that it has never fetched.
    func markStale(_ zone: inout ZoneRow) throws(StorageError) {
        zone.isStale = true
        if zone.token == nil, zone.pass == 0 { zone.pass = try nextRevision(zone.container) }
    }

    /// Passes each record that the hub has, and did not list in a pass, to the body, which may change it.
    private func forEachRecord(
        of zone: ZoneRow, notListedIn pass: Int64, _ body: (RecordName) throws(StorageError) -> Void
    ) throws(StorageError) {
        var last = ""
        while true {
            let names = try statements.all(
                .readUnlisted, [.integer(zone.id), .text(last), .integer(pass), .integer(1_000)]
            ) { row in row.text(0) }
            guard let end = names.last else { return }
            for text in names { try body(try Self.name(text)) }
            last = end
        }
    }

    /// Notes what pushes say, so that they can be acknowledged. Pushes of containers that are not in the copy are of no use.
    func apply(_ pushes: [Push]) throws(StorageError) {
        for push in pushes {
            guard let container = try find(push.target.container) else { continue }
            guard push.subscription != .alerts else {
                try markAlertsStale(container.id)
                continue
            }
            let scope = push.database.kind
            if let name = push.subscription {
                try noteFired(name, scope, in: container.id)
                try noteAlertFired(name, scope, in: container.id)
                if scope == .public { try notePublicAlert(name, in: container) }
            }
            // The copy has nothing of the public database, but apps subscribe to it.
            guard scope != .public else { continue }
            try markStale(scope, in: container.id)
        }
    }

    func changes(
        _ statement: SyncStatement, of zone: ZoneRow
    ) throws(StorageError) -> [(name: RecordName, change: ChangeRow)] {
        try statements.all(statement, [.integer(zone.id)]) { (row) throws(StorageError) in
            (try Self.name(row.text(0)), try Self.change(row, 1, zone.zone))
        }
    }
}
