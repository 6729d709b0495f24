import Location

/// What an engine stores about a database. One that was never written has zeros.
public struct DatabaseRow: Equatable, Sendable {
    /// Incremented with each change of a zone. It also numbers the zones of a name, one after the other.
    public var counter: UInt64 = 0
    /// The latest position of a deleted zone that is no longer listed.
    public var removedThrough: UInt64 = 0
    /// The number of zones in it, without the default zone.
    public var zones = 0

    /// The row of a new database.
    public init() {}
}

/// What an engine stores about a zone.
public struct ZoneRow: Equatable, Sendable {
    /// Which of the zones of this name, one after the other.
    public var incarnation: UInt64
    /// Incremented with each change of a record.
    public var counter: UInt64 = 0
    /// The latest counter of a deletion that is no longer stored.
    public var removedThrough: UInt64 = 0
    /// Incremented when records become part of a shared hierarchy, or cease to be, without being changed themselves.
    public var hierarchy: UInt64 = 0

    /// The row of a new zone.
    public init(incarnation: UInt64) { self.incarnation = incarnation }
}

/// What an engine stores for a zone as a database lists it.
public struct FeedRow: Equatable, Sendable {
    /// A deletion.
    public struct Deletion: Equatable, Sendable {
        /// The database's counter after it.
        public var position: UInt64
        /// Why.
        public var reason: ZoneDeletionReason
        /// When.
        public var time: UTCTime

        /// A deletion of these parts.
        public init(position: UInt64, _ reason: ZoneDeletionReason, _ time: UTCTime) {
            self.position = position
            self.reason = reason
            self.time = time
        }
    }

    /// The zone.
    public var zone: ZoneID
    /// The database's counter after the latest change.
    public var position: UInt64
    /// Whether the zone is in the database now.
    public var isPresent: Bool
    /// The latest deletion, also of a zone that was made again; nil if there was none, or it is forgotten.
    public var deletion: Deletion?

    /// A row of these parts.
    public init(_ zone: ZoneID, position: UInt64, isPresent: Bool, deletion: Deletion? = nil) {
        self.zone = zone
        self.position = position
        self.isPresent = isPresent
        self.deletion = deletion
    }
}

/// What a page of changes has of the row of a record.
public struct WrittenRow: Sendable {
    /// What is under the name.
    public enum Content: Sendable {
        /// A record, as it is stored.
        case record(WrittenRecord)
        /// A record of this type was deleted.
        case deleted(RecordType)
    }

    /// The name.
    public let name: RecordName
    /// The zone's counter after the latest change.
    public let counter: UInt64
    /// What is under the name.
    public let content: Content

    /// A row of these parts.
    public init(_ name: RecordName, counter: UInt64, _ content: Content) {
        self.name = name
        self.counter = counter
        self.content = content
    }

    /// What the row adds to a page, in bytes.
    var size: Int { if case .record(let record) = content { record.size } else { name.text.utf8.count } }
}

/// What an engine stores for the name of a record.
public struct RecordRow: Equatable, Sendable {
    /// What is under the name.
    public enum Content: Equatable, Sendable {
        /// A record, and its version before.
        case record(Record, previous: Record?)
        /// A deleted record's type, and when it was deleted.
        case deleted(RecordType, UTCTime)
    }

    /// The name.
    public var name: RecordName
    /// The zone's counter after the change.
    public var counter: UInt64
    /// What is under the name.
    public var content: Content
    /// The parent of the record; of a deleted one, the parent that it had.
    public var parent: RecordName?

    /// A row of these parts.
    /// - Parameter parent: The parent that a deleted record had.
    public init(_ name: RecordName, counter: UInt64, _ content: Content, parent: RecordName? = nil) {
        self.name = name
        self.counter = counter
        self.content = content
        self.parent = if case .record(let record, _) = content { record.parent } else { parent }
    }

    /// The record; nil if it was deleted.
    public var record: Record? {
        guard case .record(let record, _) = content else { return nil }
        return record
    }
}

