import Location
import Reachability
import Testing

struct SourceTests {
    @Test func `an interface without an address requires a connection`() {
        let kernel = SimulatedKernel.wired()
        kernel.removeDefaults(.ipv4)
        kernel.remove(ip("10.0.0.5"), from: 2)
        kernel.addDefault(ip("10.0.0.1"), 2, metric: 0)
        let verdict = kernel.evaluate("192.0.2.7")
        #expect(verdict.outcome == .needsConnection(.noAddress))
        #expect(verdict.source == nil)
    }

    @Test func `a link-local source cannot reach the world`() {
        let kernel = SimulatedKernel.wired(.ipv6)
        kernel.remove(ip("2001:db8:0::5"), from: 2)
        kernel.add(ip("fe80::5"), 64, to: 2)
        #expect(kernel.evaluate("2600::7").outcome == .needsConnection(.noAddress))
        kernel.add(ip("2001:db8:0::5"), 64, to: 2, isTentative: true)
        #expect(kernel.evaluate("2600::7").outcome == .needsConnection(.addressTentative))
        kernel.add(ip("2001:db8:0::5"), 64, to: 2)
        #expect(kernel.evaluate("2600::7").outcome == .usable)
    }

    @Test func `a duplicate address does not become ready`() {
        let kernel = SimulatedKernel.wired(.ipv6)
        kernel.addresses[2] = [
            InterfaceAddress(address: ip("2001:db8::5"), prefixLength: 64, isTentative: true, isDuplicate: true)
        ]
        #expect(kernel.evaluate("2600::7").outcome == .needsConnection(.noAddress))
    }

    @Test func `a virtual machine's link-local network with a router can reach the world`() {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.add(ip("169.254.0.21"), 30, to: 2)
        #expect(kernel.evaluate("169.254.0.22").outcome == .usable)
        kernel.addDefault(ip("169.254.0.22"), 2, metric: 0)
        #expect(kernel.evaluate("192.0.2.7").outcome == .usable)
    }

    @Test func `a self-assigned address reaches only its own link`() {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.add(ip("169.254.7.7"), 16, to: 2)
        kernel.add(
            SimulatedKernel.SimulatedRoute(
                prefix: anywhere(.ipv4), metric: 1_000, hops: [Route.NextHop(interface: 2)]))
        #expect(kernel.evaluate("169.254.1.1").outcome == .usable)
        #expect(kernel.evaluate("192.0.2.7").outcome == .needsConnection(.noAddress))
    }

    @Test func `a multicast packet may have any source`() {
        let kernel = SimulatedKernel.wired(.ipv6)
        kernel.remove(ip("2001:db8:0::5"), from: 2)
        kernel.add(ip("fe80::5"), 64, to: 2)
        kernel.add(
            SimulatedKernel.SimulatedRoute(
                kind: .multicast, prefix: prefix("ff00::/8"), table: 255, hops: [Route.NextHop(interface: 2)]))
        let verdict = kernel.evaluate("ff0e::1")
        #expect(verdict.outcome == .usable)
        #expect(verdict.isDirect)
    }
}
