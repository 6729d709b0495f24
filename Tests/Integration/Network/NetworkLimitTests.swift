import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// The limits of the hosts and names of one user, and what one user's programs change for another.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct NetworkLimitTests {
    private let scene: NetworkServiceScene

    init() throws { scene = try NetworkServiceScene() }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `the number of names resolved for a user is limited, but not for operators`() throws {
        // The resolver is replaced by a quick one, as the limit rises by one with each second: with a slow one it is
        // reached later.
        let names = (0..<600).map { "host\($0).example" }
        let daemon = try scene.start("Resolver=\(try scene.resolver("quick", "echo \(scene.world); echo found"))")
        func reader(as user: UInt32? = nil) throws -> NetworkReader {
            try scene.network.machine.inside { try NetworkReader(daemon.socketPath, as: user) }
        }
        let other = try reader(as: OtherUser.nobody)
        var refusal: Refusal?
        var queried = 0
        let began = SystemClock().monotonicNanoseconds
        for name in names where refusal == nil {
            queried += 1
            refusal = try Refusal { _ = try other.target(name) }
        }
        #expect(refusal?.error == .reachabilityTooManyTargets)
        let seconds = Int((SystemClock().monotonicNanoseconds - began) / 1_000_000_000) + 1
        #expect(queried <= 70 + seconds)
        // Addresses are not resolved.
        #expect(try other.target(scene.world)?.target.status == .reachable)
        let own = try reader()
        for name in names.prefix(70) {
            let answer = try own.target(name, where: { $0.status == .reachable })
            #expect(answer?.target.status == .reachable)
        }
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `unanswered names of one user do not delay another user's name`() throws {
        try scene.network.machine.replace("hosts", "127.0.0.1 localhost\n")
        let program = try scene.resolver(
            "slow", "case $name in hang*) exec sleep 60;; esac; echo \(scene.world); echo found")
        let daemon = try scene.start("Resolver=\(program)")
        func watching(_ host: String, as user: UInt32? = nil) throws -> NetworkReader {
            let reader = try scene.network.machine.inside { try NetworkReader(daemon.socketPath, as: user) }
            try reader.watch(host)
            return reader
        }
        let own = try watching("tracker.example")
        #expect(try own.target(.reachable).address == IPAddress(scene.world))
        let others = try (0..<20).map { try watching("hang\($0).example", as: OtherUser.nobody) }
        for other in others { #expect(try other.nextTarget().reason == .resolving) }
        let before = try scene.lookups(daemon, "found")
        // All names are queried again.
        try scene.network.machine.replace("hosts", "127.0.0.1 localhost elsewhere\n")
        let isFound = try eventually { try scene.lookups(daemon, "found") > before }
        #expect(isFound)
        #expect(try own.isQuiet(seconds: 0.2))
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a user can watch a limited number of hosts, and another one after closing one`() throws {
        let daemon = try scene.start(maximumConnections: 100)
        var readers = try (1...64).map { number in
            let reader = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
            try reader.watch("192.0.2.\(number)")
            return reader
        }
        for reader in readers { #expect(try reader.nextTarget().status == .reachable) }
        func watchOneMore() throws -> NetworkReader {
            let reader = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
            try reader.watch("192.0.2.200")
            return reader
        }
        #expect(try Refusal { _ = try watchOneMore().nextTarget() }?.error == .reachabilityTooManyTargets)
        // A host that is watched already does not count again; and operators have no such limit.
        let again = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
        try again.watch("192.0.2.1")
        #expect(try again.nextTarget().status == .reachable)
        let own = try NetworkReader(daemon.socketPath)
        try own.watch("192.0.2.200")
        #expect(try own.nextTarget().status == .reachable)
        readers.removeLast()
        let isFree = try eventually { try Refusal { _ = try watchOneMore().nextTarget() } == nil }
        #expect(isFree)
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a report of one user changes nothing for another`() throws {
        let daemon = try scene.start()
        let (own, other) = (try NetworkReader(daemon.socketPath), try NetworkReader(daemon.socketPath, as: 65_534))
        for reader in [own, other] {
            try reader.watch(scene.world)
            #expect(try !reader.nextTarget().isSuspect)
        }
        let reporter = try NetworkReader(daemon.socketPath, as: OtherUser.nobody)
        for _ in 0..<3 { try reporter.report(.failed, scene.world) }
        #expect(try reporter.target(scene.world)?.target.isSuspect == true)
        let suspected = try other.nextTarget()
        #expect(suspected.status == .reachable && suspected.isSuspect)
        #expect(try own.isQuiet(seconds: 0.2))
        try reporter.report(.answered, scene.world)
        #expect(try !other.nextTarget().isSuspect)
    }
}
