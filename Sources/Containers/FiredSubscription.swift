/// A subscription to records that has fired, as an app has named it.
public struct FiredSubscription: Hashable, Sendable {
    /// The database.
    public let database: DatabaseScope
    /// The name, unique in the database: 1 to 255 bytes.
    public let name: String

    /// A subscription with this name; nil if no subscription has such a name.
    public init?(_ database: DatabaseScope, _ name: String) {
        guard (1...255).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.database = database
        self.name = name
    }

    /// The most of an event or of a report. Of more, the latest are retained.
    public static let most = 16

    /// The subscriptions of an event that replaces another one: each once, the latest last.
    public static func joined(_ earlier: [FiredSubscription], _ later: [FiredSubscription]) -> [FiredSubscription] {
        var joined: [FiredSubscription] = []
        for fired in (earlier + later).reversed() where !joined.contains(fired) && joined.count < most {
            joined.append(fired)
        }
        return joined.reversed()
    }
}
