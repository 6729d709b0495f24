import JSONText
import Records
import SyncInterface

/// Changes of records that a query finds, of which the other devices of the account get pushes: what `CKQuerySubscription` is in
/// CloudKit. An app with `For=push` in its manifest is started by them.
///
///     let subscription = QuerySubscription(
///         recordType: "Note", filter: .greater("priority", than: 3), subscriptionID: "important",
///         options: [.firesOnRecordCreation, .firesOnRecordUpdate])
///     try await database.save(subscription)
///
/// `SyncEngine` and the copy on a machine get every change without a subscription.
public struct QuerySubscription: Equatable, Sendable {
    /// Which changes are pushed, with the names of `CKQuerySubscription.Options`.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A record is made.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record is changed, and the query finds it afterwards.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that the query has found is deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The subscription is removed with its first push.
        public static let firesOnce = Options(rawValue: 8)

        fileprivate static let events: [(option: Options, event: QuerySubject.Event)] = [
            (.firesOnRecordCreation, .create), (.firesOnRecordUpdate, .update), (.firesOnRecordDeletion, .delete),
        ]
    }

    /// The name, which the app chooses; unique in the database. One that is saved replaces another one with its name.
    public let subscriptionID: String
    /// The type of the records.
    public let recordType: String
    /// The condition; nil for all records of the type. A subscription that was read from the hub has none that could be read.
    public let filter: RecordFilter?
    /// Which changes are pushed.
    public let querySubscriptionOptions: Options
    /// The zone; nil for all zones of the database.
    public var zoneID: RecordZone.ID?
    /// What the account's other machines show to the person, whether or not the app runs there; nil for silent pushes.
    public var notificationInfo: NotificationInfo?

    /// A subscription to the changes of records of a type that fulfil a condition.
    public init(recordType: String, filter: RecordFilter? = nil, subscriptionID: String, options: Options) {
        self.recordType = recordType
        self.filter = filter
        self.subscriptionID = subscriptionID
        querySubscriptionOptions = options
    }

    fileprivate func json() throws(RecordError) -> JSON {
        let query = try RecordQuery(recordType: recordType, filter: filter).query()
        let events = Options.events.filter { querySubscriptionOptions.contains($0.option) }.map(\.event)
        guard !events.isEmpty else {
            throw RecordError(.invalidArguments, "The options have no change after which the subscription fires.")
        }
        var members = [
            JSON.Member("query", try Self.parse(query.json)),
            JSON.Member("on", .array(events.map { .string($0.rawValue) })),
        ]
        if let zoneID {
            var zone = [JSON.Member("name", .string(zoneID.zoneName))]
            if let owner = zoneID.owner { zone.append(JSON.Member("owner", .string(owner))) }
            members.append(JSON.Member("zone", .object(zone)))
        }
        if querySubscriptionOptions.contains(.firesOnce) { members.append(JSON.Member("once", .bool(true))) }
        if let alert = notificationInfo?.json { members.append(JSON.Member("alert", alert)) }
        return .object(members)
    }

    private static func parse(_ json: [UInt8]) throws(RecordError) -> JSON {
        do throws(JSONError) { return try JSON.parse(json) } catch {
            throw RecordError(.invalidArguments, "The condition cannot be written: \(error).")
        }
    }

    /// Nil for a subscription that is none to a query.
    fileprivate init?(_ json: JSON, in scope: Database.Scope) {
        guard let name = json["name"]?.stringValue, let type = json["query"]?["type"]?.stringValue else { return nil }
        let events = (json["on"]?.arrayValue ?? []).compactMap(\.stringValue)
        var options: Options = json["once"]?.boolValue == true ? .firesOnce : []
        for (option, event) in Options.events where events.contains(event.rawValue) { options.insert(option) }
        let filter = (json["query"]?["filter"]).flatMap { RecordFilter(stored: $0) }
        self.init(recordType: type, filter: filter, subscriptionID: name, options: options)
        if let zone = json["zone"], let text = zone["name"]?.stringValue {
            let owner = scope == .private ? nil : zone["owner"]?.stringValue
            zoneID = RecordZone.ID(owner: owner, name: text)
        }
        notificationInfo = json["alert"].map { NotificationInfo($0) }
    }
}

/// Subscriptions need the hub: their calls throw `networkUnavailable` without it, and `serverRejectedRequest` if it refuses
/// them.
extension Database {
    private var name: String { databaseScope.word }

    /// Stores a subscription, instead of the one with its name.
    @discardableResult
    public func save(_ subscription: QuerySubscription) async throws -> QuerySubscription {
        if let zone = subscription.zoneID { try require(zone) }
        _ = try await client.call(
            SyncInterface.SaveSubscription(
                container: client.container, environment: client.environment, database: name,
                name: subscription.subscriptionID, subscription: try subscription.json()))
        return subscription
    }

    /// The subscriptions to queries of the account in this database, also those of its other devices.
    public func allSubscriptions() async throws -> [QuerySubscription] {
        try await client.call(
            SyncInterface.ListSubscriptions(
                container: client.container, environment: client.environment, database: name)
        ).subscriptions.compactMap { QuerySubscription($0, in: databaseScope) }
    }

    /// A subscription.
    ///
    /// - Throws: `unknownItem` if there is none with this name.
    public func subscription(for subscriptionID: String) async throws -> QuerySubscription {
        guard let found = try await allSubscriptions().first(where: { $0.subscriptionID == subscriptionID }) else {
            throw RecordError(.unknownItem, "There is no subscription \(subscriptionID).")
        }
        return found
    }

    /// Removes a subscription. One that does not exist is no error.
    public func deleteSubscription(withID subscriptionID: String) async throws {
        _ = try await client.call(
            SyncInterface.DeleteSubscription(
                container: client.container, environment: client.environment, database: name, name: subscriptionID))
    }
}
