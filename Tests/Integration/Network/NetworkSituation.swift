import NetworkPaths
import TestSupport

/// One way of losing the network, or of having another one: what is done to the kernel, how it is undone, and what that
/// comes to.
struct NetworkSituation: Sendable {
    /// What it comes to for the rest of the world.
    enum Outcome: Equatable, Sendable {
        /// There is no way there.
        case lost(NetworkPath.Status, UnreachableReason)
        /// There is another way, through the interface of this name.
        case moved(String)
    }

    /// Something that is done to a network, with these versions of the protocol.
    typealias Step = @Sendable (TestNetwork, [IPAddress.Family]) throws -> Void

    /// What happens, in words.
    let name: String
    /// What it comes to.
    let outcome: Outcome
    /// How many uplinks the machine has.
    var uplinks = 1
    /// The versions of the protocol that it can happen to.
    var families = IPAddress.Family.allCases
    /// Whether it can happen to one of two versions and leave the other alone.
    var isOfOneFamily = true
    /// Whether the kernel gets there in one step.
    var isOneStep = true
    /// What the network has to be like before.
    var prepare: Step = { _, _ in }
    /// Makes it happen, to these versions of the protocol.
    let operate: Step
    /// Makes all as it was before.
    var undo: Step = { network, _ in try network.restore() }
}

extension IPAddress.Family {
    /// The option of ip(8).
    var option: String { self == .ipv4 ? "-4" : "-6" }
    /// What all addresses are in.
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
    /// The versions of the protocol that it speaks.
    var families: [IPAddress.Family] { (family.hasIPv4 ? [.ipv4] : []) + (family.hasIPv6 ? [.ipv6] : []) }

    /// Has the machine's ip(8) do something for each of these versions.
    func each(_ families: [IPAddress.Family], _ command: (IPAddress.Family) -> String) throws {
        try machine.ip(families.map(command))
    }

    /// Has the machine ask for the first router again after so long without an answer: by itself it takes a second.
    func solicitRoutersEvery(milliseconds: Int) throws {
        for family in ["ipv4", "ipv6"] {
            try machine.set("net/\(family)/neigh/up0/retrans_time_ms", "\(milliseconds)")
        }
    }

    /// Has the machine ask for the first router so often before it holds it for gone.
    func solicitRouters(times: Int) throws {
        for family in ["ipv4", "ipv6"] { try machine.set("net/\(family)/neigh/up0/mcast_solicit", "\(times)") }
    }

    /// Has the first router answer no longer, and the machine notice.
    func silenceRouters(_ families: [IPAddress.Family]) throws {
        try far.ip(families.map { "address del \($0.routerNetwork()) dev far0" })
        try solicitRouters(times: 3)
        for family in families {
            // Known neighbours are asked only when they have been silent for a while.
            _ = try machine.ipCan("neigh del \(family.router()) dev up0")
            try knock(family.router())
        }
    }
}
