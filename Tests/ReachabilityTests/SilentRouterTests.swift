import Location
import Reachability
import Testing

/// Routers that stop replying, and recover.
struct SilentRouterTests {
    @Test func `a router that does not reply is a loss, until its patience ends or it replies`() throws {
        var machine = SimulatedMachine.started()
        let key = try target("192.0.2.7")
        machine.watch(key)
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        #expect(machine.path?.status == .unsatisfied)
        #expect(machine.path?.reason == .gatewayNotAnswering)
        #expect(machine.kernel.watchesAllNeighbours)
        machine.advance(29 * seconds)
        #expect(machine.path?.status == .unsatisfied)
        machine.advance(2 * seconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.target(key)?.isSuspect == true)
        #expect(machine.kernel.watchesAllNeighbours)
        // Another process tries it, and it replies.
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .incomplete) }
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .reachable) }
        machine.advance(seconds)
        #expect(machine.target(key)?.isSuspect == false)
        #expect(!machine.kernel.watchesAllNeighbours)
        #expect(machine.isQuiet)
    }

    @Test func `a silent router of an alternative route is tried again too`() {
        let kernel = SimulatedKernel.roaming()
        var machine = SimulatedMachine.started(kernel)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0", "wlan0"])
        machine.change { $0.setNeighbour(ip("10.1.0.1"), on: 3, .failed) }
        machine.advance(seconds)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0"])
        #expect(machine.kernel.watchesAllNeighbours)
        machine.advance(31 * seconds)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0", "wlan0"])
    }

    @Test func `a router that recovers before its replies pass the filter is not missed`() {
        var machine = SimulatedMachine.started()
        machine.whileReporting = { kernel in
            guard !kernel.watchesAllNeighbours else { return }
            kernel.setNeighbour(SimulatedKernel.router4, on: 2, .reachable)
        }
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        #expect(machine.paths.map(\.status) == [.satisfied, .unsatisfied, .satisfied])
        #expect(!machine.kernel.watchesAllNeighbours)
        #expect(machine.isQuiet)
    }

    @Test func `routers with the same address on two links are different`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = SimulatedMachine.started(kernel)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 3, .failed) }
        machine.advance(seconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0"])
    }

    @Test func `an unsuccessful attempt to reach a router is not reported as a gain`() {
        var machine = SimulatedMachine.started()
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        machine.advance(5 * seconds)
        let reported = machine.paths.count
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .incomplete) }
        machine.change { $0.announce(.route) }
        machine.advance(3 * seconds)
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        machine.advance(20 * seconds)
        #expect(machine.paths.count == reported)
    }

    @Test(arguments: [
        (UInt64(5), 0),
        // After its patience its route is an alternative again, until it fails again.
        (60, 1),
    ])
    func `an attempt to reach a failed router changes no route through a working one`(
        after time: UInt64, changes: Int
    ) throws {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = SimulatedMachine.started(kernel)
        let (watched, late) = (try target("2001:db8:99::7"), try target("2001:db8:99::8"))
        machine.watch(watched)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
        machine.advance(time * seconds)
        #expect(machine.path?.interfaces.first?.name == "wlan0")
        #expect(machine.target(watched)?.interface?.name == "wlan0")
        let reported = (machine.paths.count, machine.targets[watched]?.count)
        // The kernel sends through it during the attempt, and the daemon evaluates at that time.
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .incomplete) }
        machine.change { $0.announce(.route) }
        machine.watch(late)
        #expect(machine.target(late)?.interface?.name == "wlan0")
        #expect(machine.explain(late).target.status == .reachable)
        machine.advance(2 * seconds)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
        machine.advance(2 * seconds)
        #expect(machine.paths.count == reported.0 + changes)
        #expect(machine.path?.interfaces.map(\.name) == ["wlan0"])
        #expect(machine.targets[watched]?.count == reported.1)
        // It replies.
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .incomplete) }
        machine.change { $0.announce(.route) }
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .reachable) }
        machine.advance(60 * seconds)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0", "wlan0"])
        #expect(machine.paths.dropFirst(reported.0).allSatisfy { $0.status == .satisfied })
        for key in [watched, late] {
            #expect(machine.target(key)?.interface?.name == "eth0")
            #expect(machine.targets[key]?.allSatisfy { $0.status == .reachable } == true)
        }
        #expect(machine.isQuiet)
    }

    @Test func `a failed router that is tried again is no loss if another one replies, calm or not`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = SimulatedMachine.started(kernel)
        for _ in 0..<8 {
            machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
            machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .incomplete) }
            machine.change { $0.announce(.route) }
            machine.advance(3 * seconds)
            machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .reachable) }
            machine.advance(3 * seconds)
        }
        machine.advance(60 * seconds)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0", "wlan0"])
        #expect(machine.paths.count > 1)
        #expect(machine.paths.allSatisfy { $0.status == .satisfied })
    }

    @Test func `a machine that forwards sends through a failed router, and reports that`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        kernel.isRouter = true
        var machine = SimulatedMachine.started(kernel)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
        #expect(machine.path?.reason == .gatewayNotAnswering)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .incomplete) }
        machine.change { $0.announce(.route) }
        machine.advance(2 * seconds)
        #expect(machine.path?.reason == .gatewayNotAnswering)
        #expect(machine.paths.count == 2)
    }

    @Test func `a router that fails during the queries is no loss if there is another`() {
        var machine = SimulatedMachine.started(SimulatedKernel.roaming([.ipv6]))
        machine.change { kernel in
            kernel.whenQueriedForNeighbour = { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
            kernel.announce(.route)
        }
        machine.advance(seconds)
        #expect(machine.paths.map(\.status) == [.satisfied, .satisfied])
        #expect(machine.path?.interfaces.map(\.name) == ["wlan0"])
    }

    @Test func `the loss of the current route is reported at once while another router is tried again`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = SimulatedMachine.started(kernel)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .failed) }
        machine.advance(5 * seconds)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 2, .incomplete) }
        machine.change { $0.setCarrier(false, 3) }
        #expect(machine.path?.status == .unsatisfied)
        #expect(machine.path?.reason == .gatewayNotAnswering)
    }
}
