import Glibc
import Location
import Reachability
import TestSupport
import TestTraits
import Testing

/// A cable that comes loose very often: WAYMARK_FLAPS times, by default as often as takes a few seconds without
/// optimization.
@Suite(.computes) struct FlapTests {
    private static let flaps = getenv("WAYMARK_FLAPS").flatMap { Int(String(cString: $0)) } ?? 20_000

    @Test func `however often a cable comes loose, the last report is true`() throws {
        var generator = SeededGenerator(sample: 11)
        let kernel = SimulatedKernel.roaming([.ipv4, .ipv6])
        kernel.capacity = 8
        kernel.mostInARow = 5
        var machine = SimulatedMachine(kernel)
        let keys = [try target("192.0.2.7"), try target("2600::7")]
        machine.start()
        for key in keys { machine.watch(key) }

        var (left, bursts, wrong) = (Self.flaps, 0, 0)
        while left > 0 {
            let burst = min(left, Int.random(in: 1...2_000, using: &generator))
            left -= burst
            bursts += 1
            for _ in 0..<burst { flap(&machine, &generator) }
            machine.settle()
            let (path, targets) = machine.fresh(keys)
            let isRight = machine.path?.unnumbered == path && keys.allSatisfy { machine.target($0) == targets[$0] }
            if !isRight { wrong += 1 }
        }
        #expect(wrong == 0, "\(generator)")
        print(
            "\(Self.flaps) flaps in \(bursts) bursts and \(machine.now / seconds) s:",
            "\(machine.passes.count) evaluations, \(machine.state.overruns) overruns, \(machine.paths.count) paths reported"
        )
    }

    /// Both wireless and wired, routes and addresses, sometimes restored before the change is received.
    private func flap(_ machine: inout SimulatedMachine, _ generator: inout SeededGenerator) {
        let index = Int32.random(in: 2...3, using: &generator)
        machine.delay = UInt64.random(in: 0...3, using: &generator) * milliseconds
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            machine.change { $0.setUp(false, index) }
            machine.change { $0.setUp(true, index) }
            machine.change { $0.connect(index, network: Int(index) - 2, [.ipv4, .ipv6]) }
        case 1:
            let network = Int(index) - 2
            machine.change { $0.remove(ip("10.\(network).0.5"), from: index) }
            if Bool.random(using: &generator) { machine.advance(milliseconds) }
            machine.change { $0.connect(index, network: network) }
        case 2:
            machine.change { $0.setCarrier(false, index) }
        default:
            machine.change { $0.setCarrier(false, index) }
            if Bool.random(using: &generator) { machine.advance(milliseconds) }
            machine.change { $0.setCarrier(true, index) }
        }
        machine.advance(UInt64.random(in: 0...20, using: &generator) * milliseconds)
    }
}
