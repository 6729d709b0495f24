import NetworkPaths

/// The kernel as it is asked in one look at the network: about each router once, however many destinations it leads to, and
/// with as few calls as possible.
///
/// What the kernel has announced suggests how the look goes on: where something was taken away there may be no way, and
/// little to ask; else there is one, and nearly always what is asked is what was asked the last time. So all of that is
/// asked at once, and where the first answer is another one, what was asked when it was so. An answer that nobody needs
/// costs a microsecond, and what is not among them is asked for by itself. No answer is another for that.
final class QuerySnapshot: Kernel {
    private let kernel: any Kernel
    private let script: QueryPlan
    private let expectsRoute: Bool
    /// Nil until the first question is answered.
    private var hasRoute: Bool?
    /// What was asked at once.
    private var expected: [KernelQuery] = []
    /// Where in `expected` the next question should be.
    private var next = 0
    private var queried: [KernelQuery] = []
    private var neighbours: [(gateway: Gateway, neighbour: Neighbour?)] = []

    /// A look that has asked nothing yet.
    init(querying kernel: some Kernel, by script: QueryPlan = QueryPlan(), expectingRoute expectsRoute: Bool = true) {
        self.kernel = kernel
        self.script = script
        self.expectsRoute = expectsRoute
    }

    /// What the next look may ask at once.
    var nextScript: QueryPlan {
        // What stays the same stays where it is, which whoever has it can see at once.
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

    /// The answer to a question that was among those asked at once. They come in the same order, but for some left out.
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

/// What was asked in the last looks at the network.
struct QueryPlan: Equatable, Sendable {
    /// So few are asked one by one as soon.
    static let minimumQueries = 2
    /// So many questions are asked at once: their answers have to fit into a socket.
    static let maximumQueries = 32

    private var withRoute: [KernelQuery] = []
    private var withoutRoute: [KernelQuery] = []

    /// What was asked in the last look that found a way with its first question, or none.
    subscript(hasRoute: Bool) -> [KernelQuery] {
        get { hasRoute ? withRoute : withoutRoute }
        set { if hasRoute { withRoute = newValue } else { withoutRoute = newValue } }
    }
}
