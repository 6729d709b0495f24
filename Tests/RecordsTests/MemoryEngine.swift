import Location
import Records

/// An engine in memory.
final class MemoryEngine: RecordEngine {
    /// The tables.
    struct Tables: Equatable {
        struct Place: Hashable {
            var database: DatabaseID
            var zone: ZoneID
        }

        struct PushKey: Hashable {
            var target: PushTarget
            var zone: ZoneID
            var subscription: SubscriptionName?

            init(_ push: Push) {
                target = push.target
                zone = push.zone
                subscription = push.subscription
            }
        }

        struct ShareKey: Hashable {
            var account: AccountID
            var root: RecordName?

            init(_ participant: Participant) { (account, root) = (participant.account, participant.root) }
        }

        struct SubscriberKey: Hashable {
            var container: Container
            var account: AccountID
            var name: SubscriptionName
        }

        var accountDevices: [AccountDevice: DeviceRow] = [:]
        var invitations: [AccountDevice: InvitationRow] = [:]
        var types: [Container: [RecordType: TypeDefinition]] = [:]
        var teams: [ContainerName: [AccountID: TeamMember]] = [:]
        var databases: [DatabaseID: DatabaseRow] = [:]
        var zones: [ZoneID: ZoneRow] = [:]
        var feed: [Place: FeedRow] = [:]
        var records: [ZoneID: [RecordName: RecordRow]] = [:]
        var participants: [ZoneID: [ShareKey: Participant]] = [:]
        var answers: [AnswerRow.Key: AnswerRow] = [:]
        var subscriptions: [DatabaseID: [SubscriptionName: Subscription]] = [:]
        var publicSubscriptions: [SubscriberKey: Subscription] = [:]
        var devices: Set<PushTarget> = []
        var pushes: [PushKey: Push] = [:]
        var entries: [ZoneID: Set<IndexEntry>] = [:]
        var assets: [AssetKey: AssetRow] = [:]
        var assetUses: [ZoneID: Set<AssetUse>] = [:]
        var discarded: [Int64: AssetRow] = [:]

        struct AssetKey: Hashable {
            var zone: ZoneID
            var digest: [UInt8]
            var account: AccountID?
        }
    }

    /// The bytes of assets.
    var assetBytes: [Int64: [UInt8]] = [:]
    fileprivate var lastAsset: Int64 = 0

    var tables = Tables()
    fileprivate var undo: [(inout Tables) -> Void] = []

    func read<Value>(
        _ body: (inout MemoryTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        var transaction = MemoryTransaction(self)
        return try body(&transaction)
    }

    func write<Value>(
        _ body: (inout MemoryTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        undo = []
        var transaction = MemoryTransaction(self)
        do throws(EngineFailure) {
            let value = try body(&transaction)
            undo = []
            return value
        } catch {
            for step in undo.reversed() { step(&tables) }
            throw error
        }
    }

    /// Changes a table so that it can be undone.
    fileprivate func change<Key: Hashable, Row>(
        _ table: WritableKeyPath<Tables, [Key: Row]>, _ key: Key, _ row: Row?
    ) {
        let old = tables[keyPath: table][key]
        tables[keyPath: table][key] = row
        undo.append { $0[keyPath: table][key] = old }
    }
}

/// A transaction of the engine in memory.
struct MemoryTransaction: RecordTransaction {
    private typealias Tables = MemoryEngine.Tables
    private let engine: MemoryEngine

    init(_ engine: MemoryEngine) { self.engine = engine }

    func lock(_ lock: RecordLock) throws(EngineFailure) {}

    func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow? {
        engine.tables.accountDevices.values.first { $0.token == digest }
    }

    func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow] {
        engine.tables.accountDevices.values.filter { $0.id.account == account }
    }

    func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        let rows = engine.tables.accountDevices.values.filter { row in last.map { $0 < row.id } ?? true }
        return Array(rows.sorted { $0.id < $1.id }.prefix(limit))
    }

    func put(_ row: DeviceRow) throws(EngineFailure) { engine.change(\.accountDevices, row.id, row) }

    func remove(_ device: AccountDevice) throws(EngineFailure) { engine.change(\.accountDevices, device, nil) }

