import Netlink
import NetlinkRecording
import NetworkPaths
import Reachability
import TestSupport
import TestTraits
import Testing

/// The replies of a kernel, with names instead of interface indexes, and without values that change each time:
/// link-local addresses derived from hardware addresses, and ages.
private struct Answers: Equatable {
    var links: [String: Link] = [:]
    /// The links that a query about one describes otherwise than the list of all: the carrier may come in between.
    var differing: [String] = []
    var addresses: [String: Set<String>] = [:]
    var routes: [String: String] = [:]
    var neighbours: [String: Neighbour.State] = [:]
    var rules: [[RoutingRule]] = []

    init(_ kernel: some Kernel) throws {
        let all = try #require(kernel.links())
        func name(_ index: Int32) -> String { all.first { $0.index == index }?.name ?? "gone" }
        for link in all {
            if kernel.link(link.index) != link { differing.append(link.name) }
            var described = link
            described.index = 0
            links[link.name] = described
            addresses[link.name] = Set(
                try #require(kernel.addresses(of: link.index)).filter { !$0.address.isLinkLocal }.map {
                    "\($0.address)/\($0.prefixLength) \($0.scope) \($0.isTentative) \($0.isDuplicate)"
                })
        }
        rules = try IPAddress.Family.allCases.map { try #require(kernel.rules($0)) }
        for text in [
            "12.0.0.1", "193.0.0.1", "2600::1", "3000::1", "198.51.100.9", "2001:db8:100::9", "fe80::1", "::1",
        ] {
            let destination = try #require(IPAddress(text))
            for interface in [nil] + all.map(\.index) {
                let answer = kernel.route(RouteQuery(destination, interface: interface))
                let by = interface.map(name) ?? "any"
                routes["\(text) by \(by)"] = describe(answer, name)
                guard case .route(let route) = answer else { continue }
                for hop in route.nextHops {
                    guard let gateway = hop.gateway else { continue }
                    neighbours["\(gateway) on \(name(hop.interface))"] =
                        kernel.neighbour(gateway, on: hop.interface)?.state == .failed ? .failed : nil
                }
            }
        }
    }

    private func describe(_ answer: RouteAnswer, _ name: (Int32) -> String) -> String {
        guard case .route(var route) = answer else { return "\(answer)" }
        // The kernel chooses one of several next hops with a number that is random at each boot, and lists the chosen
        // IPv6 next hop first.
        let hops = route.nextHops.map {
            "\(name($0.interface)) \($0.gateway?.description ?? "-") \($0.isDead) \($0.isLinkDown)"
        }.sorted()
        let resolved = route.resolved.map {
            let source = $0.source.map { $0.isLinkLocal ? "link-local" : $0.description } ?? "-"
            return "\(name($0.interface)) \($0.gateway?.description ?? "-") from \(source)"
        }
        let chosen = hops.count > 1 ? "one of them" : resolved ?? "-"
        route.nextHops = []
        route.resolved = nil
        return "\(route) \(hops) \(chosen)"
    }
}

@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "requires root and network namespaces"))
struct `A recreated network` {
    @Test(arguments: Situation.all.filter(\.isReproducible))
    func `gives the recorded replies`(_ situation: Situation) throws {
        let recorded = try Answers(situation.recording().kernel)
        let network = try situation.make()
        let inquiry = KernelInquiry(socket: try network.machine.inside { try NetlinkSocket() })
        var live = try Answers(inquiry)
        // Carriers and their consequences are reported up to a second late.
        _ = try eventually(within: 60) {
            live = try Answers(inquiry)
            return live == recorded
        }
        #expect(live.links == recorded.links)
        #expect(live.differing == [] && recorded.differing == [])
        #expect(live.addresses == recorded.addresses)
        for (query, answer) in recorded.routes { #expect(live.routes[query] == answer, "\(query)") }
        #expect(live.neighbours == recorded.neighbours)
        #expect(live.rules == recorded.rules)
    }
}
