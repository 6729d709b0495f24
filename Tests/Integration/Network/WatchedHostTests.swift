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

/// What `io.waymark.Reachability` reports about hosts by address, to clients and in the journal.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct WatchedHostTests {
    private let scene: NetworkServiceScene

    init() throws { scene = try NetworkServiceScene() }

    @Test func `a host is evaluated, and the evaluated parts are reported`() throws {
        let daemon = try scene.start()
        let answer = try #require(try NetworkReader(daemon.socketPath).target(scene.world, port: 443))
        #expect(answer.target.status == .reachable && answer.target.host == scene.world && answer.target.port == 443)
        #expect(answer.target.source == IPAddress(TestNetwork.ownIPv4()))
        #expect(answer.target.gateway == IPAddress(TestNetwork.routerIPv4()))
        #expect(answer.target.interface?.name == "up0" && answer.target.table == 254)
        #expect(answer.steps.map(\.subject).contains(.route), "\(answer.steps)")
        #expect(answer.steps.allSatisfy { $0.outcome != .bad }, "\(answer.steps)")
        #expect(try scene.status(daemon).targets == 0)
    }

    @Test func `programs of one user that watch one host share its evaluation`() throws {
        let daemon = try scene.start()
        let readers = try (0..<3).map { _ in try NetworkReader(daemon.socketPath) }
        for reader in readers { try reader.watch(scene.world) }
        for reader in readers { #expect(try reader.nextTarget().status == .reachable) }
        let before = try scene.status(daemon)
        #expect(before.targets == 1 && before.monitors == 3)
        try scene.network.machine.ip("route del default")
        for reader in readers {
            let target = try reader.nextTarget()
            #expect(target.status == .unreachable && target.reason == .noRoute)
        }
        try scene.network.restore()
        for reader in readers { #expect(try reader.target(.reachable).generation == 2) }
    }

    @Test func `a host is forgotten with the last program that watches it`() throws {
        let daemon = try scene.start()
        do {
            let reader = try NetworkReader(daemon.socketPath)
            try reader.watch(scene.world)
            #expect(try reader.nextTarget().status == .reachable)
            #expect(try scene.status(daemon).targets == 1)
        }
        #expect(try eventually { try scene.status(daemon).targets == 0 })
    }

    @Test func `a text that is neither a name nor an address is no host`() throws {
        let daemon = try scene.start()
        let reader = try NetworkReader(daemon.socketPath)
        for host in ["", "a b", "192.0.2.1:80", "[::1]", "-", "a..b", String(repeating: "a", count: 300)] {
            #expect(try Refusal { _ = try reader.target(host) }?.error == .reachabilityInvalidHost, "\(host)")
        }
        #expect(throws: VarlinkError.self) { try reader.target(scene.world, port: 0) }
    }

    @Test(.enabled(if: OtherUser.isPossible, "running a program as another user needs root"))
    func `the states of a host that an app watches are in the journal`() throws {
        let apps = try TestApps()
        let trailmap = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: trailmap)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = scene.network.machine.entrance
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), surroundings: surroundings)
        let app = try AppClient(trailmap, to: daemon.socketPath)
        try app.begin(
            ReachabilityInterface.Method.monitorTarget.rawValue, #"{"host":"\#(scene.world)","port":443}"#, more: true)
        #expect(try app.next()?.parameters["target"]?["status"] == "reachable")
        // A host that no app watches is not in the journal, as it concerns only its watcher.
        let own = try NetworkReader(daemon.socketPath)
        try own.watch("192.0.2.1")
        #expect(try own.nextTarget().status == .reachable)
        try scene.network.machine.ip("route del default")
        #expect(try app.next()?.parameters["target"]?["status"] == "unreachable")
        #expect(try own.nextTarget().status == .unreachable)

        var events: [JournalEntry] = []
        _ = try eventually {
            let read = JournalInterface.Read(kinds: [.targetChanged])
            events = try Client(path: daemon.socketPath).call(read, timeout: .seconds(60)).events
            return !events.isEmpty
        }
        #expect(events.count == 1, "\(events)")
        #expect(events.first?.app == "trailmap" && events.first?.user == Int64(OtherUser.nobody))
        let details = events.first?.details
        #expect(details?["host"] == .string(scene.world) && details?["port"] == 443)
        #expect(details?["status"] == "unreachable" && details?["reason"] == "noRoute")
    }
}
