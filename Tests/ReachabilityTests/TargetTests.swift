import NetworkPaths
import Reachability
import Testing

struct TargetTests {
    private func find(
        _ text: String, _ kernel: SimulatedKernel, _ resolution: Resolution = .pending, _ path: NetworkPath? = nil,
        _ reports: TargetReports.Summary = TargetReports.Summary()
    ) throws -> TargetReachability {
        var links = LinkBook()
        return TargetEvaluator().evaluate(
            TargetQuery(
                key: try target(text), resolution: resolution, path: path ?? kernel.path(), reports: reports),
            querying: kernel, links: &links
        ).target
    }

    private func addresses(_ texts: String...) -> Resolution {
        .addresses(texts.compactMap { HostAddress($0) })
    }

    @Test func `a host by address is reported with its route`() throws {
        let found = try find("192.0.2.7", .wired())
        #expect(found.status == .reachable)
        #expect(found.reason == nil)
        #expect(found.address == ip("192.0.2.7"))
        #expect(found.source == ip("10.0.0.5"))
        #expect(found.gateway == ip("10.0.0.1"))
        #expect(found.interface?.name == "eth0")
        #expect(found.table == 254)
        #expect(!found.isDirect && !found.isLocal && !found.isSuspect)
    }

    @Test func `the best of a name's addresses counts`() throws {
        let kernel = SimulatedKernel.wired()
        #expect(try find("example.org", kernel, addresses("2600::7", "192.0.2.7")).address == ip("192.0.2.7"))
        // Of equals the first one.
        #expect(
            try find("example.org", kernel, addresses("192.0.2.8", "192.0.2.7")).address == ip("192.0.2.8"))
        kernel.setCarrier(false, 2)
        let waiting = try find("example.org", kernel, addresses("2600::7", "192.0.2.7"))
        #expect(waiting.status == .requiresConnection)
        #expect(waiting.address == ip("192.0.2.7"))
        kernel.setUp(false, 2)
        let removed = try find("example.org", kernel, addresses("2600::7", "192.0.2.7"))
        #expect(removed.status == .unreachable)
        #expect(removed.reason == .noRoute)
        #expect(removed.address == ip("2600::7"))
    }

    @Test func `an address behind a router in doubt counts less`() throws {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        kernel.setNeighbour(SimulatedKernel.router6, on: 2, .failed)
        kernel.now += 60 * seconds
        let found = try find("example.org", kernel, addresses("2600::7", "192.0.2.7"))
        #expect(found.address == ip("192.0.2.7"))
        #expect(!found.isSuspect)
        #expect(try find("2600::7", kernel).isSuspect)
    }

    @Test func `a name without an address is reported with the reason`() throws {
        let wired = SimulatedKernel.wired()
        let states: [(Resolution, TargetReachability.Status, UnreachableReason)] = [
            (.pending, .unknown, .resolving), (.noSuchName, .unreachable, .nameNotFound),
            (.noAnswer, .unknown, .nameServerNotAnswering),
        ]
        for (resolution, status, reason) in states {
            let found = try find("example.org", wired, resolution)
            #expect(found.status == status)
            #expect(found.reason == reason)
        }
    }

    @Test func `if no name server replies, a missing path is the reason`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.add(RoutingRule(priority: 10, action: .prohibit), .ipv4)
        let refused = try find("example.org", kernel, .noAnswer)
        #expect(refused.status == .unreachable)
        #expect(refused.reason == .prohibited)
        kernel.removeRule(10, .ipv4)
        kernel.setCarrier(false, 2)
        let waiting = try find("example.org", kernel, .noAnswer)
        #expect(waiting.status == .requiresConnection)
        #expect(waiting.reason == .noCarrier)
        let unreported = NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering)
        #expect(try find("example.org", kernel, .noAnswer, unreported).reason == .nameServerNotAnswering)
    }

    @Test func `this machine is local, a neighbour direct`() throws {
        let kernel = SimulatedKernel.wired()
        let own = try find("127.0.0.1", kernel)
        #expect(own.isLocal && own.interface?.kind == .loopback && !own.isDirect)
        let near = try find("10.0.0.9", kernel)
        #expect(near.isDirect && !near.isLocal && near.gateway == nil)
    }

    @Test func `outcomes count only for reachable hosts`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        for _ in 0..<3 { reports.append(.failed, for: key) }
        reports.append(.captive, for: key)
        let kernel = SimulatedKernel.wired()
        let found = try find("192.0.2.7", kernel, .pending, nil, reports.summary(of: key))
        #expect(found.status == .reachable && found.isSuspect && found.finding == .captive)
        kernel.setCarrier(false, 2)
        let removed = try find("192.0.2.7", kernel, .pending, nil, reports.summary(of: key))
        #expect(!removed.isSuspect && removed.finding == nil)
    }

    @Test func `a kernel that does not reply is no refusal`() throws {
        let kernel = SimulatedKernel.wired()
        let path = kernel.path()
        kernel.isSilent = true
        let found = try find("192.0.2.7", kernel, .pending, path)
        #expect(found.status == .unknown)
        #expect(found.reason == .kernelNotAnswering)
    }

    @Test func `an unknown zone is unreachable`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.add(ip("fe80::5"), 64, to: 2)
        #expect(try find("fe80::9%eth0", kernel).status == .reachable)
        #expect(try find("fe80::9%eth7", kernel).reason == .noRoute)
    }
}
