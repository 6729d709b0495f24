/// Something that a daemon offers and another one of the same protocol may not, because of how it was built, on which
/// machine it runs or what it is told to do: `GetInfo` tells which it has at the moment.
///
/// A daemon may tell features that this release does not know, which mean nothing to it.
public struct DaemonFeature: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Its word in the protocol.
    public let rawValue: String

    /// The feature of this word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Positions: a receiver is configured. Without it a daemon may be there for the network alone, and it is no use to
    /// ask a person to allow positions.
    public static let positions = DaemonFeature(rawValue: "positions")
    /// Recordings, and what was decided for apps, are stored. Without it an app has to keep its positions itself, and
    /// to send them itself.
    public static let recordings = DaemonFeature(rawValue: "recordings")
    /// The path and hosts by address: the kernel can be asked. Without it a program has to try.
    public static let reachability = DaemonFeature(rawValue: "reachability")
    /// Hosts by name. Without it a program has to look the name up itself, and to ask for the address.
    public static let hostNames = DaemonFeature(rawValue: "hostNames")
    /// A service manager stores connections while the daemon is restarted in order. Without it a restart closes them, as a
    /// crash always does: clients connect again.
    public static let preservedConnections = DaemonFeature(rawValue: "preservedConnections")

    /// Those that this release knows, in the order in which they are told.
    public static let known: [DaemonFeature] = [
        .positions, .recordings, .reachability, .hostNames, .preservedConnections,
    ]

    /// The word.
    public var description: String { rawValue }
}
