import NetworkPaths
import Reachability

/// A model of Linux routing, as far as it is queried here: interfaces, addresses, routes, rules and neighbours.
///
/// Changes are announced as Linux announces them, `SimulatedKernel+Changes.swift`. Above all, routes that are removed
/// with an interface or an address are not announced.
final class SimulatedKernel: Kernel {
    /// A kind of query; `atOnce` is a batch of queries, which are not counted one by one.
    enum QueryKind {
        case link, links, addresses, neighbour, rules, route, atOnce
    }

    struct SimulatedRoute: Equatable {
        var kind = Route.Kind.unicast
        var prefix: RoutingRule.Prefix
        var table: UInt32 = 254
        var metric: UInt32 = 0
        var hops: [Route.NextHop]
        var preferredSource: IPAddress?
        /// The ID of a nexthop object that replies do not expand.
        var nextHopID: UInt32?
    }

    struct NeighbourEntry {
        var state: Neighbour.State
        var updated: UInt64
    }

    struct NeighbourKey: Hashable {
        var address: IPAddress
        var interface: Int32
    }

    /// Nanoseconds of the monotonic clock.
    var now: UInt64 = 1_000_000_000
    var interfaces: [Int32: Link] = [:]
    var addresses: [Int32: [InterfaceAddress]] = [:]
    var routes: [SimulatedRoute] = []
    var rules: [IPAddress.Family: [RoutingRule]] = [:]
    var neighbours: [NeighbourKey: NeighbourEntry] = [:]
    /// Announcements that have not been read yet.
    var announcements: [Announcement] = []
    /// Further announcements are dropped, and from then on all until nothing is left to read.
    var capacity = 1_000
    var isCongested = false
    /// Whether the overrun is still to be reported.
    var hasOverrun = false
    /// The most announcements that are read in one call; the rest is read by the next one.
    var mostInARow = Int.max
    var watchesAllNeighbours = false
    /// Whether it forwards packets of other machines.
    var isRouter = false
    /// Whether it replies to nothing.
    var isSilent = false
    /// The rest of an announced change: no interface is described before it is complete.
    var unfinishedChange: ((SimulatedKernel) -> Void)?
    /// Runs just before the reply to a neighbour query.
    var whenQueriedForNeighbour: ((SimulatedKernel) -> Void)?
    /// Runs just before the reply to a route query for this destination with a source address.
    var whenQueriedWithSource: (destination: IPAddress, change: (SimulatedKernel) -> Void)?
    /// Whether it replies to batches of queries.
    var answersAtOnce = false
    private var answers: [KernelAnswer] = []
    /// The number of queries of each kind.
    var queried: [QueryKind: Int] = [:]

    init() {
        interfaces[1] = Link(index: 1, name: "lo", hardwareType: 772, isUp: true, isRunning: true)
        addresses[1] = [ip("127.0.0.1"), ip("::1")].map {
            InterfaceAddress(address: $0, prefixLength: $0.family == .ipv4 ? 8 : 128, scope: 254)
        }
        for family in IPAddress.Family.allCases {
            rules[family] = [
                RoutingRule(priority: 0, action: .table(255)), RoutingRule(priority: 32_766, action: .table(254)),
            ]
        }
    }

    private func count(_ query: QueryKind) { queried[query, default: 0] += 1 }

    /// Completes a change, during which the kernel holds its lock.
    func finishChange() {
        let change = unfinishedChange
        unfinishedChange = nil
        change?(self)
    }

    func link(_ index: Int32) -> Link? {
        count(.link)
        finishChange()
        return isSilent ? nil : interfaces[index]
    }

    func links() -> [Link]? {
        count(.links)
        finishChange()
        return isSilent ? nil : Array(interfaces.values)
    }

    func addresses(of index: Int32) -> [InterfaceAddress]? {
        count(.addresses)
        return isSilent ? nil : addresses[index] ?? []
    }

    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? {
        count(.neighbour)
        let change = whenQueriedForNeighbour
        whenQueriedForNeighbour = nil
        change?(self)
        guard !isSilent, let entry = neighbours[NeighbourKey(address: address, interface: index)] else { return nil }
        return Neighbour(state: entry.state, ageMilliseconds: (now - entry.updated) / 1_000_000)
    }

    func forwards(_ family: IPAddress.Family) -> Bool? { isSilent ? nil : isRouter }

    func rules(_ family: IPAddress.Family) -> [RoutingRule]? {
        count(.rules)
        return isSilent ? nil : rules[family]
    }

    func query(_ queries: [KernelQuery]) {
        answers = []
        guard answersAtOnce, !isSilent else { return }
        let before = queried
        answers = queries.map { query in
            switch query {
            case .route(let query): .route(route(query))
            case .resolvedRoute(let query): .route(resolvedRoute(query))
            case .neighbour(let gateway): .neighbour(neighbour(gateway.address, on: gateway.interface))
            }
        }
        queried = before
        count(.atOnce)
    }

