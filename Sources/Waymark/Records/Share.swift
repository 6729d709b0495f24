import SyncInterface

/// How a zone of this account, or a record with all that are below it, is shared with other accounts: what `CKShare` is in
/// CloudKit. Its calls need the hub.
///
///     try await database.share(for: notes).invite("bob", permission: .readWrite)
///
/// A record is below another one if its `parent` is that one, or a record below it. What becomes part of the hierarchy later is
/// shared as well, and what leaves it is not any more. The hub has to have a record before it is shared: `synchronize()` sends it.
public struct Share: Sendable {
    /// What an account may do with what is shared with it, with the names of `CKShare.ParticipantPermission`.
    public enum Permission: Sendable, Equatable, CaseIterable {
        /// It reads records.
        case readOnly
        /// It also saves and deletes records.
        case readWrite
    }

    /// An account that was invited: what `CKShare.Participant` is in CloudKit.
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
    /// The zone that is shared, or that has the record.
    public let zoneID: RecordZone.ID
    /// The record that is shared with all that are below it; nil for the zone.
    public let rootRecordID: Record.ID?

    init(client: SyncClient, zoneID: RecordZone.ID, rootRecordID: Record.ID? = nil) {
        self.client = client
        self.zoneID = zoneID
        self.rootRecordID = rootRecordID
    }

    /// The accounts that the zone or the record is shared with, in the order of their names, without the owner. The hub has them, so that every
    /// machine of the account gets the same.
    ///
    /// - Throws: `networkUnavailable`, and `serverRejectedRequest` if the hub refuses the request, for example because it has no
    ///   such zone.
    public func participants() async throws -> [Participant] {
        try await client.call(
            SyncInterface.ListParticipants(
                container: client.container, environment: client.environment, zone: zoneID.zoneName,
                record: rootRecordID?.recordName)
        ).participants.map(Participant.init)
    }

    /// Invites an account, which sees what is shared after it has accepted. An account that was invited before gets this permission.
    ///
    /// - Parameters:
    ///   - userName: The name of the account.
    ///   - permission: What it may do.
    /// - Throws: `networkUnavailable`, and `serverRejectedRequest` if the hub refuses the request.
    public func invite(_ userName: String, permission: Permission = .readOnly) async throws {
        _ = try await client.call(
            SyncInterface.ModifySharing(
                container: client.container, environment: client.environment, zone: zoneID.zoneName, invite: userName,
                permission: permission == .readWrite ? "write" : "read", record: rootRecordID?.recordName))
    }

    /// Withdraws the zone or the record from an account. When the call returns, the account can read nothing of it any more.
    public func withdraw(from userName: String) async throws {
        _ = try await client.call(
            SyncInterface.ModifySharing(
                container: client.container, environment: client.environment, zone: zoneID.zoneName, withdraw: userName,
                record: rootRecordID?.recordName))
    }
}

/// A zone of another account, or a record of it, which that account shares with this one, or invites it to: what
/// `CKShare.Metadata` is in CloudKit.
public struct SharedZone: Equatable, Sendable {
    /// The zone, with its owner.
    public let zoneID: RecordZone.ID
    /// The record that is shared with all that are below it; nil for the zone.
    public let rootRecordID: Record.ID?
    /// What this account may do with it.
    public let permission: Share.Permission
    /// Whether this account has accepted.
    public let isAccepted: Bool

    init(_ zone: SyncInterface.SharedZone) {
        let zoneID = RecordZone.ID(zoneName: zone.name, ownerName: zone.owner)
        self.zoneID = zoneID
        rootRecordID = zone.record.map { Record.ID(recordName: $0, zoneID: zoneID) }
        permission = Share.Permission(zone.permission)
        isAccepted = zone.accepted
    }
}

extension Share.Permission {
    /// The permission with a name of the interface. One that a later release adds counts as reading, which every participant may.
    fileprivate init(_ name: String) { self = name == "write" ? .readWrite : .readOnly }
}
