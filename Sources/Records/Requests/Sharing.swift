/// An account with which a zone is shared, or a record with its children.
public struct Participant: Equatable, Sendable {
    /// What an account may do in a zone.
    public enum Permission: String, Sendable, CaseIterable {
        /// Fetch all records that are shared.
        case read
        /// Fetch, save and delete them.
        case write
    }

    /// The account.
    public var account: AccountID
    /// What it may do once it has accepted.
    public var permission: Permission
    /// Whether it has accepted. Before that it sees nothing of the zone.
    public var hasAccepted: Bool
    /// The record that is shared with all that are below it; nil for the zone.
    public var root: RecordName?

    /// A participant of these parts.
    public init(
        _ account: AccountID, _ permission: Permission, hasAccepted: Bool = false, of root: RecordName? = nil
    ) {
        self.root = root
        self.account = account
        self.permission = permission
        self.hasAccepted = hasAccepted
    }
}

/// A zone of another account, or a record in it, that is shared with the caller, or that the caller is invited to.
public struct SharedZone: Equatable, Sendable {
    /// The zone.
    public var zone: ZoneID
    /// The record that is shared with all that are below it; nil for the zone.
    public var root: RecordName?
    /// What the caller may do once it has accepted.
    public var permission: Participant.Permission
    /// Whether the caller has accepted.
    public var hasAccepted: Bool

    /// A zone of these parts.
    public init(
        _ zone: ZoneID, _ permission: Participant.Permission, hasAccepted: Bool, of root: RecordName? = nil
    ) {
        self.root = root
        self.zone = zone
        self.permission = permission
        self.hasAccepted = hasAccepted
    }
}

/// The request to change with whom a zone is shared, or a record with all that are below it.
public struct ModifySharing: Equatable, Sendable {
    /// What is to be done.
    public enum Action: Equatable, Sendable {
        /// The owner invites an account, or changes what it may do.
        case invite(AccountID, Participant.Permission)
        /// The owner withdraws it from an account. From the answer on the account gets nothing of it.
        case withdraw(AccountID)
        /// The caller accepts an invitation.
        case accept
        /// The caller leaves, or declines an invitation.
        case leave
    }

    /// The zone.
    public var zone: ZoneID
    /// The record that is shared; nil for the zone.
    public var root: RecordName?
    /// What is to be done.
    public var action: Action

    /// A request of these parts.
    public init(_ zone: ZoneID, _ action: Action, of root: RecordName? = nil) {
        self.zone = zone
        self.root = root
        self.action = action
    }

    /// The refusal of a request that contradicts itself, whatever is stored.
    var refusal: Refusal? {
        guard zone.owner != nil else { return .invalidRequest(.publicDatabase) }
        guard zone.name != .defaultZone else { return .invalidRequest(.defaultZone) }
        switch action {
        case .invite(zone.owner, _), .withdraw(zone.owner): return .invalidRequest(.ownZone)
        default: return nil
        }
    }
}

/// The answer to a request to change with whom a zone is shared.
public enum ModifySharingAnswer: Equatable, Sendable {
    /// It is so now.
    case done
    /// Nothing was changed.
    case refused(Refusal)
}
