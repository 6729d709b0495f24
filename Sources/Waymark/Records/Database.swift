import Interfaces
import SyncInterface

/// The records of an account in a container, those that others share with it, or those of everybody: what `CKDatabase` is in
/// CloudKit.
///
/// The private and the shared database are on this machine, whether or not there is a network. The public one is at the hub only:
/// each of its calls needs the hub, and throws `networkUnavailable` without it. It has the default zone only, and no changes to
/// follow; a `QuerySubscription` notifies of them.
///
/// All calls throw a `RecordError`, or `CancellationError` if their task is cancelled. A call that changes something may have
/// been done all the same then.
public struct Database: Sendable {
    /// Which database of the container.
    public enum Scope: Sendable, Equatable, CaseIterable {
        /// The records of the account.
        case `private`
        /// The zones that others share with the account.
        case shared
        /// The records of everybody, which are at the hub only.
        case `public`

        /// The word of `io.waymark.Sync` for it.
        var word: String {
            switch self {
            case .private: "private"
            case .shared: "shared"
            case .public: "public"
            }
        }

        init?(word: String) {
            guard let scope = Self.allCases.first(where: { $0.word == word }) else { return nil }
            self = scope
        }
    }

    /// When a save is applied if the record was changed elsewhere meanwhile, with the names of CloudKit.
    public enum SavePolicy: Sendable, Equatable, CaseIterable {
        /// Never: the app gets `serverRecordChanged`. Fields that the app has not changed stay.
        case ifServerRecordUnchanged
        /// Always; fields that the app has not changed stay.
        case changedKeys
        /// Always; the record has exactly the fields of the app's one afterwards.
        case allKeys
    }

    let client: SyncClient
    /// Which database of the container it is.
    public let databaseScope: Scope

    init(_ client: SyncClient, _ scope: Scope) {
        self.client = client
        databaseScope = scope
    }

    /// Whether a zone with this owner belongs to the database.
    func includes(owner: String?) -> Bool { (owner == nil) == (databaseScope == .private) }

    func require(_ zone: RecordZone.ID) throws(RecordError) {
        guard databaseScope != .public || zone == .default else {
            throw RecordError(.invalidArguments, "The public database has the default zone only.")
        }
        guard databaseScope != .public else { return }
        guard includes(owner: zone.owner) else {
            throw RecordError(.invalidArguments, "The zone \(zone) belongs to the other database of the container.")
        }
    }

    // Zones

    /// The zones of the copy; of the public database, the default zone.
    public func allRecordZones() async throws -> [RecordZone] {
        guard databaseScope != .public else { return [RecordZone(zoneID: .default)] }
        return try await client.call(
            SyncInterface.ListZones(container: client.container, environment: client.environment)
        ).zones.filter { includes(owner: $0.owner) }.map { zone in
            RecordZone(RecordZone.ID(owner: zone.owner, name: zone.name), isPending: zone.pending)
        }
    }

    /// A zone.
    ///
    /// - Throws: `zoneNotFound` if there is none with this ID.
    public func recordZone(for zoneID: RecordZone.ID) async throws -> RecordZone {
        if zoneID == .default, databaseScope != .shared { return RecordZone(zoneID: zoneID) }
        guard let zone = try await allRecordZones().first(where: { $0.zoneID == zoneID }) else {
            throw RecordError(.zoneNotFound, "There is no zone \(zoneID) here.")
        }
        return zone
    }

    /// Makes a zone of the account. One that exists stays as it is.
    @discardableResult
    public func save(_ zone: RecordZone) async throws -> RecordZone {
        try await modifyRecordZones(saving: [zone], deleting: [])
        return zone
    }

    /// Deletes a zone of the account with all its records. One that does not exist is no error.
    public func deleteRecordZone(withID zoneID: RecordZone.ID) async throws {
        try await modifyRecordZones(saving: [], deleting: [zoneID])
    }

    /// Makes and deletes zones of the account, all of them or none; at most 200.
    public func modifyRecordZones(saving zones: [RecordZone], deleting zoneIDs: [RecordZone.ID]) async throws {
        guard databaseScope != .public else {
            throw RecordError(.permissionFailure, "The public database has the default zone only.")
        }
        guard databaseScope == .private else {
            throw RecordError(.permissionFailure, "Zones of other accounts are made and deleted by their owners.")
        }
        for zone in zones.map(\.zoneID) + zoneIDs { try require(zone) }
        _ = try await client.call(
            SyncInterface.ModifyZones(
                container: client.container, environment: client.environment, save: zones.map(\.zoneID.zoneName),
                delete: zoneIDs.map(\.zoneName)))
    }

    /// How a record of the account is shared, with all that are below it: in a zone that the app has made.
    public func share(for recordID: Record.ID) -> Share {
        Share(client: client, zoneID: recordID.zoneID, rootRecordID: recordID)
    }

    /// How a zone of the account is shared.
    public func share(for zoneID: RecordZone.ID) -> Share { Share(client: client, zoneID: zoneID) }
}
