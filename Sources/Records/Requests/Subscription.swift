/// What an account wants its devices to be woken for, in one database.
public struct Subscription: Hashable, Sendable {
    /// The changes it covers.
    public enum Subject: Hashable, Sendable {
        /// All changes of the database.
        case database
        /// The changes of one zone.
        case zone(ZoneID)
        /// The changes of records that a query finds, of one zone or of all.
        case query(QuerySubject)
    }

    /// The name, which the app chooses.
    public var name: SubscriptionName
    /// The changes it covers.
    public var subject: Subject

    /// A subscription of these two.
    public init(_ name: SubscriptionName, _ subject: Subject) {
        self.name = name
        self.subject = subject
    }

    /// Whether the subscription covers a change of a zone.
    func covers(_ zone: ZoneID) -> Bool {
        switch subject {
        case .database: true
        case .zone(let own): own == zone
        case .query: false
        }
    }

    /// Whether the subscription covers a change of a record in a zone.
    func covers(_ change: RecordChange, in zone: ZoneID) -> Bool {
        if case .query(let query) = subject { query.covers(change, in: zone) } else { false }
    }

    /// What machines show to the person when it fires; nil for silent pushes.
    public var alert: SubscriptionAlert? { if case .query(let query) = subject { query.alert } else { nil } }

    /// Whether the subscription is removed with the first push of it.
    var isOnce: Bool { if case .query(let query) = subject { query.isOnce } else { false } }
}

/// The changes of records that a query finds.
public struct QuerySubject: Hashable, Sendable {
    /// What happens to a record.
    public enum Event: String, Sendable, CaseIterable {
        /// It is made, and the query finds it.
        case create
        /// It is changed, and the query finds it as it is then.
        case update
        /// It is deleted, and the query has found it. A zone that is deleted deletes none.
        case delete
    }

    /// The query. It has no order, and needs no index.
    public var query: Query
    /// The zone; nil for all zones of the database.
    public var zone: ZoneID?
    /// The events. There is one at least.
    public var events: Set<Event>
    /// Whether the subscription is removed with the first push of it.
    public var isOnce: Bool
    /// What machines show to the person when it fires; nil for silent pushes.
    public var alert: SubscriptionAlert?

    /// Changes of records of these kinds.
    public init(
        _ query: Query, in zone: ZoneID? = nil, on events: Set<Event>, once: Bool = false,
        alert: SubscriptionAlert? = nil
    ) {
        self.query = query
        self.zone = zone
        self.events = events
        self.alert = alert
        isOnce = once
    }

    /// Whether it covers what a record in a zone has become: nil where there was none before, or is none afterwards.
    public func covers(_ old: Record?, _ new: Record?, in zone: ZoneID) -> Bool {
        RecordChange(old, new).map { covers($0, in: zone) } ?? false
    }

    func covers(_ change: RecordChange, in place: ZoneID) -> Bool {
        zone ?? place == place && events.contains(change.event) && query.matches(change.record)
    }
}

/// A change of a record, for subscriptions to queries.
struct RecordChange {
    let event: QuerySubject.Event
    /// The record as it is now; as it was, if it is deleted.
    let record: Record

    /// What a stored row becomes; nil if there is no record before or after.
    init?(_ old: Record?, _ new: Record?) {
        guard let record = new ?? old else { return nil }
        self.record = record
        event = new == nil ? .delete : old == nil ? .create : .update
    }
}

/// A device of an account that gets pushes of a container.
public struct PushTarget: Hashable, Sendable {
    /// The container.
    public var container: Container
    /// The account.
    public var account: AccountID
    /// The device.
    public var device: DeviceID

    /// A target of these parts.
    public init(_ container: Container, _ account: AccountID, _ device: DeviceID) {
        self.container = container
        self.account = account
        self.device = device
    }
}

/// The message that a zone has changed, or that a record has of which a subscription to a query covers changes. It does not say
/// what has changed: the device fetches that, if it still may.
public struct Push: Hashable, Sendable {
    /// The device.
    public var target: PushTarget
    /// The database in which the device sees the zone.
    public var database: DatabaseID
    /// The zone.
    public var zone: ZoneID
    /// The subscription to a query that the change was covered by, or `alerts`; nil for any change of the zone.
    public var subscription: SubscriptionName?
    /// The database's counter after the latest change, that of the zone in the public database: the push remains pending until one as late is acknowledged.
    public var position: UInt64

    /// A push of these parts.
    public init(
        _ target: PushTarget, _ database: DatabaseID, _ zone: ZoneID, _ subscription: SubscriptionName? = nil,
        _ position: UInt64
    ) {
        self.subscription = subscription
        self.target = target
        self.database = database
        self.zone = zone
        self.position = position
    }
}

/// What a request that changes something leads to.
public struct Reply<Answer: Equatable & Sendable>: Equatable, Sendable {
    /// The answer to the caller.
    public var answer: Answer
    /// The devices to wake. The pushes are stored with the change, so a hub that stops before it wakes anybody loses none.
    public var pushes: [Push]
    /// Whether the request was sent before: the answer is that of the first time, without the records of conflicts.
    public var isRepeated: Bool
    /// The answer as JSON, if it was written already because the whole answer was stored. It follows from the answer.
    package var json: [UInt8]?

    /// A reply of these parts.
    public init(_ answer: Answer, pushes: [Push] = [], isRepeated: Bool = false) {
        self.answer = answer
        self.pushes = pushes
        self.isRepeated = isRepeated
    }

    /// Whether two replies say the same.
    public static func == (left: Reply, right: Reply) -> Bool {
        left.answer == right.answer && left.pushes == right.pushes && left.isRepeated == right.isRepeated
    }
}
