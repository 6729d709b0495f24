import NetworkPaths
import Reachability
import Testing

/// Brief interruptions: connections may be dead, although the state is the same as before.
struct InterruptionTests {
    @Test func `an interruption between two evaluations counts as two changes`() {
        var machine = SimulatedMachine.started()
        machine.interrupt()
        #expect(machine.paths.map(\.status) == [.satisfied, .requiresConnection, .satisfied])
        #expect(machine.paths.dropFirst().first?.reason == .noCarrier)
        #expect(machine.path?.generation == 2)
        #expect(machine.paths.first?.unnumbered == machine.paths.last?.unnumbered)
    }

    @Test func `a brief removal of an address counts as two changes, for its hosts as well`() throws {
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

    /// An evaluation that begins without a route, and during which the link comes up.
    @Test(arguments: [true, false])
    func `a loss before a route was found is no interruption of it, even if it is received later`(
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

    /// An evaluation that also finds the other IP version, and during which the link was interrupted.
    @Test func `a route in use before is interrupted, even if the rest was not reported yet`() throws {
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
        // A change between equals has just been reported: the next one has to last.
        kernel.now += seconds
        reported += state.timerFired(at: kernel.now, querying: kernel).paths
        #expect(reported.map(\.supportsIPv4) == [false, true])
        #expect(reported.map(\.supportsIPv6) == [true, true])
        #expect(reported.map(\.generation) == [2, 3])
    }

    /// An evaluation that reports an interruption, and during which there was another one.
    @Test func `a reported interruption is not reported again for an earlier time`() throws {
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

    @Test func `an interruption of one IP version leaves the other`() {
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

    @Test func `changes of an interface that is not in use interrupt nothing`() {
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
        // There is no calm any more, so changes have to last.
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

    @Test func `an interface still in use when it is interrupted counts, whatever was found in the meantime`() {
        var machine = SimulatedMachine.started(.roaming())
        machine.change { $0.setCarrier(false, 3) }
        machine.change { $0.setCarrier(true, 3) }
        machine.advance(seconds)
        let reported = machine.paths.count
        // Another route is briefly better, and was not reported yet.
        machine.change { $0.addDefault(ip("10.1.0.1"), 3, metric: 1) }
        machine.advance(50 * milliseconds)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.change { $0.removeRoute { $0.metric == 1 } }
        machine.advance(60 * seconds)
        #expect(machine.paths.dropFirst(reported).map(\.status) == [.requiresConnection, .satisfied])
    }

    @Test func `a recovery that was interrupted has to last again`() {
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

    @Test func `without damping everything is reported at once, including interruptions`() {
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
    /// The link loses its carrier and recovers before the next evaluation.
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
    /// A brief interruption of an interface.
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
