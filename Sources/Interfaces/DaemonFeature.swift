/// A capability that not every daemon of the same protocol has, because it depends on the build, the machine or the
/// configuration: `GetInfo` lists the present ones.
///
/// A daemon may list features that this release does not know; these are ignored.
public struct DaemonFeature: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The feature's name in the protocol.
    public let rawValue: String

    /// The feature of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Positions: a receiver is configured. A daemon without this feature may run for the network alone, so there is no
    /// reason to ask a person to allow positions.
    public static let positions = DaemonFeature(rawValue: "positions")
    /// Recordings and the decisions for apps are stored. Without this feature an app has to store and send its
    /// positions itself.
    public static let recordings = DaemonFeature(rawValue: "recordings")
    /// The path, and hosts by address: the kernel can be queried. Without this feature a program has to try to connect.
    public static let reachability = DaemonFeature(rawValue: "reachability")
    /// Hosts by name. Without this feature a program has to resolve the name itself and to query the address.
    public static let hostNames = DaemonFeature(rawValue: "hostNames")
    /// A service manager stores connections during an orderly restart. Without this feature a restart closes them, as a
    /// crash always does, and clients connect again.
    public static let preservedConnections = DaemonFeature(rawValue: "preservedConnections")

    /// The features that this release knows, in the order in which they are listed.
    public static let known: [DaemonFeature] = [
        .positions, .recordings, .reachability, .hostNames, .preservedConnections,
    ]

    /// The name.
    public var description: String { rawValue }
}
