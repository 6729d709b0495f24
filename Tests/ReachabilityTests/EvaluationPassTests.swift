import NetworkPaths
import Testing

@testable import Reachability

/// In which order a look goes about things, and what it asks at once.
struct EvaluationPassTests {
    private static let host = "192.0.2.7"

    /// A state that tells at once, with a host that somebody watches, and its kernel.
    private func started(isPathWatched: Bool, _ hosts: String...) throws -> (ReachabilityState, SimulatedKernel) {
        let kernel = SimulatedKernel.wired()
        var state = ReachabilityState(settings: ReachabilitySettings())
        state.reportsAtOnce = true
        state.isPathWatched = isPathWatched
        _ = state.start(at: kernel.now, querying: kernel)
        for host in hosts { _ = state.watch(try target(host), at: kernel.now, querying: kernel) }
        return (state, kernel)
    }

    /// What a lost carrier brings about, turn for turn.
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
            case .continueEvaluation: "look on"
            default: nil
            }
        }
    }

    @Test func `where nobody watches the path, a host is told before that is looked at`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns == [["192.0.2.7 requiresConnection", "look on"], ["path requiresConnection"]])
    }

    @Test func `who watches the path is told before hosts are looked at`() throws {
        var (state, kernel) = try started(isPathWatched: true, Self.host)
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns == [["path requiresConnection", "look on"], ["192.0.2.7 requiresConnection"]])
    }

    @Test func `a look that has nothing to tell does not stop`() throws {
        var (state, kernel) = try started(isPathWatched: true, Self.host)
        kernel.addDefault(ip("10.0.0.9"), 2, metric: 900)
        #expect(state.handle(kernel.drain(), at: kernel.now, querying: kernel) == [])
        #expect(state.continueEvaluation(at: kernel.now, querying: kernel) == [])
    }

    @Test func `hosts with names come after the path, and names are looked up when everybody was told`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host, "one.example")
        let turns = lose(&state, kernel).map(subjects)
        #expect(turns.first == ["192.0.2.7 requiresConnection", "look on"])
        #expect(turns.dropFirst().first == ["path requiresConnection", "look on"])

        kernel.setCarrier(true, 2)
        kernel.addDefault(SimulatedKernel.router4, 2, metric: 102)
        let back = subjects(state.handle(kernel.drain(), at: kernel.now, querying: kernel))
        #expect(back.first == "192.0.2.7 reachable")
        #expect(subjects(state.continueEvaluation(at: kernel.now, querying: kernel)).first == "path satisfied")
    }

    @Test func `reports end with the path, so that a host with some is looked at after it`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        var settings = ReachabilitySettings()
        settings.settle = .zero
        _ = state.use(settings: settings, at: kernel.now, querying: kernel)
        let key = try target(Self.host)
        for _ in 0..<3 { _ = state.report(.failed, for: key, at: kernel.now, querying: kernel) }
        #expect(state.target(key)?.isSuspect == true)
        // To another router: the host is reachable before and after.
        kernel.addDefault(ip("10.0.0.9"), 2, metric: 1)
        let turns = [state.handle(kernel.drain(), at: kernel.now, querying: kernel)]
        #expect(turns.map(subjects) == [["path satisfied", "look on"]])
        #expect(subjects(state.continueEvaluation(at: kernel.now, querying: kernel)) == ["192.0.2.7 reachable"])
        #expect(state.target(key)?.isSuspect == false)
    }

    @Test func `another look takes the place of one that has stopped`() throws {
        var (state, kernel) = try started(isPathWatched: false, Self.host)
        kernel.setCarrier(false, 2)
        let reported = state.handle(kernel.drain(), at: kernel.now, querying: kernel)
        #expect(reported.last == .continueEvaluation)
        let all = state.queryAgain(at: kernel.now, querying: kernel)
        #expect(subjects(all) == ["path requiresConnection"])
        #expect(state.continueEvaluation(at: kernel.now, querying: kernel) == [])
    }

    @Test func `what was asked in the last look is asked at once in the next`() throws {
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
        // Changes that lead nowhere: the first look has learnt what the second needs.
        for _ in 0..<2 {
            plain.queried = [:]
            atOnce.queried = [:]
            first.change { $0.add(ip("2001:db8:9::9"), 64, to: 3) }
            second.change { $0.add(ip("2001:db8:9::9"), 64, to: 3) }
        }
        #expect(plain.queried["route"] ?? 0 > 8)
        // Once about the path, once about the host.
        #expect(atOnce.queried["route"] == nil && atOnce.queried["way"] == nil)
        #expect(atOnce.queried["at once"] == 2)
        #expect(first.paths == second.paths && first.targets == second.targets)
    }

    @Test(arguments: [true, false], [true, false])
    func `what the first answer is decides, not what was expected`(expectsRoute: Bool, hasRoute: Bool) {
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
        // With a way four questions, without one three of them.
        var script = pass(QueryPlan(), true, far).nextScript
        kernel.removeRoute { $0.prefix.length == 0 }
        script = pass(script, true, Array(far.prefix(3))).nextScript
        #expect(script[true].count == 4 && script[false].count == 3)
        if hasRoute { kernel.addDefault(SimulatedKernel.router4, 2, metric: 102) }
        kernel.queried = [:]
        let queries = hasRoute ? far : Array(far.prefix(3))
        let last = QuerySnapshot(querying: kernel, by: script, expectingRoute: expectsRoute)
        for query in queries { _ = last.resolvedRoute(query) }
        #expect(kernel.queried["route"] == nil && kernel.queried["way"] == nil)
        #expect(kernel.queried["at once"] == (hasRoute == expectsRoute ? 1 : 2))
        #expect(last.nextScript == script)
    }

    @Test func `an answer that was asked for at once is not taken for another question`() {
        let kernel = SimulatedKernel.wired()
        kernel.answersAtOnce = true
        let routes = ["12.0.0.1", "12.0.0.2", "10.0.0.5", "12.0.0.4", "12.0.0.5"].map { RouteQuery(ip($0)) }
        let first = QuerySnapshot(querying: kernel)
        for resolvedRoute in routes { _ = first.resolvedRoute(resolvedRoute) }
        let second = QuerySnapshot(querying: kernel, by: first.nextScript)
        #expect(second.resolvedRoute(routes[0]) == kernel.resolvedRoute(routes[0]))
        // One is left out, one is new, one is asked as a route.
        for resolvedRoute in [routes[2], RouteQuery(ip("192.0.2.9"), interface: 77), routes[4]] {
            #expect(second.resolvedRoute(resolvedRoute) == kernel.resolvedRoute(resolvedRoute))
        }
        #expect(second.route(routes[3]) == kernel.route(routes[3]))
    }
}
