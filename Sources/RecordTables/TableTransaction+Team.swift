import Records

extension TableTransaction {
    /// The members of a container's team, in any order.
    public func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember] {
        try all(.readTeam, [container.column]) { (row) throws(TableError) in try TeamMember(row) }
    }

    /// Stores a member, instead of the one with its account.
    public func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure) {
        try run(
            .storeMember,
            [container.column, member.account.column, member.rightsColumn, .integer(member.isAgent ? 1 : 0)])
    }

    /// Removes a member.
    public func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure) {
        try run(.removeMember, [container.column, account.column])
    }
}
