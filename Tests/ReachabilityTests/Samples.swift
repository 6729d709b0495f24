import NetworkPaths
import Reachability
import Testing

/// A valid address.
func ip(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure("\(text) is not an address") }
    return address
}

func prefix(_ text: String) -> RoutingRule.Prefix {
    let parts = text.split(separator: "/")
    let address = ip(String(parts[0]))
    return RoutingRule.Prefix(address, length: parts.count == 2 ? Int(parts[1]) ?? 0 : address.family.byteCount * 8)
}

func anywhere(_ family: IPAddress.Family) -> RoutingRule.Prefix {
    prefix(family == .ipv4 ? "0.0.0.0/0" : "::/0")
}

func target(_ text: String, port: UInt16? = nil, uid: UInt32 = 1_000) throws -> TargetKey {
    try #require(TargetKey(text, port: port, uid: uid))
}

extension SimulatedKernel {
    static let router4 = ip("10.0.0.1")
    static let router6 = ip("fe80::1")

    /// A machine with a wired interface, by default with IPv4 only: eth0 has index 2.
    static func wired(_ families: IPAddress.Family...) -> SimulatedKernel {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.connect(2, network: 0, families.isEmpty ? [.ipv4] : families)
        _ = kernel.drain()
        return kernel
    }

    /// A machine with a wired and a wireless interface: wlan0 has index 3, and the larger metric.
    static func roaming(_ families: [IPAddress.Family] = [.ipv4]) -> SimulatedKernel {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.add(Link(index: 3, name: "wlan0", deviceType: "wlan", isUp: true, isRunning: true))
        kernel.connect(2, network: 0, families)
        kernel.connect(3, network: 1, families)
        _ = kernel.drain()
        return kernel
    }

    /// Gives an interface addresses and default routes: 10.N.0.5 behind 10.N.0.1, metric 100 and more.
    func connect(_ index: Int32, network: Int, _ families: [IPAddress.Family] = [.ipv4]) {
        if families.contains(.ipv4) {
            add(ip("10.\(network).0.5"), 24, to: index)
            addDefault(ip("10.\(network).0.1"), index, metric: 100 + UInt32(index))
        }
        if families.contains(.ipv6) {
            add(ip("2001:db8:\(network)::5"), 64, to: index)
            addDefault(Self.router6, index, metric: 1_024 + UInt32(index))
        }
    }

    func addDefault(_ gateway: IPAddress, _ index: Int32, metric: UInt32, table: UInt32 = 254) {
        add(
            SimulatedRoute(
                prefix: anywhere(gateway.family), table: table, metric: metric,
                hops: [Route.NextHop(interface: index, gateway: gateway)]))
    }

    func removeDefaults(_ family: IPAddress.Family) {
        while routes.contains(where: { $0.prefix == anywhere(family) }) {
            removeRoute { $0.prefix == anywhere(family) }
        }
    }

    func path(nameServers: [HostAddress] = [], costs: CostPolicy = CostPolicy()) -> NetworkPath {
        finding(nameServers: nameServers, costs: costs).path
    }

    func finding(nameServers: [HostAddress] = [], costs: CostPolicy = CostPolicy()) -> PathFinding {
        var links = LinkBook()
        return PathEvaluator(costs: costs, nameServers: nameServers).evaluate(querying: self, links: &links)
    }

    func evaluate(_ text: String, uid: UInt32? = nil, doubts: [Gateway: Gateway.Doubt] = [:]) -> RouteVerdict {
        var links = LinkBook()
        return RouteEvaluator(doubts: doubts).evaluate(RouteQuery(ip(text), uid: uid), querying: self, links: &links)
    }
}

let seconds: UInt64 = 1_000_000_000
let milliseconds: UInt64 = 1_000_000
