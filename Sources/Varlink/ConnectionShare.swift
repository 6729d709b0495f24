import Platform

/// To whose share of all connections a client's connection counts.
public enum ConnectionShare: Hashable, Sendable {
    /// Root, whose connections are bounded only with those of all.
    case root
    /// An operator of this user id.
    case `operator`(UInt32)
    /// The account of this user id.
    case account(UInt32)
    /// All user ids together that belong to no account: whoever has a range of subordinate ids has thousands of them.
    case unaccounted
}

/// Decides to whose share of all connections a client's connection counts.
@DaemonActor
public protocol ConnectionSharing: AnyObject {
    /// The share of a client. The server queries it for each connection before it accepts the connection.
    func share(of peer: PeerIdentity) -> ConnectionShare
}

/// How many connections there are of each share, and whether there is room for one more.
struct ConnectionCounts {
    /// Why there is no room.
    enum Refusal: Equatable {
        case inAll, forUser
    }

    private var counts: [ConnectionShare: Int] = [:]
    /// How many there are in all.
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

    /// Why a further connection of this share is refused; nil where it is not.
    ///
    /// | of 16,384 with 16 and 128 reserved | root | operator | account | unaccounted |
    /// | --- | --- | --- | --- | --- |
    /// | in all | 16,384 | 16,368 | 16,240 | 16,240 |
    /// | of one share | no bound | 64 | 64 | 64 |
    func refusal(of share: ConnectionShare, under limits: ServerLimits) -> Refusal? {
        let most = limits.maximumConnections
        // A server with few connections keeps most of them for everybody.
        let forRoot = min(limits.reservedForRoot, most / 8)
        let forOperators = min(limits.reservedForOperators, most / 8)
        let room =
            switch share {
            case .root: most
            case .operator: most - forRoot
            case .account, .unaccounted: most - forRoot - forOperators
            }
        if total >= room { return .inAll }
        if share != .root, counts[share, default: 0] >= limits.maximumConnectionsPerUser { return .forUser }
        return nil
    }
}
