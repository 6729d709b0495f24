import Location

/// The kernel as it is asked in one look at the network: about each router once, however many destinations it leads to, and
/// with as few calls as possible.
///
/// The answer to the first question tells how the look goes on: where there is no way little else is asked, and where there
/// is one, it is nearly always what was asked the last time. So all of that is then asked at once. An answer that nobody
/// needs costs a microsecond, and what is not among them is asked for by itself.
final class OneLook: Kernel {
    private let kernel: any Kernel
    private let script: LookScript
    /// Nil until the first question is answered.
    private var hasWay: Bool?
    /// What was asked at once.
    private var expected: [KernelQuestion] = []
    /// Where in `expected` the next question should be.
    private var next = 0
    private var asked: [KernelQuestion] = []
    private var neighbours: [(gateway: Gateway, neighbour: Neighbour?)] = []

    /// A look that has asked nothing yet.
    init(asking kernel: some Kernel, by script: LookScript = LookScript()) {
        self.kernel = kernel
        self.script = script
    }

    /// What the next look may ask at once.
    var nextScript: LookScript {
        guard let hasWay else { return script }
        // What stays the same stays where it is, which whoever has it can see at once.
        guard script[hasWay] != asked else { return script }
        var script = script
        script[hasWay] = asked
        return script
    }

    func route(_ question: RouteQuestion) -> RouteAnswer {
        guard hasWay != nil else { return begin(with: kernel.route(question)) }
        if case .route(let answer)? = prepared(.route(question)) { return answer }
        return kernel.route(question)
    }

    func way(_ question: RouteQuestion) -> RouteAnswer {
        guard hasWay != nil else { return begin(with: kernel.way(question)) }
        if case .route(let answer)? = prepared(.way(question)) { return answer }
        return kernel.way(question)
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

    func link(_ index: Int32) -> Link? { kernel.link(index) }
    func links() -> [Link]? { kernel.links() }
    func addresses(of index: Int32) -> [InterfaceAddress]? { kernel.addresses(of: index) }
    func rules(_ family: IPAddress.Family) -> [RoutingRule]? { kernel.rules(family) }

    private func begin(with answer: RouteAnswer) -> RouteAnswer {
        switch answer {
        case .noAnswer: return answer
        case .refused: hasWay = false
        case .route: hasWay = true
        }
        let script = script[hasWay == true]
        asked.reserveCapacity(script.count)
        if script.count >= LookScript.fewestQuestions {
            kernel.ask(script)
            expected = script
        }
        return answer
    }

    /// The answer to a question that was among those asked at once. They come in the same order, but for some left out.
    private func prepared(_ question: KernelQuestion) -> KernelAnswer? {
        if asked.count < LookScript.maximumQuestions { asked.append(question) }
        for place in next..<max(next, expected.count) where expected[place] == question {
            next = place + 1
            return kernel.answer(at: place)
        }
        return nil
    }
}

/// What was asked in the last looks at the network, but for the first question of each.
struct LookScript: Equatable, Sendable {
    /// So few are asked one by one as soon.
    static let fewestQuestions = 4
    /// So many questions are asked at once: their answers have to fit into a socket.
    static let maximumQuestions = 32

    private var withWay: [KernelQuestion] = []
    private var withoutWay: [KernelQuestion] = []

    /// What was asked in the last look that found a way with its first question, or none.
    subscript(hasWay: Bool) -> [KernelQuestion] {
        get { hasWay ? withWay : withoutWay }
        set { if hasWay { withWay = newValue } else { withoutWay = newValue } }
    }
}
