/// A page of the changes of a zone.
public struct ZoneChanges: Equatable, Sendable {
    /// A record that was deleted.
    public struct Deletion: Equatable, Sendable {
        /// The name.
        public var name: RecordName
        /// The type.
        public var type: RecordType

        /// A deletion of these two.
        public init(_ name: RecordName, _ type: RecordType) {
            self.name = name
            self.type = type
        }
    }

    /// The records that were made or changed, each in its present version.
    public var changed: [Record] = []
    /// The records that were deleted.
    public var deleted: [Deletion] = []
    /// The token that continues after this page.
    public var token: [UInt8] = []
    /// Whether there are further changes already.
    public var moreComing = false

    /// A page without changes.
    public init() {}
}

/// A page of the changes of a database: which zones to fetch, and which to remove.
public struct DatabaseChanges: Equatable, Sendable {
    /// A zone that was deleted.
    public struct Deletion: Equatable, Sendable {
        /// The zone.
        public var zone: ZoneID
        /// Why.
        public var reason: ZoneDeletionReason

        /// A deletion of these two.
        public init(_ zone: ZoneID, _ reason: ZoneDeletionReason) {
            self.zone = zone
            self.reason = reason
        }
    }

    /// The zones whose records have changed, or that are new.
    public var changed: [ZoneID] = []
    /// The zones that were deleted. One that was made again is in `changed` too: the client removes its copy, then fetches.
    public var deleted: [Deletion] = []
    /// The token that continues after this page.
    public var token: [UInt8] = []
    /// Whether there are further changes already.
    public var moreComing = false

    /// A page without changes.
    public init() {}
}

/// The answer to a request that only reads.
public typealias Answer<Value> = Result<Value, Refusal>
