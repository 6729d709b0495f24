import Location
import Reachability
import Testing

/// Changes that the kernel announces before they are complete.
struct UnfinishedChangeTests {
    @Test(arguments: [false, true])
    func `an interface that goes down is one loss, although its routes are removed later`(hasOther: Bool) throws {
        let kernel = hasOther ? SimulatedKernel.roaming() : .wired()
        kernel.answersAtOnce = true
        var machine = SimulatedMachine.started(kernel)
        let key = try target("192.0.2.7")
        machine.watch(key)
        // The second time, the queries of such an evaluation are sent in one batch.
        for _ in 0..<2 {
            let reported = machine.paths.count
            machine.change { kernel in
                kernel.interfaces[2]?.isUp = false
                kernel.interfaces[2]?.isRunning = false
                kernel.unfinishedChange = { $0.flushRoutes(through: 2) }
                kernel.announce(.link(2, isInterrupted: true))
            }
            machine.advance(40 * seconds)
            #expect(machine.paths.count == reported + 1)
            #expect(machine.path?.interfaces.map(\.name) == (hasOther ? ["wlan0"] : []))
            #expect(machine.path?.reason == (hasOther ? nil : .noRoute))
            #expect(machine.target(key)?.interface?.name == (hasOther ? "wlan0" : nil))
            machine.change { kernel in
                kernel.setUp(true, 2)
                kernel.addDefault(SimulatedKernel.router4, 2, metric: 102)
            }
            machine.advance(60 * seconds)
            #expect(machine.path?.interfaces.first?.name == "eth0")
        }
    }

    @Test func `a carrier that returns is used before it is announced, without a loss`() throws {
        var machine = SimulatedMachine.started(.roaming())
        machine.change { kernel in
            // The kernel passes over routes through an interface without a carrier.
            kernel.removeRoute { $0.prefix == anywhere(.ipv4) && $0.hops.contains { $0.interface == 2 } }
            kernel.setCarrier(false, 2)
        }
        machine.advance(40 * seconds)
        #expect(machine.path?.interfaces.first?.name == "wlan0")
        let reported = machine.paths.count
        machine.change { kernel in
            kernel.interfaces[2]?.isRunning = true
            kernel.addDefault(SimulatedKernel.router4, 2, metric: 102)
        }
        machine.change { $0.announce(.link(2, isInterrupted: false)) }
        machine.advance(60 * seconds)
        #expect(machine.paths.dropFirst(reported).map(\.status) == [.satisfied])
        #expect(machine.path?.interfaces.first?.name == "eth0")
    }

    @Test(arguments: [false, true])
    func `a route that is removed between the queries for its source and with it leaves no source behind`(
        answersAtOnce: Bool
    ) throws {
        let kernel = SimulatedKernel.roaming()
        kernel.answersAtOnce = answersAtOnce
        var machine = SimulatedMachine.started(kernel)
        let key = try target("192.0.2.7")
        machine.watch(key)
        let source = try #require(machine.target(key)?.source)
        machine.change { $0.addDefault(ip("10.1.0.1"), 3, metric: 1) }
        machine.advance(60 * seconds)
        #expect(machine.target(key)?.interface?.name == "wlan0")
        let reported = machine.targets[key]?.count ?? 0
        // The evaluation of something else finds the route, and its removal is announced afterwards.
        machine.change { kernel in
            kernel.announce(.route)
            kernel.whenQueriedWithSource = (
                ip("192.0.2.7"), { kernel in kernel.removeRoute { $0.prefix == anywhere(.ipv4) && $0.metric == 1 } }
            )
        }
        machine.advance(60 * seconds)
        #expect(machine.target(key)?.interface?.name == "eth0" && machine.target(key)?.source == source)
        #expect((machine.targets[key]?.count ?? 0) == reported + 1, "\(machine.targets[key] ?? [])")
    }

    @Test func `a silent removal after an announcement is reported nevertheless`() throws {
        var machine = SimulatedMachine.started()
        let key = try target("192.0.2.7")
        machine.watch(key)
        let passes = machine.passes.count
        machine.change { kernel in
            kernel.announce(.address(2, ip("10.9.9.9"), isLost: true))
            kernel.unfinishedChange = { $0.routes = [] }
        }
        machine.advance(seconds)
        #expect(machine.path?.reason == .noRoute)
        #expect(machine.target(key)?.status == .unreachable)
        #expect(machine.passes.count == passes + 2)
        #expect(machine.isQuiet)
    }
}
