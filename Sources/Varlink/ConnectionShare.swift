import Platform

/// A quota of connections, named for the clients that use it together. The server counts each connection to one quota, and refuses a
/// connection whose quota is used up (`ServerLimits.maximumConnectionsPerUser`), so that no client uses up the connections of others.
public enum ConnectionShare: Hashable, Sendable {
    /// The connections of root, which are limited only by the number of connections in all.
    case root
    /// The connections of the operator with this user id, for whom some of all connections are reserved.
    case `operator`(UInt32)
    /// The connections of all processes of the account with this user id.
    case account(UInt32)
    /// The connections of the system service with this name, or of all instances of the template with this name, whichever user ids
    /// their processes have.
    case unit(String)
    /// The connections of all user ids without an account. They have one quota together because a user can have thousands of such ids,
    /// a range of subordinate ones, subuid(5).
    case unaccounted
}

/// Decides to which quota a client's connection is counted.
@DaemonActor
public protocol ConnectionSharing: AnyObject {
    /// The quota of a client. The server queries it for each connection before it accepts the connection.
    func share(of peer: PeerIdentity) -> ConnectionShare
}

/// Counts the connections of each quota, and decides whether one more is permitted.
struct ConnectionCounts {
    /// The limit that is reached.
    enum Refusal: Equatable {
        case inAll, forUser
    }

    private var counts: [ConnectionShare: Int] = [:]
    /// The number of connections in all.
    private(set) var total = 0

    mutating func add(_ share: ConnectionShare) {
        counts[share, default: 0] += 1
        total += 1
    }

    mutating func remove(_ share: ConnectionShare) {
        guard let count = counts[share] else { return }
        counts[share] = count > 1 ? count - 1 : nil
        total -= 1
    }

    /// Why a further connection of this quota is refused; nil if it is permitted.
    ///
    /// With the default limits, which reserve 16 of 16,384 connections for root and 128 for root and operators, a connection is refused
    /// when there are already this many:
    ///
    /// | | root | operator | account, unit or unaccounted |
    /// | --- | --- | --- | --- |
    /// | in all | 16,384 | 16,368 | 16,240 |
    /// | of its quota | no limit | 64 | 64 |
    func refusal(of share: ConnectionShare, under limits: ServerLimits) -> Refusal? {
        let most = limits.maximumConnections
        // If the server has few connections in all, the reserved part is smaller.
        let forRoot = min(limits.reservedForRoot, most / 8)
        let forOperators = min(limits.reservedForOperators, most / 8)
        let room =
            switch share {
            case .root: most
            case .operator: most - forRoot
            case .account, .unit, .unaccounted: most - forRoot - forOperators
            }
        if total >= room { return .inAll }
        if share != .root, counts[share, default: 0] >= limits.maximumConnectionsPerUser { return .forUser }
        return nil
    }
}
