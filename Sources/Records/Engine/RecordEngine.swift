import Location

/// What stores records: SQLite, PostgreSQL, or the memory of a test.
///
/// A hub calls it with one transaction at a time for each of its connections; there may be many hubs.
public protocol RecordEngine: AnyObject {
    /// A transaction in progress.
    associatedtype Transaction: RecordTransaction

    /// Performs a transaction that only reads. All reads see the same committed snapshot.
    func read<Value>(
        _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value

    /// Performs one statement that reads. Within `gather` it may see what the group has written, and the group is not committed
    /// for it.
    func lookUp<Value>(
        _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value

    /// Performs a transaction, and commits it durably. After a failure nothing of it is stored, except if the commit itself
    /// failed: then all of it may be.
    ///
    /// The default isolation of PostgreSQL is sufficient, because whatever is written was locked before. The body may be
    /// performed more than once, and only its last run is committed: it changes nothing outside of the transaction.
    func write<Value>(
        _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value

    /// The same for a transaction of which it is known what it will read. An engine for which that is useless ignores it.
    func write<Value>(
        reading ahead: @autoclosure () -> ReadAhead, _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value

    /// Performs the transactions of the body, and commits them together if the engine can. What they return is valid only if
    /// this function returns; after an error each can be repeated.
    func gather(_ body: () -> Void) throws(EngineFailure)

    /// The same for transactions of which it is known what they will read.
    /// - Parameter next: What the next group will read. It is called once while this one is being committed, or not at all: an
    ///   engine that reads ahead can ask its server for the one before the other is on the disk. What it has read before is
    ///   of no use to anybody but a `gather` that follows.
    func gather(
        reading ahead: ReadAhead, before next: () -> ReadAhead, _ body: () -> Void
    ) throws(EngineFailure)

    /// Whether the engine reads ahead, so that it gains something from the knowledge of what transactions will read.
    var readsAhead: Bool { get }

    /// The most records that are added to new indexes in one transaction.
    var recordsOfFilling: Int { get }
}

extension RecordEngine {
    /// As many as a request may have.
    public var recordsOfFilling: Int { 400 }

    /// Reads as every other transaction that only reads.
    public func lookUp<Value>(
        _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value { try read(body) }

    /// Commits each transaction on its own.
    public func gather(_ body: () -> Void) throws(EngineFailure) { body() }

    /// Reads everything when it is needed.
    public func gather(
        reading ahead: ReadAhead, before next: () -> ReadAhead, _ body: () -> Void
    ) throws(EngineFailure) { try gather(body) }

    /// The same for transactions of which it is known what they will read, but not what comes after them.
    public func gather(reading ahead: ReadAhead, _ body: () -> Void) throws(EngineFailure) {
        try gather(reading: ahead, before: { ReadAhead() }, body)
    }

    /// Reads everything when it is needed.
    public func write<Value>(
        reading ahead: @autoclosure () -> ReadAhead, _ body: (inout Transaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value { try write(body) }

    /// It does not.
    public var readsAhead: Bool { false }
}

/// A lock that a transaction holds until it ends. It excludes other transactions with the same lock, and no reader.
///
/// Locks are requested in the order of the cases, within a case in the order of the keys, so no two transactions wait for
/// each other.
public enum RecordLock: Hashable, Sendable {
    /// The devices of an account and the invitations to it. A device that gets pushes is stored under this lock too, because
    /// it has to be one of the account.
    case account(AccountID)
    /// The answer to a request.
    case answer(AnswerRow.Key)
    /// A zone's row, records and participants, whether or not the zone exists.
    case zone(ZoneID)
    /// The team of a container.
    case team(ContainerName)
    /// The types of a container.
    case schema(Container)
    /// A database's row and the zones it lists, its subscriptions and their pushes. The devices of an account that get
    /// pushes are locked with both of its databases and the public one.
    case database(DatabaseID)
    /// The assets that nothing refers to any more, while they are removed.
    case discardedAssets
}

/// What a transaction of an engine provides. Each function is one statement that an index answers, or a few.
public protocol RecordTransaction {
    /// Acquires a lock. What is read afterwards is as the previous holder has committed it.
    mutating func lock(_ lock: RecordLock) throws(EngineFailure)

    // Accounts.

    /// The device that has the token with this digest; nil if there is none.
    mutating func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow?
    /// The devices of an account, in any order.
    mutating func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow]
    /// The devices of all accounts after one, which need not exist, in the order of accounts and devices.
    mutating func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow]
    /// Stores a device, instead of the one with its account and name.
    mutating func put(_ row: DeviceRow) throws(EngineFailure)
    /// Removes a device.
    mutating func remove(_ device: AccountDevice) throws(EngineFailure)
    /// The containers of which a device gets pushes, in any order.
    mutating func containers(of device: AccountDevice) throws(EngineFailure) -> [Container]
    /// The invitation whose code has this digest; nil if there is none.
    mutating func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow?
    /// The invitations to an account, in any order.
    mutating func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow]
    /// The invitations to all accounts after one, which need not exist, in the order of accounts and devices.
    mutating func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow]
    /// Stores an invitation, instead of the one for its account and device.
    mutating func put(_ row: InvitationRow) throws(EngineFailure)
    /// Removes an invitation.
    mutating func removeInvitation(of device: AccountDevice) throws(EngineFailure)

    // Types.

    /// The definition of a type; nil if the container has no such type.
    mutating func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition?
    /// Whether the container has types.
    mutating func hasTypes(_ container: Container) throws(EngineFailure) -> Bool
    /// The types of a container, in any order.
    mutating func types(of container: Container) throws(EngineFailure) -> [TypeDefinition]
    /// Stores a type, instead of the one with its name.
    mutating func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure)
    /// Removes a type.
    mutating func removeType(_ name: RecordType, of container: Container) throws(EngineFailure)

    /// The containers and types with fields whose indexes are not filled, at most so many.
    mutating func unfilledTypes(limit: Int) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)]

