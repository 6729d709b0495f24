import Location
import Reachability
import Testing

struct ReachabilityStateTests {
    private func started(
        _ kernel: SimulatedKernel = .wired(), _ settings: ReachabilitySettings = ReachabilitySettings()
    ) -> SimulatedMachine {
        var machine = SimulatedMachine(kernel, settings)
        machine.start()
        machine.advance(60 * seconds)
        return machine
    }

    @Test func `the path is told at the start`() {
        let machine = started()
        #expect(machine.paths.map(\.status) == [.satisfied])
        #expect(machine.paths.map(\.generation) == [0])
        #expect(machine.recorded == machine.paths)
        #expect(machine.isQuiet)
    }

    @Test
    func `a loss is told at once and a way back too, and soon after another when it has held a quarter of a second`() {
        var machine = started()
        let before = machine.now
        machine.change { $0.setCarrier(false, 2) }
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection])
        #expect(machine.paths.last?.reason == .noCarrier)
        #expect(machine.now == before)
        machine.change { $0.setCarrier(true, 2) }
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied], "there was calm")
        #expect(machine.now == before)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.advance(249 * milliseconds)
        #expect(machine.paths.count == 4)
        machine.advance(1 * milliseconds)
        #expect(machine.paths.dropFirst(3).map(\.status) == [.requiresConnection, .satisfied])
        #expect(machine.paths.map(\.generation) == [0, 1, 2, 3, 4])
        #expect(machine.isQuiet)
    }

    @Test func `roaming to another network while there is calm is told at once`() {
        var machine = started(.roaming())
        machine.change { $0.setUp(false, 2) }
        #expect(machine.paths.map { $0.interfaces.first?.name } == ["eth0", "wlan0"])
        #expect(machine.paths.allSatisfy { $0.status == .satisfied })
        // The way back so soon is a flap, and has to hold.
        machine.change { kernel in
            kernel.setUp(true, 2)
            kernel.addDefault(ip("10.0.0.1"), 2, metric: 102)
        }
        #expect(machine.paths.count == 2)
        machine.advance(250 * milliseconds)
        #expect(machine.paths.last?.interfaces.first?.name == "eth0")
    }

    @Test func `an interruption that nobody saw counts two`() {
        var machine = started()
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.setCarrier(false, 2)
            kernel.setCarrier(true, 2)
        }
        machine.advance(10 * milliseconds)
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        #expect(machine.paths.dropFirst().first?.reason == .noCarrier)
        #expect(machine.path?.generation == 2)
        #expect(machine.paths.first?.unnumbered == machine.paths.last?.unnumbered)
    }

    @Test func `an address that was gone for a moment counts two, and for its hosts as well`() throws {
        var machine = started()
        let key = try target("192.0.2.7")
        machine.watch(key)
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.remove(ip("10.0.0.5"), from: 2)
            kernel.connect(2, network: 0)
        }
        machine.advance(seconds)
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        #expect(machine.paths.dropFirst().first?.reason == .noAddress)
        #expect(machine.targets[key]?.map(\.status) == [.reachable, .requiresConnection, .reachable])
        #expect(machine.targets[key]?.map(\.generation) == [0, 1, 2])
    }

    @Test func `an interruption of one version of the protocol leaves the other`() {
        var machine = started(.wired(.ipv4, .ipv6))
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.remove(ip("2001:db8:0::5"), from: 2)
            kernel.add(ip("2001:db8:0::5"), 64, to: 2)
        }
        machine.advance(seconds)
        #expect(machine.paths.map(\.status) == [.satisfied, .satisfied, .satisfied])
        #expect(machine.paths.map(\.supportsIPv6) == [true, false, true])
        #expect(machine.paths.map(\.gateways.count) == [2, 1, 2])
        #expect(!machine.paths.contains { !$0.supportsIPv4 })
    }

    @Test func `what happens to an interface that is not in use interrupts nothing`() {
        var machine = started(.roaming())
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.setCarrier(false, 3)
            kernel.setCarrier(true, 3)
        }
        machine.advance(seconds)
        #expect(machine.paths.count == 1)
    }

    @Test func `an interface that was left and is used again was interrupted`() {
        var machine = started(.roaming())
        // Not calm any more, so that changes have to hold.
        machine.change { $0.setCarrier(false, 3) }
        machine.change { $0.setCarrier(true, 3) }
        machine.advance(seconds)
        let told = machine.paths.count
        machine.change { $0.setUp(false, 2) }
        machine.advance(100 * milliseconds)
        #expect(machine.paths.count == told)
        machine.change { kernel in
            kernel.setUp(true, 2)
            kernel.addDefault(ip("10.0.0.1"), 2, metric: 102)
        }
        machine.advance(40 * seconds)
        #expect(machine.paths.dropFirst(told).map(\.status) == [.requiresConnection, .satisfied])
    }

    @Test func `an interface that is in use still when it is interrupted was, whatever is found meanwhile`() {
        var machine = started(.roaming())
        machine.change { $0.setCarrier(false, 3) }
        machine.change { $0.setCarrier(true, 3) }
        machine.advance(seconds)
        let told = machine.paths.count
        // Another way is better for a moment, and was not told yet.
        machine.change { $0.addDefault(ip("10.1.0.1"), 3, metric: 1) }
        machine.advance(50 * milliseconds)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.change { $0.removeRoute { $0.metric == 1 } }
        machine.advance(60 * seconds)
        #expect(machine.paths.dropFirst(told).map(\.status) == [.requiresConnection, .satisfied])
    }

    @Test func `a gain that was interrupted has to hold anew`() {
        var machine = started()
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.delay = 10 * milliseconds
        machine.advance(200 * milliseconds)
        machine.change { kernel in
            kernel.setCarrier(false, 2)
            kernel.setCarrier(true, 2)
        }
        machine.advance(300 * milliseconds)
        #expect(machine.paths.last?.status == .requiresConnection)
        machine.advance(seconds)
        #expect(machine.paths.dropFirst(2).map(\.status) == [.satisfied, .requiresConnection, .satisfied])
    }

    @Test func `without damping everything is told at once, interruptions as well`() {
        var settings = ReachabilitySettings()
        settings.settle = .zero
        var machine = started(.wired(), settings)
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.setCarrier(false, 2)
            kernel.setCarrier(true, 2)
        }
        machine.advance(10 * milliseconds)
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        #expect(machine.paths.map(\.generation) == [0, 1, 2])
        #expect(machine.isQuiet)
    }

    @Test func `containers that come and go by the hundred change nothing`() {
        var machine = started()
        for index: Int32 in 100..<400 {
            machine.change { kernel in
                kernel.add(
                    Link(
                        index: index, name: "veth\(index)", virtualKind: "veth", isUp: true, isRunning: true,
                        controller: 9))
            }
            machine.advance(3 * milliseconds)
            machine.change { $0.removeLink(index) }
        }
        machine.advance(10 * seconds)
        #expect(machine.paths.count == 1)
        #expect(machine.isQuiet)
        // Interfaces are asked for one by one, once each at most.
        #expect(machine.kernel.asked["links", default: 0] == 1)
        #expect(machine.kernel.asked["link", default: 0] <= 600)
    }

    @Test func `while nothing changes the interfaces are not asked for`() {
        var machine = started(.roaming([.ipv4, .ipv6]))
        machine.change { $0.announce(.route) }
        machine.kernel.asked = [:]
        machine.change { $0.announce(.route) }
        #expect(machine.kernel.asked["route", default: 0] > 0)
        #expect(machine.kernel.asked["link"] == nil && machine.kernel.asked["links"] == nil)
    }

    @Test func `a router that does not answer is a loss, until its patience ends or it answers`() throws {
        var machine = started()
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

    @Test func `routers with the same address on two links are two`() {
        let kernel = SimulatedKernel.roaming([.ipv6])
        var machine = started(kernel)
        machine.change { $0.setNeighbour(SimulatedKernel.router6, on: 3, .failed) }
        machine.advance(seconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.path?.interfaces.map(\.name) == ["eth0"])
    }

    @Test func `a router that is tried in vain is not told as a gain`() {
        var machine = started()
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

    @Test func `a kernel that does not answer loses nothing, and is asked again`() throws {
        var machine = started()
        let key = try target("192.0.2.7")
        machine.watch(key)
        machine.kernel.isSilent = true
        machine.change { $0.announce(.route) }
        machine.advance(seconds)
        #expect(machine.paths.count == 1)
        #expect(machine.targets[key]?.count == 1)
        machine.advance(5 * seconds)
        #expect(machine.paths.count == 1)
        #expect(machine.target(key)?.status == .unknown)
        #expect(machine.target(key)?.reason == .kernelNotAnswering)
        machine.kernel.isSilent = false
        machine.advance(10 * seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.paths.count == 1)
        #expect(machine.isQuiet)
    }

    @Test func `a kernel that does not answer is asked ever more seldom`() {
        var machine = started()
        machine.kernel.isSilent = true
        let (start, before) = (machine.now, machine.looks.count)
        machine.change { $0.announce(.route) }
        machine.advance(20 * seconds)
        let times = machine.looks.dropFirst(before).map { ($0.time - start) / milliseconds }
        #expect(times == [0, 100, 300, 700, 1_500, 3_100, 6_300, 12_700, 19_100])
    }

    @Test func `an interface that did not answer for itself is not taken for gone`() throws {
        let kernel = SimulatedKernel.roaming()
        kernel.add(ip("fe80::5"), 64, to: 3)
        var machine = started(kernel)
        let key = try target("fe80::9%wlan0")
        machine.watch(key)
        machine.kernel.isSilent = true
        machine.change { $0.announce(.link(3, isInterrupted: false)) }
        machine.kernel.isSilent = false
        machine.advance(10 * seconds)
        #expect(machine.targets[key]?.map(\.status) == [.reachable])
        #expect(machine.paths.count == 1)
    }

    @Test func `while a look is put off nothing is told that may be true no longer`() {
        var machine = started()
        for _ in 0..<2 {
            machine.change { $0.setCarrier(false, 2) }
            machine.change { $0.setCarrier(true, 2) }
        }
        machine.advance(245 * milliseconds)
        for _ in 0..<40 { machine.change { $0.announce(.route) } }
        #expect(machine.isHeld)
        machine.change { $0.setCarrier(false, 2) }
        machine.advance(20 * milliseconds)
        #expect(machine.isHeld)
        #expect(machine.path?.status == .requiresConnection)
        machine.advance(seconds)
        #expect(!machine.isHeld)
        #expect(machine.paths.count == 4)
        machine.change { $0.setCarrier(true, 2) }
        machine.advance(10 * seconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.isQuiet)
    }

    @Test func `an overrun is looked at although looks are put off`() {
        var machine = started()
        machine.kernel.capacity = 5
        for _ in 0..<40 { machine.change { $0.announce(.route) } }
        #expect(machine.isHeld)
        for _ in 0..<10 { machine.kernel.announce(.route) }
        machine.change { $0.setCarrier(false, 2) }
        #expect(machine.path?.status == .requiresConnection)
        #expect(!machine.isHeld)
    }

    @Test func `a timer that fires too early is armed again`() {
        var machine = started()
        for _ in 0..<2 {
            machine.change { $0.setCarrier(false, 2) }
            machine.change { $0.setCarrier(true, 2) }
        }
        #expect(machine.path?.status == .requiresConnection)
        machine.fireEarly()
        machine.advance(250 * milliseconds)
        #expect(machine.path?.status == .satisfied)
    }

    @Test func `a kernel that answers late at the start is told at once`() {
        let kernel = SimulatedKernel.wired()
        kernel.isSilent = true
        var machine = SimulatedMachine(kernel)
        machine.start()
        #expect(machine.path?.reason == .kernelNotAnswering)
        kernel.isSilent = false
        machine.advance(100 * milliseconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.isQuiet)
    }

    @Test func `after a suspend everything is asked again, the interfaces as well`() throws {
        var machine = started()
        machine.names["example.org"] = .addresses([HostAddress(ip("192.0.2.7"))])
        machine.watch(try target("example.org"))
        machine.advance(seconds)
        machine.kernel.interfaces[2]?.name = "lan0"
        machine.askAgain()
        machine.advance(seconds)
        #expect(machine.path?.interfaces.first?.name == "lan0")
        #expect(machine.lookups.count == 2)
    }

    @Test func `settings that have changed hold at once`() {
        var machine = started()
        var settings = ReachabilitySettings()
        settings.costs.expensive = [NamePattern("eth*")]
        settings.settle = .zero
        machine.use(settings)
        #expect(machine.path?.isExpensive == true)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        #expect(machine.path?.status == .satisfied)
        machine.use(metered: ["eth0": true])
        #expect(machine.path?.generation == 3)
    }

    @Test func `what NetworkManager says is told`() {
        var machine = started()
        machine.use(metered: ["eth0": true])
        #expect(machine.path?.isExpensive == true)
        machine.use(metered: [:])
        machine.advance(seconds)
        #expect(machine.path?.isExpensive == false)
    }
}
