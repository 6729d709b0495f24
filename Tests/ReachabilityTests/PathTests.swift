import NetworkPaths
import Reachability
import Testing

struct PathTests {
    @Test func `a default route in either family satisfies`() {
        for family in IPAddress.Family.allCases {
            let path = SimulatedKernel.wired(family).path()
            #expect(path.status == .satisfied)
            #expect(path.reason == nil)
            #expect(path.supportsIPv4 == (family == .ipv4))
            #expect(path.supportsIPv6 == (family == .ipv6))
            #expect(path.gateways == [family == .ipv4 ? SimulatedKernel.router4 : SimulatedKernel.router6])
            #expect(path.interfaces.map(\.name) == ["eth0"])
        }
        let both = SimulatedKernel.wired(.ipv4, .ipv6).path()
        #expect(both.supportsIPv4 && both.supportsIPv6)
        #expect(both.gateways == [SimulatedKernel.router4, SimulatedKernel.router6])
        #expect(both.interfaces.count == 1)
    }

    @Test func `two half-size default routes of a VPN count`() {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        kernel.add(Link(index: 9, name: "tun0", hardwareType: 65_534, virtualKind: "tun", isUp: true, isRunning: true))
        kernel.add(ip("10.8.0.2"), 24, to: 9)
        kernel.add(ip("fd00:8::2"), 64, to: 9)
        for half in ["0.0.0.0/1", "128.0.0.0/1", "2000::/4", "3000::/4"] {
            kernel.add(SimulatedKernel.SimulatedRoute(prefix: prefix(half), hops: [Route.NextHop(interface: 9)]))
        }
        let path = kernel.path()
        #expect(path.status == .satisfied)
        #expect(path.interfaces.map(\.name) == ["tun0", "eth0"])
        #expect(path.interfaces.first?.kind == .vpn)
        kernel.removeDefaults(.ipv4)
        kernel.removeDefaults(.ipv6)
        #expect(kernel.path().supportsIPv4)
        #expect(kernel.path().supportsIPv6)
    }

    @Test func `a route to half of the world is no path to the world`() {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.add(ip("10.0.0.5"), 24, to: 2)
        for half in ["0.0.0.0/1", "128.0.0.0/1"] {
            kernel.routes.removeAll { $0.prefix.length == 1 }
            kernel.add(
                SimulatedKernel.SimulatedRoute(
                    prefix: prefix(half), hops: [Route.NextHop(interface: 2, gateway: ip("10.0.0.1"))]))
            #expect(kernel.path().status == .unsatisfied)
        }
    }

