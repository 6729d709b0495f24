/// Whether and how one host can be reached, as SCNetworkReachability reports it: the kernel's decision about a packet,
/// and the outcomes that clients have reported.
public struct TargetReachability: Equatable, Sendable {
    /// Whether it can be reached.
    public enum Status: String, CaseIterable, Sendable {
        /// The kernel would send to it.
        case reachable
        /// There is a route, but its interface has no carrier or no address yet.
        case requiresConnection
        /// The kernel would refuse, or there is no such name.
        case unreachable
        /// It cannot be determined: no name server replies, or the kernel does not.
        case unknown
    }

    /// An additional finding of a client that tried to reach the host.
    public enum Finding: String, CaseIterable, Sendable {
        /// A captive portal replies in the host's place.
        case captive
        /// The local network works, but the world behind it cannot be reached.
        case limited
    }

    /// The host as the client specified it: a name or an address.
    public var host: String
    /// The port as the client specified it.
    public var port: UInt16?
    /// Whether it can be reached.
    public var status: Status
    /// The reason why it is not reachable, or not known to be; nil if it is reachable.
    public var reason: UnreachableReason?
    /// Whether it is on this machine's own network, without a router between.
    public var isDirect = false
    /// Whether the host is this machine.
    public var isLocal = false
    /// Whether it is reachable, although three attempts in a row got no reply.
    public var isSuspect = false
    /// The additional finding of a client.
    public var finding: Finding?
    /// The evaluated address: the best one of the host.
    public var address: IPAddress?
    /// The source address of a packet to it.
    public var source: IPAddress?
    /// The router of a packet to it.
    public var gateway: IPAddress?
    /// The outgoing interface of a packet to it.
    public var interface: NetworkInterface?
    /// The number of the routing table: 254 is the main one.
    public var table: UInt32?
    /// The number of changes since the host is watched. A brief interruption counts as two even if nothing differs
    /// afterwards.
    public var generation: Int64 = 0

    /// The first state of a host.
    public init(host: String, port: UInt16? = nil, status: Status, reason: UnreachableReason? = nil) {
        self.host = host
        self.port = port
        self.status = status
        self.reason = reason
    }

    /// Whether sending to it costs money.
    public var isExpensive: Bool { interface?.isExpensive ?? false }
    /// Whether the configuration says that little traffic is to be sent to it.
    public var isConstrained: Bool { interface?.isConstrained ?? false }
}

/// One step of a host's evaluation.
public struct ReachabilityStep: Equatable, Sendable {
    /// The subject of the step.
    public enum Subject: String, CaseIterable, Sendable {
        /// The addresses of the name: `value` is the addresses, separated by spaces.
        case name
        /// The rule that chose the table: `value` is the rule in the syntax of iproute2.
        case rule
        /// The chosen route: `value` is the route in the syntax of iproute2.
        case route
        /// The interface: `value` is its name.
        case interface
        /// Whether it has a carrier.
        case carrier
        /// The source address: `value` is the address.
        case source
        /// Whether the router replies: `value` is its address and the kernel's neighbour state.
        case gateway
        /// The outcomes that clients have reported: `value` is the number of failures in a row.
        case reports
    }

    /// The result of the step.
    public enum Outcome: String, CaseIterable, Sendable {
        case good, bad, unknown
    }

    /// The subject of the step.
    public var subject: Subject
    /// The result of the step.
    public var outcome: Outcome
    /// Details of the result, for a person.
    public var value: String?

    /// Creates a step.
    public init(_ subject: Subject, _ outcome: Outcome, _ value: String? = nil) {
        self.subject = subject
        self.outcome = outcome
        self.value = value
    }
}
