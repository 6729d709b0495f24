/// What an account may do with a container because it is in its team.
public enum TeamRight: String, Sendable, CaseIterable, Comparable {
    /// Add members to the team, remove them and change their rights.
    case manageTeam
    /// Change the schema of development: by saves, and by replacing it.
    case editDevelopment
    /// Read the schema of production, and deploy that of development to it.
    case editProduction

    /// The order in which rights are listed.
    public static func < (left: TeamRight, right: TeamRight) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}

/// An account in the team of a container.
public struct TeamMember: Equatable, Sendable {
    /// The account.
    public var account: AccountID
    /// What it may do. The agent may do everything.
    public var rights: Set<TeamRight>
    /// Whether it is the agent, who owns the container. A team has one.
    public var isAgent: Bool

    /// A member of these parts.
    public init(_ account: AccountID, _ rights: Set<TeamRight>, isAgent: Bool = false) {
        self.account = account
        self.rights = isAgent ? Set(TeamRight.allCases) : rights
        self.isAgent = isAgent
    }
}

/// Who does something with a container: the administrator of the hub, or an account.
public enum TeamActor: Hashable, Sendable {
    /// Whoever administrates the hub, and may do everything.
    case administrator
    /// An account, which may do what its rights permit.
    case account(AccountID)
}

/// A change of a team.
public enum TeamChange: Equatable, Sendable {
    /// Adds an account, or replaces its rights.
    case put(AccountID, Set<TeamRight>)
    /// Makes an account the agent. The agent before it stays a member with all rights.
    case makeAgent(AccountID)
    /// Removes an account.
    case remove(AccountID)
}

/// Why somebody may not do something with a container, or a team is not changed.
public enum TeamRefusal: Error, Equatable, Sendable {
    /// The account is not in the team, or the container has no team.
    case notMember
    /// The account is in the team without this right.
    case lacks(TeamRight)
    /// Only the agent and the administrator of the hub make another account the agent.
    case agentOnly
    /// The agent has all rights and is not removed: another account has to become the agent first.
    case isAgent(AccountID)
    /// The hub has no such account.
    case unknownAccount(AccountID)
    /// The account to remove is not in the team.
    case unknownMember(AccountID)
    /// More members than a limit permits.
    case tooMany(Int)
}

/// The team of a container: the rules by which it changes.
public struct Team: Equatable, Sendable {
    /// The members. A container without members has no team.
    public private(set) var members: [AccountID: TeamMember] = [:]

    /// A team of these members.
    public init(_ members: [TeamMember] = []) {
        for member in members { self.members[member.account] = member }
    }

    /// The members, the agent first, then in the order of names.
    public var list: [TeamMember] {
        members.values.sorted { ($0.isAgent ? 0 : 1, $0.account.text) < ($1.isAgent ? 0 : 1, $1.account.text) }
    }

    /// Why an actor may not use a right; nil if it may.
    public func refusal(of actor: TeamActor, _ right: TeamRight) -> TeamRefusal? {
        guard case .account(let account) = actor else { return nil }
        guard let member = members[account] else { return .notMember }
        return member.rights.contains(right) ? nil : .lacks(right)
    }

    /// Why an actor may not read the team; nil if it may.
    public func refusalToRead(of actor: TeamActor) -> TeamRefusal? {
        guard case .account(let account) = actor else { return nil }
        return members[account] == nil ? .notMember : nil
    }

    /// Whether an account may change the schema of development by a save. Without a team everybody may.
    func mayExtendSchema(_ account: AccountID?) -> Bool {
        guard !members.isEmpty else { return true }
        return account.flatMap { members[$0] }?.rights.contains(.editDevelopment) == true
    }

    /// Performs a change. Returns why it is refused otherwise.
    ///
    /// The first member becomes the agent. Whoever manages a team gives any right, also to itself; but nobody takes something
    /// from the agent.
    mutating func perform(_ change: TeamChange, by actor: TeamActor, most: Int) -> TeamRefusal? {
        switch change {
        case .put(let account, let rights):
            if let refusal = refusal(of: actor, .manageTeam) { return refusal }
            guard members[account]?.isAgent != true else { return .isAgent(account) }
            return put(TeamMember(account, rights, isAgent: members.isEmpty), most: most)
        case .makeAgent(let account):
            if let refusal = refusalToRead(of: actor) { return refusal }
            if case .account(let own) = actor, members[own]?.isAgent != true { return .agentOnly }
            let previous = members.values.first(where: \.isAgent)
            if let refusal = put(TeamMember(account, [], isAgent: true), most: most) { return refusal }
            if let previous, previous.account != account {
                members[previous.account] = TeamMember(previous.account, Set(TeamRight.allCases))
            }
            return nil
        case .remove(let account):
            // Everybody may leave.
            if actor != .account(account) || members[account] == nil,
                let refusal = refusal(of: actor, .manageTeam)
            {
                return refusal
            }
            guard let member = members[account] else { return .unknownMember(account) }
            guard !member.isAgent || members.count == 1 else { return .isAgent(account) }
            members[account] = nil
            return nil
        }
    }

    private mutating func put(_ member: TeamMember, most: Int) -> TeamRefusal? {
        guard members[member.account] != nil || members.count < most else { return .tooMany(most) }
        members[member.account] = member
        return nil
    }
}
