import NetworkPaths

/// The kernel's answers about routing, each asked for when it is needed and never kept: a process's routing socket, or
/// a recording of one.
///
/// Nothing here waits: what the kernel does not answer at once is `nil` or `.noAnswer`.
public protocol Kernel {
    /// What the kernel would do with a packet, RTM_GETROUTE.
    func route(_ query: RouteQuery) -> RouteAnswer
    /// What a packet would have, RTM_GETROUTE: a route of which only the kind and what it comes to are told. It costs half.
    func resolvedRoute(_ query: RouteQuery) -> RouteAnswer
    /// The interface of this number, RTM_GETLINK; nil where there is none, or no answer.
    func link(_ index: Int32) -> Link?
    /// All interfaces; nil without an answer.
    func links() -> [Link]?
    /// The addresses of an interface, RTM_GETADDR; nil without an answer.
    func addresses(of index: Int32) -> [InterfaceAddress]?
    /// What is known of a neighbour on a link, RTM_GETNEIGH; nil where the kernel knows nothing.
    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour?
    /// The routing rules of a family in the order they are tried, RTM_GETRULE; nil without an answer.
    func rules(_ family: IPAddress.Family) -> [RoutingRule]?
    /// Whether it forwards what others send with this version of the protocol, RTM_GETNETCONF; nil without an answer.
    func forwards(_ family: IPAddress.Family) -> Bool?
    /// Asks several questions at once, where that takes fewer calls: what it says to them `answer` tells.
    func query(_ queries: [KernelQuery])
    /// What it has said to the question at a place among those asked at once last; nil for what has to be asked by itself.
    func answer(at place: Int) -> KernelAnswer?
    /// The same, with answers of now: none that was asked for before.
    var afresh: any Kernel { get }
}

extension Kernel {
    /// What `route` tells of it.
    public func resolvedRoute(_ query: RouteQuery) -> RouteAnswer { route(query) }

    /// There is no answer.
    public func forwards(_ family: IPAddress.Family) -> Bool? { nil }

    /// Each has to be asked by itself.
    public func query(_ queries: [KernelQuery]) {}
    /// Each has to be asked by itself.
    public func answer(at place: Int) -> KernelAnswer? { nil }
    /// Nothing is kept here.
    public var afresh: any Kernel { self }

    /// Waits until whoever changes an interface, its addresses or what hangs on them is done with it: the kernel describes none
    /// meanwhile (rtnl_lock), but announces each step and answers about routes all along. The loopback interface is number 1
    /// everywhere.
    func awaitChanges() { _ = link(1) }
}

/// What is asked: where a packet would go.
public struct RouteQuery: Hashable, Sendable {
    /// Where to.
    public var destination: IPAddress
    /// The interface it has to leave through, as SO_BINDTODEVICE would have it; also the zone of a link-local address.
    public var interface: Int32?
    /// The user who sends, whom rules may treat apart; nil for the one of this process.
    public var uid: UInt32?
    /// The address it comes from, which has to be one of this machine's, RTA_SRC; nil where the kernel is to choose one.
    /// connect(2) asks twice with version 4: without an address and, where rules look at it, with the one that was chosen.
    public var source: IPAddress?

    /// A question about this destination.
    public init(
        _ destination: IPAddress, interface: Int32? = nil, uid: UInt32? = nil, source: IPAddress? = nil
    ) {
        self.destination = destination
        self.interface = interface
        self.uid = uid
        self.source = source
    }
}

/// What the kernel says to it.
public enum RouteAnswer: Equatable, Sendable {
    /// The route that matches, and what becomes of it.
    case route(Route)
    /// It would refuse, with this errno(3).
    case refused(Int32)
    /// It did not answer.
    case noAnswer
}

/// A route that the kernel chose, rtnetlink(7).
public struct Route: Equatable, Sendable {
    /// The types that answers have, RTN_*.
    public enum Kind: Equatable, Sendable {
        case unicast, local, broadcast, anycast, multicast, blackhole, unreachable, prohibit, `throw`
        case other(UInt8)
    }

    /// One way on of a route.
    public struct NextHop: Equatable, Sendable {
        /// The interface.
        public var interface: Int32
        /// The router; nil where the destination is on the link.
        public var gateway: IPAddress?
        /// Whether the kernel has given it up, RTNH_F_DEAD.
        public var isDead: Bool
        /// Whether its interface has no carrier, RTNH_F_LINKDOWN.
        public var isLinkDown: Bool

        /// A next hop of these parts.
        public init(interface: Int32, gateway: IPAddress? = nil, isDead: Bool = false, isLinkDown: Bool = false) {
            self.interface = interface
            self.gateway = gateway
            self.isDead = isDead
            self.isLinkDown = isLinkDown
        }
    }

    /// What it does.
    public var kind: Kind
    /// The destinations it is for: their common bits.
    public var prefix: IPAddress?
    /// How many bits those are; 0 for a default route.
    public var prefixLength: Int
    /// The table it stands in: 254 is the main one.
    public var table: UInt32
    /// Its metric: of two with the same prefix the smaller one counts.
    public var metric: UInt32
    /// Who made it, RTPROT_*: 2 the kernel, 3 a boot script, 4 an administrator, 16 DHCP.
    public var protocolNumber: UInt8
    /// The ways on. Empty where the kernel does not spell out a nexthop object.
    public var nextHops: [NextHop]
    /// The nexthop object it refers to.
    public var nextHopID: UInt32?
    /// What it comes to for this destination: the interface, router and source address that a packet would have. Nil
    /// where the kernel told the match only.
    public var resolved: Resolved?

