import NetworkPaths

/// The kernel's routing state. Each query is sent when its result is needed, and no reply is stored. The
/// implementations are a process's rtnetlink sockets and recordings of them.
///
/// No query blocks: if the kernel does not reply at once, the result is `nil` or `.noAnswer`.
public protocol Kernel {
    /// The route that the kernel would choose for a packet, RTM_GETROUTE.
    func route(_ query: RouteQuery) -> RouteAnswer
    /// The interface, router and source address that a packet would get, RTM_GETROUTE. Of the route's other properties
    /// only the kind is set. It costs half as much as `route`.
    func resolvedRoute(_ query: RouteQuery) -> RouteAnswer
    /// The interface with this index, RTM_GETLINK; nil if there is none, or no reply.
    func link(_ index: Int32) -> Link?
    /// All interfaces; nil without a reply.
    func links() -> [Link]?
    /// The addresses of an interface, RTM_GETADDR; nil without a reply.
    func addresses(of index: Int32) -> [InterfaceAddress]?
    /// The neighbour entry of an address on a link, RTM_GETNEIGH; nil if the kernel has none.
    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour?
    /// The routing rules of a family in order of evaluation, RTM_GETRULE; nil without a reply.
    func rules(_ family: IPAddress.Family) -> [RoutingRule]?
    /// Whether this machine forwards packets of other machines with this IP version, RTM_GETNETCONF; nil without a
    /// reply.
    func forwards(_ family: IPAddress.Family) -> Bool?
    /// Sends several queries in one batch, if that takes fewer system calls. `answer` returns the replies.
    func query(_ queries: [KernelQuery])
    /// The reply to the query at this index of the last batch; nil if the query has to be sent on its own.
    func answer(at place: Int) -> KernelAnswer?
    /// The same kernel without any reply of an earlier batch.
    var afresh: any Kernel { get }
}

extension Kernel {
    /// Returns the result of `route`.
    public func resolvedRoute(_ query: RouteQuery) -> RouteAnswer { route(query) }

    /// No reply.
    public func forwards(_ family: IPAddress.Family) -> Bool? { nil }

    /// Sends nothing: each query has to be sent on its own.
    public func query(_ queries: [KernelQuery]) {}
    /// No reply: each query has to be sent on its own.
    public func answer(at place: Int) -> KernelAnswer? { nil }
    /// The same value, because no reply is stored here.
    public var afresh: any Kernel { self }

    /// Waits until a change of an interface, of its addresses or of what depends on them is complete. The kernel holds
    /// rtnl_lock during such a change and describes no interface, but it announces each step and replies to route
    /// queries all along. The loopback interface has index 1 everywhere.
    func awaitChanges() { _ = link(1) }
}

/// A route query: where would a packet go?
public struct RouteQuery: Hashable, Sendable {
    /// The destination.
    public var destination: IPAddress
    /// The interface that the packet has to leave through, as with SO_BINDTODEVICE; also the zone of a link-local
    /// address.
    public var interface: Int32?
    /// The sending user, for rules that depend on it; nil for the user of this process.
    public var uid: UInt32?
    /// The source address, which has to be an address of this machine, RTA_SRC; nil if the kernel is to choose one.
    /// With IPv4, connect(2) queries the route twice: without a source address and, if rules depend on it, with the
    /// chosen one.
    public var source: IPAddress?

    /// A query for this destination.
    public init(
        _ destination: IPAddress, interface: Int32? = nil, uid: UInt32? = nil, source: IPAddress? = nil
    ) {
        self.destination = destination
        self.interface = interface
        self.uid = uid
        self.source = source
    }
}

/// The kernel's reply to a route query.
public enum RouteAnswer: Equatable, Sendable {
    /// The matching route.
    case route(Route)
    /// The kernel would refuse to send, with this errno(3).
    case refused(Int32)
    /// The kernel did not reply.
    case noAnswer
}

/// A route that the kernel chose, rtnetlink(7).
public struct Route: Equatable, Sendable {
    /// The route types that replies have, RTN_*.
    public enum Kind: Equatable, Sendable {
        case unicast, local, broadcast, anycast, multicast, blackhole, unreachable, prohibit, `throw`
        case other(UInt8)
    }

