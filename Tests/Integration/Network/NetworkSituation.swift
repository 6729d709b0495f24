import NetworkPaths
import TestSupport

/// A loss or a change of the network: the changes of the kernel, how they are undone, and the expected
/// result.
struct NetworkSituation: Sendable {
    /// The expected result for all other hosts.
    enum Outcome: Equatable, Sendable {
        /// There is no route to them.
        case lost(NetworkPath.Status, UnreachableReason)
        /// There is another route, through the interface of this name.
        case moved(String)
    }

    /// Something that is done to a network, with these versions of the protocol.
    typealias Step = @Sendable (TestNetwork, [IPAddress.Family]) throws -> Void

    /// A description in words.
    let name: String
    /// The expected result.
    let outcome: Outcome
    /// How many uplinks the machine has.
    var uplinks = 1
    /// The versions of the protocol that it can happen to.
    var families = IPAddress.Family.allCases
    /// Whether it can affect one of two versions only.
    var isOfOneFamily = true
    /// Whether the kernel gets there in one step.
    var isOneStep = true
    /// Whether the kernel may end it by itself: one that has many neighbours, in all namespaces together, forgets those
    /// that failed.
    var isForgettable = false
    /// The state of the network that has to be set up before.
    var prepare: Step = { _, _ in }
    /// Makes it happen, to these versions of the protocol.
    let operate: Step
    /// Makes all as it was before.
    var undo: Step = { network, _ in try network.restore() }
}

extension IPAddress.Family {
    /// The option of ip(8).
    var option: String { self == .ipv4 ? "-4" : "-6" }
    /// The range that contains all addresses.
    var all: String { self == .ipv4 ? "0.0.0.0/0" : "::/0" }
    /// The halves of it that are in use.
    var halves: [String] { self == .ipv4 ? ["0.0.0.0/1", "128.0.0.0/1"] : ["2000::/4", "3000::/4"] }
    /// The number of a nexthop object.
    var nextHop: Int { self == .ipv4 ? 4 : 6 }
    /// The world's host.
    var world: String { self == .ipv4 ? TestNetwork.worldIPv4 : TestNetwork.worldIPv6 }

    /// The router on an uplink.
    func router(_ uplink: Int = 0) -> String {
        self == .ipv4 ? TestNetwork.routerIPv4(uplink) : TestNetwork.routerIPv6(uplink)
    }

    /// The router on an uplink, with the length of its network.
    func routerNetwork(_ uplink: Int = 0) -> String { router(uplink) + (self == .ipv4 ? "/24" : "/64") }

    /// The machine on an uplink, with the length of its network.
    func ownNetwork(_ uplink: Int = 0) -> String {
        self == .ipv4 ? TestNetwork.ownIPv4(uplink) + "/24" : TestNetwork.ownIPv6(uplink) + "/64"
    }
}

extension TestNetwork {
    /// The versions of the protocol in the network.
    var families: [IPAddress.Family] { (family.hasIPv4 ? [.ipv4] : []) + (family.hasIPv6 ? [.ipv6] : []) }

    /// Runs a command of ip(8) on the machine for each of these versions.
    func each(_ families: [IPAddress.Family], _ command: (IPAddress.Family) -> String) throws {
        try machine.ip(families.map(command))
    }

    /// Makes the machine probe the first router again after this time without a reply: the default is a second.
    func solicitRoutersEvery(milliseconds: Int) throws {
        for family in ["ipv4", "ipv6"] {
            try machine.set("net/\(family)/neigh/up0/retrans_time_ms", "\(milliseconds)")
        }
    }

    /// Sets the number of probes after which the machine considers the first router as failed.
    func solicitRouters(times: Int) throws {
        for family in ["ipv4", "ipv6"] { try machine.set("net/\(family)/neigh/up0/mcast_solicit", "\(times)") }
    }

    /// Makes the first router stop replying, and the machine notice it.
    func silenceRouters(_ families: [IPAddress.Family]) throws {
        try far.ip(families.map { "address del \($0.routerNetwork()) dev far0" })
        try solicitRouters(times: 3)
        for family in families {
            // Known neighbours are probed only when they have been silent for a while.
            _ = try machine.ipCan("neigh del \(family.router()) dev up0")
            try knock(family.router())
        }
    }
}