    /// What a packet would have.
    public struct Resolved: Equatable, Sendable {
        /// The interface it leaves through.
        public var interface: Int32
        /// The router it goes to.
        public var gateway: IPAddress?
        /// The address it comes from.
        public var source: IPAddress?

        /// A way of these parts.
        public init(interface: Int32, gateway: IPAddress? = nil, source: IPAddress? = nil) {
            self.interface = interface
            self.gateway = gateway
            self.source = source
        }
    }

    /// A route of these parts.
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
    /// The kernel's number for it.
    public var index: Int32
    /// Its name.
    public var name: String
    /// The hardware's type, ARPHRD_*: 1 Ethernet, 512 PPP, 519 a modem's raw packets, 65534 none, 772 loopback.
    public var hardwareType: UInt16
    /// The driver of a virtual interface, IFLA_INFO_KIND: `bridge`, `veth`, `wireguard`, `tun`, `vlan`, `bond`, `ppp`.
    public var virtualKind: String?
    /// What udev's `DEVTYPE` says: `wlan`, `wwan`, `bridge`; nil for nothing, or where it cannot be read.
    public var deviceType: String?
    /// Whether it was set up, IFF_UP.
    public var isUp: Bool
    /// Whether it has a carrier and can carry packets, IFF_LOWER_UP and IFF_RUNNING.
    public var isRunning: Bool
    /// The bridge or bond that it is a port of, IFLA_MASTER: nothing is routed through a port of those. The device of a VRF
    /// is none.
    public var controller: Int32?

    /// An interface of these parts.
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
    /// Its network's length in bits.
    public var prefixLength: Int
    /// How far it reaches, RT_SCOPE_*: 0 everywhere, 253 the link, 254 this machine.
    public var scope: UInt8
    /// Whether it is not yet known to be unique, IFA_F_TENTATIVE without IFA_F_OPTIMISTIC.
    public var isTentative: Bool
    /// Whether another has it, IFA_F_DADFAILED.
    public var isDuplicate: Bool

    /// An address of these parts.
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

/// What the kernel knows of a neighbour on a link, RTM_NEWNEIGH.
public struct Neighbour: Equatable, Sendable {
    /// The states of ARP and neighbour discovery, NUD_*.
    public enum State: String, CaseIterable, Sendable {
        case incomplete, reachable, stale, delay, probe, failed, noARP, permanent, none
    }

    /// How it stands.
    public var state: State
    /// Since when, in milliseconds before the answer, NDA_CACHEINFO's `ndm_updated`.
    public var ageMilliseconds: UInt64

    /// A neighbour of these parts.
    public init(state: State, ageMilliseconds: UInt64 = 0) {
        self.state = state
        self.ageMilliseconds = ageMilliseconds
    }
}

/// A routing rule, RTM_NEWRULE: which table is asked, and for what.
public struct RoutingRule: Equatable, Sendable {
    /// What it does with what it fits, FR_ACT_*.
    public enum Action: Equatable, Sendable {
        case table(UInt32), goto(UInt32), blackhole, unreachable, prohibit, other(UInt8)
    }

    /// Its place: smaller ones are tried first.
    public var priority: UInt32
    /// What it does.
    public var action: Action
    /// The sources it is for, and their length in bits; nil for all.
    public var source: Prefix?
    /// The destinations it is for; nil for all.
    public var destination: Prefix?
    /// The users it is for; nil for all.
    public var users: ClosedRange<UInt32>?
    /// The interface that a packet has to have come in through, by name.
    public var inputInterface: String?
    /// The interface that a packet has to leave through, by name.
    public var outputInterface: String?
    /// The mark a packet must have, and which bits of it count.
    public var mark: Mark?
    /// Whether it is for what the others' conditions do not fit, FIB_RULE_INVERT.
    public var isInverted: Bool
    /// The length up to which a route that is found is not taken, FRA_SUPPRESS_PREFIXLEN: 0 leaves out default routes.
    public var suppressedPrefixLength: Int?
    /// Whether it has conditions that are not told here: ports, protocols, a type of service, a tunnel's number.
    public var hasOtherConditions: Bool

    /// A common beginning of addresses.
    public struct Prefix: Equatable, Sendable {
        /// The common bits.
        public var address: IPAddress
        /// How many they are.
        public var length: Int

        /// A prefix of so many bits.
        public init(_ address: IPAddress, length: Int) {
            self.address = address
            self.length = length
        }
    }

    /// A firewall's mark.
    public struct Mark: Equatable, Sendable {
        /// The value, and the bits that count.
        public var value, mask: UInt32

        /// A mark of this value.
        public init(_ value: UInt32, mask: UInt32) {
            self.value = value
            self.mask = mask
        }
    }

    /// A rule for everything.
    public init(priority: UInt32, action: Action) {
        self.priority = priority
        self.action = action
        isInverted = false
        hasOtherConditions = false
    }
}
