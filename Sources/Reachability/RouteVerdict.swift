import NetworkPaths

/// A router on a link.
public struct Gateway: Hashable, Sendable {
    /// Its address.
    public var address: IPAddress
    /// The interface.
    public var interface: Int32

    /// Creates a gateway.
    public init(_ address: IPAddress, on interface: Int32) {
        self.address = address
        self.interface = interface
    }

    /// The doubt about a router that has not replied.
    public enum Doubt: Equatable, Sendable {
        /// Unreachable: it was tried within the patience.
        case failing
        /// Possibly back: nothing has tried it since.
        case suspect
    }
}

/// How the kernel would handle a packet to one address, and the conclusions from that.
public struct RouteVerdict: Equatable, Sendable {
    /// Whether the kernel would send the packet, or deliver it on this machine.
    public enum Outcome: Equatable, Sendable {
        /// The kernel would send it.
        case usable
        /// There is a route, but its interface has no carrier or no address yet.
        case needsConnection(UnreachableReason)
        /// The kernel would refuse, or send it to an unreachable router.
        case refused(UnreachableReason)
        /// The kernel did not reply.
        case unanswered

        /// The reason why it is not usable; nil if it is.
        var reason: UnreachableReason? {
            switch self {
            case .usable: nil
            case .needsConnection(let reason), .refused(let reason): reason
            case .unanswered: .kernelNotAnswering
            }
        }
    }

    /// Whether the kernel would send the packet, or deliver it on this machine.
    public var outcome: Outcome
    /// The route; nil if there is none.
    public var route: Route?
    /// The interface; nil if there is no route.
    public var link: Link?
    /// The router; nil if the destination is on the link.
    public var gateway: IPAddress?
    /// The source address of the packet.
    public var source: IPAddress?
    /// Whether the packet stays on this machine.
    public var isLocal = false
    /// The routers that have not replied, with the doubt about each.
    public var doubts: [Gateway: Gateway.Doubt] = [:]
    /// Whether its IPv6 router has failed and is being tried again.
    var isOnTrial = false
    /// Whether the kernel's two replies name different interfaces: the one for the packet without a source address, and the one for
    /// the packet with the source address of the first reply.
    var isDiverted = false
    /// How long the outcome stays valid without an announcement: until an unreachable router may be tried again. Nil
    /// for no limit.
    public var recheckAfter: Duration?

    /// A verdict without a route.
    public init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    /// Whether the router has failed and nothing has tried it since.
    public var isSuspect: Bool { isUsable && doubt == .suspect }

    /// Whether its router has failed, and has not replied since.
    var isInDoubt: Bool { doubt != nil }

    /// Whether the route may be about to disappear: it depends on something that no longer exists, or on a router that
    /// the kernel skips, or the routes have changed between the kernel's replies.
    var mayBePassing: Bool {
        if isDiverted { return true }
        if isInDoubt, !isOnTrial, gateway?.family == .ipv6 { return true }
        return switch outcome {
        case .needsConnection(.noCarrier): link?.isUp == false
        case .needsConnection(.noAddress): true
        default: false
        }
    }

    private var doubt: Gateway.Doubt? {
        guard !doubts.isEmpty, let link, let gateway else { return nil }
        return doubts[Gateway(gateway, on: link.index)]
    }

    /// Whether the destination is on the link.
    public var isDirect: Bool {
        guard !isLocal, let route, gateway == nil else { return false }
        return [.unicast, .anycast, .broadcast, .multicast].contains(route.kind)
    }

    /// The reason why it is not usable; nil if it is.
    public var reason: UnreachableReason? { outcome.reason }

    /// Whether the kernel would send it.
    var isUsable: Bool {
        if case .usable = outcome { true } else { false }
    }

    /// Whether it is refused, and stays refused until an announcement.
    var isFinal: Bool { rank == 0 && recheckAfter == nil }

    /// Its rank: more is better.
    var rank: Int {
        switch outcome {
        case .usable: isSuspect ? 3 : 4
        case .needsConnection: 2
        case .unanswered: 1
        case .refused: 0
        }
    }

    /// Adds the doubts about routers of another verdict, and shortens the validity to that verdict's.
    mutating func note(_ other: RouteVerdict) {
        if !other.doubts.isEmpty { doubts.merge(other.doubts) { $1 } }
        if let after = other.recheckAfter { recheckAfter = min(recheckAfter ?? after, after) }
    }
}
