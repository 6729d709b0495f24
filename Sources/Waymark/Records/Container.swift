import Interfaces
import SyncInterface

/// A container: the records of an app, the same on all machines of the account that this machine has joined. What `CKContainer`
/// is in CloudKit.
///
///     let database = Container.default.privateDatabase
///     for try await account in Container.default.accountChanges { … }
///
/// Every call reads and changes the copy on this machine, also without a network; a change is durable before the call returns,
/// and is sent to the hub by `waymark-sync`. The hub is needed for sharing, subscriptions, the public database, `synchronize()`,
/// the bytes of an asset that is not on this machine, and the account's first encrypted field.
public struct Container: Sendable {
    /// The two sets of data of an app, which share nothing.
    public enum Environment: String, Sendable, CaseIterable {
        /// For apps that are being developed.
        case development
        /// For everybody.
        case production
    }

    let client: SyncClient

    /// The first container that the manifest of the app names with `Containers=`, in the environment of the manifest.
    public static let `default` = Container(SyncClient(socketPath: nil, container: nil, environment: nil))

    /// A container by its name, such as org.example.notes.
    ///
    /// - Parameters:
    ///   - identifier: The name, one of those in the manifest. A program without a manifest may name any.
    ///   - environment: For a program without a manifest; nil for that of the manifest, and production where there is none.
    ///   - socketPath: Where `waymark-sync` listens; nil for WAYMARK_SYNC_SOCKET, and otherwise the socket of the person, or for
    ///     root that of the machine.
    public init(identifier: String, environment: Environment? = nil, socketPath: String? = nil) {
        self.init(SyncClient(socketPath: socketPath, container: identifier, environment: environment?.rawValue))
    }

    private init(_ client: SyncClient) { self.client = client }

    /// The name; nil for the first container of the manifest.
    public var containerIdentifier: String? { client.container }

    // Databases

    /// The records of the account.
    public var privateDatabase: Database { Database(client, .private) }
    /// The zones that other accounts share with this one.
    public var sharedDatabase: Database { Database(client, .shared) }

    /// The records of everybody who uses the container, at the hub. Who may make, read and change them is in the schema.
    ///
    ///     let reports = try await Container.default.publicDatabase.records(matching: RecordQuery(recordType: "Report"))
    public var publicDatabase: Database { Database(client, .public) }

    // The account

    /// The account that this machine has joined.
    public func account() async throws -> Account { Account(try await client.call(SyncInterface.GetAccount())) }

    /// The identifier of the account for this container, a UUID: the same on all machines of the account, and another one for each
    /// container, so that apps of different containers cannot compare theirs. What the record of a user is in CloudKit.
    ///
    ///     let owner = try await Container.default.accountIdentifier()
    ///
    /// - Throws: `notAuthenticated` without an account.
    public func accountIdentifier() async throws -> String {
        try await client.call(SyncInterface.GetAccountIdentifier(container: client.container)).identifier
    }

    /// Whether the machine has joined an account.
    ///
    /// - Returns: `couldNotDetermine` while `waymark-sync` cannot be reached, or the copy on this machine is sealed and not
    ///   unlocked yet.
    public func accountStatus() async throws -> Account.Status {
        do { return try await account().status } catch let error as RecordError
            where error.code == .serviceUnavailable || error.code == .protectedDataUnavailable
        {
            return .couldNotDetermine
        }
    }

    /// The account now, and after each change. A `waymark-sync` that is restarted is waited for.
    public var accountChanges: AccountChanges { AccountChanges(client: client.client) }

    /// Sends and fetches everything at once, and returns when there is nothing left to send or to fetch.
    ///
    /// - Throws: `networkUnavailable` if the hub cannot be reached.
    public func synchronize() async throws { _ = try await client.call(SyncInterface.Synchronize()) }

    // Zones of others

    /// The zones, and records in zones, that others share with this account or invite it to, as the hub has them. Needs the hub.
    public func sharedZones() async throws -> [SharedZone] {
        try await client.call(
            SyncInterface.ListSharedZones(container: client.container, environment: client.environment)
        ).zones.map(SharedZone.init)
    }

    /// Accepts a zone or a record that another account shares. Its records appear in the shared database. Needs the hub.
    public func accept(_ zone: SharedZone) async throws { try await answer(zone, true) }

    /// Leaves a zone or a record of another account, or declines its invitation. Needs the hub.
    public func leave(_ zone: SharedZone) async throws { try await answer(zone, false) }

    private func answer(_ zone: SharedZone, _ accepts: Bool) async throws {
        _ = try await client.call(
            SyncInterface.AcceptZone(
                container: client.container, environment: client.environment, owner: zone.zoneID.ownerName,
                zone: zone.zoneID.zoneName, accept: accepts,
                record: zone.rootRecordID?.recordName))
    }
}
