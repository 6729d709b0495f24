import Location
import Reachability
import Testing

struct GatewayTests {
    private func kernel(_ state: Neighbour.State, age: UInt64) -> SimulatedKernel {
        let kernel = SimulatedKernel.wired()
        kernel.now = 100 * seconds
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, state)
        kernel.now += age
        return kernel
    }

    private let router = Gateway(SimulatedKernel.router4, on: 2)

    @Test(arguments: [Neighbour.State.reachable, .stale, .delay, .probe, .noARP, .permanent, .none, .incomplete])
    func `a router counts as reachable until it has failed`(state: Neighbour.State) {
        let verdict = kernel(state, age: 0).evaluate("192.0.2.7")
        #expect(verdict.outcome == .usable)
        #expect(verdict.doubts.isEmpty)
    }

    @Test func `a failed router is unreachable for its patience, and suspect afterwards`() {
        for (age, left) in [(0, 30_000), (1_000, 29_000), (29_999, 1)] as [(UInt64, Int64)] {
            let verdict = kernel(.failed, age: age * milliseconds).evaluate("192.0.2.7")
            #expect(verdict.outcome == .refused(.gatewayNotAnswering))
            #expect(verdict.recheckAfter == .milliseconds(left))
            #expect(verdict.doubts == [router: .failing])
            #expect(!verdict.isSuspect)
        }
        for age: UInt64 in [30_000, 3_000_000] {
            let verdict = kernel(.failed, age: age * milliseconds).evaluate("192.0.2.7")
            #expect(verdict.outcome == .usable)
            #expect(verdict.isSuspect)
            #expect(verdict.recheckAfter == nil)
            #expect(verdict.doubts == [router: .suspect])
        }
    }

    @Test func `a router that is being tried again retains its doubt`() {
        let trying = kernel(.incomplete, age: 0)
        let removed = trying.evaluate("192.0.2.7", doubts: [router: .failing])
        #expect(removed.outcome == .refused(.gatewayNotAnswering))
        #expect(removed.recheckAfter == .seconds(1))
        let suspect = trying.evaluate("192.0.2.7", doubts: [router: .suspect])
        #expect(suspect.outcome == .usable && suspect.isSuspect)
        // Its reply is needed, and passes the filter only while there is a doubt.
        #expect(suspect.doubts == [router: .suspect])
        #expect(trying.evaluate("192.0.2.7").outcome == .usable)
    }

    @Test func `if one router has failed, the other next hop is used`() {
        let kernel = SimulatedKernel.roaming()
        kernel.removeDefaults(.ipv4)
        let hops = [2, 3].map { Route.NextHop(interface: $0, gateway: ip("10.\($0 - 2).0.1")) }
        kernel.add(SimulatedKernel.SimulatedRoute(prefix: anywhere(.ipv4), hops: hops))
        kernel.setNeighbour(ip("10.0.0.1"), on: 2, .failed)
        let verdict = kernel.evaluate("192.0.2.7")
        #expect(verdict.outcome == .usable)
        #expect(verdict.link?.name == "wlan0")
        #expect(verdict.doubts == [router: .failing])
        #expect(verdict.recheckAfter == .seconds(30))
        kernel.now += 40 * seconds
        // The route without any doubt is preferred.
        #expect(kernel.evaluate("192.0.2.7").link?.name == "wlan0")
    }

    @Test func `a failed router on the worse route is checked again nevertheless`() {
        let kernel = SimulatedKernel.roaming()
        kernel.removeDefaults(.ipv4)
        let hops = [2, 3].map { Route.NextHop(interface: $0, gateway: ip("10.\($0 - 2).0.1")) }
        kernel.add(SimulatedKernel.SimulatedRoute(prefix: anywhere(.ipv4), hops: hops))
        kernel.setCarrier(false, 2)
        kernel.setNeighbour(ip("10.1.0.1"), on: 3, .failed)
        let verdict = kernel.evaluate("192.0.2.7")
        #expect(verdict.outcome == .needsConnection(.noCarrier))
        #expect(verdict.doubts == [Gateway(ip("10.1.0.1"), on: 3): .failing])
        #expect(verdict.recheckAfter == .seconds(30))
    }

    @Test func `a neighbour that is no router does not count`() {
        let kernel = kernel(.reachable, age: 0)
        kernel.setNeighbour(ip("10.0.0.9"), on: 2, .failed)
        #expect(kernel.evaluate("10.0.0.9").outcome == .usable)
        #expect(kernel.evaluate("192.0.2.7").outcome == .usable)
    }
}
