import Containers
import JSONText
import Records

/// Addresses of the hub's interface, below the hub's own.
enum HubAddress {
    static func registration(_ container: Container) -> String { place(container) + "/device" }

    /// The name of the subscription that this program makes.
    static let ownSubscription = "waymark-sync"

    /// The subscriptions in a database.
    static func subscriptions(_ container: Container, _ database: DatabaseScope) -> String {
        "\(place(container))/\(database.rawValue)/subscriptions"
    }

    /// A subscription of an app.
    static func subscription(_ name: SubscriptionName, _ container: Container, _ database: DatabaseScope) -> String {
        subscriptions(container, database) + "/" + PercentEncoding.segment(name.text)
    }

    /// The subscription that this program makes: one for each database, which covers all of its zones.
    static func subscription(_ container: Container, _ scope: DatabaseScope) -> String {
        subscriptions(container, scope) + "/\(ownSubscription)"
    }

    static func changes(_ container: Container, _ scope: DatabaseScope, token: [UInt8]?) -> String {
        "\(place(container))/\(scope.rawValue)/changes" + query(token)
    }

    static func zones(_ container: Container) -> String { place(container) + "/private/zones" }
    static func sharedZones(_ container: Container) -> String { place(container) + "/shared/zones" }

    static func changes(_ zone: ZoneID, token: [UInt8]?) -> String { place(zone) + "/changes" + query(token) }
    static func records(_ zone: ZoneID) -> String { place(zone) + "/records" }

    /// The addresses of records with these names: several, so that each has a length that every hub accepts.
    static func records(_ zone: ZoneID, named names: [RecordName]) -> [String] {
        var addresses: [String] = []
        var address = ""
        for name in names {
            let argument = "name=" + PercentEncoding.segment(name.text)
            if !address.isEmpty, address.utf8.count + argument.utf8.count > 4_000 {
                addresses.append(address)
                address = ""
            }
            address += (address.isEmpty ? records(zone) + "?" : "&") + argument
        }
        return address.isEmpty ? addresses : addresses + [address]
    }

    /// The upload of an asset to a zone.
    static func upload(_ digest: [UInt8], to zone: ZoneID) -> String { "\(place(zone))/assets/\(HexText.text(digest))" }

    /// An asset that a record has.
    static func asset(_ digest: [UInt8], of record: RecordName, in zone: ZoneID) -> String {
        "\(records(zone))/\(PercentEncoding.segment(record.text))/assets/\(HexText.text(digest))"
    }

    static func query(_ zone: ZoneID, after cursor: [UInt8]?, limit: Int) -> String {
        place(zone) + "/query?limit=\(limit)" + (cursor.map { "&cursor=" + HexText.text($0) } ?? "")
    }

    /// The team of a container.
    static func team(_ container: ContainerName) -> String { "/v1/team/\(container.text)" }

    /// An account in it.
    static func team(_ container: ContainerName, _ account: AccountID) -> String {
        team(container) + "/\(account.text)"
    }

    /// The schema of a container in one environment.
    static func schema(_ container: Container) -> String { place(container) + "/schema" }

    static func participants(_ zone: ZoneID) -> String { place(zone) + "/participants" }

    private static func query(_ token: [UInt8]?) -> String { token.map { "?token=" + HexText.text($0) } ?? "" }

    private static func place(_ container: Container) -> String {
        "/v1/\(container.environment.rawValue)/\(container.name.text)"
    }

    private static func place(_ zone: ZoneID) -> String {
        "\(place(zone.container))/zones/\(zone.owner?.text ?? "_public")/\(PercentEncoding.segment(zone.name.text))"
    }
}