    func answer(at place: Int) -> KernelAnswer? { place < answers.count ? answers[place] : nil }

    func route(_ query: RouteQuery) -> RouteAnswer {
        count(.route)
        if query.source != nil, let (destination, change) = whenQueriedWithSource, destination == query.destination {
            whenQueriedWithSource = nil
            change(self)
        }
        if isSilent { return .noAnswer }
        if addresses.values.joined().contains(where: { $0.address == query.destination && !$0.isTentative }) {
            return .route(
                Route(
                    kind: .local, prefix: query.destination, prefixLength: query.destination.family.byteCount * 8,
                    table: 255, resolved: Route.Resolved(interface: 1, source: query.destination)))
        }
        for rule in rules[query.destination.family] ?? [] where fits(rule, query) {
            switch rule.action {
            case .prohibit: return .refused(13)
            case .unreachable: return .refused(101)
            case .blackhole: return .refused(22)
            case .table(let table):
                guard let found = find(query, in: table, suppressing: rule.suppressedPrefixLength) else { continue }
                return answer(found, to: query)
            case .goto, .other: continue
            }
        }
        return .refused(query.interface != nil && query.destination.family == .ipv4 ? 113 : 101)
    }

    private func fits(_ rule: RoutingRule, _ query: RouteQuery) -> Bool {
        var fits = rule.destination?.contains(query.destination) ?? true
        if let source = rule.source { fits = fits && (query.source.map(source.contains) ?? false) }
        if let users = rule.users { fits = fits && users.contains(query.uid ?? 0) }
        if let mark = rule.mark { fits = fits && mark.value == 0 }
        if let name = rule.outputInterface {
            fits = fits && query.interface.flatMap { interfaces[$0]?.name } == name
        }
        if let name = rule.inputInterface { fits = fits && name == "lo" }
        return fits != rule.isInverted
    }

    private func find(_ query: RouteQuery, in table: UInt32, suppressing: Int?) -> SimulatedRoute? {
        let fitting = routes.filter { route in
            route.table == table && route.prefix.contains(query.destination)
                && (query.interface == nil || route.hops.contains { $0.interface == query.interface })
        }
        // IPv6 skips failed routers if there is another; a router that is being tried is as good as any.
        let answering = fitting.filter { $0.hops.isEmpty || !$0.hops.allSatisfy(isPassedOver) }
        let found = (answering.isEmpty ? fitting : answering).min {
            ($1.prefix.length, $0.metric) < ($0.prefix.length, $1.metric)
        }
        guard let found, found.prefix.length > suppressing ?? -1 else { return nil }
        return found
    }

    private func isPassedOver(_ hop: Route.NextHop) -> Bool {
        guard !isRouter, let gateway = hop.gateway, gateway.family == .ipv6 else { return false }
        return neighbours[NeighbourKey(address: gateway, interface: hop.interface)]?.state == .failed
    }

    private func answer(_ found: SimulatedRoute, to query: RouteQuery) -> RouteAnswer {
        switch found.kind {
        case .blackhole: return .refused(22)
        case .unreachable: return .refused(113)
        case .prohibit: return .refused(13)
        default: break
        }
        var route = Route(
            kind: found.kind, prefix: found.prefix.address, prefixLength: found.prefix.length, table: found.table,
            metric: found.metric, nextHops: found.nextHopID == nil ? found.hops.map(withFlags) : [],
            nextHopID: found.nextHopID)
        let hops = found.hops.filter { query.interface == nil || $0.interface == query.interface }
        guard let hop = hops.first(where: { !isPassedOver($0) }) ?? hops.first else { return .refused(101) }
        route.resolved = Route.Resolved(
            interface: hop.interface, gateway: hop.gateway,
            source: query.source ?? found.preferredSource ?? source(for: query.destination, on: hop.interface))
        return .route(route)
    }

    private func withFlags(_ hop: Route.NextHop) -> Route.NextHop {
        var hop = hop
        hop.isLinkDown = interfaces[hop.interface].map { $0.isUp && !$0.isRunning } ?? false
        return hop
    }

    /// A short form of IPv4's inet_select_addr and IPv6's ipv6_dev_get_saddr.
    private func source(for destination: IPAddress, on interface: Int32) -> IPAddress? {
        func usable(_ index: Int32) -> [IPAddress] {
            (addresses[index] ?? []).filter {
                $0.address.family == destination.family && !$0.isTentative && !$0.isDuplicate
            }.map(\.address)
        }
        let own = usable(interface)
        if destination.isLinkLocal { return own.first(where: \.isLinkLocal) ?? own.first }
        if let best = own.first(where: { !$0.isLinkLocal }) { return best }
        let others = interfaces.keys.sorted().flatMap(usable).filter { !$0.isLinkLocal && !$0.isLoopback }
        return others.first ?? own.first
    }
}