/// What an engine stores for a request that was answered.
public struct AnswerRow: Equatable, Sendable {
    /// The device and the request.
    public struct Key: Hashable, Sendable {
        /// The device that sent it.
        public var target: PushTarget
        /// Its idempotency key.
        public var key: RequestKey

        /// A key of these two.
        public init(_ target: PushTarget, _ key: RequestKey) {
            self.target = target
            self.key = key
        }

        /// Of the request alone: devices choose their keys at random, so that the device would only cost time.
        public func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    /// The digest of the request.
    public var digest: [UInt8]
    /// The answer, JSON.
    public var answer: [UInt8]
    /// When it was answered.
    public var time: UTCTime

    /// A row of these parts.
    public init(digest: [UInt8], answer: [UInt8], _ time: UTCTime) {
        self.digest = digest
        self.answer = answer
        self.time = time
    }
}

/// A device of an account, also one that was only invited.
public struct AccountDevice: Hashable, Comparable, Sendable {
    /// The account.
    public var account: AccountID
    /// The device, one of a name in each account.
    public var device: DeviceID

    /// A device of an account.
    public init(_ account: AccountID, _ device: DeviceID) {
        self.account = account
        self.device = device
    }

    /// The order of accounts and, within one, of devices.
    public static func < (left: AccountDevice, right: AccountDevice) -> Bool {
        (left.account, left.device) < (right.account, right.device)
    }
}

/// What an engine stores for a device of an account.
public struct DeviceRow: Equatable, Sendable {
    /// The device.
    public var id: AccountDevice
    /// The digest of the token with which the device identifies itself.
    public var token: [UInt8]
    /// When the device joined.
    public var joined: UTCTime

    /// A row of these parts.
    public init(_ id: AccountDevice, token: [UInt8], joined: UTCTime) {
        self.id = id
        self.token = token
        self.joined = joined
    }
}

/// What an engine stores for an invitation of a device that has not joined yet.
public struct InvitationRow: Equatable, Sendable {
    /// The device, and the account that it will belong to.
    public var id: AccountDevice
    /// The digest of the code.
    public var code: [UInt8]
    /// When the code ceases to be accepted.
    public var expires: UTCTime

    /// A row of these parts.
    public init(_ id: AccountDevice, code: [UInt8], expires: UTCTime) {
        self.id = id
        self.code = code
        self.expires = expires
    }
}

/// What an engine stores about the bytes of an asset of a zone.
public struct AssetRow: Equatable, Sendable {
    /// The number of the bytes, which the engine has assigned; 0 before.
    public var number: Int64
    /// The digest of the whole asset, and its size.
    public var asset: Asset
    /// The account that has uploaded it, as long as no record has it; nil once records have it.
    public var account: AccountID?
    /// How many bytes there are so far.
    public var received: Int64
    /// The state of the digest after them; nil once all bytes are there, and have the digest.
    public var state: [UInt8]?
    /// When the latest bytes came.
    public var time: UTCTime

    /// A row of these parts.
    public init(
        _ asset: Asset, of account: AccountID?, number: Int64 = 0, received: Int64 = 0, state: [UInt8]? = [],
        _ time: UTCTime
    ) {
        self.asset = asset
        self.account = account
        self.number = number
        self.received = received
        self.state = state
        self.time = time
    }

    /// Whether all bytes are there, and have the digest.
    public var isComplete: Bool { state == nil }
}

/// That a record has an asset.
public struct AssetUse: Hashable, Comparable, Sendable {
    /// The digest of the asset.
    public var digest: [UInt8]
    /// The name of the record.
    public var record: RecordName

    /// A use of these two.
    public init(_ digest: [UInt8], by record: RecordName) {
        self.digest = digest
        self.record = record
    }

    /// The order of digests and, within one, of names.
    public static func < (left: AssetUse, right: AssetUse) -> Bool {
        if left.digest == right.digest { return left.record < right.record }
        return left.digest.lexicographicallyPrecedes(right.digest)
    }
}
