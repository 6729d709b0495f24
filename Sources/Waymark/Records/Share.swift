import SyncInterface

/// How a zone of this account is shared with other accounts: what `CKShare` of a zone is in CloudKit. Its calls need the hub.
///
///     try await database.share(for: notes).invite("bob", permission: .readWrite)
public struct Share: Sendable {
    /// What an account may do in a zone that is shared with it, with the names of `CKShare.ParticipantPermission`.
    public enum Permission: Sendable, Equatable, CaseIterable {
        /// It reads records.
        case readOnly
        /// It also saves and deletes records.
        case readWrite
    }

    /// An account that was invited to the zone: what `CKShare.Participant` is in CloudKit.
    public struct Participant: Equatable, Sendable {
        /// The name of the account.
        public let userName: String
        /// What the account may do once it has accepted.
        public let permission: Permission
        /// Whether the account has accepted. Before that it sees nothing of the zone.
        public let isAccepted: Bool

        init(_ participant: SyncInterface.Participant) {
            userName = participant.account
            permission = Permission(participant.permission)
            isAccepted = participant.accepted
        }
    }

    let client: SyncClient
    /// The zone that is shared.
    public let zoneID: RecordZone.ID

    /// The accounts that the zone is shared with, in the order of their names, without the owner. The hub has them, so that every
    /// machine of the account gets the same.
    ///
    /// - Throws: `networkUnavailable`, and `serverRejectedRequest` if the hub refuses the request, for example because it has no
    ///   such zone.
    public func participants() async throws -> [Participant] {
        try await client.call(
            SyncInterface.ListParticipants(
                container: client.container, environment: client.environment, zone: zoneID.zoneName)
        ).participants.map(Participant.init)
    }

    /// Invites an account, which sees the zone after it has accepted. An account that was invited before gets this permission.
    ///
    /// - Parameters:
    ///   - userName: The name of the account.
    ///   - permission: What it may do.
    /// - Throws: `networkUnavailable`, and `serverRejectedRequest` if the hub refuses the request.
    public func invite(_ userName: String, permission: Permission = .readOnly) async throws {
        _ = try await client.call(
            SyncInterface.ModifySharing(
                container: client.container, environment: client.environment, zone: zoneID.zoneName, invite: userName,
                permission: permission == .readWrite ? "write" : "read"))
    }

    /// Withdraws the zone from an account. When the call returns, the account can read nothing of it any more.
    public func withdraw(from userName: String) async throws {
        _ = try await client.call(
            SyncInterface.ModifySharing(
                container: client.container, environment: client.environment, zone: zoneID.zoneName, withdraw: userName)
        )
    }
}

/// A zone of another account, which shares it with this one or invites it: what `CKShare.Metadata` is in CloudKit.
public struct SharedZone: Equatable, Sendable {
    /// The zone, with its owner.
    public let zoneID: RecordZone.ID
    /// What this account may do in it.
    public let permission: Share.Permission
    /// Whether this account has accepted.
    public let isAccepted: Bool

    init(_ zone: SyncInterface.SharedZone) {
        zoneID = RecordZone.ID(zoneName: zone.name, ownerName: zone.owner)
        permission = Share.Permission(zone.permission)
        isAccepted = zone.accepted
    }
}

extension Share.Permission {
    /// The permission with a name of the interface. One that a later release adds counts as reading, which every participant may.
    fileprivate init(_ name: String) { self = name == "write" ? .readWrite : .readOnly }
}
