import Location
import Records

/// A transaction of `TestEngine`: each call can fail, and is checked before the engine below performs it.
struct TestTransaction: RecordTransaction {
    private let engine: TestEngine
    private var inner: any RecordTransaction
    private let mayWrite: Bool
    private var locks: [RecordLock] = []

    init(_ engine: TestEngine, _ inner: any RecordTransaction, mayWrite: Bool) {
        self.engine = engine
        self.inner = inner
        self.mayWrite = mayWrite
    }

    mutating func lock(_ lock: RecordLock) throws(EngineFailure) {
        try engine.call("lock")
        guard !locks.contains(lock) else { return }
        if let last = locks.last, !Self.isOrdered(last, lock) { engine.complain("\(lock) is locked after \(last)") }
        if !mayWrite { engine.complain("a reader locks") }
        locks.append(lock)
        try inner.lock(lock)
    }

    private static func isOrdered(_ first: RecordLock, _ second: RecordLock) -> Bool {
        switch (first, second) {
        case (.account, .account): false
        case (.account, _): true
        case (.answer, .answer): false
        case (.answer, _): true
        case (.zone(let first), .zone(let second)): first < second
        case (.zone, .team), (.zone, .schema), (.zone, .database), (.schema, .database): true
        case (.team, .schema), (.team, .database): true
        case (.schema(let first), .schema(let second)): first.name == second.name && first.environment == .development
        case (.database(let first), .database(let second)): first < second
        default: false
        }
    }

    private func write(_ operation: String, under lock: RecordLock?) throws(EngineFailure) {
        try engine.call(operation)
        if !mayWrite { engine.complain("a reader: \(operation)") }
        if let lock, !locks.contains(lock) { engine.complain("\(operation) without \(lock)") }
    }

    mutating func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow? {
        try engine.call("read a device")
        return try inner.device(withToken: digest)
    }

