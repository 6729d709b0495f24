import NetworkPaths
import Reachability
import Testing

/// What was gone for a moment: connections died of it, though all is as it was.
struct InterruptionTests {
    @Test func `an interruption that nobody saw counts two`() {
        var machine = SimulatedMachine.started()
        machine.interrupt()
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        #expect(machine.paths.dropFirst().first?.reason == .noCarrier)
        #expect(machine.path?.generation == 2)
        #expect(machine.paths.first?.unnumbered == machine.paths.last?.unnumbered)
    }

    @Test func `an address that was gone for a moment counts two, and for its hosts as well`() throws {
        var machine = SimulatedMachine.started()
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

    /// A look that begins while there is no way, and during which the link comes up.
    @Test(arguments: [true, false])
    func `what was away before a way was found is no interruption of it, though it is heard after`(
        isReported: Bool
    ) throws {
        let kernel = SimulatedKernel.wired()
        var state = ReachabilityState(settings: ReachabilitySettings())
        kernel.setCarrier(false, 2)
        _ = kernel.drain()
        _ = state.start(at: kernel.now, querying: kernel)
        let key = try target("192.0.2.7")
        _ = state.watch(key, at: kernel.now, querying: kernel)
        var later = NetworkEvents.absent(2)
        kernel.setCarrier(true, 2)
        let found = state.handle(kernel.drain(), at: kernel.now, querying: kernel)
        #expect(found.contains { $0.isStateReport } && state.path?.status == .satisfied)
        if !isReported { state.discount(&later, unreportedSince: kernel.now) }
        let reported = state.handle(later, at: kernel.now, querying: kernel)
        #expect(reported.contains { if case .reportPath = $0 { true } else { false } } == isReported)
        #expect(reported.contains { if case .reportTarget = $0 { true } else { false } } == isReported)
    }

    /// A look that finds the other version of the protocol as well, and during which the link was away.
    @Test func `what was relied on before is interrupted, though nobody was told of the rest yet`() throws {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        var state = ReachabilityState(settings: ReachabilitySettings())
        kernel.remove(ip("2001:db8:0::5"), from: 2)
        _ = kernel.drain()
        _ = state.start(at: kernel.now, querying: kernel)
        kernel.now += 60 * seconds
        kernel.add(ip("2001:db8:0::5"), 64, to: 2)
        let found = state.handle(kernel.drain(), at: kernel.now, querying: kernel)
        #expect(found.paths.map(\.supportsIPv6) == [true])
        var later = NetworkEvents.absent(2)
        state.discount(&later, unreportedSince: kernel.now)
        var reported = state.handle(later, at: kernel.now, querying: kernel).paths
        // One change between equals has just been told: the next has to hold.
        kernel.now += seconds
        reported += state.timerFired(at: kernel.now, querying: kernel).paths
        #expect(reported.map(\.supportsIPv4) == [false, true])
        #expect(reported.map(\.supportsIPv6) == [true, true])
        #expect(reported.map(\.generation) == [2, 3])
    }

    /// A look that tells of an interruption, and during which there was another.
    @Test func `what was told to have been away is not told so again of the time before`() throws {
        let kernel = SimulatedKernel.wired()
        var state = ReachabilityState(settings: ReachabilitySettings())
        _ = kernel.drain()
        _ = state.start(at: kernel.now, querying: kernel)
        kernel.now += 60 * seconds
        kernel.setCarrier(false, 2)
        kernel.setCarrier(true, 2)
        var later = kernel.drain()
        let found = state.handle(later, at: kernel.now, querying: kernel)
        #expect(found.paths.map(\.status) == [.requiresConnection, .satisfied])
        state.discount(&later, unreportedSince: kernel.now)
        #expect(state.handle(later, at: kernel.now, querying: kernel).paths.isEmpty)
    }

    @Test func `an interruption of one version of the protocol leaves the other`() {
        var machine = SimulatedMachine.started(.wired(.ipv4, .ipv6))
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
        var machine = SimulatedMachine.started(.roaming())
        machine.delay = 10 * milliseconds
        machine.change { kernel in
            kernel.setCarrier(false, 3)
            kernel.setCarrier(true, 3)
        }
        machine.advance(seconds)
        #expect(machine.paths.count == 1)
    }

    @Test func `an interface that was left and is used again was interrupted`() {
        var machine = SimulatedMachine.started(.roaming())
        // Not calm any more, so that changes have to hold.
        machine.change { $0.setCarrier(false, 3) }
        machine.change { $0.setCarrier(true, 3) }
        machine.advance(seconds)
        let reported = machine.paths.count
        machine.change { $0.setUp(false, 2) }
        machine.advance(100 * milliseconds)
        #expect(machine.paths.count == reported)
        machine.change { kernel in
            kernel.setUp(true, 2)
            kernel.addDefault(ip("10.0.0.1"), 2, metric: 102)
        }
        machine.advance(40 * seconds)
        #expect(machine.paths.dropFirst(reported).map(\.status) == [.requiresConnection, .satisfied])
    }

    @Test func `an interface that is in use still when it is interrupted was, whatever is found meanwhile`() {
        var machine = SimulatedMachine.started(.roaming())
        machine.change { $0.setCarrier(false, 3) }
        machine.change { $0.setCarrier(true, 3) }
        machine.advance(seconds)
        let reported = machine.paths.count
        // Another way is better for a moment, and was not told yet.
        machine.change { $0.addDefault(ip("10.1.0.1"), 3, metric: 1) }
        machine.advance(50 * milliseconds)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.change { $0.removeRoute { $0.metric == 1 } }
        machine.advance(60 * seconds)
        #expect(machine.paths.dropFirst(reported).map(\.status) == [.requiresConnection, .satisfied])
    }

    @Test func `a gain that was interrupted has to hold anew`() {
        var machine = SimulatedMachine.started()
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
        var machine = SimulatedMachine.started(.wired(), settings)
        machine.interrupt()
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        machine.advance(seconds)
        #expect(machine.paths.map(\.generation) == [0, 1, 2])
        #expect(machine.isQuiet)
    }
}

extension SimulatedMachine {
    /// Has the link lose its carrier and find it again before anybody looks.
    fileprivate mutating func interrupt() {
        delay = 10 * milliseconds
        change { kernel in
            kernel.setCarrier(false, 2)
            kernel.setCarrier(true, 2)
        }
        advance(10 * milliseconds)
    }
}

extension NetworkEvents {
    /// An interface was away for a moment.
    fileprivate static func absent(_ interface: Int32) -> NetworkEvents {
        var events = NetworkEvents()
        events.count = 2
        events.interrupted = [interface]
        events.changedLinks = [interface]
        return events
    }
}

extension [ReachabilityEffect] {
    fileprivate var paths: [NetworkPath] { compactMap { if case .reportPath(let path) = $0 { path } else { nil } } }
}
