import Containers
import JSONText
import Records

/// What an address of the hub names.
enum Resource {
    /// The hub itself.
    case hub
    /// The description of the interface, an OpenAPI document.
    case description
    /// The place at which an invited device joins.
    case join
    /// The device that sends the request.
    case device
    /// The pushes to the device that sends the request.
    case pushes
    /// Whether the device gets pushes of a container.
    case registration(Container)
    /// Part of a database of the caller's account.
    case database(Container, DatabaseScope, DatabasePart)
    /// Part of a zone.
    case zone(ZoneID, ZonePart)
    /// The types of a container.
    case schema(Container)
    /// What a deployment would change in production.
    case schemaDifferences(ContainerName)
    /// The team of a container, or one account of it.
    case team(ContainerName, AccountID?)

    enum DatabasePart {
        case changes, zones, subscriptions
        case subscription(SubscriptionName)

        var isSubscription: Bool {
            switch self {
            case .changes, .zones: false
            case .subscriptions, .subscription: true
            }
        }
    }

    enum ZonePart {
        case changes, records, query, participants
        case record(RecordName)
        /// The upload of an asset with this digest.
        case upload([UInt8])
        /// The asset with this digest that a record has.
        case asset([UInt8], of: RecordName)
    }

    /// The owner of the zone of a public database, in an address. No account has this name.
    static let publicOwner = "_public"
    /// The version of the interface, the first part of each address.
    static let version = "v1"
}

extension Resource {
    /// The resource with this address; nil if there is none.
    init?(path: [String]) {
        guard path.first == Self.version else { return nil }
        switch Array(path.dropFirst()) {
        case [], [""]: self = .hub
        case ["openapi.json"]: self = .description
        case ["join"]: self = .join
        case ["device"]: self = .device
        case ["pushes"]: self = .pushes
        case let parts where parts.first == "team": self.init(team: Array(parts.dropFirst()))
        default:
            guard path.count >= 4, let environment = ContainerEnvironment(rawValue: path[1]),
                let name = ContainerName(path[2])
            else { return nil }
            self.init(in: Container(name, environment), path[3], path.dropFirst(4))
        }
    }

    private init?(team path: [String]) {
        guard (1...2).contains(path.count), let name = ContainerName(path[0]) else { return nil }
        guard path.count == 2 else {
            self = .team(name, nil)
            return
        }
        guard let account = AccountID(path[1]) else { return nil }
        self = .team(name, account)
    }

    private init?(in container: Container, _ room: String, _ path: ArraySlice<String>) {
        let path = Array(path)
        switch (room, path.count) {
        case ("device", 0): self = .registration(container)
        case ("schema", 0): self = .schema(container)
        case ("schema", 1):
            guard path[0] == "differences", container.environment == .production else { return nil }
            self = .schemaDifferences(container.name)
        case ("zones", 3...6):
            guard let zone = Self.zone(container, owner: path[0], name: path[1]),
                let part = ZonePart(Array(path.dropFirst(2)))
            else { return nil }
            self = .zone(zone, part)
        case (_, 1...2):
            guard let scope = DatabaseScope(rawValue: room), let part = DatabasePart(path),
                scope != .public || part.isSubscription
            else { return nil }
            self = .database(container, scope, part)
        default: return nil
        }
    }

    private static func zone(_ container: Container, owner: String, name: String) -> ZoneID? {
        let zone = name == ZoneName.defaultZone.text ? ZoneName.defaultZone : ZoneName(name)
        guard let zone else { return nil }
        if owner == publicOwner { return ZoneID(container, owner: nil, zone) }
        return AccountID(owner).map { ZoneID(container, owner: $0, zone) }
    }
}

extension Resource.DatabasePart {
    fileprivate init?(_ path: [String]) {
        switch (path[0], path.count) {
        case ("changes", 1): self = .changes
        case ("zones", 1): self = .zones
        case ("subscriptions", 1): self = .subscriptions
        case ("subscriptions", 2):
            guard let name = SubscriptionName(path[1]) else { return nil }
            self = .subscription(name)
        default: return nil
        }
    }
}

extension Resource.ZonePart {
    fileprivate init?(_ path: [String]) {
        switch (path[0], path.count) {
        case ("changes", 1): self = .changes
        case ("records", 1): self = .records
        case ("query", 1): self = .query
        case ("participants", 1): self = .participants
        case ("records", 2):
            guard let name = RecordName(path[1]) else { return nil }
            self = .record(name)
        case ("assets", 2):
            guard let digest = Self.digest(path[1]) else { return nil }
            self = .upload(digest)
        case ("records", 4):
            guard let name = RecordName(path[1]), path[2] == "assets", let digest = Self.digest(path[3]) else {
                return nil
            }
            self = .asset(digest, of: name)
        default: return nil
        }
    }

    private static func digest(_ text: String) -> [UInt8]? {
        HexText.bytes(of: text).flatMap { $0.count == Asset.digestSize ? $0 : nil }
    }
}

extension Resource {
    /// The methods that the resource has.
    var methods: [String] {
        switch self {
        case .hub, .description: ["GET"]
        case .join: ["POST"]
        case .device: ["GET", "DELETE"]
        case .pushes: ["GET", "POST"]
        case .registration: ["PUT", "DELETE"]
        case .database(_, .private, .zones): ["POST"]
        case .database(_, _, .zones): ["GET"]
        case .database(_, _, .changes), .database(_, _, .subscriptions): ["GET"]
        case .database(_, _, .subscription): ["PUT", "DELETE"]
        case .schema(let container): ["GET", container.environment == .development ? "PUT" : "POST"]
        case .schemaDifferences, .team(_, nil): ["GET"]
        case .team: ["PUT", "DELETE"]
        case .zone(_, .changes): ["GET"]
        case .zone(_, .records), .zone(_, .participants): ["GET", "POST"]
        case .zone(_, .query): ["POST"]
        case .zone(_, .record): ["GET", "PUT", "PATCH", "DELETE"]
        case .zone(_, .upload): ["HEAD", "PUT", "PATCH", "DELETE"]
        case .zone(_, .asset): ["GET", "HEAD"]
        }
    }

    /// Whether a request without an account can succeed.
    func isOpenToAnybody(_ method: String) -> Bool {
        switch self {
        case .hub, .description, .join: true
        case .zone(let zone, .records), .zone(let zone, .record): zone.owner == nil && method == "GET"
        case .zone(let zone, .query): zone.owner == nil
        case .zone(let zone, .asset): zone.owner == nil
        default: false
        }
    }
}