    /// One next hop of a route.
    public struct NextHop: Equatable, Sendable {
        /// The interface.
        public var interface: Int32
        /// The router; nil if the destination is on the link.
        public var gateway: IPAddress?
        /// Whether the kernel has stopped using the next hop, RTNH_F_DEAD.
        public var isDead: Bool
        /// Whether the interface has no carrier, RTNH_F_LINKDOWN.
        public var isLinkDown: Bool

        /// Creates a next hop.
        public init(interface: Int32, gateway: IPAddress? = nil, isDead: Bool = false, isLinkDown: Bool = false) {
            self.interface = interface
            self.gateway = gateway
            self.isDead = isDead
            self.isLinkDown = isLinkDown
        }
    }

    /// The type of the route.
    public var kind: Kind
    /// The destination prefix.
    public var prefix: IPAddress?
    /// The prefix length in bits; 0 for a default route.
    public var prefixLength: Int
    /// The routing table that contains the route: 254 is the main one.
    public var table: UInt32
    /// The metric: of two routes with the same prefix the smaller metric wins.
    public var metric: UInt32
    /// The origin of the route, RTPROT_*: 2 the kernel, 3 a boot script, 4 an administrator, 16 DHCP.
    public var protocolNumber: UInt8
    /// The next hops. Empty if the kernel does not expand a nexthop object.
    public var nextHops: [NextHop]
    /// The nexthop object it refers to.
    public var nextHopID: UInt32?
    /// The interface, router and source address that a packet to the queried destination would get. Nil if the kernel
    /// reported only the matching route.
    public var resolved: Resolved?

    /// The interface, router and source address of a packet.
    public struct Resolved: Equatable, Sendable {
        /// The outgoing interface.
        public var interface: Int32
        /// The router.
        public var gateway: IPAddress?
        /// The source address.
        public var source: IPAddress?

        /// Creates a resolved route.
        public init(interface: Int32, gateway: IPAddress? = nil, source: IPAddress? = nil) {
            self.interface = interface
            self.gateway = gateway
            self.source = source
        }
    }

    /// Creates a route.
    public init(
        kind: Kind = .unicast, prefix: IPAddress? = nil, prefixLength: Int = 0, table: UInt32 = 254,
        metric: UInt32 = 0, protocolNumber: UInt8 = 0, nextHops: [NextHop] = [], nextHopID: UInt32? = nil,
        resolved: Resolved? = nil
    ) {
        self.kind = kind
        self.prefix = prefix
        self.prefixLength = prefixLength
        self.table = table
        self.metric = metric
        self.protocolNumber = protocolNumber
        self.nextHops = nextHops
        self.nextHopID = nextHopID
        self.resolved = resolved
    }
}

/// An interface as the kernel describes it, RTM_NEWLINK.
public struct Link: Equatable, Sendable {
    /// The interface index.
    public var index: Int32
    /// Its name.
    public var name: String
    /// The hardware's type, ARPHRD_*: 1 Ethernet, 512 PPP, 519 a modem's raw packets, 65534 none, 772 loopback.
    public var hardwareType: UInt16
    /// The driver of a virtual interface, IFLA_INFO_KIND: `bridge`, `veth`, `wireguard`, `tun`, `vlan`, `bond`, `ppp`.
    public var virtualKind: String?
    /// udev's `DEVTYPE`: `wlan`, `wwan`, `bridge`; nil if it is not set, or cannot be read.
    public var deviceType: String?
    /// Whether the interface is administratively up, IFF_UP.
    public var isUp: Bool
    /// Whether it has a carrier and can transmit packets, IFF_LOWER_UP and IFF_RUNNING.
    public var isRunning: Bool
    /// The bridge or bond that contains this interface as a port, IFLA_MASTER: nothing is routed through such a port.
    /// The device of a VRF is not counted.
    public var controller: Int32?

