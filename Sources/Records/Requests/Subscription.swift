/// What an account wants its devices to be woken for, in one database.
public struct Subscription: Hashable, Sendable {
    /// The changes it covers.
    public enum Subject: Hashable, Sendable {
        /// All changes of the database.
        case database
        /// The changes of one zone.
        case zone(ZoneID)
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
        }
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

/// The message that a zone has changed. It does not say what has changed: the device fetches that, if it still may.
public struct Push: Hashable, Sendable {
    /// The device.
    public var target: PushTarget
    /// The database in which the device sees the zone.
    public var database: DatabaseID
    /// The zone.
    public var zone: ZoneID
    /// The database's counter after the latest change: the push remains pending until one as late is acknowledged.
    public var position: UInt64

    /// A push of these parts.
    public init(_ target: PushTarget, _ database: DatabaseID, _ zone: ZoneID, _ position: UInt64) {
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

    /// A reply of these parts.
    public init(_ answer: Answer, pushes: [Push] = [], isRepeated: Bool = false) {
        self.answer = answer
        self.pushes = pushes
        self.isRepeated = isRepeated
    }
}
