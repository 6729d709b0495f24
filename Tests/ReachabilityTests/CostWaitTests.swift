import NetworkPaths
import Reachability
import Testing

/// Verifies that no path is reported as free if it turns out to cost money shortly afterwards.
@Suite struct CostWaitTests {
    private static func started(_ report: CostReport, _ kernel: SimulatedKernel = .wired()) -> SimulatedMachine {
        var machine = SimulatedMachine(kernel)
        machine.start(costs: report)
        return machine
    }

    /// The reported paths over which data could be sent for free.
    private static func free(_ machine: SimulatedMachine) -> [NetworkPath] {
        machine.paths.filter { $0.status == .satisfied && !$0.isExpensive }
    }

    @Test func `the first path waits for the cost report, and is reported with its cost`() throws {
        var machine = Self.started(CostReport(awaited: 1))
        machine.watch(try target("192.0.2.7"))
        machine.advance(500 * milliseconds)
        #expect(machine.path?.status == .requiresConnection && machine.path?.reason == .costUnknown)
        machine.use(costs: CostReport(metered: ["eth0": true]))
        #expect(machine.path?.status == .satisfied && machine.path?.isExpensive == true)
        #expect(machine.targets[try target("192.0.2.7")]?.last?.interface?.isExpensive == true)
        machine.advance(60 * seconds)
        #expect(Self.free(machine).isEmpty)
        let reported = machine.targets[try target("192.0.2.7")] ?? []
        #expect(!reported.contains { $0.status == .reachable && $0.interface?.isExpensive == false })
    }

    @Test func `a source that does not reply is awaited for two seconds`() {
        var machine = Self.started(CostReport(awaited: 1))
        machine.advance(1_999 * milliseconds)
        #expect(machine.path?.reason == .costUnknown)
        machine.advance(2 * milliseconds)
        #expect(machine.path?.status == .satisfied && machine.path?.isExpensive == false)
        machine.advance(60 * seconds)
        #expect(machine.isQuiet)
        // Once reported, the path does not wait again.
        machine.use(costs: CostReport(undecided: ["eth0"], awaited: 1))
        #expect(machine.path?.status == .satisfied)
    }

    @Test func `without any report about an interface, nothing waits`() {
        var machine = Self.started(CostReport())
        #expect(machine.path?.status == .satisfied)
        machine = Self.started(CostReport(metered: ["wlan0": true], undecided: ["wlan0"]))
        #expect(machine.path?.status == .satisfied)
    }

    @Test func `another network is reported once its cost is known, and before that the loss of the previous one`() {
        var machine = Self.started(CostReport(metered: ["eth0": false], undecided: ["wlan0"]), .roaming())
        machine.advance(60 * seconds)
        let before = machine.paths.count
        machine.change { $0.setUp(false, 2) }
        machine.advance(300 * milliseconds)
        #expect(machine.path?.status == .requiresConnection && machine.path?.reason == .costUnknown)
        machine.use(costs: CostReport(metered: ["eth0": false, "wlan0": true]))
        machine.advance(60 * seconds)
        #expect(machine.path?.interfaces.first?.name == "wlan0" && machine.path?.isExpensive == true)
        #expect(machine.paths.dropFirst(before).allSatisfy { $0.status != .satisfied || $0.isExpensive })
    }

    @Test func `the cost of an interface in use stays valid while the source restarts`() {
        var machine = Self.started(CostReport(metered: ["eth0": true]))
        machine.advance(60 * seconds)
        let before = machine.paths.count
        machine.use(costs: CostReport(awaited: 1))
        machine.advance(seconds)
        machine.use(costs: CostReport(awaited: 2))
        machine.advance(seconds)
        machine.use(costs: CostReport(metered: ["eth0": true]))
        machine.advance(60 * seconds)
        #expect(machine.paths.count == before && machine.path?.isExpensive == true)
        machine.use(costs: CostReport(awaited: 3))
        machine.advance(3 * seconds)
        #expect(machine.path?.isExpensive == false && machine.path?.status == .satisfied)
        machine.advance(60 * seconds)
        #expect(machine.isQuiet)
    }

    @Test func `the cost stays valid while a source that has started again does not know it yet`() {
        var machine = Self.started(CostReport(metered: ["eth0": true]))
        machine.advance(60 * seconds)
        let before = machine.paths.count
        // It stops: it removes its devices, and then leaves the bus.
        machine.use(costs: CostReport())
        machine.advance(100 * milliseconds)
        machine.use(costs: CostReport(awaited: 1))
        machine.advance(seconds)
        machine.use(costs: CostReport(awaited: 2))
        // It has listed its devices.
        machine.use(costs: CostReport())
        machine.advance(500 * milliseconds)
        machine.use(costs: CostReport(metered: ["eth0": true]))
        machine.advance(60 * seconds)
        #expect(machine.paths.count == before && machine.path?.isExpensive == true)
        // A source that never knows it again is believed after two seconds, and one that knows better at once.
        machine.use(costs: CostReport(awaited: 3))
        machine.use(costs: CostReport(metered: ["wlan0": true]))
        machine.advance(1_999 * milliseconds)
        #expect(machine.path?.isExpensive == true)
        machine.advance(2 * milliseconds)
        #expect(machine.path?.isExpensive == false && machine.path?.status == .satisfied)
        machine.advance(60 * seconds)
        machine.use(costs: CostReport(metered: ["eth0": true]))
        machine.advance(60 * seconds)
        #expect(machine.path?.isExpensive == true)
        machine.use(costs: CostReport(awaited: 4))
        machine.use(costs: CostReport(metered: ["eth0": false]))
        machine.advance(seconds)
        #expect(machine.path?.isExpensive == false)
        machine.advance(60 * seconds)
        #expect(machine.isQuiet)
    }

    @Test func `a path that costs money anyway, and one on this machine, do not wait`() throws {
        let kernel = SimulatedKernel()
        kernel.add(Link(index: 2, name: "wwan0", deviceType: "wwan", isUp: true, isRunning: true))
        kernel.connect(2, network: 0)
        _ = kernel.drain()
        var machine = Self.started(CostReport(awaited: 1), kernel)
        #expect(machine.path?.status == .satisfied && machine.path?.isExpensive == true)
        machine.watch(try target("127.0.0.1"))
        #expect(machine.targets[try target("127.0.0.1")]?.last?.status == .reachable)
    }
}
