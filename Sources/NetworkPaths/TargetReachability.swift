/// Whether and how one host can be reached, as SCNetworkReachability tells it: what the kernel would do with a packet,
/// and what those who tried have reported.
public struct TargetReachability: Equatable, Sendable {
    /// Whether it can be reached.
    public enum Status: String, CaseIterable, Sendable {
        /// The kernel would send to it.
        case reachable
        /// There is a route, but its interface has no carrier or no address yet.
        case requiresConnection
        /// The kernel would refuse, or there is no such name.
        case unreachable
        /// It cannot be told: no name server answers, or the kernel does not.
        case unknown
    }

    /// What somebody who tried has found beyond the kernel's answer.
    public enum Finding: String, CaseIterable, Sendable {
        /// A portal answers in the host's place.
        case captive
        /// The network is there, the world behind it is not.
        case limited
    }

    /// The host as it was asked for: a name or an address.
    public var host: String
    /// The port as it was asked for.
    public var port: UInt16?
    /// Whether it can be reached.
    public var status: Status
    /// Why not, or why it is not known; nil where it is reachable.
    public var reason: UnreachableReason?
    /// Whether it stands on this machine's own network, without a router between.
    public var isDirect = false
    /// Whether it is this machine.
    public var isLocal = false
    /// Whether it is reachable, and yet three in a row who tried had no answer.
    public var isSuspect = false
    /// What somebody who tried has found.
    public var finding: Finding?
    /// The address that was judged: the best one of the host's.
    public var address: IPAddress?
    /// The address that it would be sent from.
    public var source: IPAddress?
    /// The router that it would be sent to.
    public var gateway: IPAddress?
    /// The interface that it would be sent through.
    public var interface: NetworkInterface?
    /// The number of the routing table: 254 is the main one.
    public var table: UInt32?
    /// How often it has changed since the host is watched. An interruption that left everything as it was counts two.
    public var generation: Int64 = 0

    /// What is known of a host at first.
    public init(host: String, port: UInt16? = nil, status: Status, reason: UnreachableReason? = nil) {
        self.host = host
        self.port = port
        self.status = status
        self.reason = reason
    }

    /// Whether what is sent there costs money.
    public var isExpensive: Bool { interface?.isExpensive ?? false }
    /// Whether the person asked to send little there.
    public var isConstrained: Bool { interface?.isConstrained ?? false }
}

/// One link of the chain that was looked at to judge a host.
public struct ReachabilityStep: Equatable, Sendable {
    /// What was looked at.
    public enum Subject: String, CaseIterable, Sendable {
        /// Which addresses the name has: `value` is the addresses, separated by spaces.
        case name
        /// Which rule chose the table: `value` is the rule in iproute2's words.
        case rule
        /// Which route was chosen: `value` is the route in iproute2's words.
        case route
        /// The interface: `value` is its name.
        case interface
        /// Whether it has a carrier.
        case carrier
        /// What it would be sent from: `value` is the address.
        case source
        /// Whether the router answers: `value` is its address and the kernel's state of it.
        case gateway
        /// What those who tried have reported: `value` is how many failed in a row.
        case reports
    }

    /// How it was found.
    public enum Outcome: String, CaseIterable, Sendable {
        case good, bad, unknown
    }

    /// What was looked at.
    public var subject: Subject
    /// How it was found.
    public var outcome: Outcome
    /// What was found, for a person.
    public var value: String?

    /// A step of these parts.
    public init(_ subject: Subject, _ outcome: Outcome, _ value: String? = nil) {
        self.subject = subject
        self.outcome = outcome
        self.value = value
    }
}