    /// The members of a container's team, in any order.
    mutating func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember]
    /// Stores a member, instead of the one with its account.
    mutating func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure)
    /// Removes a member.
    mutating func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure)

    // Zones.

    /// The first zone of a container after another one, by owners and names; nil if there is none.
    mutating func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID?
    /// A database's row; nil if it was never written.
    mutating func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow?
    /// Stores a database's row.
    mutating func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure)
    /// A zone's row; nil if the zone does not exist.
    mutating func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow?
    /// Stores a zone's row.
    mutating func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure)
    /// Removes a zone's row, its records and its participants.
    mutating func removeZone(_ zone: ZoneID) throws(EngineFailure)
    /// The zone as the database lists it; nil if it does not.
    mutating func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow?
    /// The zones of a database whose positions are greater than this one, in the order of positions.
    mutating func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow]
    /// Stores a zone as the database lists it.
    mutating func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure)
    /// Removes a zone from the list.
    mutating func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure)

    // Sharing.

    /// The accounts with which a zone or a record of it is shared, in any order.
    mutating func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant]
    /// Those of one account: one for the zone, and one for each record.
    mutating func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant]
    /// The zones of a container that are shared with an account, or that it is invited to, and as what, in any order.
    mutating func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)]
    /// Stores a participant, instead of the one with its account and record.
    mutating func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure)
    /// Removes a participant: of the record with this name, or without one of the zone.
    mutating func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure)

    // Records.

    /// The rows of these names that exist, in any order.
    mutating func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow]
    /// The records whose parents these are, in any order, and those that had them when they were deleted.
    mutating func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)]
    /// The parents of those of these records that exist and have one.
    mutating func parents(
        of names: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [RecordName: RecordName]
    /// Stores rows, each instead of the one with its name.
    mutating func put(_ rows: [RecordRow], in zone: ZoneID) throws(EngineFailure)
    /// Passes the rows of a zone whose counters are greater than this one to the body, in the order of counters, until it
    /// returns false; of deleted records only those whose counters are greater than another one.
    mutating func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure)
    /// As `forEachChange`, with what a page of changes has of each row.
    mutating func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure)
    /// Removes entries from indexes, and adds others. An entry that is there already, or not there, stays so.
    mutating func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure)
    /// Passes the records of an index after a place to the body with their keys, in the order of keys and names, until it
    /// returns false or a key is not before the end; or in the opposite order, until a key is before the end.
    mutating func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure)
    /// Removes all entries of an index in a container's zones.
    mutating func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure)
    /// Removes the rows of deleted records.
    mutating func removeDeleted(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure)

    // Assets.

    /// The rows of assets with these digests in a zone, in any order: at most one that records have, and one of each account
    /// that has uploaded it.
    mutating func assets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> [AssetRow]
    /// How many assets an account has uploaded that no record has, in all containers, and how many bytes they have.
    mutating func uploads(of account: AccountID) throws(EngineFailure) -> (count: Int, bytes: Int64)
    /// Stores a new row, and returns its number.
    mutating func add(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure) -> Int64
    /// Stores what a row has become.
    mutating func put(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure)
    /// Removes the row from the zone. The bytes remain until they are removed.
    mutating func discard(_ row: AssetRow, in zone: ZoneID) throws(EngineFailure)
    /// Removes uses of assets, and adds others. A use that is there already, or not there, stays so.
    mutating func changeUses(
        removing: [AssetUse], adding: [AssetUse], in zone: ZoneID
    ) throws(EngineFailure)
    /// Those of these digests that records of the zone have.
    mutating func usedAssets(_ digests: Set<[UInt8]>, in zone: ZoneID) throws(EngineFailure) -> Set<[UInt8]>
    /// Stores bytes of an asset after those that it has, durably when the transaction is committed. What an earlier
    /// transaction has written there that was not committed is replaced.
    mutating func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure)
    /// Bytes of an asset from an offset below its size on: one at least, and at most so many.
    mutating func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8]
    /// Uploads whose latest bytes came before this time, the earliest first.
    mutating func oldUploads(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, row: AssetRow)]
    /// Removes the bytes of discarded assets, and returns how many assets.
    mutating func removeDiscarded(limit: Int) throws(EngineFailure) -> Int

    // Requests.

    /// The answer to a request; nil if it was not answered yet, or too long ago.
    mutating func answer(to key: AnswerRow.Key) throws(EngineFailure) -> AnswerRow?
    /// Stores an answer.
    mutating func put(_ row: AnswerRow, to key: AnswerRow.Key) throws(EngineFailure)

    // Pushes.

    /// The subscriptions of the account whose database this is.
    mutating func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription]
    /// Stores a subscription, instead of the one with its name.
    mutating func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure)
    /// Removes a subscription.
    mutating func removeSubscription(
        _ name: SubscriptionName, in database: DatabaseID
    ) throws(EngineFailure)
    /// The subscriptions of an account in the public database.
    mutating func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription]
    /// Whether somebody subscribes to records of a type in the public database.
    mutating func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool
    /// The subscriptions of all accounts to records of a type in the public database, in any order: those whose queries require
    /// one of these values, and those that require none.
    mutating func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)]
    /// Stores a subscription to a query in the public database, instead of the one with its account and name.
    mutating func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure)
    /// Removes a subscription of an account in the public database.
    mutating func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure)
    /// The devices of an account that get pushes.
    mutating func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID]
    /// Stores that a device gets pushes.
    mutating func put(_ device: PushTarget) throws(EngineFailure)
    /// Removes a device and its pushes.
    mutating func remove(_ device: PushTarget) throws(EngineFailure)
    /// The pending pushes of a device in all containers, at most one for each zone and subscription to a query.
    mutating func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push]
    /// Stores a push, instead of the one for the same device, zone and subscription.
    mutating func put(_ push: Push) throws(EngineFailure)
    /// Removes the push for the same device, zone and subscription unless its position is greater.
    mutating func removePush(through push: Push) throws(EngineFailure)

    // Ageing.

    /// Records that were deleted before this time, the earliest first.
    mutating func oldDeletions(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, name: RecordName)]
    /// Zones that are not in the database any more, and were deleted before this time.
    mutating func oldFeedRows(
        before time: UTCTime, limit: Int
    ) throws(EngineFailure) -> [(zone: ZoneID, database: DatabaseID)]
    /// Removes answers from before this time, and returns how many.
    mutating func removeAnswers(before time: UTCTime, limit: Int) throws(EngineFailure) -> Int
}
