import Location
import Reachability
import Testing

/// Routers that do not answer, and do again.
struct SilentRouterTests {
    @Test func `a router that does not answer is a loss, until its patience ends or it answers`() throws {
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
        // Somebody tries, and it is there.
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .incomplete) }
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .reachable) }
        machine.advance(seconds)
        #expect(machine.target(key)?.isSuspect == false)
        #expect(!machine.kernel.watchesAllNeighbours)
        #expect(machine.isQuiet)
    }

    @Test func `a router of another way that does not answer is tried again, too`() {
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

    @Test func `a router that is back before its answers are let through is not missed`() {
        var machine = SimulatedMachine.started()
        machine.whileTelling = { kernel in
            guard !kernel.watchesAllNeighbours else { return }
            kernel.setNeighbour(SimulatedKernel.router4, on: 2, .reachable)
        }
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        #expect(machine.paths.map(\.status) == [.satisfied, .unsatisfied, .satisfied])
        #expect(!machine.kernel.watchesAllNeighbours)
        #expect(machine.isQuiet)
    }

    @Test func `routers with the same address on two links are two`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = SimulatedMachine.started(kernel)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 3, .failed) }
        machine.advance(seconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0"])
    }

    @Test func `a router that is tried in vain is not told as a gain`() {
        var machine = SimulatedMachine.started()
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        machine.advance(5 * seconds)
        let told = machine.paths.count
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .incomplete) }
        machine.change { $0.announce(.route) }
        machine.advance(3 * seconds)
        machine.change { $0.setNeighbour(SimulatedKernel.router4, on: 2, .failed) }
        machine.advance(20 * seconds)
        #expect(machine.paths.count == told)
    }
}
