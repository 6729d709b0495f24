import NetworkPaths

/// A router on a link.
public struct Gateway: Hashable, Sendable {
    /// Its address.
    public var address: IPAddress
    /// The interface.
    public var interface: Int32

    /// A router on an interface's link.
    public init(_ address: IPAddress, on interface: Int32) {
        self.address = address
        self.interface = interface
    }

    /// What a router that has not answered is held for.
    public enum Doubt: Equatable, Sendable {
        /// Gone: it was tried within the patience.
        case failing
        /// Perhaps back: nobody has tried since.
        case suspect
    }
}

/// What the kernel would do with what is sent to one address, and what is to be thought of that.
public struct RouteVerdict: Equatable, Sendable {
    /// Whether it would arrive on the way at least.
    public enum Outcome: Equatable, Sendable {
        /// The kernel would send it.
        case usable
        /// There is a route, but its interface has no carrier or no address yet.
        case needsConnection(UnreachableReason)
        /// The kernel would refuse, or send it to a router that is gone.
        case refused(UnreachableReason)
        /// The kernel did not answer.
        case unanswered

        /// Why not; nil where it is usable.
        var reason: UnreachableReason? {
            switch self {
            case .usable: nil
            case .needsConnection(let reason), .refused(let reason): reason
            case .unanswered: .kernelNotAnswering
            }
        }
    }

    /// Whether it would arrive on the way at least.
    public var outcome: Outcome
    /// The route; nil where there is none.
    public var route: Route?
    /// The interface; nil where there is no route.
    public var link: Link?
    /// The router; nil where there is none between.
    public var gateway: IPAddress?
    /// The address that it would be sent from.
    public var source: IPAddress?
    /// Whether it stays on this machine.
    public var isLocal = false
    /// The routers that have not answered, and what they are held for.
    public var doubts: [Gateway: Gateway.Doubt] = [:]
    /// Whether its router of version 6 has failed and is being tried again.
    var isOnTrial = false
    /// How long the outcome holds by itself: until a router that is gone may be tried again. Nil for ever.
    public var recheckAfter: Duration?

    /// A verdict without a route.
    public init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    /// Whether nobody knows if the router is back.
    public var isSuspect: Bool { isUsable && doubt == .suspect }

    /// Whether its router has failed, and has not answered since.
    var isInDoubt: Bool { doubt != nil }

    /// Whether its route may be on its way out: it hangs on what is not there, or on a router that the kernel passes over.
    var mayBePassing: Bool {
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

    /// Why not; nil where it is usable.
    public var reason: UnreachableReason? { outcome.reason }

    /// Whether the kernel would send it.
    var isUsable: Bool {
        if case .usable = outcome { true } else { false }
    }

    /// Whether it is refused, and will be until something is announced.
    var isFinal: Bool { rank == 0 && recheckAfter == nil }

    /// How good it is: more is better.
    var rank: Int {
        switch outcome {
        case .usable: isSuspect ? 3 : 4
        case .needsConnection: 2
        case .unanswered: 1
        case .refused: 0
        }
    }

    /// Takes over what another verdict has found out about routers, and how long it holds.
    mutating func note(_ other: RouteVerdict) {
        if !other.doubts.isEmpty { doubts.merge(other.doubts) { $1 } }
        if let after = other.recheckAfter { recheckAfter = min(recheckAfter ?? after, after) }
    }
}