    @Test func `a network without a default route is no path to the world`() {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "eth0", isUp: true, isRunning: true))
        kernel.add(ip("10.0.0.5"), 24, to: 2)
        let path = kernel.path()
        #expect(path.status == .unsatisfied)
        #expect(path.reason == .noRoute)
        #expect(path.interfaces.isEmpty && path.gateways.isEmpty)
    }

    @Test func `a missing carrier requires a connection, and its interface is named`() {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        kernel.setCarrier(false, 2)
        let path = kernel.path()
        #expect(path.status == .requiresConnection)
        #expect(path.reason == .noCarrier)
        #expect(path.interfaces.map(\.name) == ["eth0"])
        #expect(!path.supportsIPv4 && !path.supportsIPv6 && !path.supportsDNS)
    }

    @Test func `the most informative reason is reported`() {
        // IPv6 has no route, which is the case on most machines.
        let kernel = SimulatedKernel.wired()
        kernel.add(RoutingRule(priority: 10, action: .prohibit), .ipv4)
        #expect(kernel.path().reason == .prohibited)
        let other = SimulatedKernel.wired(.ipv6)
        other.add(RoutingRule(priority: 10, action: .prohibit), .ipv6)
        #expect(other.path().reason == .prohibited)
        let failed = SimulatedKernel.wired()
        failed.setNeighbour(SimulatedKernel.router4, on: 2, .failed)
        #expect(failed.path().reason == .gatewayNotAnswering)
        #expect(failed.path().status == .unsatisfied)
    }

    @Test func `one family with a route is enough, whatever the other lacks`() {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        kernel.add(RoutingRule(priority: 10, action: .prohibit), .ipv4)
        let path = kernel.path()
        #expect(path.status == .satisfied)
        #expect(path.reason == nil)
        #expect(!path.supportsIPv4 && path.supportsIPv6)
        #expect(path.gateways == [SimulatedKernel.router6])
    }

    @Test func `the interfaces are in the kernel's order of preference, then by metric`() {
        let kernel = SimulatedKernel.roaming([.ipv4, .ipv6])
        kernel.add(Link(index: 4, name: "wwan0", deviceType: "wwan", isUp: true, isRunning: true))
        kernel.add(ip("10.2.0.5"), 24, to: 4)
        kernel.addDefault(ip("10.2.0.1"), 4, metric: 50)
        kernel.add(Link(index: 5, name: "br0", virtualKind: "bridge", isUp: true, isRunning: true))
        let path = kernel.path()
        // The modem is preferred with IPv4, the wire with IPv6.
        #expect(path.interfaces.map(\.name) == ["wwan0", "eth0", "wlan0"])
        #expect(path.interfaces.map(\.kind) == [.cellular, .wired, .wifi])
        #expect(path.isExpensive)
        #expect(path.gateways.first == ip("10.2.0.1"))
    }

    @Test func `without a usable path no interface is offered`() {
        let kernel = SimulatedKernel.roaming()
        kernel.setNeighbour(ip("10.0.0.1"), on: 2, .failed)
        let path = kernel.path()
        #expect(path.status == .unsatisfied)
        #expect(path.interfaces.isEmpty && path.gateways.isEmpty)
    }

    @Test func `an unusable interface is not offered`() {
        for change in [{ $0.setCarrier(false, 3) }, { $0.setUp(false, 3) }, { $0.interfaces[3]?.controller = 9 }]
            as [(SimulatedKernel) -> Void]
        {
            let kernel = SimulatedKernel.roaming()
            change(kernel)
            #expect(kernel.path().interfaces.map(\.name) == ["eth0"])
        }
    }

    @Test func `without a reply the path is not evaluated`() {
        let kernel = SimulatedKernel.wired()
        #expect(kernel.finding().isAnswered)
        kernel.isSilent = true
        #expect(!kernel.finding().isAnswered)
    }

    @Test func `the used routes are the interfaces and sources of the routes in use`() {
        let finding = SimulatedKernel.roaming([.ipv4, .ipv6]).finding()
        #expect(
            finding.uses == [
                RouteUse(family: .ipv4, interface: 2, source: ip("10.0.0.5")),
                RouteUse(family: .ipv6, interface: 2, source: ip("2001:db8:0::5")),
            ])
    }

    @Test func `a reachable name server counts`() {
        let kernel = SimulatedKernel.wired()
        let (near, other) = (HostAddress(ip("10.0.0.53")), HostAddress(ip("2600::53")))
        #expect(!kernel.path().supportsDNS)
        #expect(kernel.path(nameServers: [near]).supportsDNS)
        #expect(!kernel.path(nameServers: [other]).supportsDNS)
        #expect(kernel.path(nameServers: [other, near]).supportsDNS)
        // A name server of this network can be queried although there is no path to the world.
        kernel.removeDefaults(.ipv4)
        #expect(kernel.path(nameServers: [near]).supportsDNS)
        #expect(kernel.path(nameServers: [near]).status == .unsatisfied)
    }

    @Test func `a name server on this machine is as good as the path`() {
        let kernel = SimulatedKernel.wired()
        let stub = HostAddress(ip("127.0.0.1"))
        #expect(kernel.path(nameServers: [stub]).supportsDNS)
        kernel.setCarrier(false, 2)
        #expect(!kernel.path(nameServers: [stub]).supportsDNS)
    }

    @Test func `a link-local name server is queried on its link`() {
        let kernel = SimulatedKernel.wired()
        kernel.add(ip("fe80::5"), 64, to: 2)
        for (zone, isThere) in [("eth0", true), ("2", true), ("wlan0", false), (nil, false)] {
            #expect(kernel.path(nameServers: [HostAddress(ip("fe80::53"), zone: zone)]).supportsDNS == isThere)
        }
    }
}
