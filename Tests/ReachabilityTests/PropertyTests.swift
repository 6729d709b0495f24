import NetworkPaths
import Reachability
import TestSupport
import TestTraits
import Testing

/// Any changes of a network, in any order, and with any delay.
@Suite(.computes) struct PropertyTests {
    static let hosts = [
        "192.0.2.7", "10.0.0.9", "2600::7", "fe80::1%wlan0", "127.0.0.1", "one.example", "none.example",
    ]

    /// A random change of a network with three interfaces.
    static func mishap(_ kernel: SimulatedKernel, _ generator: inout SeededGenerator) {
        let index = Int32.random(in: 2...4, using: &generator)
        let family = IPAddress.Family.allCases.randomElement(using: &generator) ?? .ipv4
        let router = family == .ipv4 ? ip("10.\(index - 2).0.1") : SimulatedKernel.router6
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: kernel.setUp(false, index)
        case 1...2: kernel.setUp(true, index)
        case 3: kernel.setCarrier(false, index)
        case 4...5: kernel.setCarrier(true, index)
        case 6: kernel.addresses[index]?.randomElement(using: &generator).map { kernel.remove($0.address, from: index) }
        case 7...9: kernel.connect(index, network: Int(index) - 2, [family])
        case 10: kernel.addDefault(router, index, metric: 100 + UInt32(index))
        case 11: kernel.removeRoute { $0.prefix.length == 0 && $0.hops.contains { $0.interface == index } }
        case 12: kernel.setNeighbour(router, on: index, .failed)
        case 13: kernel.setNeighbour(router, on: index, .reachable)
        case 14:
            // The router is tried, and replies or not: the attempt always ends with a result.
            kernel.setNeighbour(router, on: index, .incomplete)
            kernel.now += seconds
            kernel.setNeighbour(router, on: index, Bool.random(using: &generator) ? .reachable : .failed)
        case 15:
            let actions: [RoutingRule.Action] = [.prohibit, .unreachable, .blackhole, .table(100)]
            kernel.removeRule(10, family)
            kernel.add(RoutingRule(priority: 10, action: actions.randomElement(using: &generator) ?? .prohibit), family)
        case 16: kernel.removeRule(10, family)
        case 17: kernel.removeLink(index)
        case 18:
            guard kernel.interfaces[index] == nil else { return }
            let type = index == 3 ? "wlan" : nil
            let name = index == 3 ? "wlan0" : "eth\(index)"
            kernel.add(Link(index: index, name: name, deviceType: type, isUp: true, isRunning: true))
        default:
            kernel.add(ip("2001:db8:\(index)::9"), 64, to: index, isTentative: Bool.random(using: &generator))
        }
    }

    private static func machine(_ settings: ReachabilitySettings = ReachabilitySettings()) throws -> SimulatedMachine {
        let kernel = SimulatedKernel.roaming([.ipv4, .ipv6])
        kernel.add(Link(index: 4, name: "eth4", isUp: true, isRunning: true))
        var machine = SimulatedMachine(kernel, settings)
        machine.names = [
            "one.example": .addresses([HostAddress(ip("2600::1:7")), HostAddress(ip("192.0.2.77"))]),
            "none.example": .noSuchName,
        ]
        machine.start(nameServers: servers)
        for host in hosts { machine.watch(try target(host)) }
        machine.settle()
        return machine
    }

    private static let servers = [HostAddress(ip("10.0.0.53")), HostAddress(ip("2001:db8:1::53"))]

    @Test(arguments: 0..<60)
    func `once nothing changes, the last reports are true`(round: Int) throws {
        var generator = SeededGenerator(seed: SeededGenerator(sample: 7).seed &+ UInt64(round))
        var settings = ReachabilitySettings()
        if round % 5 == 4 { settings.settle = .zero }
        var machine = try Self.machine(settings)
        let kernel = machine.kernel
        kernel.capacity = [3, 20, 1_000].randomElement(using: &generator) ?? 20
        kernel.mostInARow = [1, 4, .max].randomElement(using: &generator) ?? 4
        kernel.answersAtOnce = round % 2 == 1
        machine.state.reportsAtOnce = round % 3 != 0
        machine.state.isPathWatched = round % 3 == 1
        machine.lookupTime = ([0, 5, 900].randomElement(using: &generator) ?? 5) * milliseconds
        let keys = try Self.hosts.map { try target($0) }

        var answeredSince = machine.now
        for _ in 0..<40 {
            machine.delay = ([0, 0, 1, 30, 400].randomElement(using: &generator) ?? 0) * milliseconds
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                machine.change { Self.mishap($0, &generator) }
                kernel.isSilent = Int.random(in: 0..<40, using: &generator) == 0
                let pause: UInt64 = [0, 1, 20, 300, 5_000].randomElement(using: &generator) ?? 1
                machine.advance(pause * milliseconds)
                // After a silence the kernel is queried again within 6.4 s.
                if kernel.isSilent { answeredSince = machine.now + 7 * seconds }
                if machine.now >= answeredSince { expectNothingBetter(than: machine, keys, generator) }
                kernel.isSilent = false
            }
            guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }
            Self.storm(&machine, &generator)
            machine.settle()
            expectReported(machine, keys, generator)
        }
        machine.settle()
        expectReported(machine, keys, generator)
        expectVisibleChanges(machine, generator)
        expectBudget(machine, generator)
    }

    /// More is announced than the socket holds, and further changes occur while that is read.
    private static func storm(_ machine: inout SimulatedMachine, _ generator: inout SeededGenerator) {
        machine.delay = 2 * milliseconds
        for _ in 0...machine.kernel.capacity { machine.change { $0.announce(.rule) } }
        for _ in 0..<3 {
            machine.advance(3 * milliseconds)
            machine.change { mishap($0, &generator) }
        }
    }

    /// The last reports equal the present state.
    private func expectReported(_ machine: SimulatedMachine, _ keys: [TargetKey], _ generator: SeededGenerator) {
        let (path, targets) = machine.fresh(keys, nameServers: Self.servers)
        #expect(machine.path?.unnumbered == path, "\(generator)")
        for key in keys { #expect(machine.target(key) == targets[key], "\(key.text), \(generator)") }
    }

    /// The last reports are never better than the present state, once all announcements were received.
    private func expectNothingBetter(
        than machine: SimulatedMachine, _ keys: [TargetKey], _ generator: SeededGenerator
    ) {
        guard machine.kernel.announcements.isEmpty, !machine.kernel.hasOverrun, !machine.isHeld else { return }
        let (path, targets) = machine.fresh(keys, nameServers: Self.servers)
        #expect(machine.path?.rank ?? 9 <= path?.rank ?? 0, "\(generator)")
        for key in keys where key.text.first?.isNumber == true {
            #expect(machine.target(key)?.rank ?? 9 <= targets[key]?.rank ?? 0, "\(key.text), \(generator)")
        }
    }

    /// Every report differs from the one before, and is numbered.
    private func expectVisibleChanges(_ machine: SimulatedMachine, _ generator: SeededGenerator) {
        for (earlier, later) in zip(machine.paths, machine.paths.dropFirst()) {
            #expect(earlier.unnumbered != later.unnumbered, "\(generator)")
            #expect(later.generation == earlier.generation + 1)
        }
        for reported in machine.targets.values {
            for (earlier, later) in zip(reported, reported.dropFirst()) {
                #expect(earlier.unnumbered != later.unnumbered, "\(generator)")
                #expect(later.generation == earlier.generation + 1)
            }
        }
    }

    /// At most 20 evaluations in a row and 20 more each second, except for overruns.
    private func expectBudget(_ machine: SimulatedMachine, _ generator: SeededGenerator) {
        let passes = machine.passes.filter { !$0.isFree }.map(\.time)
        for (index, start) in passes.enumerated() {
            for (count, end) in passes[index...].prefix(60).enumerated() {
                #expect(UInt64(count) <= 20 + (end - start) / EvaluationBudget.interval, "\(generator)")
            }
        }
    }
}
