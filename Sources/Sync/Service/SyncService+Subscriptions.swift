import Containers
import JSONText
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// Subscriptions of apps to queries. They are sent to the hub at once, and are not part of the copy.
extension SyncService {
    func saveSubscription(_ call: MethodCall<SyncInterface.SaveSubscription>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let address = try address(parameters.name, container, parameters.database)
        let subject: Subscription.Subject
        do throws(FormatError) {
            subject = try Subscription.Subject(container, json: parameters.subscription.bytes)
        } catch { throw .invalidArgument(argument: "subscription", message: "It is no subscription: \(error).") }
        guard case .query(var query) = subject else {
            throw .invalidArgument(
                argument: "subscription", message: "It has no query. Changes of zones come without one.")
        }
        if query.zone != nil, query.zone?.owner == nil, try Self.database(parameters.database) == .private {
            query.zone?.owner = try account.id.account
        }
        // The hub pushes changes of a container that is in the copy.
        _ = try write { (tables) throws(StorageError) in try tables.open(container) }
        try send(.put, address, body: Subscription.Subject.query(query).json) { [weak self, call = call.later] reply in
            call.answer { () throws(Failure) in
                try Self.require(reply)
                try self?.readAlertsAgain(container)
                return .init()
            }
        }
    }

    func deleteSubscription(_ call: MethodCall<SyncInterface.DeleteSubscription>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        try send(.delete, address(parameters.name, container, parameters.database)) {
            [weak self, call = call.later] reply in
            call.answer { () throws(Failure) in
                try Self.require(reply)
                try self?.readAlertsAgain(container)
                return .init()
            }
        }
    }

    func listSubscriptions(_ call: MethodCall<SyncInterface.ListSubscriptions>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let database = try Self.database(parameters.database)
        try send(.get, HubAddress.subscriptions(container, database)) { [call = call.later] reply in
            call.answer { () throws(Failure) in
                let body = try Self.require(reply)
                guard
                    let list = try? JSON.parse(body, maximumDepth: 32, maximumValues: 1 << 16)["subscriptions"]?
                        .arrayValue
                else { throw .networkUnavailable(message: HubReply.strange(status: 200).problem ?? "") }
                return .init(
                    subscriptions: list.filter { $0["name"]?.stringValue != HubAddress.ownSubscription })
            }
        }
    }

    /// The hub notifies the other machines only.
    private func readAlertsAgain(_ container: Container) throws(Failure) {
        try write { (tables) throws(StorageError) in
            if let row = try tables.find(container) { try tables.markAlertsStale(row.id) }
        }
        carrier.workSoon()
    }

    private func address(_ name: String, _ container: Container, _ database: String?) throws(Failure) -> String {
        let subscription = try Self.name(name, "name", SubscriptionName.init, "a subscription")
        guard name != HubAddress.ownSubscription else {
            throw .invalidArgument(argument: "name", message: "This subscription is the one of waymark-sync.")
        }
        return HubAddress.subscription(subscription, container, try Self.database(database))
    }

    private static func database(_ name: String?) throws(Failure) -> DatabaseScope {
        guard let name else { return .private }
        guard let scope = DatabaseScope(rawValue: name) else {
            throw .invalidArgument(argument: "database", message: "It is private, shared or public.")
        }
        return scope
    }
}
