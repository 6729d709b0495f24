import NetworkPaths
import Reachability
import Testing

struct ReachabilityStateTests {
    @Test func `the path is reported at the start`() {
        let machine = SimulatedMachine.started()
        #expect(machine.paths.map(\.status) == [.satisfied])
        #expect(machine.paths.map(\.generation) == [0])
        #expect(machine.recorded == machine.paths)
        #expect(machine.isQuiet)
    }

    @Test
    func `a loss and the recovery are reported at once, and a recovery after another loss after 250 ms`() {
        var machine = SimulatedMachine.started()
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

    @Test func `roaming to another network during calm is reported at once`() {
        var machine = SimulatedMachine.started(.roaming())
        machine.change { $0.setUp(false, 2) }
        #expect(machine.paths.map { $0.interfaces.first?.name } == ["eth0", "wlan0"])
        #expect(machine.paths.allSatisfy { $0.status == .satisfied })
        // The return so soon is a flap, and has to last.
        machine.change { kernel in
            kernel.setUp(true, 2)
            kernel.addDefault(ip("10.0.0.1"), 2, metric: 102)
        }
        #expect(machine.paths.count == 2)
        machine.advance(250 * milliseconds)
        #expect(machine.paths.last?.interfaces.first?.name == "eth0")
    }

    @Test func `hundreds of containers that start and stop change nothing`() {
        var machine = SimulatedMachine.started()
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
        // Interfaces are queried one by one, at most once each.
        #expect(machine.kernel.queried[.links, default: 0] == 1)
        #expect(machine.kernel.queried[.link, default: 0] <= 600)
    }

    @Test func `while nothing changes the interfaces are not queried`() {
        var machine = SimulatedMachine.started(.roaming([.ipv4, .ipv6]))
        machine.change { $0.announce(.route) }
        machine.kernel.queried = [:]
        machine.change { $0.announce(.route) }
        #expect(machine.kernel.queried[.route, default: 0] > 0)
        #expect(machine.kernel.queried[.link] == nil && machine.kernel.queried[.links] == nil)
    }

    @Test func `a kernel that does not reply causes no loss, and is queried again`() throws {
        var machine = SimulatedMachine.started()
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

    @Test func `a kernel that does not reply is queried less and less frequently`() {
        var machine = SimulatedMachine.started()
        machine.kernel.isSilent = true
        let (start, before) = (machine.now, machine.passes.count)
        machine.change { $0.announce(.route) }
        machine.advance(20 * seconds)
        let times = machine.passes.dropFirst(before).map { ($0.time - start) / milliseconds }
        #expect(times == [0, 100, 300, 700, 1_500, 3_100, 6_300, 12_700, 19_100])
    }

    @Test func `an interface without a reply does not count as removed`() throws {
        let kernel = SimulatedKernel.roaming()
        kernel.add(ip("fe80::5"), 64, to: 3)
        var machine = SimulatedMachine.started(kernel)
        let key = try target("fe80::9%wlan0")
        machine.watch(key)
        machine.kernel.isSilent = true
        machine.change { $0.announce(.link(3, isInterrupted: false)) }
        machine.kernel.isSilent = false
        machine.advance(10 * seconds)
        #expect(machine.targets[key]?.map(\.status) == [.reachable])
        #expect(machine.paths.count == 1)
    }

    @Test func `while an evaluation is postponed nothing is reported that may be out of date`() {
        var machine = SimulatedMachine.started()
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

    @Test func `an overrun is evaluated even while evaluations are postponed`() {
        var machine = SimulatedMachine.started()
        machine.kernel.capacity = 5
        for _ in 0..<40 { machine.change { $0.announce(.route) } }
        #expect(machine.isHeld)
        for _ in 0..<10 { machine.kernel.announce(.route) }
        machine.change { $0.setCarrier(false, 2) }
        #expect(machine.path?.status == .requiresConnection)
        #expect(!machine.isHeld)
    }

    @Test func `announcements dropped while an overrun is read in several calls are evaluated at the end`() {
        var machine = SimulatedMachine.started()
        machine.kernel.capacity = 5
        machine.kernel.mostInARow = 3
        machine.change { $0.setCarrier(false, 2) }
        machine.delay = 10 * milliseconds
        let passes = machine.passes.count
        for _ in 0..<10 { machine.change { $0.announce(.route) } }
        machine.advance(15 * milliseconds)
        #expect(machine.passes.count == passes + 1 && machine.kernel.isCongested)
        // Only the announcement reports a recovered carrier; the cache of interfaces would have the old state.
        machine.change { $0.setCarrier(true, 2) }
        #expect(machine.path?.reason == .noCarrier)
        machine.advance(15 * milliseconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.passes.count == passes + 2)
        // Something may have been removed in the meantime.
        machine.advance(seconds)
        #expect(machine.passes.count == passes + 3 && machine.isQuiet)
    }

    @Test func `a timer that fires too early is armed again`() {
        var machine = SimulatedMachine.started()
        for _ in 0..<2 {
            machine.change { $0.setCarrier(false, 2) }
            machine.change { $0.setCarrier(true, 2) }
        }
        #expect(machine.path?.status == .requiresConnection)
        machine.fireEarly()
        machine.advance(250 * milliseconds)
        #expect(machine.path?.status == .satisfied)
    }

    @Test func `a late reply of the kernel at the start is reported at once`() {
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

    @Test func `after a suspend everything is queried again, including the interfaces`() throws {
        var machine = SimulatedMachine.started()
        machine.names["example.org"] = .addresses([HostAddress(ip("192.0.2.7"))])
        machine.watch(try target("example.org"))
        machine.advance(seconds)
        machine.kernel.interfaces[2]?.name = "lan0"
        machine.queryAgain()
        machine.advance(seconds)
        #expect(machine.path?.interfaces.first?.name == "lan0")
        #expect(machine.lookups.count == 2)
    }

    @Test func `changed settings apply at once`() {
        var machine = SimulatedMachine.started()
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

    @Test func `the report of NetworkManager is used`() {
        var machine = SimulatedMachine.started()
        machine.use(metered: ["eth0": true])
        #expect(machine.path?.isExpensive == true)
        machine.use(metered: [:])
        // NetworkManager may be restarting: the cost stays valid for two seconds.
        #expect(machine.path?.isExpensive == true)
        machine.advance(3 * seconds)
        #expect(machine.path?.isExpensive == false)
    }
}