    mutating func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow] {
        try engine.call("read the devices of an account")
        return try inner.devices(of: account)
    }

    mutating func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        try engine.call("read all devices")
        return try inner.allDevices(after: last, limit: limit)
    }

    mutating func put(_ row: DeviceRow) throws(EngineFailure) {
        try write("store a device of an account", under: .account(row.id.account))
        try inner.put(row)
    }

    mutating func remove(_ device: AccountDevice) throws(EngineFailure) {
        try write("remove a device of an account", under: .account(device.account))
        try inner.remove(device)
    }

    mutating func containers(of device: AccountDevice) throws(EngineFailure) -> [Container] {
        try engine.call("read the containers of a device")
        return try inner.containers(of: device)
    }

    mutating func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow? {
        try engine.call("read an invitation")
        return try inner.invitation(withCode: digest)
    }

    mutating func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow] {
        try engine.call("read invitations")
        return try inner.invitations(to: account)
    }

    mutating func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        try engine.call("read all invitations")
        return try inner.allInvitations(after: last, limit: limit)
    }

    mutating func put(_ row: InvitationRow) throws(EngineFailure) {
        try write("store an invitation", under: .account(row.id.account))
        try inner.put(row)
    }

    mutating func removeInvitation(of device: AccountDevice) throws(EngineFailure) {
        try write("remove an invitation", under: .account(device.account))
        try inner.removeInvitation(of: device)
    }

    mutating func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition? {
        try engine.call("read a type")
        return try inner.type(name, in: container)
    }

    mutating func hasTypes(_ container: Container) throws(EngineFailure) -> Bool {
        try engine.call("find a type")
        return try inner.hasTypes(container)
    }

    mutating func types(of container: Container) throws(EngineFailure) -> [TypeDefinition] {
        try engine.call("read types")
        return try inner.types(of: container)
    }

    mutating func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure) {
        try write("store a type", under: .schema(container))
        try inner.put(type, in: container)
    }

    mutating func removeType(_ name: RecordType, of container: Container) throws(EngineFailure) {
        try write("remove a type", under: .schema(container))
        try inner.removeType(name, of: container)
    }

    mutating func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember] {
        try engine.call("read a team")
        return try inner.team(of: container)
    }

    mutating func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure) {
        try write("store a member", under: .team(container))
        try inner.put(member, in: container)
    }

    mutating func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure) {
        try write("remove a member", under: .team(container))
        try inner.removeMember(account, of: container)
    }

    mutating func unfilledTypes(
        limit: Int
    ) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)] {
        try engine.call("read types")
        return try inner.unfilledTypes(limit: limit)
    }

    mutating func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID? {
        try engine.call("read zones")
        return try inner.zone(of: container, after: last)
    }

    mutating func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure) {
        try write("change an index", under: .zone(zone))
        try inner.changeEntries(removing: removing, adding: adding, in: zone)
    }

    mutating func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) {
        let engine = engine
        try engine.call("read an index")
        try inner.forEachEntry(of: index, in: zone, after: start, until: end, descending: descending) { key, record in
            engine.foundByIndex += 1
            return body(key, record)
        }
    }

    mutating func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure) {
        try write("remove an index", under: .schema(container))
        try inner.removeEntries(of: index, in: container)
    }

    mutating func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow? {
        try engine.call("read a database")
        return try inner.database(database)
    }

    mutating func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure) {
        try write("store a database", under: .database(database))
        try inner.put(row, of: database)
    }

    mutating func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow? {
        try engine.call("read a zone")
        return try inner.zone(zone)
    }

    mutating func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure) {
        try write("store a zone", under: .zone(zone))
        try inner.put(row, of: zone)
    }

    mutating func removeZone(_ zone: ZoneID) throws(EngineFailure) {
        try write("remove a zone", under: .zone(zone))
        try inner.removeZone(zone)
    }

    mutating func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow? {
        try engine.call("read a row of a feed")
        return try inner.feedRow(of: zone, in: database)
    }

    mutating func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow] {
        try engine.call("read a feed")
        return try inner.feed(of: database, after: position, limit: limit)
    }

    mutating func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure) {
        try write("list a zone", under: .database(database))
        try inner.put(row, in: database)
    }

    mutating func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) {
        try write("forget a zone", under: .database(database))
        try inner.removeFeedRow(of: zone, in: database)
    }

    mutating func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        try engine.call("read participants")
        return try inner.participants(of: zone)
    }

    mutating func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        try engine.call("read the participants of an account")
        return try inner.participants(account, of: zone)
    }

    mutating func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)] {
        try engine.call("read shared zones")
        return try inner.zones(sharedWith: account, in: container)
    }

    mutating func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure) {
        try write("store a participant", under: .zone(zone))
        try inner.put(participant, of: zone)
    }

    mutating func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure) {
        try write("remove a participant", under: .zone(zone))
        try inner.removeParticipant(account, root: root, of: zone)
    }

    mutating func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        try engine.call("read children")
        return try inner.children(of: parents, in: zone)
    }

    mutating func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName] {
        try engine.call("read parents")
        return try inner.parents(of: names, in: zone)
    }

    mutating func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        try engine.call("read records")
        return try inner.records(names, in: zone)
    }

    mutating func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure) {
        // One row after the other, so that an engine also fails between them.
        for row in rows {
            try write("store a record", under: .zone(zone))
            try inner.put([row], in: zone)
        }
    }

    mutating func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        try engine.call("read changes")
        try inner.forEachChange(in: zone, after: counter, deletedAfter: deletedAfter, body)
    }

    mutating func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        try engine.call("read changes")
        try inner.forEachWrittenChange(in: zone, after: counter, deletedAfter: deletedAfter, body)
    }

    mutating func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) {
        for name in names {
            try write("remove a deletion", under: .zone(zone))
            try inner.removeDeleted([name], in: zone)
        }
    }

    mutating func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow] {
        try engine.call("read assets")
        return try inner.assets(digests, in: zone)
    }

    mutating func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64) {
        try engine.call("read uploads")
        return try inner.uploads(of: account)
    }

    mutating func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64 {
        try write("add an asset", under: .zone(zone))
        if let account = row.account { try write("add an asset", under: .account(account)) }
        return try inner.add(row, in: zone)
    }

    mutating func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try write("store an asset", under: .zone(zone))
        try inner.put(row, in: zone)
    }

    mutating func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) {
        try write("discard an asset", under: .zone(zone))
        try inner.discard(row, in: zone)
    }

    mutating func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure) {
        try write("change the uses of assets", under: .zone(zone))
        try inner.changeUses(removing: removing, adding: adding, in: zone)
    }

    mutating func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]> {
        try engine.call("read uses of assets")
        return try inner.usedAssets(digests, in: zone)
    }

    mutating func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        try write("write an asset", under: nil)
        try inner.write(bytes, of: row)
    }

    mutating func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        try engine.call("read an asset")
        return try inner.read(row, from: offset, most: most)
    }

    mutating func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)] {
        try engine.call("read old uploads")
        return try inner.oldUploads(before: time, limit: limit)
    }

    mutating func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        try write("remove discarded assets", under: .discardedAssets)
        return try inner.removeDiscarded(limit: limit)
    }

    mutating func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow? {
        try engine.call("read an answer")
        return try inner.answer(to: key)
    }

    mutating func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure) {
        try write("store an answer", under: .answer(key))
        try inner.put(row, to: key)
    }

    mutating func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        try engine.call("read subscriptions")
        return try inner.subscriptions(in: database)
    }

    mutating func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        try write("store a subscription", under: .database(database))
        try inner.put(subscription, in: database)
    }

    mutating func removeSubscription(_ name: SubscriptionName, in database: DatabaseID) throws(EngineFailure) {
        try write("remove a subscription", under: .database(database))
        try inner.removeSubscription(name, in: database)
    }

    mutating func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription] {
        try engine.call("read public subscriptions")
        return try inner.publicSubscriptions(of: account, in: container)
    }

    mutating func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool {
        try engine.call("find a public subscription")
        return try inner.hasPublicSubscriptions(to: type, in: container)
    }

    mutating func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)] {
        try engine.call("read public subscriptions")
        return try inner.publicSubscriptions(to: type, requiring: values, in: container)
    }

    mutating func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        try write("store a public subscription", under: .database(DatabaseID(container, .everybody)))
        try inner.put(subscription, of: account, in: container)
    }

    mutating func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        try write("remove a public subscription", under: .database(DatabaseID(container, .everybody)))
        try inner.removePublicSubscription(name, of: account, in: container)
    }

    mutating func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        try engine.call("read devices")
        return try inner.devices(of: account, in: container)
    }

    mutating func put(_ device: PushTarget) throws(EngineFailure) {
        try write("store a device", under: .account(device.account))
        try inner.put(device)
    }

    mutating func remove(_ device: PushTarget) throws(EngineFailure) {
        try write("remove a device", under: nil)
        try inner.remove(device)
    }

    mutating func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        try engine.call("read pushes")
        return try inner.pushes(to: device, limit: limit)
    }

    mutating func put(_ push: Push) throws(EngineFailure) {
        try write("store a push", under: .database(push.database))
        try inner.put(push)
    }

    mutating func removePush(through push: Push) throws(EngineFailure) {
        try write("remove a push", under: nil)
        try inner.removePush(through: push)
    }

    mutating func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)] {
        try engine.call("read old deletions")
        return try inner.oldDeletions(before: time, limit: limit)
    }

    mutating func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)] {
        try engine.call("read old rows of feeds")
        return try inner.oldFeedRows(before: time, limit: limit)
    }

    mutating func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int {
        try write("remove answers", under: nil)
        return try inner.removeAnswers(before: time, limit: limit)
    }
}
