import NetworkPaths
import Testing

@testable import Reachability

/// The order of an evaluation, and its batches of queries.
struct EvaluationPassTests {
    private static let host = "192.0.2.7"

    /// A state that reports at once, with a watched host, and its kernel.
    private func started(isPathWatched: Bool, _ hosts: String...) throws -> (ReachabilityState, SimulatedKernel) {
        let kernel = SimulatedKernel.wired()
        var state = ReachabilityState(settings: ReachabilitySettings())
        state.reportsAtOnce = true
        state.isPathWatched = isPathWatched
        _ = state.start(at: kernel.now, querying: kernel)
        for host in hosts { _ = state.watch(try target(host), at: kernel.now, querying: kernel) }
        return (state, kernel)
    }

    /// The effects of a lost carrier, call by call.
    private func lose(_ state: inout ReachabilityState, _ kernel: SimulatedKernel) -> [[ReachabilityEffect]] {
        kernel.setCarrier(false, 2)
        var turns = [state.handle(kernel.drain(), at: kernel.now, querying: kernel)]
        while turns.count < 5, turns.last?.last == .continueEvaluation {
            turns.append(state.continueEvaluation(at: kernel.now, querying: kernel))
        }
        return turns
    }

    private func subjects(_ effects: [ReachabilityEffect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .reportPath(let path): "path \(path.status)"
            case .reportTarget(let key, let target): "\(key.text) \(target.status)"
            case .lookUp(_, let name, _): "look up \(name)"
            case .continueEvaluation: "continue"
            default: nil
            }
        }
    }

    @Test func `without a watcher of the path, a host is reported before the path is evaluated`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns == [["192.0.2.7 requiresConnection", "continue"], ["path requiresConnection"]])
    }

    @Test func `a watched path is reported before hosts are evaluated`() throws {
        var (state, kernel) = try started(isPathWatched: true, Self.host)
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns == [["path requiresConnection", "continue"], ["192.0.2.7 requiresConnection"]])
    }

    @Test func `an evaluation without anything to report does not pause`() throws {
        var (state, kernel) = try started(isPathWatched: true, Self.host)
        kernel.addDefault(ip("10.0.0.9"), 2, metric: 900)
        #expect(state.handle(kernel.drain(), at: kernel.now, querying: kernel) == [])
        #expect(state.continueEvaluation(at: kernel.now, querying: kernel) == [])
    }

    @Test func `hosts with names come after the path, and names are looked up after all reports`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host, "one.example")
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns.first == ["192.0.2.7 requiresConnection", "continue"])
        #expect(turns.dropFirst().first == ["path requiresConnection", "continue"])

        kernel.setCarrier(true, 2)
        kernel.addDefault(SimulatedKernel.router4, 2, metric: 102)
        let back = subjects(state.handle(kernel.drain(), at: kernel.now, querying: kernel))
        #expect(back.first == "192.0.2.7 reachable")
        #expect(subjects(state.continueEvaluation(at: kernel.now, querying: kernel)).first == "path satisfied")
    }

    @Test func `outcomes expire with the path, so a host with outcomes is evaluated after it`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        var settings = ReachabilitySettings()
        settings.settle = .zero
        _ = state.use(settings: settings, at: kernel.now, querying: kernel)
        let key = try target(Self.host)
        for _ in 0..<3 { _ = state.report(.failed, for: key, at: kernel.now, querying: kernel) }
        #expect(state.target(key)?.isSuspect == true)
        // The path changes to another router, and the host is reachable before and after.
        kernel.addDefault(ip("10.0.0.9"), 2, metric: 1)
        let turns = [state.handle(kernel.drain(), at: kernel.now, querying: kernel)]
        #expect(turns.map(subjects) == [["path satisfied", "continue"]])
        #expect(subjects(state.continueEvaluation(at: kernel.now, querying: kernel)) == ["192.0.2.7 reachable"])
        #expect(state.target(key)?.isSuspect == false)
    }

    @Test func `another evaluation replaces a paused one`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        kernel.setCarrier(false, 2)
        let reported = state.handle(kernel.drain(), at: kernel.now, querying: kernel)
        #expect(reported.last == .continueEvaluation)
        let all = state.queryAgain(at: kernel.now, querying: kernel)
        #expect(subjects(all) == ["path requiresConnection"])
        #expect(state.continueEvaluation(at: kernel.now, querying: kernel) == [])
    }

    @Test func `the queries of the last evaluation are sent in one batch in the next`() throws {
        let (plain, atOnce) = (SimulatedKernel.roaming([.ipv4, .ipv6]), SimulatedKernel.roaming([.ipv4, .ipv6]))
        atOnce.answersAtOnce = true
        let host = try target(Self.host)
        func machine(_ kernel: SimulatedKernel) -> SimulatedMachine {
            var machine = SimulatedMachine(kernel)
            machine.start(nameServers: [HostAddress(ip("10.0.0.53"))])
            machine.watch(host)
            return machine
        }
        var (first, second) = (machine(plain), machine(atOnce))
        // Changes without consequences: the first evaluation learns the queries of the second.
        for _ in 0..<2 {
            plain.queried = [:]
            atOnce.queried = [:]
            first.change { $0.add(ip("2001:db8:9::9"), 64, to: 3) }
            second.change { $0.add(ip("2001:db8:9::9"), 64, to: 3) }
        }
        #expect(plain.queried[.route] ?? 0 > 8)
        // One batch for the path, one for the host.
        #expect(atOnce.queried[.route] == nil)
        #expect(atOnce.queried[.atOnce] == 2)
        #expect(first.paths == second.paths && first.targets == second.targets)
    }

    @Test(arguments: [true, false], [true, false])
    func `the first reply decides, not the expectation`(expectsRoute: Bool, hasRoute: Bool) {
        let kernel = SimulatedKernel.wired()
        kernel.answersAtOnce = true
        let far = ["12.0.0.1", "12.0.0.2", "12.0.0.3", "12.0.0.4"].map { RouteQuery(ip($0)) }
        func pass(_ script: QueryPlan, _ expectsRoute: Bool, _ routes: [RouteQuery]) -> QuerySnapshot {
            let pass = QuerySnapshot(querying: kernel, by: script, expectingRoute: expectsRoute)
            for resolvedRoute in routes {
                #expect(pass.resolvedRoute(resolvedRoute) == kernel.resolvedRoute(resolvedRoute))
            }
            return pass
        }
        // Four queries with a route, three of them without one.
        var script = pass(QueryPlan(), true, far).nextScript
        kernel.removeRoute { $0.prefix.length == 0 }
        script = pass(script, true, Array(far.prefix(3))).nextScript
        #expect(script[true].count == 4 && script[false].count == 3)
        if hasRoute { kernel.addDefault(SimulatedKernel.router4, 2, metric: 102) }
        kernel.queried = [:]
        let queries = hasRoute ? far : Array(far.prefix(3))
        let last = QuerySnapshot(querying: kernel, by: script, expectingRoute: expectsRoute)
        for query in queries { _ = last.resolvedRoute(query) }
        #expect(kernel.queried[.route] == nil)
        #expect(kernel.queried[.atOnce] == (hasRoute == expectsRoute ? 1 : 2))
        #expect(last.nextScript == script)
    }

    @Test func `a reply of a batch is not used for another query`() {
        let kernel = SimulatedKernel.wired()
        kernel.answersAtOnce = true
        let routes = ["12.0.0.1", "12.0.0.2", "10.0.0.5", "12.0.0.4", "12.0.0.5"].map { RouteQuery(ip($0)) }
        let first = QuerySnapshot(querying: kernel)
        for resolvedRoute in routes { _ = first.resolvedRoute(resolvedRoute) }
        let second = QuerySnapshot(querying: kernel, by: first.nextScript)
        #expect(second.resolvedRoute(routes[0]) == kernel.resolvedRoute(routes[0]))
        // One query is left out, one is new, and one asks for a route.
        for resolvedRoute in [routes[2], RouteQuery(ip("192.0.2.9"), interface: 77), routes[4]] {
            #expect(second.resolvedRoute(resolvedRoute) == kernel.resolvedRoute(resolvedRoute))
        }
        #expect(second.route(routes[3]) == kernel.route(routes[3]))
    }
}
