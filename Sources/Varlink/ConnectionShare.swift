import Platform

/// The quota to which a client's connection is counted.
public enum ConnectionShare: Hashable, Sendable {
    /// Root, which is limited only by the total number of connections.
    case root
    /// The operator with this user id.
    case `operator`(UInt32)
    /// The account with this user id.
    case account(UInt32)
    /// The system service with this name, or all instances of the template with this name, whoever their users are.
    case unit(String)
    /// All user ids without an account together, because a user with a range of subordinate ids has thousands of them.
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
    /// | of 16,384 with 16 and 128 reserved | root | operator | account | unaccounted |
    /// | --- | --- | --- | --- | --- |
    /// | in all | 16,384 | 16,368 | 16,240 | 16,240 |
    /// | of one share | no bound | 64 | 64 | 64 |
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
