import Containers
import JSONText

extension [Subscription] {
    /// The subscriptions of an account in a database, as JSON.
    public var json: [UInt8] {
        JSONWriter.list("subscriptions", self) { subscription, writer in
            writer.member("name", subscription.name.text)
            subscription.subject.writeMembers(to: &writer)
        }
    }

    /// Reads a list of a hub about a container.
    public init(_ container: Container, json: [UInt8]) throws(FormatError) {
        self = try Node(written: json, depth: Query.jsonDepth + 4).member("subscriptions").map {
            (node) throws(FormatError) in
            Subscription(try node.member("name").name(), try Subscription.Subject(container, node))
        }
    }
}

extension Subscription.Subject {
    /// The subject as JSON: an empty object for a database.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writeMembers(to: &$0) }
        return writer.bytes
    }

    /// Reads the body of a request about a container.
    public init(_ container: Container, json: [UInt8]) throws(FormatError) {
        try self.init(
            container, Node(request: json, most: Query.Limit.bytes + 16_384, depth: Query.jsonDepth + 1))
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .database: break
        case .zone(let zone): writer.object("zone") { zone.writeMembers(to: &$0) }
        case .query(let subject):
            writer.key("query")
            subject.query.write(to: &writer)
            if let zone = subject.zone { writer.object("zone") { zone.writeMembers(to: &$0) } }
            writer.member("on", subject.events.map(\.rawValue).sorted())
            if subject.isOnce { writer.member("once", true) }
            if let alert = subject.alert {
                writer.key("alert")
                alert.write(to: &writer)
            }
        }
    }

    fileprivate init(_ container: Container, _ node: Node) throws(FormatError) {
        let zone = try node.optional("zone").map { (node) throws(FormatError) in try ZoneID(container, node) }
        guard let query = try node.optional("query") else {
            self = zone.map { .zone($0) } ?? .database
            return
        }
        let on = try node.member("on")
        let events = try on.map { (node) throws(FormatError) -> QuerySubject.Event in try node.word() }
        guard !events.isEmpty else { throw on.error(.outOfRange) }
        let read = try Query(query)
        // A push has no place in an order.
        guard read.order.isEmpty else { throw query.error(.outOfRange) }
        self = .query(
            QuerySubject(
                read, in: zone, on: Set(events), once: try node.optional("once")?.bool() ?? false,
                alert: try node.optional("alert").map { (node) throws(FormatError) in try SubscriptionAlert(node) }))
    }
}

extension [Push] {
    /// Pushes to one device, as JSON: the account and the device are not in it.
    public var json: [UInt8] {
        JSONWriter.list("pushes", self) { push, writer in
            writer.member("container", push.target.container.name.text)
            writer.member("environment", push.target.container.environment.rawValue)
            writer.member("database", push.database.kind.rawValue)
            writer.object("zone") { push.zone.writeMembers(to: &$0) }
            writer.member("subscription", push.subscription?.text)
            writer.member("position", push.position)
        }
    }

    /// Reads pushes to a device: those of a hub, or those that the device acknowledges.
    public init(to device: AccountDevice, json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let list = try Node(request: json, most: limits.requestBytes).member("pushes")
        guard try list.elements().count <= limits.records else { throw list.error(.tooLarge(.records)) }
        self = try list.map { (node) throws(FormatError) in
            let container = Container(
                try node.member("container").name(), try node.member("environment").word())
            let place = try node.member("database")
            guard let scope = DatabaseScope(rawValue: try place.string()) else { throw place.error(.invalidName) }
            let position = try node.member("position")
            guard let counter = UInt64(exactly: try position.integer()) else { throw position.error(.outOfRange) }
            return Push(
                PushTarget(container, device.account, device.device), DatabaseID(container, scope, of: device.account),
                try ZoneID(container, try node.member("zone")),
                try node.optional("subscription").map { (node) throws(FormatError) in
                    guard let name = SubscriptionName(inPush: try node.string()) else { throw node.error(.invalidName) }
                    return name
                }, counter)
        }
    }
}
