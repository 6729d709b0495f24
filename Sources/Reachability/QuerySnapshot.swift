import NetworkPaths

/// The kernel as queried during one evaluation of the network: each router is queried once, however many destinations
/// lead through it, and with as few system calls as possible.
///
/// The announcements suggest how the evaluation will proceed. After a removal there may be no route, and few queries.
/// Otherwise there is a route, and the queries are nearly always those of the last evaluation. These are therefore sent
/// in one batch. If the first reply contradicts the expectation, the queries of the last evaluation with such a reply
/// are sent instead. An unused reply costs a microsecond, and a query outside the batch is sent on its own. The result
/// never depends on the batch.
final class QuerySnapshot: Kernel {
    private let kernel: any Kernel
    private let script: QueryPlan
    private let expectsRoute: Bool
    /// Whether the first route query found a route; nil until its reply.
    private var hasRoute: Bool?
    /// The queries of the batch.
    private var expected: [KernelQuery] = []
    /// The index in `expected` at which the next query should be.
    private var next = 0
    private var queried: [KernelQuery] = []
    private var neighbours: [(gateway: Gateway, neighbour: Neighbour?)] = []

    /// An evaluation that has not queried anything yet.
    init(querying kernel: some Kernel, by script: QueryPlan = QueryPlan(), expectingRoute expectsRoute: Bool = true) {
        self.kernel = kernel
        self.script = script
        self.expectsRoute = expectsRoute
    }

    /// The queries that the next evaluation may send in one batch.
    var nextScript: QueryPlan {
        // An unchanged script is returned as the same storage, so that comparing the two is cheap.
        guard let hasRoute, script[hasRoute] != queried else { return script }
        var script = script
        script[hasRoute] = queried
        return script
    }

    func route(_ query: RouteQuery) -> RouteAnswer {
        let answer: RouteAnswer
        if case .route(let known)? = prepared(.route(query)) {
            answer = known
        } else {
            answer = kernel.route(query)
        }
        if hasRoute == nil { learn(from: answer) }
        return answer
    }

    func resolvedRoute(_ query: RouteQuery) -> RouteAnswer {
        let answer: RouteAnswer
        if case .route(let known)? = prepared(.resolvedRoute(query)) {
            answer = known
        } else {
            answer = kernel.resolvedRoute(query)
        }
        if hasRoute == nil { learn(from: answer) }
        return answer
    }

    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? {
        let gateway = Gateway(address, on: index)
        for known in neighbours where known.gateway == gateway { return known.neighbour }
        let neighbour: Neighbour?
        if case .neighbour(let answer)? = prepared(.neighbour(gateway)) {
            neighbour = answer
        } else {
            neighbour = kernel.neighbour(address, on: index)
        }
        neighbours.append((gateway, neighbour))
        return neighbour
    }

    var afresh: any Kernel { kernel }

    func link(_ index: Int32) -> Link? { kernel.link(index) }
    func links() -> [Link]? { kernel.links() }
    func addresses(of index: Int32) -> [InterfaceAddress]? { kernel.addresses(of: index) }
    func forwards(_ family: IPAddress.Family) -> Bool? { kernel.forwards(family) }
    func rules(_ family: IPAddress.Family) -> [RoutingRule]? { kernel.rules(family) }

    private func learn(from answer: RouteAnswer) {
        switch answer {
        case .noAnswer: return
        case .refused: hasRoute = false
        case .route: hasRoute = true
        }
        guard let hasRoute, hasRoute != expectsRoute || expected.isEmpty else { return }
        expected = []
        next = 0
        prepare(Array(script[hasRoute].dropFirst()))
    }

    private func prepare(_ queries: [KernelQuery]) {
        guard queries.count >= QueryPlan.minimumQueries else { return }
        kernel.query(queries)
        expected = queries
    }

    /// The reply to a query of the batch. Queries come in the batch's order, although some may be left out.
    private func prepared(_ query: KernelQuery) -> KernelAnswer? {
        if queried.isEmpty {
            queried.reserveCapacity(script[expectsRoute].count)
            prepare(script[expectsRoute])
        }
        if queried.count < QueryPlan.maximumQueries { queried.append(query) }
        for place in next..<max(next, expected.count) where expected[place] == query {
            next = place + 1
            return kernel.answer(at: place)
        }
        return nil
    }
}

/// The queries of the last evaluations of the network.
struct QueryPlan: Equatable, Sendable {
    /// Fewer queries than this are as fast one by one.
    static let minimumQueries = 2
    /// The most queries in one batch: their replies have to fit into a socket buffer.
    static let maximumQueries = 32

    private var withRoute: [KernelQuery] = []
    private var withoutRoute: [KernelQuery] = []

    /// The queries of the last evaluation whose first query found a route (true), or found none (false).
    subscript(hasRoute: Bool) -> [KernelQuery] {
        get { hasRoute ? withRoute : withoutRoute }
        set { if hasRoute { withRoute = newValue } else { withoutRoute = newValue } }
    }
}