    func containers(of device: AccountDevice) throws(EngineFailure) -> [Container] {
        engine.tables.devices.filter { AccountDevice($0.account, $0.device) == device }.map(\.container)
    }

    func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow? {
        engine.tables.invitations.values.first { $0.code == digest }
    }

    func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow] {
        engine.tables.invitations.values.filter { $0.id.account == account }
    }

    func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        let rows = engine.tables.invitations.values.filter { row in last.map { $0 < row.id } ?? true }
        return Array(rows.sorted { $0.id < $1.id }.prefix(limit))
    }

    func put(_ row: InvitationRow) throws(EngineFailure) { engine.change(\.invitations, row.id, row) }

    func removeInvitation(of device: AccountDevice) throws(EngineFailure) {
        engine.change(\.invitations, device, nil)
    }

    func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow? {
        engine.tables.databases[database]
    }

    func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure) {
        engine.change(\.databases, database, row)
    }

    func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow? {
        engine.tables.zones[zone]
    }

    func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure) {
        engine.change(\.zones, zone, row)
    }

    func removeZone(_ zone: ZoneID) throws(EngineFailure) {
        engine.change(\.zones, zone, nil)
        engine.change(\.records, zone, nil)
        engine.change(\.participants, zone, nil)
        engine.change(\.entries, zone, nil)
        engine.change(\.assetUses, zone, nil)
        for (key, row) in engine.tables.assets where key.zone == zone { try discard(row, in: zone) }
    }

    func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow] {
        engine.tables.assets.filter { $0.key.zone == zone && digests.contains($0.key.digest) }.map(\.value)
    }

    func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64) {
        let rows = engine.tables.assets.values.filter { $0.account == account }
        return (rows.count, rows.reduce(0) { $0 + $1.asset.size })
    }

    private func key(_ row: AssetRow, _ zone: ZoneID) -> Tables.AssetKey {
        Tables.AssetKey(zone: zone, digest: row.asset.digest, account: row.account)
    }

    func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64 {
        engine.lastAsset += 1
        var row = row
        row.number = engine.lastAsset
        engine.change(\.assets, key(row, zone), row)
        return row.number
    }

    func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        for (key, old) in engine.tables.assets where old.number == row.number { engine.change(\.assets, key, nil) }
        engine.change(\.assets, key(row, zone), row)
    }

    func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        engine.change(\.assets, key(row, zone), nil)
        engine.change(\.discarded, row.number, row)
    }

    func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure) {
        let uses = (engine.tables.assetUses[zone] ?? []).subtracting(removing).union(adding)
        engine.change(\.assetUses, zone, uses.isEmpty ? nil : uses)
    }

    func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]> {
        digests.intersection((engine.tables.assetUses[zone] ?? []).map(\.digest))
    }

    func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        engine.assetBytes[row.number] = (engine.assetBytes[row.number] ?? []).prefix(Int(row.received)) + bytes
    }

    func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        Array((engine.assetBytes[row.number] ?? []).dropFirst(Int(offset)).prefix(most))
    }

    func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)] {
        let old = engine.tables.assets.filter { $0.value.account != nil && $0.value.time < time }
        return old.sorted { $0.value.time < $1.value.time }.prefix(limit).map { ($0.key.zone, $0.value) }
    }

    func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        let rows = engine.tables.discarded.values.sorted { $0.number < $1.number }.prefix(limit)
        for row in rows {
            engine.assetBytes[row.number] = nil
            engine.change(\.discarded, row.number, nil)
        }
        return rows.count
    }

    func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure) {
        let entries = (engine.tables.entries[zone] ?? []).subtracting(removing).union(adding)
        engine.change(\.entries, zone, entries.isEmpty ? nil : entries)
    }

    func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) {
        func isAfter(_ entry: IndexEntry) -> Bool {
            if entry.key != start.key { return descending ? entry.key < start.key : entry.key > start.key }
            guard let record = start.record else { return !descending }
            return descending ? entry.record < record : entry.record > record
        }
        let entries = (engine.tables.entries[zone] ?? []).filter { entry in
            entry.index == index && isAfter(entry) && (descending ? entry.key >= end : entry.key < end)
        }.sorted()
        for entry in descending ? entries.reversed() : entries {
            guard let record = engine.tables.records[zone]?[entry.record]?.record else { continue }
            guard body(entry.key, record) else { return }
        }
    }

    func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure) {
        for (zone, entries) in engine.tables.entries where zone.container == container {
            let rest = entries.filter { $0.index != index }
            engine.change(\.entries, zone, rest.isEmpty ? nil : rest)
        }
    }

    func unfilledTypes(limit: Int) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)] {
        var found: [(container: Container, type: TypeDefinition)] = []
        for (container, types) in engine.tables.types {
            for type in types.values where !type.unfilled.isEmpty { found.append((container, type)) }
        }
        func place(_ container: Container) -> String { "\(container.environment.rawValue)/\(container.name)" }
        found.sort { (place($0.container), $0.type.name) < (place($1.container), $1.type.name) }
        return Array(found.prefix(limit))
    }

    func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID? {
        func place(_ zone: ZoneID) -> (String, String) { (zone.owner?.text ?? "", zone.name.text) }
        return engine.tables.zones.keys.filter { zone in
            zone.container == container && last.map { place($0) < place(zone) } ?? true
        }.min { place($0) < place($1) }
    }

    func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow? {
        engine.tables.feed[Tables.Place(database: database, zone: zone)]
    }

    func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow] {
        let rows = engine.tables.feed.filter { $0.key.database == database && $0.value.position > position }
        return Array(rows.values.sorted { $0.position < $1.position }.prefix(limit))
    }

    func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.feed, Tables.Place(database: database, zone: row.zone), row)
    }

    func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.feed, Tables.Place(database: database, zone: zone), nil)
    }

    func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition? {
        engine.tables.types[container]?[name]
    }

    func hasTypes(_ container: Container) throws(EngineFailure) -> Bool { engine.tables.types[container] != nil }

    func types(of container: Container) throws(EngineFailure) -> [TypeDefinition] {
        Array((engine.tables.types[container] ?? [:]).values)
    }

    func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure) {
        engine.change(\.types[orEmpty: container], type.name, type)
    }

    func removeType(_ name: RecordType, of container: Container) throws(EngineFailure) {
        engine.change(\.types[orEmpty: container], name, nil)
    }

    func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember] {
        Array((engine.tables.teams[container] ?? [:]).values)
    }

    func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure) {
        engine.change(\.teams[orEmpty: container], member.account, member)
    }

    func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure) {
        engine.change(\.teams[orEmpty: container], account, nil)
    }

    func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        Array((engine.tables.participants[zone] ?? [:]).values)
    }

    func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        (engine.tables.participants[zone] ?? [:]).values.filter { $0.account == account }
    }

    func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)] {
        engine.tables.participants.filter { $0.key.container == container }.flatMap { zone, participants in
            participants.values.filter { $0.account == account }.map { (zone, $0) }
        }
    }

    func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure) {
        engine.change(\.participants[orEmpty: zone], Tables.ShareKey(participant), participant)
    }

    func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure) {
        engine.change(\.participants[orEmpty: zone], Tables.ShareKey(Participant(account, .read, of: root)), nil)
    }

    func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        (engine.tables.records[zone] ?? [:]).values.compactMap { row in
            guard let parent = row.parent, parents.contains(parent) else { return nil }
            return (row.name, row.record == nil)
        }
    }

    func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName] {
        var found: [RecordName: RecordName] = [:]
        for name in names { found[name] = engine.tables.records[zone]?[name]?.record?.parent }
        return found
    }

    func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        guard let rows = engine.tables.records[zone] else { return [] }
        return Set(names).compactMap { rows[$0] }
    }

    func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure) {
        for row in rows {
            engine.change(\.records[orEmpty: zone], row.name, row)
        }
    }

    func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        let rows = (engine.tables.records[zone] ?? [:]).values.filter { row in
            row.counter > (row.record == nil ? max(counter, deletedAfter) : counter)
        }
        for row in rows.sorted(by: { $0.counter < $1.counter }) {
            guard body(row) else { return }
        }
    }

    func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        try forEachChange(in: zone, after: counter, deletedAfter: deletedAfter) { row in
            switch row.content {
            case .record(let record, _):
                body(WrittenRow(row.name, counter: row.counter, .record(WrittenRecord(record))))
            case .deleted(let type, _): body(WrittenRow(row.name, counter: row.counter, .deleted(type)))
            }
        }
    }

    func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) {
        for name in names {
            engine.change(\.records[orEmpty: zone], name, nil)
        }
    }

    func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow? {
        engine.tables.answers[key]
    }

    func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure) {
        engine.change(\.answers, key, row)
    }

    func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        Array((engine.tables.subscriptions[database] ?? [:]).values)
    }

    func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.subscriptions[orEmpty: database], subscription.name, subscription)
    }

    func removeSubscription(_ name: SubscriptionName, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.subscriptions[orEmpty: database], name, nil)
    }

    func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription] {
        engine.tables.publicSubscriptions.filter { $0.key.account == account && $0.key.container == container }
            .map(\.value)
    }

    func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool {
        engine.tables.publicSubscriptions.contains { key, subscription in
            guard case .query(let query) = subscription.subject else { return false }
            return key.container == container && query.query.type == type
        }
    }

    func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)] {
        engine.tables.publicSubscriptions.compactMap { key, subscription in
            guard key.container == container, case .query(let query) = subscription.subject, query.query.type == type,
                query.query.requiredValue.map(values.contains) ?? true
            else { return nil }
            return (key.account, subscription)
        }
    }

    func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        let key = Tables.SubscriberKey(container: container, account: account, name: subscription.name)
        engine.change(\.publicSubscriptions, key, subscription)
    }

    func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        let key = Tables.SubscriberKey(container: container, account: account, name: name)
        engine.change(\.publicSubscriptions, key, nil)
    }

    func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        return engine.tables.devices.filter { $0.account == account && $0.container == container }.map(\.device)
            .sorted()
    }

    func put(_ device: PushTarget) throws(EngineFailure) {
        let isNew = engine.tables.devices.insert(device).inserted
        if isNew { engine.undo.append { $0.devices.remove(device) } }
    }

    func remove(_ device: PushTarget) throws(EngineFailure) {
        if engine.tables.devices.remove(device) != nil { engine.undo.append { $0.devices.insert(device) } }
        for key in engine.tables.pushes.keys where key.target == device { engine.change(\.pushes, key, nil) }
    }

    func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        Array(
            engine.tables.pushes.values.filter { AccountDevice($0.target.account, $0.target.device) == device }
                .prefix(limit))
    }

    func put(_ push: Push) throws(EngineFailure) {
        engine.change(\.pushes, Tables.PushKey(push), push)
    }

    func removePush(through push: Push) throws(EngineFailure) {
        let key = Tables.PushKey(push)
        guard let stored = engine.tables.pushes[key], stored.position <= push.position else { return }
        engine.change(\.pushes, key, nil)
    }

    func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)] {
        var found: [(time: UTCTime, zone: ZoneID, name: RecordName)] = []
        for (zone, rows) in engine.tables.records {
            for row in rows.values {
                if case .deleted(_, let deleted) = row.content, deleted < time {
                    found.append((deleted, zone, row.name))
                }
            }
        }
        found.sort { ($0.time, $0.zone, $0.name) < ($1.time, $1.zone, $1.name) }
        return found.prefix(limit).map { ($0.zone, $0.name) }
    }

    func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)] {
        let old = engine.tables.feed.filter { place, row in
            guard let deletion = row.deletion else { return false }
            return !row.isPresent && deletion.time < time
        }
        return old.keys.sorted { ($0.database, $0.zone) < ($1.database, $1.zone) }.prefix(limit)
            .map { ($0.zone, $0.database) }
    }

    func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int {
        let old = Array(engine.tables.answers.lazy.filter { $0.value.time < time }.map(\.key).prefix(limit))
        for key in old { engine.change(\.answers, key, nil) }
        return old.count
    }
}

extension Dictionary {
    /// The table of a key, empty if there is none, and no empty tables.
    fileprivate subscript<Inner: Hashable, Row>(orEmpty key: Key) -> [Inner: Row] where Value == [Inner: Row] {
        get { self[key] ?? [:] }
        set { self[key] = newValue.isEmpty ? nil : newValue }
        _modify {
            var inner = removeValue(forKey: key) ?? [:]
            yield &inner
            if !inner.isEmpty { self[key] = inner }
        }
    }
}
