import NetworkPaths

/// The kernel as it is asked in one look at the network: about each router once, however many destinations it leads to, and
/// with as few calls as possible.
///
/// What the kernel has announced suggests how the look goes on: where something was taken away there may be no way, and
/// little to ask; else there is one, and nearly always what is asked is what was asked the last time. So all of that is
/// asked at once, and where the first answer is another one, what was asked when it was so. An answer that nobody needs
/// costs a microsecond, and what is not among them is asked for by itself. No answer is another for that.
final class OneLook: Kernel {
    private let kernel: any Kernel
    private let script: LookScript
    private let expectsWay: Bool
    /// Nil until the first question is answered.
    private var hasWay: Bool?
    /// What was asked at once.
    private var expected: [KernelQuestion] = []
    /// Where in `expected` the next question should be.
    private var next = 0
    private var asked: [KernelQuestion] = []
    private var neighbours: [(gateway: Gateway, neighbour: Neighbour?)] = []

    /// A look that has asked nothing yet.
    init(asking kernel: some Kernel, by script: LookScript = LookScript(), expectingWay expectsWay: Bool = true) {
        self.kernel = kernel
        self.script = script
        self.expectsWay = expectsWay
    }

    /// What the next look may ask at once.
    var nextScript: LookScript {
        // What stays the same stays where it is, which whoever has it can see at once.
        guard let hasWay, script[hasWay] != asked else { return script }
        var script = script
        script[hasWay] = asked
        return script
    }

    func route(_ question: RouteQuestion) -> RouteAnswer {
        let answer: RouteAnswer
        if case .route(let known)? = prepared(.route(question)) {
            answer = known
        } else {
            answer = kernel.route(question)
        }
        if hasWay == nil { learn(from: answer) }
        return answer
    }

    func way(_ question: RouteQuestion) -> RouteAnswer {
        let answer: RouteAnswer
        if case .route(let known)? = prepared(.way(question)) {
            answer = known
        } else {
            answer = kernel.way(question)
        }
        if hasWay == nil { learn(from: answer) }
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
        case .refused: hasWay = false
        case .route: hasWay = true
        }
        guard let hasWay, hasWay != expectsWay || expected.isEmpty else { return }
        expected = []
        next = 0
        prepare(Array(script[hasWay].dropFirst()))
    }

    private func prepare(_ questions: [KernelQuestion]) {
        guard questions.count >= LookScript.fewestQuestions else { return }
        kernel.ask(questions)
        expected = questions
    }

    /// The answer to a question that was among those asked at once. They come in the same order, but for some left out.
    private func prepared(_ question: KernelQuestion) -> KernelAnswer? {
        if asked.isEmpty {
            asked.reserveCapacity(script[expectsWay].count)
            prepare(script[expectsWay])
        }
        if asked.count < LookScript.maximumQuestions { asked.append(question) }
        for place in next..<max(next, expected.count) where expected[place] == question {
            next = place + 1
            return kernel.answer(at: place)
        }
        return nil
    }
}

/// What was asked in the last looks at the network.
struct LookScript: Equatable, Sendable {
    /// So few are asked one by one as soon.
    static let fewestQuestions = 2
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