    /// Creates an interface.
    public init(
        index: Int32, name: String, hardwareType: UInt16 = 1, virtualKind: String? = nil, deviceType: String? = nil,
        isUp: Bool, isRunning: Bool, controller: Int32? = nil
    ) {
        self.index = index
        self.name = name
        self.hardwareType = hardwareType
        self.virtualKind = virtualKind
        self.deviceType = deviceType
        self.isUp = isUp
        self.isRunning = isRunning
        self.controller = controller
    }
}

/// An address of an interface, RTM_NEWADDR.
public struct InterfaceAddress: Equatable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The prefix length of its network in bits.
    public var prefixLength: Int
    /// Its scope, RT_SCOPE_*: 0 global, 253 the link, 254 this machine.
    public var scope: UInt8
    /// Whether duplicate address detection is still running, IFA_F_TENTATIVE without IFA_F_OPTIMISTIC.
    public var isTentative: Bool
    /// Whether another machine has the same address, IFA_F_DADFAILED.
    public var isDuplicate: Bool

    /// Creates an interface address.
    public init(
        address: IPAddress, prefixLength: Int, scope: UInt8 = 0, isTentative: Bool = false, isDuplicate: Bool = false
    ) {
        self.address = address
        self.prefixLength = prefixLength
        self.scope = scope
        self.isTentative = isTentative
        self.isDuplicate = isDuplicate
    }
}

/// A neighbour entry of the kernel for one link, RTM_NEWNEIGH.
public struct Neighbour: Equatable, Sendable {
    /// The states of ARP and neighbour discovery, NUD_*.
    public enum State: String, CaseIterable, Sendable {
        case incomplete, reachable, stale, delay, probe, failed, noARP, permanent, none
    }

    /// The state of the entry.
    public var state: State
    /// How long the entry has had this state, in milliseconds before the reply, NDA_CACHEINFO's `ndm_updated`.
    public var ageMilliseconds: UInt64

    /// Creates a neighbour entry.
    public init(state: State, ageMilliseconds: UInt64 = 0) {
        self.state = state
        self.ageMilliseconds = ageMilliseconds
    }
}

/// A routing rule, RTM_NEWRULE: it selects a routing table, or an error, for certain packets.
public struct RoutingRule: Equatable, Sendable {
    /// The action for a matching packet, FR_ACT_*.
    public enum Action: Equatable, Sendable {
        case table(UInt32), goto(UInt32), blackhole, unreachable, prohibit, other(UInt8)
    }

    /// Its priority: smaller numbers are evaluated first.
    public var priority: UInt32
    /// The action for a matching packet.
    public var action: Action
    /// The source prefix that it matches; nil for all.
    public var source: Prefix?
    /// The destination prefix that it matches; nil for all.
    public var destination: Prefix?
    /// The users that it matches; nil for all.
    public var users: ClosedRange<UInt32>?
    /// The name of the interface that a packet must have arrived through.
    public var inputInterface: String?
    /// The name of the interface that a packet must leave through.
    public var outputInterface: String?
    /// The mark that a packet must have, and its mask.
    public var mark: Mark?
    /// Whether the rule applies to packets that do not match its other conditions, FIB_RULE_INVERT.
    public var isInverted: Bool
    /// Routes with a prefix of at most this length are ignored, FRA_SUPPRESS_PREFIXLEN: 0 ignores default routes.
    public var suppressedPrefixLength: Int?
    /// Whether it has conditions that are not represented here: ports, protocols, a type of service, a tunnel ID.
    public var hasOtherConditions: Bool

    /// An address prefix.
    public struct Prefix: Equatable, Sendable {
        /// The prefix bits.
        public var address: IPAddress
        /// Their number.
        public var length: Int

        /// A prefix of this length.
        public init(_ address: IPAddress, length: Int) {
            self.address = address
            self.length = length
        }
    }

    /// A firewall's mark.
    public struct Mark: Equatable, Sendable {
        /// The value and its mask.
        public var value, mask: UInt32

        /// A mark of this value.
        public init(_ value: UInt32, mask: UInt32) {
            self.value = value
            self.mask = mask
        }
    }

    /// A rule that matches every packet.
    public init(priority: UInt32, action: Action) {
        self.priority = priority
        self.action = action
        isInverted = false
        hasOtherConditions = false
    }
}
