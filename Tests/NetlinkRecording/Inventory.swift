import Netlink
import NetworkPaths
import Reachability

/// All queries that a daemon might send in a situation.
public struct Inventory {
    /// The destinations of packets.
    public var destinations: [IPAddress]
    /// The users that rules may distinguish.
    public var users: [UInt32]

    /// The default destinations, this machine itself, and these.
    public init(_ destinations: [IPAddress], users: [UInt32] = []) {
        let defaults = IPAddress.Family.allCases.flatMap(DefaultDestinations.of)
        let local = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
        self.destinations = defaults + local + destinations
        self.users = users
    }

    /// Sends all queries, and describes each one first.
    public func query(_ kernel: some Kernel, _ announce: (String) -> Void) {
        announce("all interfaces")
        let links = kernel.links() ?? []
        for link in links {
            announce("interface \(link.index), \(link.name)")
            _ = kernel.link(link.index)
            announce("addresses of \(link.name)")
            _ = kernel.addresses(of: link.index)
        }
        for family in IPAddress.Family.allCases {
            announce("rules of \(family.rawValue)")
            _ = kernel.rules(family)
        }
        for destination in destinations + ["fe80::1"].compactMap({ IPAddress($0) }) {
            for interface in [nil] + links.map(\.index) {
                queryRoute(RouteQuery(destination, interface: interface), kernel, announce)
            }
            for user in users { queryRoute(RouteQuery(destination, uid: user), kernel, announce) }
        }
        queryAsDaemon(kernel, announce)
    }

    /// Queries the route, first without a source and then with the chosen one, and the state of its routers.
    private func queryRoute(_ query: RouteQuery, _ kernel: some Kernel, _ announce: (String) -> Void) {
        let interface = query.interface.map { " by interface \($0)" } ?? ""
        let user = query.uid.map { " of user \($0)" } ?? ""
        let words = "route to \(query.destination)\(interface)\(user)"
        announce(words)
        _ = kernel.resolvedRoute(query)
        guard case .route(let route) = kernel.route(query) else { return }
        if let source = route.resolved?.source {
            announce("\(words) from \(source)")
            var query = query
            query.source = source
            _ = kernel.route(query)
        }
        var hops = route.nextHops
        if let resolved = route.resolved {
            hops.append(Route.NextHop(interface: resolved.interface, gateway: resolved.gateway))
        }
        for hop in hops {
            guard let gateway = hop.gateway else { continue }
            announce("neighbour \(gateway) on interface \(hop.interface)")
            _ = kernel.neighbour(gateway, on: hop.interface)
        }
    }

    /// The further queries of a daemon's evaluation.
    private func queryAsDaemon(_ kernel: some Kernel, _ announce: (String) -> Void) {
        announce("asked by the evaluation")
        var state = ReachabilityState(settings: ReachabilitySettings())
        _ = state.start(at: 0, querying: kernel)
        for destination in destinations {
            for user in [0] + users {
                guard let key = TargetKey("\(destination)", uid: user) else { continue }
                _ = state.watch(key, at: 0, querying: kernel)
                _ = state.explain(key, at: 0, querying: kernel)
            }
        }
    }
}
